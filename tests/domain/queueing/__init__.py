"""Tests of `dialer.domain.queueing`."""
