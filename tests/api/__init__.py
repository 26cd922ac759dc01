"""Tests of the REST API, through HTTP."""
