"""Texts spoken by a server over HTTP: `POST …/audio/speech`, as OpenAI, Kokoro, Piper and many others understand it."""

import time
from typing import Any, Final

from dialer.domain.words.voices import SpeechServer

CONNECT_S: Final = 3.0
MESSAGE_BYTES_MAX: Final = 200
OK: Final = 200


class SpeechServerError(Exception):
    """The server makes no sound; the message says why, without the text and the key."""


def sound_of_server(server: SpeechServer, text: str, run_s: float, bytes_max: int) -> bytes:
    """Return a text as the server speaks it, in the form of sound that it chose, after about `run_s` seconds at most.

    Raises:
        SpeechServerError: it cannot be reached, refuses, takes too long, or sends too much or no sound.
    """
    import httpx  # noqa: PLC0415 - most services have no such server

    asked: dict[str, Any] = {"model": server.model, "input": text, "voice": server.voice, "response_format": "wav"}
    headers = {"Authorization": f"Bearer {server.api_key}"} if server.api_key else {}
    until_s = time.monotonic() + run_s
    timeout = httpx.Timeout(run_s, connect=min(run_s, CONNECT_S))
    try:
        with httpx.stream("POST", f"{server.url}/audio/speech", json=asked, headers=headers, timeout=timeout) as answer:
            limit = bytes_max if answer.status_code == OK else MESSAGE_BYTES_MAX
            sound = _body(answer.iter_bytes(), until_s, limit, run_s, is_cut=answer.status_code != OK)
            kind = answer.headers.get("content-type", "")
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise SpeechServerError(f"the server of speech cannot be reached: {type(error).__name__}") from None
    if answer.status_code != OK:
        raise SpeechServerError(f"the server of speech answers {answer.status_code} {_in_words(sound)}".rstrip())
    if kind.partition(";")[0].strip().lower().startswith(("application/json", "text/")):
        raise SpeechServerError("the server of speech sends words, and no sound")
    return sound


def _body(pieces: Any, until_s: float, bytes_max: int, run_s: float, *, is_cut: bool) -> bytes:  # noqa: ANN401 - of the library
    body = bytearray()
    for piece in pieces:
        body += piece
        if len(body) > bytes_max:
            if is_cut:
                break
            raise SpeechServerError(f"the server of speech sends more than {bytes_max // 1024**2} MiB of sound")
        if time.monotonic() > until_s:
            raise SpeechServerError(f"the server of speech takes longer than {run_s:g} seconds")
    return bytes(body[:bytes_max])


def _in_words(body: bytes) -> str:
    """Return the beginning of a message, in one line."""
    return " ".join(body.decode(errors="replace").split())
