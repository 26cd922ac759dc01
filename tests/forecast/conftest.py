"""Fixtures of the forecast's tests."""

from tests.runtime.conftest import house

__all__ = ["house"]
