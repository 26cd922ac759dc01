"""Whole SIP messages out of the bytes of a connection (RFC 3261 18.3, RFC 5626 3.5.1)."""

import re
from typing import Final

HEAD_BYTES_MAX: Final = 16_384
"""Bytes of a message up to the end of its header."""
BODY_BYTES_MAX: Final = 65_536
PING: Final = b"\r\n\r\n"
"""Asks whether the connection lives. The answer is `PONG`."""
PONG: Final = b"\r\n"
_END: Final = b"\r\n\r\n"
_LENGTH: Final = re.compile(rb"(?im)^(?:content-length|l)[ \t]*:([^\r\n]*)\r?$")
_DIGITS_MAX: Final = 9


class StreamError(ValueError):
    """The bytes are no SIP messages, or exceed a limit. Nothing that follows on the connection can be read."""


class MessageStream:
    """The messages in the bytes of one connection, however these are split on their way."""

    def __init__(self) -> None:
        self._bytes = bytearray()
        self._searched = 0
        """The place before which no header ends."""
        self._is_half = False
        """True after a line end that the next one makes a ping."""

    def feed(self, data: bytes) -> list[bytes]:
        """Take the next bytes, and return what is whole now: messages, `PONG` for a line end, `PING` for the next one.

        A ping may come in two parts, so its first line end is returned as a pong.

        Raises:
            StreamError: a message has no Content-Length, is too long, or is none.
        """
        self._bytes += data
        whole: list[bytes] = []
        while (one := self._next()) is not None:
            whole.append(one)
        return whole

    def _next(self) -> bytes | None:
        """Remove and return the next message or line end; None if it is not whole."""
        if self._bytes.startswith((b"\r", b"\n")):
            return self._line_end()
        end = self._bytes.find(_END, self._searched)
        if end > HEAD_BYTES_MAX or (end < 0 and len(self._bytes) > HEAD_BYTES_MAX):
            raise StreamError("a header is too long")
        if end < 0:
            self._searched = max(0, len(self._bytes) - len(_END) + 1)
            return None
        size = end + len(_END) + _length_in(bytes(self._bytes[:end]))
        if len(self._bytes) < size:
            self._searched = end
            return None
        self._is_half = False
        return self._taken(size)

    def _line_end(self) -> bytes | None:
        if len(self._bytes) < len(PONG):
            if self._bytes == b"\r":
                return None
            raise StreamError("a line feed stands alone")
        if not self._bytes.startswith(PONG):
            raise StreamError("a carriage return stands alone")
        self._taken(len(PONG))
        self._is_half = not self._is_half
        return PONG if self._is_half else PING

    def _taken(self, size: int) -> bytes:
        taken = bytes(self._bytes[:size])
        del self._bytes[:size]
        self._searched = 0
        return taken


def _length_in(head: bytes) -> int:
    """Return the length of the body that a header names.

    Raises:
        StreamError: it names none, several, or one that is too long.
    """
    values = {value.strip() for value in _LENGTH.findall(head)}
    if len(values) != 1:
        raise StreamError("a message does not name its Content-Length once")
    digits = values.pop()
    if not digits.isdigit() or len(digits) > _DIGITS_MAX:
        raise StreamError("a Content-Length is no number")
    if int(digits) > BODY_BYTES_MAX:
        raise StreamError("a body is too long")
    return int(digits)
