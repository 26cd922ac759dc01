"""Sound files of the media folder: read as µ-law, and written from it."""

import contextlib
import io
import os
import threading
import wave
from collections import OrderedDict
from pathlib import Path
from typing import Final

import miniaudio  # type: ignore[import-untyped]

from dialer.carriers.media import g711
from dialer.carriers.media.rtp import RATE_HZ
from dialer.domain.sessions.leg_protocol import SPEECH_FOLDER
from dialer.domain.wave_files import with_true_lengths

SECONDS_MAX: Final = 600
FILE_BYTES_MAX: Final = 64 * 1024 * 1024
KEPT_BYTES_MAX: Final = 64 * 1024 * 1024
"""Decoded sound that is kept in memory. The files that were used the longest time ago go first."""

_FOLDERS: Final = ("", SPEECH_FOLDER)


class SoundFileError(Exception):
    """The file cannot be played or written; the message says why."""


class SoundFiles:
    """The files of one folder, decoded once. Methods may be called from threads."""

    def __init__(self, folder: Path) -> None:
        self._folder: Final = folder
        self._kept: OrderedDict[tuple[str, int], bytes] = OrderedDict()

    def read(self, name: str) -> bytes:
        """Return a file of the folder as µ-law, 8,000 samples a second.

        Raises:
            SoundFileError: there is no such file in the folder, or it holds no sound.
        """
        path = self._path(name)
        try:
            version = path.stat().st_mtime_ns
        except OSError as error:
            raise SoundFileError(f"{name}: {error.strerror}") from None
        sound = self._kept.get((name, version))
        if sound is None:
            sound = read_sound_file(path)
            self._keep((name, version), sound)
        return sound

    def write(self, name: str, sound: bytes) -> None:
        """Write µ-law as a WAV file of the folder, complete or not at all.

        Raises:
            SoundFileError: it cannot be written.
        """
        path = self._path(name)
        unfinished = path.with_name(f".{path.name}.{os.getpid()}.{threading.get_ident()}")
        buffer = io.BytesIO()
        with wave.open(buffer, "wb") as file:
            file.setnchannels(1)
            file.setsampwidth(2)
            file.setframerate(RATE_HZ)
            file.writeframes(g711.decode(sound).tobytes())
        try:
            for folder in dict.fromkeys((self._folder, path.parent)):
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with os.fdopen(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as written:
                written.write(buffer.getvalue())
                written.flush()
                os.fsync(written.fileno())
            unfinished.rename(path)
        except OSError as error:
            with contextlib.suppress(OSError):
                unfinished.unlink(missing_ok=True)
            raise SoundFileError(f"{name}: {error.strerror}") from None

    def _path(self, name: str) -> Path:
        folder, _, file = name.rpartition("/")
        if folder not in _FOLDERS or not file or file.startswith(".") or "\\" in file or "\0" in file:
            raise SoundFileError(f"{name!r} is no file name of the media folder.")
        return self._folder / name

    def _keep(self, key: tuple[str, int], sound: bytes) -> None:
        self._kept[key] = sound
        while len(self._kept) > 1 and sum(map(len, self._kept.values())) > KEPT_BYTES_MAX:
            self._kept.popitem(last=False)


def read_sound_file(path: Path) -> bytes:
    """Return a sound file (WAV, MP3, FLAC or Ogg Vorbis) as µ-law, cut after `SECONDS_MAX`.

    Raises:
        SoundFileError: the file cannot be read, or holds no sound.
    """
    try:
        if path.stat().st_size > FILE_BYTES_MAX:
            raise SoundFileError(f"{path.name} has more than {FILE_BYTES_MAX // 1024**2} MiB.")
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
