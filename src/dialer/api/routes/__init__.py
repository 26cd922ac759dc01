"""Routes beside the resource table."""
