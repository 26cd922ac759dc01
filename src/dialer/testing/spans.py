"""Spans of time as tests write them: "1h", "90m", "1d12h", or a `timedelta`."""

import re
from datetime import timedelta
from typing import Final

_PARTS: Final = re.compile(
    r"(?=.)(?:(?P<days>\d{1,4})d)?(?:(?P<hours>\d{1,5})h)?(?:(?P<minutes>\d{1,6})m)?(?:(?P<seconds>\d{1,8})s)?",
    re.ASCII,
)


def read_span(span: str | timedelta) -> timedelta:
    """Return a span of time.

    Raises:
        ValueError: it is none, or negative.
    """
    if isinstance(span, timedelta):
        found: timedelta | None = span if span >= timedelta() else None
    else:
        match = _PARTS.fullmatch(span)
        found = match and timedelta(**{unit: int(count) for unit, count in match.groupdict("0").items()})
    if found is None:
        raise ValueError(f"{span!r} is no span of time. Write one as 45s, 90m, 1h30m or 2d.")
    return found
