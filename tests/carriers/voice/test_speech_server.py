"""Tests of texts that a server speaks over HTTP, whose answers are what servers send, and what they should not."""

import asyncio
import contextlib
import json
import struct
import wave
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from io import BytesIO
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

import anyio
import pytest
from msgspec.structs import replace

from dialer.carriers.media.rtp import RATE_HZ
from dialer.carriers.voice import speech
from dialer.carriers.voice.speech import Speaker, SpeechError, why_silent
from dialer.commands.speaking import AGAIN_S, STILL_S, watch_speech
from dialer.domain.sessions.leg_protocol import SPEECH_FOLDER
from dialer.domain.words.voices import ChosenVoice, SpeechServer, SpeechVoice, read_voices
from dialer.settings import Settings, SettingsError, load_settings
from dialer.store.database.database import Database
from dialer.store.database.service_state import open_state, read_speech, save_speech
from dialer.store.media.folder import FolderMedia
from tests.new_database import new_database
from tests.pages.blocks import block


def sound(seconds: float = 0.5, rate_hz: int = 24_000, *, is_streamed: bool = False) -> bytes:
    """Return a WAV file; a streamed one does not know its length."""
    file = BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setnchannels(1)
        writer.setsampwidth(2)
        writer.setframerate(rate_hz)
        writer.writeframes(bytes(int(seconds * rate_hz) * 2))
    whole = file.getvalue()
    if not is_streamed:
        return whole
    unknown = struct.pack("<I", 0xFFFFFFFF)
    return whole[:4] + unknown + whole[8:40] + unknown + whole[44:]


Serve: TypeAlias = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
ACCEPT_TURNS: Final = 10
"""Turns of the event loop in which a connection that was accepted begins to be served."""


class Answer(NamedTuple):
    status: int = 200
    kind: str = "audio/wav"
    body: bytes = b""
    is_endless: bool = False


class Asked(NamedTuple):
    """A request that the server got."""

    path: str
    key: str
    values: dict[str, str]


class Server:
    """A server of speech that gives one answer to all, and notes what it is asked."""

    def __init__(self) -> None:
        self.answer = Answer(body=sound())
        self.asked: list[Asked] = []

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in head.splitlines())}
        body = json.loads(await reader.readexactly(int(headers["content-length"])))
        self.asked.append(Asked(head.split()[1], headers.get("authorization", ""), body))
        answer = self.answer
        writer.write(f"HTTP/1.1 {answer.status} X\r\nContent-Type: {answer.kind}\r\nConnection: close\r\n\r\n".encode())
        writer.write(answer.body)
        while answer.is_endless:
            writer.write(bytes(1 << 20))
            await writer.drain()
        await writer.drain()


