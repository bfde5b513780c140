"""The corridor map of a roadmap: in the plane, with blends, and in three dimensions."""
