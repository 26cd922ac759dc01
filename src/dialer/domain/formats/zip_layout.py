"""The bytes of a ZIP file around its contents, each of which follows from the contents, so that each can be checked."""

import struct
from collections.abc import Sequence
from typing import Final

import msgspec

SIZE_MAX: Final = 2**32 - 2
"""The bytes up to which a ZIP file is written, and read by every program."""
_LOCAL: Final = struct.Struct("<4s5H3I2H")
_DESCRIPTOR: Final = struct.Struct("<4s3I")
_CENTRAL: Final = struct.Struct("<4s6H3I5H2I")
_END: Final = struct.Struct("<4s4H2IH")
END_BYTES: Final = _END.size
_MARKS: Final = (b"PK\x03\x04", b"PK\x07\x08", b"PK\x01\x02", b"PK\x05\x06")
_VERSION: Final = 20
_MADE_BY_UNIX: Final = 3 << 8 | _VERSION
_SIZES_FOLLOW: Final = 1 << 3
_DEFLATED: Final = 8
_TIME, _DATE = 0, 1 << 5 | 1
"""The first moment that a ZIP file can say: equal contents give equal bytes."""
_RIGHTS: Final = 0o100600 << 16
DIRECTORY_MAX: Final = 65_536


class ZipEntry(msgspec.Struct, frozen=True):
    """One of the contents of a ZIP file, at an offset. A packed one has its sizes behind it."""

    name: str
    offset: int
    crc: int
    packed: int
    """The bytes that it has in the file."""
    size: int
    is_packed: bool = True

    @property
    def starts(self) -> int:
        """Return the offset of its own bytes."""
        return self.offset + _LOCAL.size + len(self.name.encode())

    @property
    def ends(self) -> int:
        """Return the offset behind it."""
        return self.starts + self.packed + (_DESCRIPTOR.size if self.is_packed else 0)


class NotZipError(ValueError):
    """These bytes are no directory of a ZIP file as it is written here."""


def before(entry: ZipEntry) -> bytes:
    """Return the bytes before a content. Those of a packed one follow from its name alone."""
    known = (0, 0, 0) if entry.is_packed else (entry.crc, entry.packed, entry.size)
    name = entry.name.encode()
    return _LOCAL.pack(_MARKS[0], _VERSION, *_how(entry), _TIME, _DATE, *known, len(name), 0) + name


def behind(entry: ZipEntry) -> bytes:
    """Return the bytes behind a content."""
    return _DESCRIPTOR.pack(_MARKS[1], entry.crc, entry.packed, entry.size) if entry.is_packed else b""


def directory(entries: Sequence[ZipEntry]) -> bytes:
    """Return the end of a ZIP file with these contents, which follow each other from its first byte on."""
    offset = entries[-1].ends if entries else 0
    central = b"".join(map(_central, entries))
    count = len(entries)
    return central + _END.pack(_MARKS[3], 0, 0, count, count, len(central), offset, 0)


def place_of_directory(end: bytes, size: int) -> tuple[int, int]:
    """Return the offset and the length of the directory of a file of `size` bytes that ends with `END_BYTES` bytes.

    Raises:
        NotZipError: they are no end of a ZIP file.
    """
    if len(end) != END_BYTES or not end.startswith(_MARKS[3]):
        raise NotZipError
    *_, length, offset, _ = _END.unpack(end)
    if offset + length + END_BYTES != size or length > DIRECTORY_MAX:
        raise NotZipError
    return offset, length


def entries_of(central: bytes, offset: int) -> list[ZipEntry]:
    """Return the contents that a directory at an offset names.

    Raises:
        NotZipError: it cannot be read, or two contents share a byte.
    """
    found, place = [], 0
    while place < len(central):
        fixed = central[place : place + _CENTRAL.size]
        if len(fixed) != _CENTRAL.size or not fixed.startswith(_MARKS[2]):
            raise NotZipError
        _, _, _, _, method, _, _, crc, packed, size, length, *_, starts = _CENTRAL.unpack(fixed)
        name = central[place + _CENTRAL.size : place + _CENTRAL.size + length]
        if not name.isascii():
            raise NotZipError
        found.append(ZipEntry(name.decode(), starts, crc, packed, size, is_packed=method == _DEFLATED))
        place += _CENTRAL.size + length
    if not _are_apart(found, offset):
        raise NotZipError
    return found


def _are_apart(entries: Sequence[ZipEntry], end: int) -> bool:
    """Return whether no two contents share a byte, and all are before an offset, so none is read twice."""
    ordered = sorted(entries, key=lambda entry: entry.offset)
    starts = [*(entry.offset for entry in ordered[1:]), end]
    return all(entry.starts + entry.packed <= start for entry, start in zip(ordered, starts, strict=True))


def _how(entry: ZipEntry) -> tuple[int, int]:
    return (_SIZES_FOLLOW, _DEFLATED) if entry.is_packed else (0, 0)


def _central(entry: ZipEntry) -> bytes:
    name, sums = entry.name.encode(), (entry.crc, entry.packed, entry.size)
    fixed = _CENTRAL.pack(
        *(_MARKS[2], _MADE_BY_UNIX, _VERSION, *_how(entry), _TIME, _DATE, *sums),
        *(len(name), 0, 0, 0, 0, _RIGHTS, entry.offset),
    )
    return fixed + name
