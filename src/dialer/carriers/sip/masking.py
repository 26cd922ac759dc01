"""SIP messages as they may be kept: start lines and headers, without secrets, and with masked numbers."""

import re
from typing import Final

KEPT_BYTES_MAX: Final = 4_096
"""Bytes of one message that are kept."""
DIGITS_SHOWN: Final = 3
DIGITS_MIN: Final = 6
"""Minimum digits of a number outside of addresses and quotes, where fewer may be a version and a status."""
_KEPT: Final = frozenset(
    {"via", "v", "from", "f", "to", "t", "call-id", "i", "cseq", "contact", "m", "route", "record-route", "reason"}
    | {"max-forwards", "p-asserted-identity", "session-expires", "x", "min-se", "supported", "k", "require", "allow"}
    | {"content-type", "c", "content-length", "l", "retry-after", "warning", "expires", "server", "user-agent"}
    | {"privacy", "diversion"}
)
"""Headers that are kept. Others may hold credentials, or numbers in a form that cannot be recognised."""
_OURS: Final = frozenset({"call-id", "i"})
_USER: Final = re.compile(r"(?i)((?:sips?|tel):)([^@>;\s]*)")
_QUOTED: Final = re.compile(r'"[^"]*"')
_NUMBER: Final = re.compile(r"\+?[0-9][0-9 ().-]{4,}[0-9]")
_ADDRESS: Final = re.compile(r"[0-9]{1,3}(\.[0-9]{1,3}){3}")
_DIGIT: Final = re.compile(r"[0-9]")


def kept_message(data: bytes) -> str:
    """Return the start line and the headers of a message, without secrets, and with numbers masked."""
    head = data[:KEPT_BYTES_MAX].replace(b"\r\n", b"\n").partition(b"\n\n")[0]
    first, *headers = head.decode("utf-8", "replace").split("\n")
    return "\n".join([masked(first), *map(_header, headers)])


def _header(line: str) -> str:
    name, colon, value = line.partition(":")
    plain = name.strip().lower()
    if not colon or plain not in _KEPT:
        return f"{name.strip()}: [not kept]" if colon else "[not kept]"
    return line if plain in _OURS else f"{name}:{masked(value)}"


def masked(text: str) -> str:
    """Return a text with its numbers masked."""
    text = _USER.sub(lambda match: match[1] + _without_digits(match[2]), text)
    text = _QUOTED.sub(lambda match: _without_digits(match[0]), text)
    return _NUMBER.sub(_number, text)


def _number(match: re.Match[str]) -> str:
    text = match[0]
    is_number = len(_DIGIT.findall(text)) >= DIGITS_MIN and not _ADDRESS.fullmatch(text)
    return _without_digits(text) if is_number else text


def _without_digits(text: str) -> str:
    """Return a text whose digits are replaced, but for the last three."""
    hidden = max(0, len(_DIGIT.findall(text)) - DIGITS_SHOWN)
    return _DIGIT.sub("x", text, count=hidden) if hidden else text
