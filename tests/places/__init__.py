"""The script that makes the tables of `dialer.domain.places`, and its sources: `python -m tests.places`."""
