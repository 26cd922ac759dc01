"""The check of an archive that proves a campaign: each byte of it is looked at, and nothing else is needed."""

import zlib
from collections.abc import Callable, Iterator
from hashlib import sha256
from typing import Final

import msgspec
from msgspec.structs import replace

from dialer.domain.formats.proof_archive import FORMAT, MANIFEST, Manifest, ProvedMember, encode_manifest
from dialer.domain.formats.proof_lines import CHANGED, LineChecker
from dialer.domain.formats.zip_layout import (
    END_BYTES,
    SIZE_MAX,
    NotZipError,
    ZipEntry,
    before,
    behind,
    directory,
    entries_of,
    place_of_directory,
)

DIRECTORY: Final = "the directory of the ZIP file"
MISSING: Final = "is missing"
SHOWN_MAX: Final = 20
"""ProofFault lines of one member that are named."""
MANIFEST_MAX: Final = 1_000_000
LINE_MAX: Final = 64_000_000
"""Bytes of the longest line."""
_READ_BYTES: Final = 256 * 1024
_RAW: Final = -zlib.MAX_WBITS
ReadBytes = Callable[[int, int], bytes]
"""Returns the bytes of a file from an offset on, so many or fewer at its end."""


class ProofFault(msgspec.Struct, frozen=True):
    """Something in an archive that is not as it was made."""

    member: str
    what: str
    line: int | None = None

    def __str__(self) -> str:
        """Return it in words, with the line if one is known."""
        return f"{self.member}{'' if self.line is None else f', line {self.line:,}'}: {self.what}"


class Checked(msgspec.Struct, frozen=True):
    """The result of a check: all that is wrong, and the manifest with its SHA-256, if it can be read."""

    faults: list[ProofFault]
    manifest_sha256: str = ""
    members: dict[str, ProvedMember] = {}


def check_proof(read: ReadBytes, size: int) -> Checked:
    """Check an archive of `size` bytes."""
    try:
        offset, length = place_of_directory(read(max(0, size - END_BYTES), END_BYTES), size)
        entries = entries_of(read(offset, length), offset)
    except NotZipError:
        return Checked([ProofFault(DIRECTORY, "is changed or cut off, so no member can be read")])
    held = next((entry for entry in entries if entry.name == MANIFEST), None)
    content = b"" if held is None or held.packed > MANIFEST_MAX else read(held.starts, held.packed)
    manifest = _manifest(content)
    if held is None or manifest is None:
        # The directory may name it wrongly, or a wrong place.
        header = b"" if held is None else read(held.offset, held.starts - held.offset)
        is_there = held is not None and before(held) == header and held.ends == offset
        lost = ProofFault(MANIFEST, MISSING if held is None else CHANGED)
        return Checked([lost, *([] if is_there else [ProofFault(DIRECTORY, CHANGED)])])
    faults: list[ProofFault] = []
    right = {MANIFEST: replace(held, crc=zlib.crc32(content), size=len(content), is_packed=False)}
    by_name = {entry.name: entry for entry in entries}
    for name, proved in manifest.members.items():
        if name not in by_name:
            faults.append(ProofFault(name, MISSING))
            continue
        member = _Member(read, by_name[name], proved)
        faults += member.faults()
        right[name] = member.right_entry()
    faults += [ProofFault(name, "is added") for name in by_name if name not in right]
    if before(right[MANIFEST]) != read(held.offset, held.starts - held.offset):
        faults.append(ProofFault(MANIFEST, CHANGED))
    if not _is_laid_out(read, offset, entries, [right.get(entry.name, entry) for entry in entries], manifest):
        faults.append(ProofFault(DIRECTORY, CHANGED))
    return Checked(faults, sha256(content).hexdigest(), manifest.members)


def _manifest(content: bytes) -> Manifest | None:
    try:
        manifest = msgspec.json.decode(content, type=Manifest)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None
    return manifest if manifest.format == FORMAT and encode_manifest(manifest) == content else None


def _is_laid_out(
    read: ReadBytes, offset: int, entries: list[ZipEntry], right: list[ZipEntry], manifest: Manifest
) -> bool:
    """Return whether no byte is outside of the contents but those of the directory, and it is that of right ones.

    `offset` is the place of the directory.
    """
    is_in_order = [entry.name for entry in entries] == [*manifest.members, MANIFEST]
    ends = [0, *(entry.ends for entry in entries)]
    if not is_in_order or [*(entry.offset for entry in entries), offset] != ends:
        return False
    if right[-1].ends != offset:
        return False
    end = directory(right)
    return read(offset, len(end) + 1) == end


