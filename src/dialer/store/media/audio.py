"""Format and duration of audio files, read from the bytes, as headers and file names may be wrong."""

from collections.abc import Iterator
from typing import Final

import msgspec

from dialer.domain.sentences import Sentence

CHUNKS_MAX: Final = 1_000
RATES_HZ: Final = range(8_000, 48_001)
CHANNELS_MAX: Final = 2
_CHUNK_HEADER_BYTES: Final = 8
_FORMAT_BYTES: Final = 16
_EXTENSIBLE_BYTES: Final = 40
_EXTENSIBLE: Final = 0xFFFE
_SUBFORMAT_TAIL: Final = bytes.fromhex("000000001000800000aa00389b71")
# Length that a program writes if it does not know the length, as when it writes into a pipe.
_STREAMED: Final = (b"\x00\x00\x00\x00", b"\xff\xff\xff\xff")
_ENCODINGS: Final = {
    (1, 8): "pcm_u8",
    (1, 16): "pcm_s16le",
    (1, 24): "pcm_s24le",
    (1, 32): "pcm_s32le",
    (6, 8): "pcm_alaw",
    (7, 8): "pcm_mulaw",
}
_OTHERS: Final = (
    (b"ID3", Sentence("an MP3 file")),
    (b"\xff\xfb", Sentence("an MP3 file")),
    (b"\xff\xf3", Sentence("an MP3 file")),
    (b"\xff\xf2", Sentence("an MP3 file")),
    (b"OggS", Sentence("an Ogg file")),
    (b"fLaC", Sentence("a FLAC file")),
    (b"RF64", Sentence("an RF64 file")),
    (b"RIFX", Sentence("a big-endian WAV file")),
)
_WANTED: Final = Sentence("A WAV file with PCM, A-law or \N{GREEK SMALL LETTER MU}-law sound is needed")


class AudioError(ValueError):
    """The bytes are not audio that can be played; the message is for the client."""


class AudioRecording(msgspec.Struct, frozen=True):
    """The format and the duration of a WAV file, as its bytes show them."""

    format: str
    """Encoding of the samples, by its name in ffmpeg, such as `pcm_s16le`."""
    channels: int
    rate_hz: int
    duration_ms: int
    """Duration of the samples in the file, even if the header says otherwise."""


def judge(content: bytes) -> AudioRecording:
    """Return the format and the duration of the WAV file in `content`.

    Raises:
        AudioError: it is not a WAV file, or is broken, empty or in a format that cannot be played.
    """
    _refuse_other_kinds(content)
    layout: bytes | None = None
    for name, body in _chunks(content):
        if name == b"fmt ":
            layout = bytes(body[:_EXTENSIBLE_BYTES])
        elif name == b"data":
            if layout is None:
                raise AudioError("The WAV file has its sound before its format.")
            return _recording(layout, len(body))
    raise AudioError("The WAV file holds no sound.")


def _refuse_other_kinds(content: bytes) -> None:
    if content[:4] == b"RIFF" and content[8:12] == b"WAVE":
        return
    kind = next((kind for start, kind in _OTHERS if content.startswith(start)), None)
    raise AudioError(Sentence("%(wanted)s; this is %(kind)s.", wanted=_WANTED, kind=kind or Sentence("not one")))


def _chunks(content: bytes) -> Iterator[tuple[bytes, memoryview]]:
    """Yield the chunks after the header, each cut to the bytes that the file has."""
    view, position = memoryview(content), 12
    streamed = content[4:8] in _STREAMED
    for _ in range(CHUNKS_MAX):
        if position + _CHUNK_HEADER_BYTES > len(content):
            return
        name = bytes(view[position : position + 4])
        size = int.from_bytes(view[position + 4 : position + 8], "little")
        position += _CHUNK_HEADER_BYTES
        endless = streamed and name == b"data" and size == 0
        yield name, view[position:] if endless else view[position : position + size]
        # A padding byte follows a chunk of an odd length.
        position += size + size % 2
    raise AudioError(Sentence("The WAV file has more than %(most)s chunks.", most=CHUNKS_MAX))


def _recording(layout: bytes, data_bytes: int) -> AudioRecording:
    if len(layout) < _FORMAT_BYTES:
        raise AudioError("The format of the WAV file is cut off.")
    channels, rate_hz = _number(layout, 2, 2), _number(layout, 4, 4)
    frame_bytes, sample_bits = _number(layout, 12, 2), _number(layout, 14, 2)
    encoding = _ENCODINGS.get((_encoding_tag(layout), sample_bits))
    if encoding is None:
        raise AudioError(Sentence("%(wanted)s; this is WAV with an encoding that is not played.", wanted=_WANTED))
    if not 1 <= channels <= CHANNELS_MAX or rate_hz not in RATES_HZ:
        raise AudioError("One or two channels at 8,000 to 48,000 Hz are needed.")
    if frame_bytes != channels * sample_bits // 8:
        raise AudioError("The format of the WAV file contradicts itself.")
    frames = data_bytes // frame_bytes
    if frames == 0:
        raise AudioError("The WAV file holds no sound.")
    return AudioRecording(encoding, channels, rate_hz, -(-frames * 1_000 // rate_hz))


def _encoding_tag(layout: bytes) -> int:
    tag = _number(layout, 0, 2)
    if tag == _EXTENSIBLE and len(layout) == _EXTENSIBLE_BYTES and layout[26:] == _SUBFORMAT_TAIL:
        return _number(layout, 24, 2)
    return tag


def _number(content: bytes, start: int, size: int) -> int:
    return int.from_bytes(content[start : start + size], "little")
