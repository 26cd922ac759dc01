"""The lines of a proof: records in JSON, each chained to the one before by a hash, so that a changed line is named."""

from collections.abc import Mapping
from hashlib import sha256
from typing import Annotated, Final

import msgspec

LINK_CHARACTERS: Final = 32
"""The hexadecimal characters of a link: 128 bits of a SHA-256."""
_BEFORE_LINK: Final = b',"chain":"'
_AFTER_LINK: Final = b'"}\n'
_TAIL: Final = len(_BEFORE_LINK) + LINK_CHARACTERS + len(_AFTER_LINK)
_LINKS_KEPT: Final = 8
"""Links from which a line may go on after some wrong ones."""
CHANGED: Final = "is changed"
ADDED: Final = "is added"
LineNumber = Annotated[int, msgspec.Meta(ge=0, le=2**53)]
"""The number of a line: bounded, as a file that somebody has changed may say any."""


class _Line(msgspec.Struct):
    line: LineNumber


def first_link(member: str) -> str:
    """Return the link before the first line of a member, which its name gives."""
    return sha256(member.encode()).hexdigest()[:LINK_CHARACTERS]


def _next_link(link: str, body: bytes) -> str:
    return sha256(link.encode() + body).hexdigest()[:LINK_CHARACTERS]


class LineWriter:
    """Writes the records of one member as lines: the number of the line, the record, and the link.

    A link is the hash of the link before and of the line up to the link. Equal records give equal bytes.
    """

    def __init__(self, member: str) -> None:
        self.link = first_link(member)
        self.lines = 0
        self._encoder: Final = msgspec.json.Encoder()

    def line(self, record: Mapping[str, object]) -> bytes:
        """Return the next line, which ends with a line feed."""
        self.lines += 1
        body = self._encoder.encode({"line": self.lines, **record})[:-1]
        self.link = _next_link(self.link, body)
        return b"".join((body, _BEFORE_LINK, self.link.encode(), _AFTER_LINK))


class LineChecker:
    """Reads the lines of one member, and says what is wrong with each."""

    def __init__(self, member: str) -> None:
        self.place = 0
        """The lines that were read."""
        self._next = 1
        """The number that the next line should have."""
        self._links: list[str] = [first_link(member)]
        self._decoder: Final = msgspec.json.Decoder(_Line)

    @property
    def link(self) -> str:
        """Return the link of the last line that was right."""
        return self._links[0]

    def wrong(self, line: bytes) -> str | None:
        """Read the next line, with its line feed; return what is wrong with it, or None."""
        self.place += 1
        body, stated = line[:-_TAIL], _stated(line)
        number = self._number(body)
        if stated is not None and number is not None and stated in (_next_link(link, body) for link in self._links):
            self._links, self._next = [stated], number + 1
            return None
        if number is not None and number < self._next:
            return ADDED
        missing = 0 if number is None else number - self._next
        self._next = self._next + 1 + missing
        # The next line goes on from what this one says, or from what it should say, or from the last right one.
        further = [*([] if stated is None else [stated]), *(_next_link(link, body) for link in self._links)]
        self._links = [*self._links, *further][:_LINKS_KEPT]
        return f"{CHANGED}, or {missing:,} before it are missing" if missing else CHANGED

    def missing_after(self, lines: int) -> int:
        """Return how many of a member's `lines` are missing behind the last one."""
        return max(0, lines - self._next + 1)

    def _number(self, body: bytes) -> int | None:
        try:
            return self._decoder.decode(body + b"}").line
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return None


def _stated(line: bytes) -> str | None:
    """Return the link that a line says; None if it does not end as lines do."""
    tail = line[-_TAIL:]
    if not tail.startswith(_BEFORE_LINK) or not tail.endswith(_AFTER_LINK):
        return None
    return tail[len(_BEFORE_LINK) : -len(_AFTER_LINK)].decode("latin-1")
