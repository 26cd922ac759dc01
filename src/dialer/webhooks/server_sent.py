"""Server-Sent Events as their readers get them (WHATWG HTML, 9.2.6), as far as the service sends them."""

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

LINE_MAX: Final = 1_000_000
"""Characters of a line that are kept."""


class SentEvent(NamedTuple):
    """An event of a stream."""

    id: str
    type: str
    data: str


def sent_events(lines: Iterable[str]) -> Iterator[SentEvent]:
    """Yield the events that the lines of a stream describe. An event that the end of the stream cuts is left out."""
    fields: dict[str, str] = {}
    for line in lines:
        name, _, value = line[:LINE_MAX].partition(":")
        if line and name:
            value = value.removeprefix(" ")
            fields[name] = f"{fields[name]}\n{value}" if name == "data" and name in fields else value
        elif not line:
            if "data" in fields:
                yield SentEvent(fields.get("id", ""), fields.get("event", "message"), fields["data"])
            fields = {}
