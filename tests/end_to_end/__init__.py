"""Tests of the whole service through its API: the real worker, the real database, a virtual clock."""
