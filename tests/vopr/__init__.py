"""The fault simulator: what it finds, and that it finds it."""
