"""Tests that run what the pages show: each block of code is run, compared, parsed or linted, and none is left out."""
