"""Decisions: synchronous, pure code that takes values and returns values."""
