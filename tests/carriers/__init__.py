"""Tests of the port of carriers."""
