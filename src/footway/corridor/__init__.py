"""The corridor map."""
