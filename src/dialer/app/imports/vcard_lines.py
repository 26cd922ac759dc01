"""The properties of vCards 2.1, 3.0 (RFC 2426) and 4.0 (RFC 6350), one after another, while a file arrives.

A file is hostile until it is read: properties are cut, and pictures are never kept.
"""

import binascii
import quopri
import re
from collections.abc import Iterable, Iterator
from typing import Final

import msgspec

from dialer.app.imports.charsets import CHARSETS, UTF8
from dialer.app.imports.csv_records import lines_of

PROPERTY_MAX: Final = 8_192
"""Maximum characters of a property with its value. The rest of a longer one, such as a picture, is left out."""
_BEGINNING: Final = b"begin:vcard"
_MARKS: Final = b"\xef\xbb\xbf\xfe\xff \t\r\n"
_NAME: Final = re.compile(r"(?:([A-Za-z0-9-]+)\.)?([A-Za-z0-9-]+)")
_PARAMETER: Final = re.compile(r';([^=:;"]*)(?:=((?:"[^"]*"|[^":;])*))?')
_QUOTED_PRINTABLE: Final = frozenset({"QUOTED-PRINTABLE", "Q"})
_BASE64: Final = frozenset({"BASE64", "B"})


class Property(msgspec.Struct, frozen=True):
    """A line of a vCard, with its names in upper case and its value decoded, escapes still in it."""

    line: int
    name: str
    value: str
    group: str = ""
    """The name before a dot, which a property and its label share; empty without one."""
    types: frozenset[str] = frozenset()
    """The values of `TYPE`, or of parameters without a name in vCards 2.1, such as `CELL`."""
    preference: int = 101
    """The place among properties of the name: 1 is the first, 101 is that of one without a `PREF`."""


def has_vcards(beginning: bytes) -> bool:
    """Return whether a file has vCards, by its first bytes in any usual character set."""
    return beginning.replace(b"\0", b"").lstrip(_MARKS)[: len(_BEGINNING)].lower() == _BEGINNING


def read_properties(chunks: Iterable[bytes]) -> Iterator[Property]:
    """Yield the properties of a file in UTF-8. Lines that are none are left out."""
    for number, text in _unfolded(chunks):
        found = _property(number, text)
        if found is not None:
            yield found


def _unfolded(chunks: Iterable[bytes]) -> Iterator[tuple[int, str]]:
    """Yield whole properties with the numbers of their first lines. A longer one stands in several lines."""
    first, text, is_soft = 0, "", False
    for number, line in lines_of(chunks):
        if is_soft or (first and line[:1] in {" ", "\t"}):
            more = line if is_soft else line[1:]
            # A soft end of quoted-printable text is its last sign, which is no part of the text.
            text = ((text[:-1] if is_soft else text) + more)[:PROPERTY_MAX]
            is_soft = is_soft and more.endswith("=")
            continue
        if first:
            yield first, text
        first, text = number, line[:PROPERTY_MAX]
        is_soft = text.endswith("=") and "QUOTED-PRINTABLE" in text.partition(":")[0].upper()
    if first:
        yield first, text


def _property(number: int, text: str) -> Property | None:
    name = _NAME.match(text)
    if name is None:
        return None
    end, parameters = name.end(), dict[str, set[str]]()
    while (found := _PARAMETER.match(text, end)) is not None:
        key, value = found[1].strip().upper(), found[2]
        if value is None:
            key, value = "", key
        parts = value.replace('"', "").upper().split(",")
        parameters.setdefault(key, set()).update(part.strip() for part in parts)
        end = found.end()
    if text[end : end + 1] != ":":
        return None
    bare, encodings = parameters.get("", set()), parameters.get("ENCODING", set())
    value = _decoded(text[end + 1 :], bare | encodings, min(parameters.get("CHARSET", {UTF8})))
    types = frozenset(parameters.get("TYPE", set()) | bare)
    return Property(number, name[2].upper(), value, (name[1] or "").upper(), types, _preference(parameters, types))


def _decoded(value: str, encodings: set[str], charset: str) -> str:
    """Return a value as text. One of a broken encoding stays as it is."""
    if encodings & _QUOTED_PRINTABLE:
        return quopri.decodestring(value.encode()).decode(CHARSETS.get(charset.lower(), UTF8), errors="replace")
    if encodings & _BASE64:
        try:
            return binascii.a2b_base64(value.encode()).decode(CHARSETS.get(charset.lower(), UTF8), errors="replace")
        except binascii.Error:
            return ""
    return value


def _preference(parameters: dict[str, set[str]], types: frozenset[str]) -> int:
    told = min(parameters.get("PREF", {""}))
    if re.fullmatch("[0-9]{1,3}", told):
        return int(told)
    return 1 if "PREF" in types else 101
