"""Texts spoken by a server over HTTP: `POST …/audio/speech`, as OpenAI, Kokoro, Piper and many others understand it."""

from functools import partial
from typing import Final

import anyio

from dialer.domain.words.voices import SpeechServer

MESSAGE_LENGTH_MAX: Final = 200
OK: Final = 200


class SpeechServerError(Exception):
    """The server makes no sound of a text; the message says why, without the text and the key."""


class SpeechServerAwayError(SpeechServerError):
    """The server cannot be reached, or takes too long: it does not matter which text it was asked for."""


def sound_of_server(server: SpeechServer, text: str, run_s: float, bytes_max: int, speed: float = 1) -> bytes:
    """Return a text as the server speaks it, in the form of sound that it chose, after `run_s` seconds at most.

    It is for threads, not for event loops.

    Raises:
        SpeechServerAwayError: it cannot be reached, or takes too long.
        SpeechServerError: it refuses, or sends too much or no sound.
    """
    return anyio.run(partial(_asked, server, text, run_s, bytes_max, speed))


async def _asked(server: SpeechServer, text: str, run_s: float, bytes_max: int, speed: float) -> bytes:
    try:
        with anyio.fail_after(run_s):  # For all of it: a server may send its headers letter by letter.
            return await _answer(server, text, bytes_max, speed)
    except TimeoutError:
        raise SpeechServerAwayError(f"the server of speech takes longer than {run_s:g} seconds") from None
    except SpeechServerError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever the library raises, one text is not spoken
        raise SpeechServerAwayError(f"the server of speech cannot be reached: {type(error).__name__}") from None


async def _answer(server: SpeechServer, text: str, bytes_max: int, speed: float) -> bytes:
    import httpx  # noqa: PLC0415 - most services have no such server

    asked: dict[str, str | float] = {
        "model": server.model,
        "input": text,
        "voice": server.voice,
        "response_format": "wav",
    }
    if speed != 1:
        asked["speed"] = speed
    headers = {"Authorization": f"Bearer {server.api_key}"} if server.api_key else {}
    # Texts hold names of people: they go to the server that is set, and over no proxy of the environment.
    async with (
        httpx.AsyncClient(timeout=None, trust_env=False) as client,  # noqa: S113 - the whole has a limit
        client.stream("POST", f"{server.url}/audio/speech", json=asked, headers=headers) as answer,
    ):
        body = bytearray()
        async for piece in answer.aiter_bytes():
            body += piece
            if len(body) > (bytes_max if answer.status_code == OK else MESSAGE_LENGTH_MAX):
                break
        kind = answer.headers.get("content-type", "").partition(";")[0].strip().lower()
    if answer.status_code != OK:
        raise SpeechServerError(f"the server of speech answers {answer.status_code} {_in_words(body)}".rstrip())
    if len(body) > bytes_max:
        raise SpeechServerError(f"the server of speech sends more than {bytes_max // 1024**2} MiB of sound")
    if kind == "application/json" or kind.startswith("text/"):
        raise SpeechServerError("the server of speech sends words, and no sound")
    return bytes(body)


def _in_words(body: bytearray) -> str:
    """Return the beginning of a message, in one line of printable characters."""
    text = body[:MESSAGE_LENGTH_MAX].decode(errors="replace")
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
