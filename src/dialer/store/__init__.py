"""Rows and transactions: what the service remembers."""
