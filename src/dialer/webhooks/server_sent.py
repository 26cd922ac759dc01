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


class EventReader:
    """A reader that takes the lines of a stream one by one, as they come."""

    def __init__(self) -> None:
        self._fields: dict[str, str] = {}

    def take(self, line: str) -> SentEvent | None:
        """Return the event that a line completes; None if it completes none."""
        if not line:
            fields, self._fields = self._fields, {}
            if "data" not in fields:
                return None
            return SentEvent(fields.get("id", ""), fields.get("event", "message"), fields["data"])
        name, _, value = line[:LINE_MAX].partition(":")
        if name:
            value = value.removeprefix(" ")
            is_more = name == "data" and name in self._fields
            self._fields[name] = f"{self._fields[name]}\n{value}" if is_more else value
        return None


def sent_events(lines: Iterable[str]) -> Iterator[SentEvent]:
    """Yield the events that the lines of a stream describe. An event that the end of the stream cuts is left out."""
    reader = EventReader()
    for line in lines:
        event = reader.take(line)
        if event is not None:
            yield event
