"""The archive that proves a campaign: a ZIP file of lines in JSON, and a manifest with the hash of each member."""

import zlib
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from typing import Annotated, Final

import msgspec

from dialer.domain.formats.proof_lines import LineNumber, LineWriter
from dialer.domain.formats.zip_layout import SIZE_MAX, ZipEntry, before, behind, directory

MANIFEST: Final = "manifest.json"
FORMAT: Final = 1
"""The version of the archive's form."""
PIECE_BYTES: Final = 256 * 1024
"""Packed bytes that are handed on together."""
_LEVEL: Final = 6
_RAW: Final = -zlib.MAX_WBITS
Record = Mapping[str, object]


class ProvedMember(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The hashes and sizes of a member, as the manifest has them."""

    sha256: str
    bytes: Annotated[int, msgspec.Meta(ge=0, le=SIZE_MAX)]
    lines: LineNumber
    chain: str
    """The link of the last line."""
    packed_sha256: str
    """The hash of the bytes that the member has in the ZIP file."""


class Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The members of an archive, in their order."""

    format: int
    members: dict[str, ProvedMember]


class ProofTooLargeError(Exception):
    """The archive would be larger than a ZIP file can be."""


def encode_manifest(manifest: Manifest) -> bytes:
    """Return the bytes of a manifest: the same for the same manifest."""
    return msgspec.json.format(msgspec.json.encode(manifest), indent=2) + b"\n"


class _Packer:
    """Packs one member, and measures it."""

    def __init__(self, name: str, offset: int) -> None:
        self.name: Final = name
        self._offset: Final = offset
        self._deflate: Final = zlib.compressobj(_LEVEL, zlib.DEFLATED, _RAW)
        self._plain, self._packed = sha256(), sha256()
        self._crc, self._size, self._packed_size = 0, 0, 0

    def add(self, content: bytes) -> bytes:
        self._plain.update(content)
        self._crc = zlib.crc32(content, self._crc)
        self._size += len(content)
        return self._count(self._deflate.compress(content))

    def end(self) -> bytes:
        return self._count(self._deflate.flush())

    def _count(self, packed: bytes) -> bytes:
        self._packed.update(packed)
        self._packed_size += len(packed)
        if self._size > SIZE_MAX or self._offset + self._packed_size > SIZE_MAX:
            raise ProofTooLargeError
        return packed

    @property
    def entry(self) -> ZipEntry:
        return ZipEntry(self.name, self._offset, self._crc, self._packed_size, self._size)

    def proved(self, lines: LineWriter) -> ProvedMember:
        return ProvedMember(
            self._plain.hexdigest(), self._size, lines.lines, lines.link, packed_sha256=self._packed.hexdigest()
        )


class ProofArchive:
    """An archive that is made as it is read, with memory that does not grow with it.

    `members` are names with the records of each, in batches. Equal records give an equal archive.
    """

    def __init__(self, members: Mapping[str, Iterable[Iterable[Record]]]) -> None:
        self._members: Final = members
        self._entries: Final[list[ZipEntry]] = []
        self._proved: Final[dict[str, ProvedMember]] = {}

    def members(self) -> Iterator[bytes]:
        """Yield the archive piece by piece, up to its manifest.

        Raises:
            ProofTooLargeError: it would be too large.
        """
        for name, batches in self._members.items():
            yield from self._member(name, batches)

    def manifest(self) -> bytes:
        """Return the manifest, once all members are read."""
        return encode_manifest(Manifest(FORMAT, self._proved))

    def end(self) -> bytes:
        """Return the last piece, with the manifest."""
        content = self.manifest()
        offset = self._entries[-1].ends if self._entries else 0
        entry = ZipEntry(MANIFEST, offset, zlib.crc32(content), len(content), len(content), is_packed=False)
        return before(entry) + content + directory([*self._entries, entry])

    def _member(self, name: str, batches: Iterable[Iterable[Record]]) -> Iterator[bytes]:
        packer, lines = _Packer(name, self._entries[-1].ends if self._entries else 0), LineWriter(name)
        ready = [before(packer.entry)]
        for batch in batches:
            ready.append(packer.add(b"".join(map(lines.line, batch))))
            if sum(map(len, ready)) >= PIECE_BYTES:
                yield b"".join(ready)
                ready.clear()
        ready.append(packer.end())
        entry = packer.entry
        self._entries.append(entry)
        self._proved[name] = packer.proved(lines)
        yield b"".join((*ready, behind(entry)))
