"""Fixtures of the tests of use cases."""

from tests.runtime.conftest import house

__all__ = ["house"]
