"""Limits of what a user may ask of the simulator. Its command's help has them, so they are light to import."""

from typing import Final

SEED_MAX: Final = 2**63 - 1
SEEDS_MAX: Final = 1_000
"""Seeds of one comparison."""
