"""Tests of lines for text messages."""
