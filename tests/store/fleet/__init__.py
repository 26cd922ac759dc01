"""Tests of the rows of workers that dial side by side."""
