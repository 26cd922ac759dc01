"""Formats of files that are no WAV files, known from their first bytes: which are decoded, and what to do with others.

The bytes are those that the formats' own specifications give; `tests/store/media/test_other_formats.py` compares them
with files that ffmpeg and other programs wrote.
"""

import re
from typing import Final, NamedTuple

from dialer.domain.words.sentences import Sentence

LOOKED_AT_BYTES: Final = 512
CONVERT: Final = Sentence(
    "Open it in a sound editor, such as Audacity, and export it as WAV (16-bit PCM), or run: ffmpeg -i FILE out.wav"
)
TELEPHONE: Final = Sentence(
    "Telephones record so: set the recorder to MP3 or WAV, or convert the file, for example by: ffmpeg -i FILE out.mp3"
)
NO_SOUND: Final = Sentence("It holds no sound: choose the recording itself, or download it again.")


class OtherFormat(NamedTuple):
    """A format that is not played, as the end of "this is …", and what to do about it."""

    kind: Sentence
    way_out: Sentence


class _Row(NamedTuple):
    start: re.Pattern[bytes]
    kind: Sentence
    way_out: Sentence = CONVERT


def _row(start: bytes, kind: Sentence, way_out: Sentence = CONVERT) -> _Row:
    return _Row(re.compile(start, re.DOTALL), kind, way_out)


_DECODED: Final = (
    _row(rb"OggS.{24,60}\x01vorbis", Sentence("an Ogg file with Vorbis sound")),
    _row(rb"fLaC", Sentence("a FLAC file")),
    # Eleven bits that are set begin a frame; the version and the layer of MPEG follow.
    _row(rb"ID3|\xff[\xe2-\xe7\xea-\xef\xf2-\xf7\xfa-\xff]", Sentence("an MP3 file")),
)
# The first row that fits counts.
_FORMATS: Final = (
    *_DECODED,
    _row(rb"OggS.{24,60}OpusHead", Sentence("an Ogg file with Opus sound"), TELEPHONE),
    _row(rb"OggS", Sentence("an Ogg file")),
    _row(rb"RF64|BW64", Sentence("an RF64 file")),
    _row(rb"RIFX", Sentence("a big-endian WAV file")),
    _row(rb"riff.\x91\xcf\x11", Sentence("a Wave64 file")),
    _row(rb"FORM.{4}AIF[FC]", Sentence("an AIFF file")),
    _row(rb"#!AMR", Sentence("an AMR file"), TELEPHONE),
    _row(rb".{4}ftyp(M4A|M4B)", Sentence("an M4A file"), TELEPHONE),
    _row(rb".{4}ftyp3g", Sentence("a 3GP file"), TELEPHONE),
    _row(rb".{4}ftypqt", Sentence("a QuickTime file"), TELEPHONE),
    _row(rb".{4}ftyp", Sentence("an MP4 file"), TELEPHONE),
    _row(rb"\x1aE\xdf\xa3.{0,64}webm", Sentence("a WebM file")),
    _row(rb"\x1aE\xdf\xa3", Sentence("a Matroska file")),
    _row(rb"\x30\x26\xb2\x75\x8e\x66\xcf\x11", Sentence("a WMA file")),
    _row(rb"caff", Sentence("a CAF file")),
    _row(rb"\.snd", Sentence("an AU file")),
    _row(rb"RIFF.{4}AVI ", Sentence("an AVI file")),
    # As MP3, but the layer of MPEG is 0.
    _row(rb"ADIF|\xff[\xf0\xf1\xf8\xf9]", Sentence("an AAC file"), TELEPHONE),
    _row(rb"MThd", Sentence("a MIDI file"), NO_SOUND),
    _row(rb"%PDF", Sentence("a PDF file"), NO_SOUND),
    _row(rb"PK\x03\x04|\x1f\x8b|7z\xbc\xaf|Rar!", Sentence("a packed archive"), Sentence("Unpack it first.")),
    _row(rb"\x89PNG|\xff\xd8\xff|GIF8|RIFF.{4}WEBP", Sentence("a picture"), NO_SOUND),
    _row(rb"(?i:(\xef\xbb\xbf)?\s*<(!doctype html|html|head|body))", Sentence("a web page"), NO_SOUND),
    _row(rb"(\xef\xbb\xbf)?\s*<[?!a-zA-Z]", Sentence("an XML text"), NO_SOUND),
    _row(rb"(\xef\xbb\xbf)?\s*[{\[]", Sentence("a JSON text"), NO_SOUND),
)
_EMPTY: Final = OtherFormat(Sentence("an empty file"), NO_SOUND)
_TEXT: Final = OtherFormat(Sentence("a text"), NO_SOUND)
_UNKNOWN: Final = OtherFormat(Sentence("not one"), CONVERT)
_CONTROL: Final = re.compile(rb"[\x00-\x08\x0e-\x1f]")

_ENCODINGS: Final = {
    2: Sentence("a WAV file with ADPCM sound"),
    3: Sentence("a WAV file with floating-point sound"),
    0x11: Sentence("a WAV file with ADPCM sound"),
    0x31: Sentence("a WAV file with GSM 6.10 sound"),
    0x50: Sentence("a WAV file with MP2 sound"),
    0x55: Sentence("a WAV file with MP3 sound"),
    0xFF: Sentence("a WAV file with AAC sound"),
    0x28F: Sentence("a WAV file with G.722 sound"),
}
"""Encodings of WAV files that are not played, by their number in the file's format."""
_OTHER_ENCODING: Final = Sentence("a WAV file with an encoding that is not played")


def decoded_format(content: bytes) -> Sentence | None:
    """Return the format of a file that `dialer.store.media.decoding` makes a WAV file of, or None."""
    return next((row.kind for row in _DECODED if row.start.match(content)), None)


def other_format(content: bytes) -> OtherFormat:
    """Return the format of a file that is no WAV file, as well as its first bytes show it."""
    start = content[:LOOKED_AT_BYTES]
    if not start:
        return _EMPTY
    for row in _FORMATS:
        if row.start.match(start):
            return OtherFormat(row.kind, row.way_out)
    return _UNKNOWN if _CONTROL.search(start) or not _is_text(start) else _TEXT


def other_encoding(tag: int) -> OtherFormat:
    """Return the format of a WAV file whose encoding has this number."""
    return OtherFormat(_ENCODINGS.get(tag, _OTHER_ENCODING), CONVERT)


def _is_text(start: bytes) -> bool:
    """Return whether bytes are UTF-8, whose last character may be cut off."""
    try:
        start.decode()
    except UnicodeDecodeError as error:
        return error.start >= LOOKED_AT_BYTES - 3
    return True
