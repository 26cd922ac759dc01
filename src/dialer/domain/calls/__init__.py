"""Calls as values: the plans, what happens to calls, what is done about it, and how they end."""
