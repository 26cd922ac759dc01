"""Texts spoken by espeak-ng or a server, and kept as media files."""

import asyncio
import contextlib
import os
import signal
import subprocess
import threading
import time
import unicodedata
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from hashlib import blake2b
from typing import Final

import structlog

from dialer.carriers.voice.sound_files import SoundFileError, SoundFiles, decode_sound
from dialer.domain.credentials.environment import clean_environment
from dialer.domain.formats.media_files import MediaError, MediaFiles
from dialer.domain.sessions.leg_protocol import SPEECH_FOLDER, Speech
from dialer.domain.words.spoken_times import as_said
from dialer.domain.words.voices import AS_SET, NO_VOICE, PROGRAM, ChosenVoice, SpeechServer, SpeechVoice

TEXT_MAX: Final = 4_000
"""Characters of a text, some minutes of speech."""
SOUND_BYTES_MAX: Final = 32 * 1024 * 1024
"""Sound of one text as the program makes it, 12 minutes."""
RUN_S: Final = 10.0
"""Time for one text. A sentence takes some hundredths of a second."""
SERVER_S: Final = 20.0
"""As `RUN_S`, of a server, which may think about a long text for some seconds."""
WAIT_S: Final = 30.0
"""Time that a call waits for a text, the texts before it included."""
AWAY_S: Final = 30.0
"""Time in which a server is not asked again that could not be reached, so that calls do not wait for it one by one."""
WORDS_A_MINUTE: Final = 175
"""The speed at which espeak-ng speaks by itself."""
AT_ONCE: Final = 2
WAITING_MAX: Final = 200
"""Texts that wait for the program. Further ones are not spoken."""
KEPT_BYTES_MAX: Final = 256 * 1024 * 1024
"""Sound of texts that is kept on disk, four hours. Those that were used the longest time ago go first."""
FRESH_S: Final = 3_600.0
"""Age after which a file that is used counts as new again."""
_SHARE: Final = 8
"""The folder is looked at whenever this share of its limit was written, and this share of it is kept free."""
_MESSAGE_BYTES_MAX: Final = 2_000
_PROBE: Final = "one"
_LOGGER: Final = structlog.get_logger(__name__)


class SpeechError(Exception):
    """A text cannot be spoken; the message says why, without the text."""


class SpeechAwayError(SpeechError):
    """The server of speech is away, whatever it is to say."""


