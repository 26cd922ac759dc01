"""Moments that stand for others."""

from typing import Final

NEVER_MS: Final = 2**62
"""A moment that never comes."""
