"""Frames of the event socket: a block of headers, and a body if `Content-Length` says so (mod_event_socket)."""

import re
from typing import Final, NamedTuple

HEAD_BYTES_MAX: Final = 65_536
"""Limit of the headers of a frame."""
BODY_BYTES_MAX: Final = 16 * 1024 * 1024
"""Limit of a body. An event has some kilobytes."""
_END: Final = b"\n\n"
_LENGTH: Final = re.compile(r"[0-9]{1,9}", re.ASCII)


class FramingError(Exception):
    """The stream is no event socket, or a frame is too large. Nothing that follows can be read."""


class Frame(NamedTuple):
    """A frame from the switch. The names of headers are in lower case; the first of two with one name counts."""

    headers: dict[str, str]
    body: bytes

    @property
    def kind(self) -> str:
        """The content type, such as `command/reply`."""
        return self.headers.get("content-type", "")

    @property
    def reply(self) -> str:
        """The answer to a command: its reply text, else the body."""
        return self.headers.get("reply-text") or self.body.decode("utf-8", "replace")


class FrameReader:
    """Cuts a stream into frames, however it is torn."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._headers: dict[str, str] | None = None
        self._length = 0

    def feed(self, data: bytes) -> list[Frame]:
        """Add bytes of the stream, and return the frames that are complete now.

        Raises:
            FramingError: the stream cannot be read on.
        """
        self._buffer += data
        frames = []
        while (frame := self._next()) is not None:
            frames.append(frame)
        return frames

    def _next(self) -> Frame | None:
        if self._headers is None:
            # Bodies may be followed by empty lines.
            head, end, rest = self._buffer.lstrip(b"\n").partition(_END)
            if len(head) > HEAD_BYTES_MAX:
                raise FramingError(f"headers of more than {HEAD_BYTES_MAX} bytes")
            if not end:
                return None
            self._headers = _headers(bytes(head))
            self._length, self._buffer = _length(self._headers), rest
        if len(self._buffer) < self._length:
            return None
        frame = Frame(self._headers, bytes(self._buffer[: self._length]))
        del self._buffer[: self._length]
        self._headers = None
        return frame


def _headers(block: bytes) -> dict[str, str]:
    headers: dict[str, str] = {}
    for line in block.decode("utf-8", "replace").split("\n"):
        name, colon, value = line.partition(":")
        if not colon:
            raise FramingError(f"a line without a header: {line[:40]!r}")
        headers.setdefault(name.strip().lower(), value.strip())
    return headers


def _length(headers: dict[str, str]) -> int:
    text = headers.get("content-length", "0")
    if _LENGTH.fullmatch(text) is None or int(text) > BODY_BYTES_MAX:
        raise FramingError(f"a body of {text[:40]!r} bytes")
    return int(text)
