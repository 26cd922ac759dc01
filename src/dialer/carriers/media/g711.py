"""G.711: µ-law and A-law, by tables of our own (the standard library has none from Python 3.13 on)."""

from array import array
from typing import Final

_BIAS: Final = 0x84
_CLIP: Final = 32_635
_SAMPLES_HALF: Final = 32_768


def _encoded() -> bytes:
    """Return the µ-law byte of each 16-bit sample, taken as an unsigned number (ITU-T G.711, by its segments)."""
    steps = (bytes([~step & 0xFF]) * (8 << (step >> 4)) for step in range(0x80))
    positive = b"".join(steps)[_BIAS - 0x80 :].ljust(_SAMPLES_HALF + 1, b"\x80")
    negative = bytes(byte & 0x7F for byte in positive)
    return positive[:-1] + negative[:0:-1]


def _sample_of_ulaw(byte: int) -> int:
    inverted = ~byte & 0xFF
    exponent, mantissa = inverted >> 4 & 7, inverted & 0x0F
    magnitude = ((mantissa << 3) + _BIAS << exponent) - _BIAS
    return -magnitude if inverted & 0x80 else magnitude


def _sample_of_alaw(byte: int) -> int:
    value = byte ^ 0x55
    exponent, mantissa = value >> 4 & 7, value & 0x0F
    magnitude = (mantissa << 4) + 8 if exponent == 0 else (mantissa << 4) + 0x108 << exponent - 1
    return magnitude if value & 0x80 else -magnitude


def _alaw_of(sample: int) -> int:
    """Return the A-law byte of a 16-bit sample."""
    sign = 0x80 if sample >= 0 else 0
    magnitude = min(sample if sample >= 0 else ~sample, _CLIP) >> 3
    exponent = max(magnitude.bit_length() - 5, 0)
    mantissa = magnitude >> (max(1, exponent)) & 0x0F
    return (sign | exponent << 4 | mantissa) ^ 0x55


_ENCODED: Final = _encoded()
_DECODED: Final = tuple(_sample_of_ulaw(byte) for byte in range(256))

ALAW_OF_ULAW: Final = bytes(_alaw_of(_sample_of_ulaw(byte)) for byte in range(256))
"""A table for `bytes.translate`."""
ULAW_OF_ALAW: Final = bytes(_ENCODED[_sample_of_alaw(byte) & 0xFFFF] for byte in range(256))
"""A table for `bytes.translate`."""
SILENCE: Final = 0xFF
"""The µ-law byte of silence."""


def encode(samples: "array[int]") -> bytes:
    """Return 16-bit samples as µ-law."""
    table = _ENCODED
    return bytes([table[sample & 0xFFFF] for sample in samples])


def decode(ulaw: bytes) -> "array[int]":
    """Return µ-law as 16-bit samples."""
    table = _DECODED
    return array("h", [table[byte] for byte in ulaw])
