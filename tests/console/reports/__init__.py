"""Tests of reports that are sent."""
