"""Queries: rows become what the engine and the API are told."""
