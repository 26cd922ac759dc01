"""Tests of `dialer.domain`."""
