"""Calls to and from telephones and exchanges that nobody here wrote, each under its own version."""
