"""Rows with rules of their own: the ledger, events, limits, invariants, and old calls."""
