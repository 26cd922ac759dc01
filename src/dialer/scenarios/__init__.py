"""Scenarios in files: people who are called in virtual time, and what must come of it (`dialer test`)."""
