"""Routes outside the resource table."""
