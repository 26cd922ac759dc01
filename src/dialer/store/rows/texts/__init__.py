"""Texts that come in: their parts, their senders, and the rows that keep them."""
