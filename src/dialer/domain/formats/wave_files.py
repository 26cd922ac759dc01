"""WAV files as bytes: their chunks, and headers that do not know how long the sound is.

A program that writes into a pipe does not know the length when it writes the header. So do servers that speak texts
while they answer. They write 0, 0xFFFFFFFF, or another length that is too large.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

CHUNKS_MAX: Final = 1_000
FIRST_CHUNK: Final = 12
"""The chunks begin behind RIFF, a length, and WAVE."""
CHUNK_HEADER_BYTES: Final = 8
FRAME_BYTES_AT: Final = 12
"""The place of the size of a frame in the chunk of the format."""
_LENGTH_BYTES: Final = 4
_FRAME_BYTES_MAX: Final = 8
_PRINTABLE: Final = range(0x20, 0x7F)
_NOT_KNOWN: Final = frozenset({0, 0xFFFF_FFFF})


class TooManyChunksError(ValueError):
    """The file has more than `CHUNKS_MAX` chunks."""


class Chunk(NamedTuple):
    """A part of a WAV file."""

    name: bytes
    start: int
    """The place of its body in the file."""
    claimed: int
    """The length of the body, as the header says."""
    size: int
    """The length of the body in truth: what the header says, unless the file is shorter or the length was not known."""


def is_wave(content: bytes) -> bool:
    """Return whether a file begins as a WAV file does."""
    return content[:4] == b"RIFF" and content[8:FIRST_CHUNK] == b"WAVE"


def chunks(content: bytes) -> Iterator[Chunk]:
    """Yield the chunks of a WAV file.

    Raises:
        TooManyChunksError: there are more than `CHUNKS_MAX`.
    """
    position = FIRST_CHUNK
    for _ in range(CHUNKS_MAX):
        if position + CHUNK_HEADER_BYTES > len(content):
            return
        name, claimed = content[position : position + 4], _number(content, position + 4)
        position += CHUNK_HEADER_BYTES
        there = len(content) - position
        is_streamed = name == b"data" and claimed == 0 and not _are_chunks(content, position)
        size = there if is_streamed else min(claimed, there)
        yield Chunk(name, position, claimed, size)
        # A padding byte follows a chunk of an odd length.
        position += size + size % 2
    raise TooManyChunksError


def with_true_lengths(content: bytes) -> bytes:
    """Return a WAV file whose header has the true lengths of the file and of its sound; the size stays.

    A file of another kind is returned as it is, and so is one that says the truth.
    """
    if not is_wave(content):
        return content
    told, in_file = _number(content, _LENGTH_BYTES), len(content) - CHUNK_HEADER_BYTES
    true = {_LENGTH_BYTES: in_file} if told in _NOT_KNOWN or told > in_file else {}
    frame_bytes = 1
    try:
        for chunk in chunks(content):
            if chunk.name == b"fmt ":
                frame_bytes = _frame_bytes(content, chunk)
            if chunk.name == b"data":
                if chunk.size != chunk.claimed:
                    true |= {chunk.start - _LENGTH_BYTES: chunk.size - chunk.size % frame_bytes, _LENGTH_BYTES: in_file}
                break
    except TooManyChunksError:
        return content
    if not true:
        return content
    mended = bytearray(content)
    for place, length in true.items():
        mended[place : place + _LENGTH_BYTES] = length.to_bytes(_LENGTH_BYTES, "little")
    return bytes(mended)


def _frame_bytes(content: bytes, layout: Chunk) -> int:
    """Return the size of a frame, of which a sound has a whole number; 1 if the file says nonsense."""
    place = layout.start + FRAME_BYTES_AT
    told = int.from_bytes(content[place : place + 2], "little") if layout.size >= FRAME_BYTES_AT + 2 else 1
    return told if 1 <= told <= _FRAME_BYTES_MAX else 1


def _are_chunks(content: bytes, position: int) -> bool:
    """Return whether a file goes on with whole chunks to its end, as behind a sound that is really empty."""
    for _ in range(CHUNKS_MAX):
        if position == len(content):
            return True
        name = content[position : position + 4]
        if len(name) < _LENGTH_BYTES or any(byte not in _PRINTABLE for byte in name):
            return False
        size = _number(content, position + 4)
        position += CHUNK_HEADER_BYTES + size
        # Some programs leave the padding out at the end of the file.
        position += size % 2 if position < len(content) else 0
        if position > len(content):
            return False
    return False


def _number(content: bytes, place: int) -> int:
    return int.from_bytes(content[place : place + _LENGTH_BYTES], "little")
