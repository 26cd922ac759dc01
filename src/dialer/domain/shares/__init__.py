"""Fair shares of what accounts have in common."""
