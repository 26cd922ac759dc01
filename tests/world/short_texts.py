"""Short texts for the rows of the page."""

from datetime import date, timedelta
from hashlib import sha256
from typing import Final

DIGITS: Final = 8
_MINUTE: Final = timedelta(minutes=1)


def digest(text: str) -> str:
    """Return some characters that differ for another text."""
    return sha256(text.encode()).hexdigest()[:DIGITS]


def day(at: date) -> str:
    """Return a day without its year, such as `28 Mar`."""
    return f"{at.day} {at:%b}"


def offset(span: timedelta) -> str:
    """Return an offset from UTC, such as `+5:30`, or `-3`."""
    hours, minutes = divmod(abs(span) // _MINUTE, 60)
    sign = "-" if span < timedelta(0) else "+"
    return f"{sign}{hours}:{minutes:02d}" if minutes else f"{sign}{hours}"
