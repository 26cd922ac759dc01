"""The types of events, as helps list them."""

from itertools import groupby
from typing import Final

from dialer.webhooks.examples import EXAMPLES


def _lines() -> list[str]:
    """Return the types, those of one kind of records on a line."""
    return [f"  {' '.join(kinds)}" for _, kinds in groupby(EXAMPLES, lambda kind: kind.partition(".")[0])]


EVENT_TYPES_TABLE: Final = "\n".join(["Types:", *_lines()])
