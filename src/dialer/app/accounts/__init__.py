"""Users, the ways they sign in, and their money."""
