"""Queries: they read rows into values for the engine and the API."""
