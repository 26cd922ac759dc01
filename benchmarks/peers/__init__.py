"""Peers of the benchmarks: the contact resource, written well with other frameworks."""