@asynccontextmanager
async def listening(serve: Serve) -> AsyncIterator[int]:
    """Listen, and return the port. No connection is left when its client is gone, or at the end."""
    writers: set[asyncio.StreamWriter] = set()

    async def serve_one(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writers.add(writer)
        # The other side may have heard enough.
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            await serve(reader, writer)
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()
        writers.remove(writer)

    server = await asyncio.start_server(serve_one, "127.0.0.1", 0)
    async with server:
        try:
            yield server.sockets[0].getsockname()[1]
        finally:
            server.close()
            for _ in range(ACCEPT_TURNS):  # A client that gave up early may not be served yet.
                await asyncio.sleep(0)
            while writers:
                for writer in writers:
                    writer.transport.abort()
                await asyncio.sleep(0)


async def say_nothing(reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
    await reader.read(-1)


@asynccontextmanager
async def serving() -> AsyncIterator[tuple[Server, SpeechVoice]]:
    server = Server()
    async with listening(server.serve) as port:
        yield server, SpeechVoice("en", SpeechServer(f"http://127.0.0.1:{port}/v1", "kokoro", "af_heart", "k-1"))


async def test_a_server_speaks_a_text_once_in_the_voice_that_is_set(tmp_path: Path) -> None:
    async with serving() as (server, voice):
        speaker = Speaker(FolderMedia(tmp_path), voice)
        names = [await speaker.file_of(text) for text in ("Come at 9:05 am.", "Come at 9:05 am.")]
        assert names[0] == names[1]
        assert server.asked == [
            Asked(
                "/v1/audio/speech",
                "Bearer k-1",
                {"model": "kokoro", "input": "Come at 9 oh 5 am.", "voice": "af_heart", "response_format": "wav"},
            )
        ]
        assert (tmp_path / names[0]).stat().st_size >= RATE_HZ // 2
        assert SpeechVoice("en").mark != voice.mark


async def test_a_server_speaks_the_languages_and_voices_of_surveys(tmp_path: Path) -> None:
    async with serving() as (server, voice):
        assert voice.server is not None
        bilingual = replace(voice, server=replace(voice.server, voices=VOICES))
        speaker = Speaker(FolderMedia(tmp_path), bilingual)
        for wish in (ChosenVoice("de-AT", speed=1.25), ChosenVoice("fr"), ChosenVoice("de", "eva")):
            await speaker.file_of("Um 14:30 Uhr", wish)
        asked = [(one.values["voice"], one.values["input"], one.values.get("speed")) for one in server.asked]
        assert asked == [
            ("thorsten", "Um 14 Uhr 30", 1.25),
            ("af_heart", "Um 14 heures 30 Uhr", None),
            ("eva", "Um 14 Uhr 30", None),
        ]


async def test_a_wav_file_without_its_length_is_heard(tmp_path: Path) -> None:
    async with serving() as (server, voice):
        server.answer = Answer(body=sound(is_streamed=True))
        name = await Speaker(FolderMedia(tmp_path), voice).file_of("Hello")
        assert (tmp_path / name).stat().st_size >= RATE_HZ // 2


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (Answer(429, "application/json", b'{"error": "slow down"}'), 'answers 429 {"error": "slow down"}'),
        (Answer(500, "text/html", b"x" * 100_000), "answers 500 xxx"),
        (Answer(503, "text/html", is_endless=True), "answers 503"),
        (Answer(500, "text/html", b"a\0b\x1b[2Jc"), "answers 500 a b [2Jc"),
        (Answer(body=b'{"audio": "UklGRg=="}', kind="application/json; charset=utf-8"), "sends words, and no sound"),
        (Answer(body=b"RIFF but no more"), "makes no sound of the text"),
        (Answer(body=b""), "makes no sound of the text"),
        (Answer(is_endless=True), "sends more than 32 MiB of sound"),
    ],
)
async def test_what_is_no_sound_is_refused_in_words(tmp_path: Path, answer: Answer, why: str) -> None:
    async with serving() as (server, voice):
        server.answer = answer
        with pytest.raises(SpeechError) as refused:
            await Speaker(FolderMedia(tmp_path), voice).file_of("Hello Ada")
    told = str(refused.value)
    assert why in told
    assert ("Ada" in told, "k-1" in told, len(told) < 400) == (False, False, True)
    assert list(FolderMedia(tmp_path).list_files(SPEECH_FOLDER)) == []


async def test_a_server_that_is_away_or_slow_is_told_at_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    async with serving() as (_, voice):
        assert await anyio.to_thread.run_sync(why_silent, voice) == ""
    away = await anyio.to_thread.run_sync(why_silent, voice)
    assert away == "the server of speech cannot be reached: ConnectError"
    monkeypatch.setattr(speech, "SERVER_S", 0.05)

    async with listening(say_nothing) as port:
        slow = SpeechVoice("en", SpeechServer(f"http://127.0.0.1:{port}/v1", "m", "v"))
        assert await anyio.to_thread.run_sync(why_silent, slow) == "the server of speech takes longer than 0.05 seconds"


