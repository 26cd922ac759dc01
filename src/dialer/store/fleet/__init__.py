"""Rows of the workers that dial side by side. Every function runs in a unit of work, and "now" is given to it."""
