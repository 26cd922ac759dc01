"""Format and duration of audio files, read from the bytes, as headers and file names may be wrong."""

from typing import Final

import msgspec

from dialer.domain.formats.wave_files import CHUNKS_MAX, TooManyChunksError, chunks, is_wave
from dialer.domain.words.sentences import Sentence
from dialer.store.media.other_formats import OtherFormat, decoded_format, other_encoding, other_format

RATES_HZ: Final = range(8_000, 48_001)
CHANNELS_MAX: Final = 2
_FORMAT_BYTES: Final = 16
_EXTENSIBLE_BYTES: Final = 40
_EXTENSIBLE: Final = 0xFFFE
_SUBFORMAT_TAIL: Final = bytes.fromhex("000000001000800000aa00389b71")
_ENCODINGS: Final = {
    (1, 8): "pcm_u8",
    (1, 16): "pcm_s16le",
    (1, 24): "pcm_s24le",
    (1, 32): "pcm_s32le",
    (6, 8): "pcm_alaw",
    (7, 8): "pcm_mulaw",
}
_WAVE: Final = Sentence("A WAV file with PCM, A-law or \N{GREEK SMALL LETTER MU}-law sound is needed")
_WANTED: Final = Sentence(
    "An MP3, WAV (PCM, A-law or \N{GREEK SMALL LETTER MU}-law), FLAC or Ogg Vorbis file is needed"
)


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
    if not is_wave(content):
        raise _refusal(other_format(content), _WANTED if decoded_format(content) is None else _WAVE)
    layout: bytes | None = None
    try:
        for chunk in chunks(content):
            if chunk.name == b"fmt ":
                layout = content[chunk.start : chunk.start + min(chunk.size, _EXTENSIBLE_BYTES)]
            elif chunk.name == b"data":
                if layout is None:
                    raise AudioError("The WAV file has its sound before its format.")
                return _recording(layout, chunk.size)
    except TooManyChunksError:
        raise AudioError(Sentence("The WAV file has more than %(most)s chunks.", most=CHUNKS_MAX)) from None
    raise AudioError("The WAV file holds no sound.")


def _recording(layout: bytes, data_bytes: int) -> AudioRecording:
    if len(layout) < _FORMAT_BYTES:
        raise AudioError("The format of the WAV file is cut off.")
    channels, rate_hz = _number(layout, 2, 2), _number(layout, 4, 4)
    frame_bytes, sample_bits = _number(layout, 12, 2), _number(layout, 14, 2)
    encoding = _ENCODINGS.get((_encoding_tag(layout), sample_bits))
    if encoding is None:
        raise _refusal(other_encoding(_encoding_tag(layout)))
    if not 1 <= channels <= CHANNELS_MAX or rate_hz not in RATES_HZ:
        raise AudioError("One or two channels at 8,000 to 48,000 Hz are needed.")
    if frame_bytes != channels * sample_bits // 8:
        raise AudioError("The format of the WAV file contradicts itself.")
    frames = data_bytes // frame_bytes
    if frames == 0:
        raise AudioError("The WAV file holds no sound.")
    return AudioRecording(encoding, channels, rate_hz, -(-frames * 1_000 // rate_hz))


def _refusal(found: OtherFormat, wanted: Sentence = _WANTED) -> AudioError:
    text = Sentence("%(wanted)s; this is %(kind)s. %(way_out)s", wanted=wanted, kind=found.kind, way_out=found.way_out)
    return AudioError(text)


def _encoding_tag(layout: bytes) -> int:
    tag = _number(layout, 0, 2)
    if tag == _EXTENSIBLE and len(layout) == _EXTENSIBLE_BYTES and layout[26:] == _SUBFORMAT_TAIL:
        return _number(layout, 24, 2)
    return tag


def _number(content: bytes, start: int, size: int) -> int:
    return int.from_bytes(content[start : start + size], "little")
