"""Tests of the ways to pace."""
