"""G.711: µ-law and A-law, by tables of our own (the standard library has none from Python 3.13 on)."""

from array import array
from typing import Final

_BIAS: Final = 0x84
_CLIP: Final = 32_635
_SAMPLES: Final = range(-32_768, 32_768)


def _ulaw_of(sample: int) -> int:
    """Return the µ-law byte of a 16-bit sample (ITU-T G.711, by its 14-bit segments)."""
    sign = 0x80 if sample < 0 else 0
    magnitude = min(abs(sample), _CLIP) + _BIAS
    exponent = magnitude.bit_length() - 8
    return ~(sign | exponent << 4 | magnitude >> (exponent + 3) & 0x0F) & 0xFF


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


_ENCODED: Final = bytes(_ulaw_of(sample) for sample in (*range(32_768), *range(-32_768, 0)))
"""The µ-law byte of each sample, by the sample as an unsigned number."""
_DECODED: Final = tuple(_sample_of_ulaw(byte) for byte in range(256))

ALAW_OF_ULAW: Final = bytes(_alaw_of(_sample_of_ulaw(byte)) for byte in range(256))
"""A table for `bytes.translate`."""
ULAW_OF_ALAW: Final = bytes(_ulaw_of(_sample_of_alaw(byte)) for byte in range(256))
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
