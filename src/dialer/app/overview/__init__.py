"""The overview: what goes on now, and the share of abandoned calls."""
