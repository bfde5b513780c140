"""The corridor map of a building: floors and links as one map, paths that climb."""
