"""Tests of the players of calls."""
