"""The words of recordings, written down by a server (`POST …/audio/transcriptions`, as OpenAI's) or by a program."""

import contextlib
import os
import signal
import subprocess
import unicodedata
from typing import Final

import anyio
import msgspec
from anyio.abc import Process

from dialer.domain.credentials.environment import clean_environment
from dialer.domain.words.transcripts import Ears, Transcript
from dialer.domain.words.voices import is_language

TEXT_MAX: Final = 100_000
"""Characters that are kept of a text: two hours of talk."""
ANSWER_BYTES_MAX: Final = 4 * 1024 * 1024
MESSAGE_BYTES_MAX: Final = 200
LANGUAGE_VARIABLE: Final = "DIALER_LANGUAGE"
"""The variable in which a program finds the language of the survey."""
_OK: Final = 200
_WRONG: Final = 400
_REFUSED: Final = frozenset({_WRONG, 413, 415})
"""Statuses that speak of the recording itself: its sound, its length or its form."""
_AWAY: Final = frozenset({401, 403, 404, 429})
"""Statuses that speak of no recording: a key or an address is wrong, or too much is asked."""
_LANGUAGES: Final = {
    "dutch": "nl",
    "english": "en",
    "french": "fr",
    "german": "de",
    "italian": "it",
    "polish": "pl",
    "portuguese": "pt",
    "spanish": "es",
}
"""Languages as OpenAI's own server names them."""


class EarsError(Exception):
    """A recording cannot be written down; the message says why, without what it says."""


class EarsAwayError(EarsError):
    """Nobody writes down anything now, whatever the recording."""


class EarsUnsureError(EarsError):
    """It did not work, and nobody knows whether by the recording, by the settings or by chance."""


class _Answer(msgspec.Struct):
    text: str
    language: str | None = None


async def transcript_of(ears: Ears, sound: bytes, language: str, run_s: float) -> Transcript:
    """Return what a WAV file says, after `run_s` seconds at most. `language` is what its survey speaks, or empty.

    Raises:
        EarsAwayError: the server cannot be reached or takes nobody's recordings, or the program cannot be started.
        EarsUnsureError: it takes too long, breaks off, or answers with something else than a text.
        EarsError: it refuses the recording.
    """
    try:
        with anyio.fail_after(run_s):
            answer = await (_run(ears, sound, language) if ears.command else _ask(ears, sound, language))
    except TimeoutError:
        raise EarsUnsureError(f"it takes longer than {run_s:g} seconds") from None
    except EarsError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever the library raises, there is no text
        raise EarsUnsureError(f"it breaks off: {type(error).__name__}") from None
    return Transcript(plain(answer.text), _language(answer.language or ""))


def plain(text: str) -> str:
    """Return a text in one line of characters that can be printed, up to its limit."""
    shown = (" " if unicodedata.category(letter) in {"Cc", "Cs"} else letter for letter in text[:TEXT_MAX])
    return " ".join("".join(shown).split())


def _language(named: str) -> str:
    found = _LANGUAGES.get(named.lower(), named)
    return found if is_language(found) else ""


async def _ask(ears: Ears, sound: bytes, language: str) -> _Answer:
    status, body = await _posted(ears, sound, language, "verbose_json")
    if status == _WRONG:  # Some models answer with the text alone.
        status, body = await _posted(ears, sound, language, "json")
    if status == _OK:
        return _read(body)
    kind = EarsAwayError if status in _AWAY else EarsError if status in _REFUSED else EarsUnsureError
    raise kind(f"the server answers {status} {_in_words(body)}".rstrip())


async def _posted(ears: Ears, sound: bytes, language: str, form: str) -> tuple[int, bytes]:
    import httpx  # noqa: PLC0415 - most services have no such server

    fields = {"model": ears.model, "response_format": form} | ({"language": language} if language else {})
    headers = {"Authorization": f"Bearer {ears.api_key}"} if ears.api_key else {}
    file = {"file": ("recording.wav", sound, "audio/wav")}
    url = f"{ears.url}/audio/transcriptions"
    # Recordings are of people: they go to the server that is set, and over no proxy of the environment.
    body = bytearray()
    try:
        async with (
            httpx.AsyncClient(timeout=None, trust_env=False) as client,  # noqa: S113 - the whole has a limit
            client.stream("POST", url, data=fields, files=file, headers=headers) as answer,
        ):
            async for piece in answer.aiter_bytes():
                body += piece
                if len(body) > (ANSWER_BYTES_MAX if answer.status_code == _OK else MESSAGE_BYTES_MAX):
                    break
    except (httpx.ConnectError, httpx.InvalidURL, httpx.UnsupportedProtocol, httpx.LocalProtocolError) as error:
        raise EarsAwayError(f"it cannot be reached: {type(error).__name__}") from None
    return answer.status_code, bytes(body)


def _read(body: bytes) -> _Answer:
    if len(body) > ANSWER_BYTES_MAX:
        raise EarsUnsureError(f"it answers with more than {ANSWER_BYTES_MAX // 1024**2} MiB")
    try:
        return msgspec.json.decode(body, type=_Answer)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise EarsUnsureError("it answers with something else than a text") from None


async def _run(ears: Ears, sound: bytes, language: str) -> _Answer:
    """Return what a program prints: a JSON object as servers send it, or the text alone."""
    environment = clean_environment(os.environ) | {LANGUAGE_VARIABLE: language}
    try:
        process = await anyio.open_process(
            ears.command, env=environment, stderr=subprocess.DEVNULL, start_new_session=True
        )
    except OSError as error:
        raise EarsAwayError(f"{ears.command[0]} cannot be started: {error.strerror}") from None
    printed = bytearray()
    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_give, process, sound)
            await _take(process, printed)
            tasks.cancel_scope.cancel()
        code = None if len(printed) > ANSWER_BYTES_MAX else await process.wait()
    finally:
        with anyio.CancelScope(shield=True):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            await process.aclose()
    if code is None:
        raise EarsUnsureError(f"it prints more than {ANSWER_BYTES_MAX // 1024**2} MiB")
    if code:
        raise EarsUnsureError(f"{ears.command[0]} ends with exit code {code}")
    if printed.lstrip().startswith(b"{"):
        return _read(bytes(printed))
    return _Answer(printed.decode(errors="replace"))


async def _take(process: Process, printed: bytearray) -> None:
    """Add what a program prints, up to a little more than the limit."""
    if process.stdout is None:
        return
    async for piece in process.stdout:
        printed += piece
        if len(printed) > ANSWER_BYTES_MAX:
            return


async def _give(process: Process, sound: bytes) -> None:
    if process.stdin is None:
        return
    try:
        await process.stdin.send(sound)
        await process.stdin.aclose()
    except (anyio.BrokenResourceError, anyio.ClosedResourceError, OSError):
        return  # It has heard enough, and may say so.


def _in_words(body: bytes) -> str:
    """Return the beginning of a message, in one line of printable characters."""
    return plain(body[:MESSAGE_BYTES_MAX].decode(errors="replace"))
