"""Use cases of the ways to carriers."""
