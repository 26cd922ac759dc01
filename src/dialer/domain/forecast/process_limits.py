"""The limits of the processes among which a forecast shares its runs out, or calls their sound."""

from typing import Final

PROCESSES_MAX: Final = 64
PROCESSES_DEFAULT_MAX: Final = 8
"""Processes where no setting says how many, on a machine with as many cores."""
