"""Recordings in compressed formats become WAV files, each decoded by a process that may end in any way."""

import io
import os
import subprocess
import sys
import wave
from typing import Final

from dialer.domain.credentials.environment import clean_environment
from dialer.domain.formats.wave_files import with_true_lengths
from dialer.domain.words.sentences import Sentence
from dialer.store.media.audio import AudioError
from dialer.store.media.decoder_process import RATE_HZ, SECONDS_MAX, TOO_LONG
from dialer.store.media.other_formats import decoded_format

TIMEOUT_S: Final = 60
_COMMAND: Final = (sys.executable, "-P", "-m", "dialer.store.media.decoder_process")
_SAMPLE_BYTES: Final = 2
_MINUTE_S: Final = 60


def as_wave(content: bytes) -> bytes:
    """Return a recording as it is stored: MP3, FLAC and Ogg Vorbis decoded, and all others with their true lengths.

    Raises:
        AudioError: a compressed file cannot be decoded, or is too long.
    """
    kind = decoded_format(content)
    return with_true_lengths(content) if kind is None else _wave(_decoded(content, kind))


def _decoded(content: bytes, kind: Sentence) -> bytes:
    """Return the samples of a compressed file."""
    try:
        ended = subprocess.run(  # noqa: S603 - our own program
            _COMMAND, input=content, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=TIMEOUT_S, check=False,
            env=clean_environment(os.environ), start_new_session=True,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise _unreadable(kind) from None
    if ended.returncode == TOO_LONG:
        most = SECONDS_MAX // _MINUTE_S
        raise AudioError(Sentence("The recording is longer than %(most)s minutes. Cut it.", most=most))
    if ended.returncode:
        raise _unreadable(kind)
    return ended.stdout


def _unreadable(kind: Sentence) -> AudioError:
    return AudioError(
        Sentence("This is %(kind)s without sound that can be read. Save it again, or save it as WAV.", kind=kind)
    )


def _wave(samples: bytes) -> bytes:
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(_SAMPLE_BYTES)
        file.setframerate(RATE_HZ)
        file.writeframes(samples)
    return buffer.getvalue()