class _Member:
    """The check of one member."""

    def __init__(self, read: ReadBytes, entry: ZipEntry, proved: ProvedMember) -> None:
        self._read: Final = read
        self._entry: Final = entry
        self._proved: Final = proved
        self._lines: Final = LineChecker(entry.name)
        self._plain, self._packed = sha256(), sha256()
        self._crc, self._size, self._place = 0, 0, 0
        self._rest = b""
        self._is_broken = False
        self._wrong_lines = 0

    def faults(self) -> Iterator[ProofFault]:
        """Yield what is wrong with the member, the wrong lines first; nothing if nothing is."""
        entry, name = self._entry, self._entry.name
        found = list(self._lines_of())
        yield from found
        if self._wrong_lines > len(found):
            yield ProofFault(name, f"{self._wrong_lines - len(found):,} more lines are changed")
        if self._is_broken:
            yield ProofFault(name, f"cannot be unpacked behind line {self._lines.place:,}")
        missing = self._lines.missing_after(self._proved.lines)
        if missing and not self._is_broken:
            yield ProofFault(name, f"{missing:,} lines are missing at the end")
        if not found and not self._is_broken and not missing and not self._is_as_proved():
            yield ProofFault(name, CHANGED)
        right = replace(entry, crc=self._crc, size=min(self._size, SIZE_MAX))
        there = (
            self._read(entry.offset, entry.starts - entry.offset),
            self._read(entry.starts + entry.packed, entry.ends - entry.starts - entry.packed),
        )
        if (before(right), behind(right)) != there and (found or self._is_as_proved()):
            yield ProofFault(name, f"{CHANGED} in what the ZIP file says of it")

    def right_entry(self) -> ZipEntry:
        """Return what the directory has to say of the member, if its content is what it was; else what it says."""
        entry = self._entry
        return replace(entry, crc=self._crc, size=self._size, is_packed=True) if self._is_as_proved() else entry

    def _is_as_proved(self) -> bool:
        plain, packed = self._plain.hexdigest(), self._packed.hexdigest()
        return self._proved == ProvedMember(plain, self._size, self._lines.place, self._lines.link, packed)

    def _lines_of(self) -> Iterator[ProofFault]:
        for line in self._split():
            what = self._lines.wrong(line)
            if what is not None:
                self._wrong_lines += 1
                if self._wrong_lines <= SHOWN_MAX:
                    yield ProofFault(self._entry.name, what, self._lines.place)

    def _split(self) -> Iterator[bytes]:
        for content in self._unpacked():
            *lines, self._rest = (self._rest + content).split(b"\n")
            for line in lines:
                yield line + b"\n"
            if len(self._rest) > LINE_MAX:
                self._is_broken = True
                return
        if self._rest:
            yield self._rest

    def _unpacked(self) -> Iterator[bytes]:
        """Yield the content, some at a time; it ends where it cannot be unpacked, or is longer than it should be."""
        inflate = zlib.decompressobj(_RAW)
        try:
            for packed in self._pieces():
                yield from self._unpacked_piece(inflate, packed)
                if inflate.eof or self._is_too_long:
                    break
        except zlib.error:
            self._is_broken = True
        # Bytes behind its end would be looked at by nobody.
        if not inflate.eof or inflate.unused_data or self._place < self._entry.packed:
            self._is_broken = True

    def _pieces(self) -> Iterator[bytes]:
        entry = self._entry
        while packed := self._read(entry.starts + self._place, min(_READ_BYTES, entry.packed - self._place)):
            self._place += len(packed)
            self._packed.update(packed)
            yield packed

    def _unpacked_piece(self, inflate: "zlib._Decompress", packed: bytes) -> Iterator[bytes]:
        """Yield what a piece holds, never much at once: a few bytes may stand for very many."""
        while not inflate.eof and not self._is_too_long:
            content = inflate.decompress(packed, _READ_BYTES)
            packed = inflate.unconsumed_tail
            if not content and not packed:
                return
            self._count(content)
            yield content

    @property
    def _is_too_long(self) -> bool:
        return self._size > self._proved.bytes

    def _count(self, content: bytes) -> None:
        self._plain.update(content)
        self._crc = zlib.crc32(content, self._crc)
        self._size += len(content)
