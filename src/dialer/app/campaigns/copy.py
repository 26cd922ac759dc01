"""Copies of campaigns: new campaigns with the settings of others, without their subscribers, calls and counters."""

from collections.abc import Mapping
from typing import Any, Final

COPY_SUFFIX: Final = " (copy)"


def name_of_copy(name: str, length_max: int) -> str:
    """Return the name of a copy, at most `length_max` characters long."""
    return f"{name[: length_max - len(COPY_SUFFIX)]}{COPY_SUFFIX}"


def dates_of_copy(stored: Mapping[str, Any], changed: Mapping[str, Any], now_ms: int) -> dict[str, int]:
    """Return the start and the expiration of a copy: now, unless given, and as long as the original."""
    starting_ms = changed.get("startingdate", now_ms)
    length_ms = stored["expirationdate"] - stored["startingdate"]
    return {"startingdate": starting_ms, "expirationdate": changed.get("expirationdate", starting_ms + length_ms)}
