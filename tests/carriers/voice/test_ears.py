"""Tests of what recordings say, written down by a server over HTTP and by a program, both of which may fail."""

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

from dialer.carriers.voice import ears as ears_module
from dialer.carriers.voice.ears import EarsAwayError, EarsError, EarsUnsureError, plain, transcript_of
from dialer.domain.words.transcripts import Ears, Transcript

SOUND = b"RIFF\0\1\2" + bytes(range(256)) * 40
RUN_S = 20.0


class Asked(NamedTuple):
    """A request that the server got."""

    path: str
    key: str
    fields: dict[str, bytes]
    has_sound: bool


class Listening:
    """A server that answers in turn with statuses and bodies, and notes what it is asked."""

    def __init__(self, *answers: tuple[int, bytes]) -> None:
        self.answers = list(answers)
        self.asked: list[Asked] = []

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in head.splitlines())}
        body = await reader.readexactly(int(headers["content-length"]))
        fields = dict(re.findall(rb'name="(\w+)"\r\n\r\n(.*?)\r\n--', body))
        named = {name.decode(): value for name, value in fields.items()}
        has_sound = b'name="file"; filename="recording.wav"' in body and SOUND in body
        self.asked.append(Asked(head.split()[1], headers.get("authorization", ""), named, has_sound))
        status, content = self.answers.pop(0)
        length = f"Content-Length: {len(content)}\r\n"
        writer.write(f"HTTP/1.1 {status} X\r\nContent-Type: application/json\r\n{length}\r\n".encode() + content)
        with contextlib.suppress(ConnectionError):  # The other side may have heard enough.
            await writer.drain()
        writer.close()


@asynccontextmanager
async def serving(*answers: tuple[int, bytes]) -> AsyncIterator[tuple[Listening, Ears]]:
    server = Listening(*answers)
    listening = await asyncio.start_server(server.serve, "127.0.0.1", 0)
    async with listening:
        yield server, Ears(f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}/v1", "whisper-1", "k-1")


async def test_a_server_writes_down_a_recording() -> None:
    body = b'{"task": "transcribe", "language": "english", "text": " Please call\\nme.\\u0000 ", "words": []}'
    async with serving((200, body)) as (server, ears):
        assert await transcript_of(ears, SOUND, "en", RUN_S) == Transcript("Please call me.", "en")
    fields = {"model": b"whisper-1", "response_format": b"verbose_json", "language": b"en"}
    assert server.asked == [Asked("/v1/audio/transcriptions", "Bearer k-1", fields, has_sound=True)]


async def test_a_model_that_knows_texts_alone_is_asked_for_one() -> None:
    answers = (400, b'{"error": "response_format"}'), (200, b'{"text": "Ja."}')
    async with serving(*answers) as (server, ears):
        assert await transcript_of(ears, SOUND, "", RUN_S) == Transcript("Ja.")
    assert [one.fields for one in server.asked] == [
        {"model": b"whisper-1", "response_format": b"verbose_json"},
        {"model": b"whisper-1", "response_format": b"json"},
    ]


@pytest.mark.parametrize(
    ("answers", "error", "why"),
    [
        ([(413, b"too large")], EarsError, "answers 413 too large"),
        ([(400, b"no"), (400, b"bad\nsound")], EarsError, "answers 400 bad sound"),
        ([(429, b"")], EarsAwayError, "answers 429"),
        ([(401, b"who")], EarsAwayError, "answers 401 who"),
        ([(415, b"")], EarsError, "answers 415"),
        ([(403, b"")], EarsAwayError, "answers 403"),
        ([(404, b"")], EarsAwayError, "answers 404"),
        ([(302, b"")], EarsUnsureError, "answers 302"),
        ([(402, b"pay")], EarsUnsureError, "answers 402 pay"),
        ([(405, b"")], EarsUnsureError, "answers 405"),
        ([(422, b"")], EarsUnsureError, "answers 422"),
        ([(503, b"x" * 5_000)], EarsUnsureError, "answers 503 x+$"),
        ([(200, b"<html>")], EarsUnsureError, "something else than a text"),
        ([(200, b'{"text": 7}')], EarsUnsureError, "something else than a text"),
        ([(200, b"[" * 200_000)], EarsUnsureError, "something else than a text"),
    ],
)
async def test_answers_that_are_no_texts(answers: list[tuple[int, bytes]], error: type[EarsError], why: str) -> None:
    async with serving(*answers) as (_, ears):
        with pytest.raises(EarsError, match=why) as raised:
            await transcript_of(ears, SOUND, "", RUN_S)
    assert (type(raised.value), len(str(raised.value)) < 300) == (error, True)


async def test_an_answer_without_end_and_a_server_that_is_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ears_module, "ANSWER_BYTES_MAX", 1_000)
    async with serving((200, b'{"text": "' + b"a" * 2_000_000)) as (_, ears):
        with pytest.raises(EarsUnsureError, match="answers with more than"):
            await transcript_of(ears, SOUND, "", RUN_S)
    with pytest.raises(EarsAwayError, match="cannot be reached"):
        await transcript_of(ears, SOUND, "", RUN_S)


def program(folder: Path, script: str) -> Ears:
    file = folder / "write"
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o755)
    return Ears(command=(str(file), "an argument"))


@pytest.mark.parametrize("printed", ["Ruf mich an.\\n", '{"text": "Ruf mich an.", "language": "de"}'])
async def test_a_program_writes_down_a_recording(tmp_path: Path, printed: str) -> None:
    ears = program(
        tmp_path, f"""cat >'{tmp_path}/sound'; echo "$1 $DIALER_LANGUAGE" >'{tmp_path}/asked'; printf '{printed}'"""
    )
    found = await transcript_of(ears, SOUND, "de", RUN_S)
    assert found == Transcript("Ruf mich an.", "de" if "language" in printed else "")
    assert (tmp_path / "sound").read_bytes() == SOUND
    assert (tmp_path / "asked").read_text() == "an argument de\n"


@pytest.mark.parametrize(
    ("script", "error", "why"),
    [
        ("exit 3", EarsUnsureError, "exit code 3"),
        ("exec cat /dev/zero", EarsUnsureError, "more than 4 MiB"),
        ("printf '{'", EarsUnsureError, "something else"),
        ("exec sleep 60", EarsUnsureError, "takes longer than 0.5 seconds"),
    ],
)
async def test_programs_that_fail(tmp_path: Path, script: str, error: type[EarsError], why: str) -> None:
    with pytest.raises(EarsError, match=why) as raised:
        await transcript_of(program(tmp_path, script), SOUND, "", 0.5 if "sleep" in script else RUN_S)
    assert type(raised.value) is error


async def test_a_program_that_is_not_there_and_one_that_hears_nothing(tmp_path: Path) -> None:
    with pytest.raises(EarsAwayError, match="cannot be started"):
        await transcript_of(Ears(command=(str(tmp_path / "nothing"),)), SOUND, "", RUN_S)
    assert await transcript_of(program(tmp_path, "exec echo hm"), bytes(2**22), "", RUN_S) == Transcript("hm")


def test_texts_are_one_line_of_what_can_be_kept() -> None:
    assert plain(" a\0b\n\tc\ud800 ") == "a b c"
    assert len(plain("x" * 200_000)) == 100_000
