"""Tests of the pacing strategies."""
