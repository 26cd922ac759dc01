"""Contacts, phonebooks and do-not-call lists."""
