"""Tests of carriers."""
