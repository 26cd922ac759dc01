"""Tests of what is special to each resource."""
