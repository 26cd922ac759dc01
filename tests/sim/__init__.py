"""Tests of `dialer.sim`."""
