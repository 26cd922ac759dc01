"""Tests of mails, against a real mail server."""
