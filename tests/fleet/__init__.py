"""Tests of several processes that share one database."""
