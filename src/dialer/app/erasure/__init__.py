"""The erasure of personal data."""
