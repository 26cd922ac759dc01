"""Greetings of people and of machines, spoken by programs over made-up lines, to measure detection."""
