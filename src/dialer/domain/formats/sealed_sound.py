"""The layout of the file of a recorded call, and of the WAV file that it becomes.

The file is a row of blocks. Each is half a second of stereo µ-law, the callee left and our side right, encrypted with
AES-256-GCM: a nonce of its own, the encrypted sound, and its seal. Its place in the row is sealed with it. So a file
whose writer was killed can be read up to its last whole block, any part can be read by itself, and no block can be
changed, moved or copied from another place. The last block may be shorter.
"""

import struct
from typing import Final

RATE_HZ: Final = 8_000
CHANNELS: Final = 2
SIDE_BYTES: Final = RATE_HZ // 2
"""Samples of one side in a block, each a byte."""
BLOCK_BYTES: Final = SIDE_BYTES * CHANNELS
NONCE_BYTES: Final = 12
SEAL_BYTES: Final = NONCE_BYTES + 16
"""Bytes that a block gets when it is encrypted."""
SEALED_BYTES: Final = BLOCK_BYTES + SEAL_BYTES
KEY_BYTES: Final = 32
_PLACE: Final = struct.Struct("!Q")
_MU_LAW: Final = 7
_HEADER: Final = struct.Struct("<4sI4s 4sIHHIIHHH 4sII 4sI")
HEADER_BYTES: Final = _HEADER.size
"""Bytes of a WAV file before its sound."""


def sealed_place(number: int) -> bytes:
    """Return what is sealed with a block beside its sound: its place in the file, from 0."""
    return _PLACE.pack(number)


def sound_bytes(file_bytes: int) -> int:
    """Return the bytes of the sound in a file of this size, without a block that is not whole."""
    whole, rest = divmod(file_bytes, SEALED_BYTES)
    rest_bytes = max(0, rest - SEAL_BYTES)
    return whole * BLOCK_BYTES + rest_bytes - rest_bytes % CHANNELS


def length_ms(size: int) -> int:
    """Return the length of so many bytes of sound."""
    return size * 1_000 // (RATE_HZ * CHANNELS)


def wav_header(size: int) -> bytes:
    """Return the header of a WAV file with so many bytes of sound (Multimedia Data Standards Update 3.0, µ-law)."""
    bytes_a_second = RATE_HZ * CHANNELS
    return _HEADER.pack(
        *(b"RIFF", HEADER_BYTES - 8 + size, b"WAVE"),
        *(b"fmt ", 18, _MU_LAW, CHANNELS, RATE_HZ, bytes_a_second, CHANNELS, 8, 0),
        *(b"fact", 4, size // CHANNELS),
        *(b"data", size),
    )