class Speaker:
    """Speaks texts with a voice, if there is one.

    The texts of one process are spoken by threads of its own, a few at once, so nobody else waits for them.
    """

    def __init__(
        self,
        media: MediaFiles,
        voice: SpeechVoice = NO_VOICE,
        *,
        program: str = PROGRAM,
        kept_bytes_max: int = KEPT_BYTES_MAX,
    ) -> None:
        self.voice = voice
        self._media, self._program, self._kept_bytes_max = media, program, kept_bytes_max
        self._files: Final = SoundFiles(media)
        self._threads: Final = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="speech")
        self._speaking: Final[dict[str, asyncio.Future[None]]] = {}
        self._unseen_bytes = kept_bytes_max
        """Bytes written since the folder was looked at."""
        self._looking: Final = threading.Lock()
        self._away_until_s = 0.0
        self._why_away = ""

    async def as_files(self, speeches: Iterable[Speech]) -> tuple[Speech, ...]:
        """Return the pieces of a prompt as files. A text that cannot be spoken is logged and left out."""
        spoken: list[Speech] = []
        for speech in speeches:
            try:
                spoken.append(speech if speech.file else Speech(file=await self.file_of(speech.text, speech.voice)))
            except SpeechError as error:
                _LOGGER.warning("a text cannot be spoken", error=str(error))
        return tuple(spoken)

    async def file_of(self, text: str, wanted: ChosenVoice = AS_SET) -> str:
        """Return the name of a file of the media folder that holds a text, spoken by the service's or another voice.

        Raises:
            SpeechError: the text cannot be spoken.
        """
        if not self.voice:
            raise SpeechError("DIALER_SPEECH is unset")
        voice = self.voice.chosen(wanted)
        said = as_said(text, voice.name)
        mark = blake2b(f"{voice.mark}\0{said}".encode(errors="replace"), digest_size=16).hexdigest()
        name = f"{SPEECH_FOLDER}/{mark}.wav"
        speaking = self._speaking.get(name)
        if speaking is None:
            if len(self._speaking) >= WAITING_MAX:
                raise SpeechError(f"{WAITING_MAX} other texts are waiting")
            loop = asyncio.get_running_loop()
            speaking = loop.run_in_executor(self._threads, self._keep, name, voice, text)
            self._speaking[name] = speaking
            speaking.add_done_callback(lambda done: self._forget(name, done))
        try:
            # Others may wait for the same text.
            await asyncio.wait_for(asyncio.shield(speaking), WAIT_S)
        except TimeoutError:
            raise SpeechError(f"it takes longer than {WAIT_S:g} seconds, with the texts before it") from None
        return name

    def _forget(self, name: str, done: asyncio.Future[None]) -> None:
        del self._speaking[name]
        if not done.cancelled():
            # Nobody may be left who hears of an error.
            done.exception()

    def _keep(self, name: str, voice: SpeechVoice, text: str) -> None:
        """Speak a text into a file, unless the file is there."""
        facts = self._media.facts(name)
        if facts is not None and (time.time() - facts.changed_ns / 1e9 <= FRESH_S or self._renew(name)):
            return
        if time.monotonic() < self._away_until_s:
            raise SpeechError(self._why_away)
        try:
            sound = spoken_sound(voice, text, self._program)
        except SpeechAwayError as error:
            self._why_away, self._away_until_s = str(error), time.monotonic() + AWAY_S
            raise
        try:
            self._files.write(name, sound)
        except SoundFileError as error:
            raise SpeechError(str(error)) from None
        self._make_room(2 * len(sound))

    def _renew(self, name: str) -> bool:
        """Let a file that is used count as new again; return False if it is gone."""
        content = self._media.read(name)
        if content is not None:
            with contextlib.suppress(MediaError):
                self._media.save(name, content, is_lasting=False)
        return content is not None

    def _make_room(self, written: int) -> None:
        with self._looking:
            self._unseen_bytes += written
            if self._unseen_bytes < self._kept_bytes_max // _SHARE:
                return
            self._unseen_bytes = 0
            _remove_oldest(self._media, self._kept_bytes_max - self._kept_bytes_max // _SHARE)


def why_silent(voice: SpeechVoice, program: str = PROGRAM) -> str:
    """Speak a word with a voice, and return why that fails; an empty text if it works."""
    try:
        spoken_sound(voice, _PROBE, program)
    except SpeechError as error:
        return str(error)
    return ""


def spoken_sound(voice: SpeechVoice, text: str, program: str = PROGRAM, run_s: float = RUN_S) -> bytes:
    """Return a spoken text as µ-law, 8,000 samples a second, after `run_s` seconds at most.

    Raises:
        SpeechError: the program or the server is missing, fails, or takes too long, or the text is empty or too long.
    """
    plain = _plain(text)
    if not plain.strip():
        raise SpeechError("the text is empty")
    if len(plain) > TEXT_MAX:
        raise SpeechError(f"the text has more than {TEXT_MAX:,} characters")
    said, server = as_said(plain, voice.name), voice.server
    if server is not None:
        return _decoded(_from_server(server, voice.speed, said, SERVER_S), "the server of speech")
    return _decoded(_run(program, voice, said, run_s), program)


def _decoded(sound: bytes, who: str) -> bytes:
    try:
        return decode_sound(sound, "the text")
    except SoundFileError:
        raise SpeechError(f"{who} makes no sound of the text") from None


def _from_server(server: SpeechServer, speed: float, said: str, run_s: float) -> bytes:
    from dialer.carriers.voice.speech_server import (  # noqa: PLC0415 - most services have none
        SpeechServerAwayError,
        SpeechServerError,
        sound_of_server,
    )

    try:
        return sound_of_server(server, said, run_s, SOUND_BYTES_MAX, speed)
    except SpeechServerAwayError as error:
        raise SpeechAwayError(str(error)) from None
    except SpeechServerError as error:
        raise SpeechError(str(error)) from None


def _plain(text: str) -> str:
    """Return a text without what the program takes for commands: control characters, and phonemes in brackets."""
    return "".join(
        " " if character == "[" or unicodedata.category(character)[0] == "C" else character for character in text
    )


def _run(program: str, voice: SpeechVoice, text: str, run_s: float) -> bytes:
    """Return the output of the program. The text goes to its standard input, so it can be no option."""
    speed = [] if voice.speed == 1 else ["-s", str(round(WORDS_A_MINUTE * voice.speed))]
    command = [program, "-v", voice.name, *speed, "-b", "1", "--stdin", "--stdout"]
    try:
        process = subprocess.Popen(  # noqa: S603 - no shell, and no part of the command is a user's
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=clean_environment(os.environ),
        )
    except FileNotFoundError:
        raise SpeechError(f"{program} is not installed") from None
    except OSError as error:
        raise SpeechError(f"{program} cannot be started: {error.strerror}") from None
    # Nothing else ends a wait for the output of a program that hangs.
    timer = threading.Timer(run_s, process.kill)
    timer.start()
    with process:
        try:
            sound, message = _exchanged(process, text.encode())
            if len(sound) > SOUND_BYTES_MAX:
                process.kill()
                raise SpeechError(f"{program} makes more than {SOUND_BYTES_MAX // 1024**2} MiB of sound")
            code = process.wait()
        finally:
            timer.cancel()
    if code == -signal.SIGKILL:
        raise SpeechError(f"{program} takes longer than {run_s:g} seconds")
    if code or not sound:
        raise SpeechError(f"{program} fails with the voice {voice.name!r} (exit code {code}). {message}".strip())
    return sound


def _exchanged(process: subprocess.Popen[bytes], text: bytes) -> tuple[bytes, str]:
    """Give the program its input; return its output up to the limit, and its first message."""
    if process.stdin is None or process.stdout is None or process.stderr is None:
        return b"", ""
    with contextlib.suppress(OSError):  # It may have ended already.
        process.stdin.write(text)
        process.stdin.close()
    sound = process.stdout.read(SOUND_BYTES_MAX + 1)
    lines = b"" if sound else process.stderr.read(_MESSAGE_BYTES_MAX)
    return sound, next(iter(lines.decode(errors="replace").splitlines()), "")


def _remove_oldest(media: MediaFiles, bytes_max: int) -> None:
    """Remove the oldest spoken texts until the rest has no more than so many bytes, as far as that is possible."""
    files: list[tuple[int, int, str]] = []
    with contextlib.suppress(MediaError):
        files += [(facts.changed_ns, facts.size, name) for name, facts in media.list_files(SPEECH_FOLDER)]
    left = sum(size for _, size, _ in files)
    for _, size, name in sorted(files):
        if left <= bytes_max:
            return
        with contextlib.suppress(MediaError):
            media.delete(name)
            left -= size
