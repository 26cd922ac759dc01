"""Sound files among the media files: read as µ-law, and written from it."""

import io
import wave
from collections import OrderedDict
from pathlib import Path
from typing import Final

import miniaudio  # type: ignore[import-untyped]

from dialer.carriers.media import g711
from dialer.carriers.media.rtp import RATE_HZ
from dialer.domain.formats.media_files import MediaError, MediaFiles
from dialer.domain.formats.wave_files import with_true_lengths
from dialer.domain.sessions.leg_protocol import SPEECH_FOLDER

SECONDS_MAX: Final = 600
FILE_BYTES_MAX: Final = 64 * 1024 * 1024
KEPT_BYTES_MAX: Final = 64 * 1024 * 1024
"""Decoded sound that is kept in memory. The files that were used the longest time ago go first."""

_FOLDERS: Final = ("", SPEECH_FOLDER)


class SoundFileError(Exception):
    """The file cannot be played or written; the message says why."""


class SoundFiles:
    """Media files of sound, decoded once. Methods may be called from threads."""

    def __init__(self, media: MediaFiles) -> None:
        self._media: Final = media
        self._kept: OrderedDict[tuple[str, int], bytes] = OrderedDict()

    def read(self, name: str) -> bytes:
        """Return a file as µ-law, 8,000 samples a second.

        Raises:
            SoundFileError: there is no such file in the folder, or it holds no sound.
        """
        facts = self._media.facts(_checked(name))
        if facts is None:
            raise SoundFileError(f"{name}: there is no such file")
        sound = self._kept.get((name, facts.changed_ns))
        if sound is None:
            if facts.size > FILE_BYTES_MAX:
                raise _too_large(name)
            sound = decode_sound(self._media.read(name) or b"", name)
            self._keep((name, facts.changed_ns), sound)
        return sound

    def write(self, name: str, sound: bytes) -> None:
        """Write µ-law as a WAV file, complete or not at all.

        Raises:
            SoundFileError: it cannot be written.
        """
        buffer = io.BytesIO()
        with wave.open(buffer, "wb") as file:
            file.setnchannels(1)
            file.setsampwidth(2)
            file.setframerate(RATE_HZ)
            file.writeframes(g711.decode(sound).tobytes())
        try:
            self._media.save(_checked(name), buffer.getvalue())
        except MediaError as error:
            raise SoundFileError(f"{name}: {error}") from None

    def _keep(self, key: tuple[str, int], sound: bytes) -> None:
        self._kept[key] = sound
        while len(self._kept) > 1 and sum(map(len, self._kept.values())) > KEPT_BYTES_MAX:
            self._kept.popitem(last=False)


def _checked(name: str) -> str:
    folder, _, file = name.rpartition("/")
    if folder not in _FOLDERS or not file or file.startswith(".") or "\\" in file or "\0" in file:
        raise SoundFileError(f"{name!r} is no file name of the media folder.")
    return name


def _too_large(name: str) -> SoundFileError:
    return SoundFileError(f"{name} has more than {FILE_BYTES_MAX // 1024**2} MiB.")


def read_sound_file(path: Path) -> bytes:
    """Return a sound file (WAV, MP3, FLAC or Ogg Vorbis) as µ-law, cut after `SECONDS_MAX`.

    Raises:
        SoundFileError: the file cannot be read, or holds no sound.
    """
    try:
        if path.stat().st_size > FILE_BYTES_MAX:
            raise _too_large(path.name)
        content = path.read_bytes()
    except OSError as error:
        raise SoundFileError(f"{path.name}: {error.strerror}") from None
    return decode_sound(content, path.name)


def decode_sound(content: bytes, name: str) -> bytes:
    """Return the content of a sound file as µ-law, cut after `SECONDS_MAX`. `name` is its name in the error.

    Raises:
        SoundFileError: it is no sound.
    """
    try:
        decoded = miniaudio.decode(with_true_lengths(content), nchannels=1, sample_rate=RATE_HZ)
    except miniaudio.MiniaudioError:
        raise SoundFileError(f"{name} holds no sound that can be played.") from None
    return g711.encode(decoded.samples[: SECONDS_MAX * RATE_HZ])