async def test_a_server_that_sends_its_headers_letter_by_letter_has_no_more_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(speech, "SERVER_S", 0.2)
    ended = anyio.Event()

    async def trickle(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                writer.write(b"H")
                await writer.drain()
                await asyncio.sleep(0.01)
        except ConnectionError:
            ended.set()

    async with listening(trickle) as port:
        slow = SpeechVoice("en", SpeechServer(f"http://127.0.0.1:{port}/v1", "m", "v"))
        assert "the server of speech" in await anyio.to_thread.run_sync(why_silent, slow)
        await ended.wait()


async def test_calls_do_not_ask_a_server_that_was_away_a_moment_ago(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with serving() as (server, voice):
        pass
    speaker = Speaker(FolderMedia(tmp_path), voice)
    with pytest.raises(SpeechError, match="cannot be reached"):
        await speaker.file_of("Hello")
    async with serving() as (server, again):
        assert again.server is not None
        speaker.voice = again
        with pytest.raises(SpeechError, match="cannot be reached"):
            await speaker.file_of("Hello")
        assert server.asked == []
        monkeypatch.setattr(speaker, "_away_until_s", 0.0)
        assert (tmp_path / await speaker.file_of("Hello")).stat().st_size >= RATE_HZ // 2


async def test_a_call_does_not_wait_for_a_text_without_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speech, "WAIT_S", 0.05)
    monkeypatch.setattr(speech, "SERVER_S", 0.5)

    async with listening(say_nothing) as port:
        slow = SpeechVoice("en", SpeechServer(f"http://127.0.0.1:{port}/v1", "m", "v"))
        with pytest.raises(SpeechError, match="takes longer than"):
            await Speaker(FolderMedia(tmp_path), slow).file_of("Hello")


class WatchedEnoughError(Exception):
    """The test has seen enough."""


async def test_a_server_that_comes_later_is_noticed(tmp_path: Path) -> None:
    """Campaigns are checked by what is stored: first that nobody answers, then that somebody does, and again."""
    database = Database(new_database(tmp_path), synchronous="OFF")
    database.write_now(lambda unit: open_state(unit, 0))
    database.write_now(lambda unit: save_speech(unit, "not yet"))
    told: list[tuple[str | None, float]] = []

    async def sleep(pause_s: float) -> None:
        told.append((database.read_now(read_speech), pause_s))
        if len(told) == 4:
            raise WatchedEnoughError
        server.answer = Answer(body=sound()) if len(told) != 2 else Answer(500, "text/plain", b"broken")

    async with serving() as (server, voice):
        with pytest.raises(WatchedEnoughError):
            await watch_speech(voice, database, sleep)
    database.close()
    assert told == [
        ("not yet", AGAIN_S),
        ("", STILL_S),
        ("the server of speech answers 500 broken", AGAIN_S),
        ("", STILL_S),
    ]


@pytest.fixture
def no_file(tmp_path: Path) -> Iterator[Path]:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)
        yield tmp_path


SERVER = {"DIALER_SPEECH_URL": "http://127.0.0.1:8880/v1/", "DIALER_SPEECH_VOICES": "en=af_heart, de=thorsten"}
VOICES = {"en": "af_heart", "de": "thorsten"}


def test_settings_name_the_voice_of_their_language(no_file: Path) -> None:
    german = load_settings({**SERVER, "DIALER_SPEECH": "de", "DIALER_SPEECH_API_KEY": "k"})
    assert german.voice == SpeechVoice("de", SpeechServer("http://127.0.0.1:8880/v1", "tts-1", "thorsten", "k", VOICES))
    assert load_settings({"DIALER_SPEECH": "de"}).voice == SpeechVoice("de")
    assert (Settings().voice, bool(Settings().voice)) == (SpeechVoice(), False)
    assert not list(no_file.iterdir())


@pytest.mark.usefixtures("no_file")
def test_the_settings_of_the_page_name_a_server() -> None:
    values = dict(line.split("=", 1) for line in block("docs/sip-trunk.md", 7).text.splitlines())
    assert load_settings(values).voice == SpeechVoice(
        "en", SpeechServer("http://127.0.0.1:8880/v1", "tts-1", "af_heart", "", VOICES)
    )


@pytest.mark.parametrize("values", [SERVER, {**SERVER, "DIALER_SPEECH": "fr"}, {"DIALER_SPEECH_VOICES": "en"}])
def test_half_a_server_is_refused(no_file: Path, values: dict[str, str]) -> None:
    with pytest.raises(SettingsError, match="DIALER_SPEECH_"):
        load_settings(values)
    assert not list(no_file.iterdir())


@pytest.mark.parametrize(
    "text", ["", "en", "en=", "english=a", "en=a,en=b", "en=a b", "=a", "en_us=a", "pt-BR=a,pt-br=b"]
)
def test_pairs_that_name_no_voice_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r".*"):
        read_voices(text)
