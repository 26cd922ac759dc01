"""Tests of texts that are spoken: by espeak-ng where it matters, else by programs that fail in its place."""

import asyncio
import os
import subprocess
import wave
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.carriers.media.rtp import RATE_HZ
from dialer.carriers.sip.parameters import SipParameters
from dialer.carriers.voice import speech
from dialer.carriers.voice.sip_trunk_endpoint import SipTrunkEndpoint
from dialer.carriers.voice.sound_files import SoundFiles
from dialer.carriers.voice.sound_room import SoundRoom
from dialer.carriers.voice.speech import Speaker, SpeechError, spoken_sound, why_silent
from dialer.domain.sessions.leg_protocol import SPEECH_FOLDER, Order, Play, Speech
from dialer.domain.words.spoken_times import as_said
from dialer.domain.words.voices import NO_VOICE, ChosenVoice, SpeechVoice, is_chosen_voice, is_language
from dialer.store.media.folder import FolderMedia
from tests.carriers.voice.listener import Listener
from tests.optional_tools import find_tool

HOSTILE: Final = (
    *("--version", "-f/etc/passwd", "$(touch x); `touch x` | touch x", "[[h@l'oU]] <speak>hello</speak>", "a\0b\ud800"),
    *("\x01S9 hello\x1b", "\u202ehello", "Привет", "🙂 hello", "a" * 4_000),
)
CALL: Final = "a1"


class Room(SoundRoom):
    """A room that notes the prompt of each order."""

    def __init__(self) -> None:
        super().__init__()
        self.prompts: asyncio.Queue[bytes] = asyncio.Queue()

    def perform(self, key: str, order: Order, prompt: bytes) -> None:
        """Note a prompt."""
        assert (key, type(order)) == (CALL, Play)
        self.prompts.put_nowait(prompt)


def program(folder: Path, script: str) -> str:
    """Return the path of a program that stands in for espeak-ng."""
    path = folder / "speak"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o700)
    return str(path)


def counting(folder: Path, seconds: float = 0.1) -> str:
    """Return the path of a program that notes its arguments and its input, and makes a sound."""
    with wave.open(str(folder / "made"), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE_HZ)
        file.writeframes(bytes(int(seconds * RATE_HZ) * 2))
    return program(folder, f'cd {folder}; echo "$@" >>arguments; cat >input.$$; cat made')


def inputs(folder: Path) -> list[str]:
    """Return the texts that the program of `counting` was given."""
    return sorted(path.read_text() for path in folder.glob("input.*"))


@pytest.fixture
async def telephone(tmp_path: Path) -> AsyncIterator[SipTrunkEndpoint]:
    """Return a telephone that speaks English, in a room that notes prompts."""
    find_tool("espeak-ng")
    parameters, room = SipParameters(server="127.0.0.1:9"), Room()
    one = SipTrunkEndpoint(
        parameters,
        room,
        SoundFiles(FolderMedia(tmp_path)),
        Listener(),
        speaker=Speaker(FolderMedia(tmp_path), SpeechVoice("en")),
    )
    await one.open()
    yield one
    await one.close()


async def test_a_text_is_spoken_in_a_call_in_its_place_between_recordings(
    telephone: SipTrunkEndpoint, tmp_path: Path
) -> None:
    SoundFiles(FolderMedia(tmp_path)).write("hello.wav", b"\x55" * RATE_HZ)
    SoundFiles(FolderMedia(tmp_path)).write("spoken.wav", spoken_sound(SpeechVoice("en"), "Hello Ada."))
    spoken = SoundFiles(FolderMedia(tmp_path)).read("spoken.wav")
    pieces = (
        Speech("hello.wav"),
        Speech(text="Hello Ada."),
        Speech(text="[\0"),
        Speech("lost.wav"),
        Speech("hello.wav"),
    )
    telephone.perform(CALL, Play(1, pieces))
    room = telephone._room  # noqa: SLF001 - the seam to the sound of a call
    assert isinstance(room, Room)
    prompt = await room.prompts.get()
    assert prompt[:RATE_HZ] == prompt[-RATE_HZ:]
    assert (len(set(prompt[:RATE_HZ])), prompt[RATE_HZ:-RATE_HZ]) == (1, spoken)
    # A second or so, much of it louder than a line's noise.
    assert RATE_HZ // 2 < len(spoken) < 3 * RATE_HZ
    assert len(set(spoken)) > 100


def test_hostile_texts_are_only_spoken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    find_tool("espeak-ng")
    monkeypatch.chdir(tmp_path)
    sounds = [spoken_sound(SpeechVoice("en"), text) for text in HOSTILE]
    assert (min(map(len, sounds)) > RATE_HZ // 5, list(tmp_path.iterdir())) == (True, [])
    with pytest.raises(SpeechError, match="more than 4,000 characters"):
        spoken_sound(SpeechVoice("en"), "a" * 4_001)
    assert why_silent(SpeechVoice("en")) == ""
    assert "voice does not exist" in why_silent(SpeechVoice("nosuch"))


async def test_the_program_gets_texts_as_input_once_each(tmp_path: Path) -> None:
    speaker = Speaker(FolderMedia(tmp_path), SpeechVoice("en"), program=counting(tmp_path))
    names = await asyncio.gather(*(speaker.file_of(text) for text in ("--a\n[[b\x01]]", "c", "c", "c")))
    speaker.voice = SpeechVoice("de")
    names += [await speaker.file_of("c"), await Speaker(FolderMedia(tmp_path), SpeechVoice("de")).file_of("c")]
    assert [names.index(name) for name in names] == [0, 1, 1, 1, 4, 4]
    assert {(tmp_path / name).stat().st_mode & 0o777 for name in names} == {0o600}
    arguments = (tmp_path / "arguments").read_text().splitlines()
    assert sorted(arguments) == ["-v de -b 1 --stdin --stdout", *["-v en -b 1 --stdin --stdout"] * 2]
    assert inputs(tmp_path) == ["--a   b ]]", "c", "c"]


async def test_a_survey_chooses_its_language_its_voice_and_its_speed(tmp_path: Path) -> None:
    speaker = Speaker(FolderMedia(tmp_path), SpeechVoice("en-us+f3"), program=counting(tmp_path))
    wishes = (
        ChosenVoice(),
        ChosenVoice("en"),
        ChosenVoice("en-GB"),
        ChosenVoice("pt-BR"),
        ChosenVoice("de", "de+m2"),
        ChosenVoice(speed=1.5),
        ChosenVoice("de", "de+m2", 0.5),
    )
    spoken = await speaker.as_files(Speech(text="c", voice=wish) for wish in wishes)
    assert [spoken.index(one) for one in spoken] == [0, 0, 2, 3, 4, 5, 6]
    assert [line.split(" -b ")[0] for line in (tmp_path / "arguments").read_text().splitlines()] == [
        "-v en-us+f3",
        "-v en-gb",
        "-v pt-br",
        "-v de+m2",
        "-v en-us+f3 -s 262",
        "-v de+m2 -s 88",
    ]


def test_a_service_without_a_voice_has_none_for_surveys() -> None:
    assert not NO_VOICE.chosen(ChosenVoice("de", "de+m2", 2.0))


@given(st.text(max_size=60))
def test_no_name_of_a_voice_is_a_path_or_an_option(text: str) -> None:
    if is_chosen_voice(text):
        assert not {"/", "\\", " ", "\0", "\n"} & set(text)
        assert not text.startswith(("-", "."))
    if is_language(text):
        assert text.replace("-", "").isalnum()
        assert text.isascii()


def test_a_program_that_streams_is_heard_though_its_header_knows_no_length(tmp_path: Path) -> None:
    header = b"RIFF\0\0\0\0WAVEfmt \x10\0\0\0\1\0\1\0\x40\x1f\0\0\x80\x3e\0\0\2\0\x10\0data\0\0\0\0"
    (tmp_path / "made").write_bytes(header + b"\x10\x20" * RATE_HZ)
    assert len(spoken_sound(SpeechVoice("en"), "hello", program(tmp_path, f"cat {tmp_path}/made"))) == RATE_HZ


@pytest.mark.parametrize(
    ("script", "why_not"),
    [
        ("exit 1", "{} fails with the voice 'en' (exit code 1)."),
        ("echo no ear >&2; exit 3", "{} fails with the voice 'en' (exit code 3). no ear"),
        ("echo half a sound; kill -SEGV $$", "{} fails with the voice 'en' (exit code -11)."),
        ("echo no sound", "{} makes no sound of the text"),
        ("cat /dev/zero", "{} makes more than 1 MiB of sound"),
        ("exec cat /dev/zero >&2", "{} takes longer than 0.2 seconds"),
        ("exec tail -f /dev/null", "{} takes longer than 0.2 seconds"),
    ],
)
def test_a_program_that_fails_is_an_error_that_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, why_not: str
) -> None:
    monkeypatch.setattr(speech, "SOUND_BYTES_MAX", 1024**2)
    made = program(tmp_path, script)
    with pytest.raises(SpeechError) as raised:
        spoken_sound(SpeechVoice("en"), "hello", made, run_s=0.2)
    assert str(raised.value) == why_not.format(made)


async def test_texts_without_a_voice_or_a_program_are_left_out_of_a_prompt(tmp_path: Path) -> None:
    pieces = (Speech(text="a"), Speech("b.wav"), Speech(text="c"))
    for speaker in (
        Speaker(FolderMedia(tmp_path)),
        Speaker(FolderMedia(tmp_path), SpeechVoice("en"), program=str(tmp_path / "missing")),
    ):
        assert await speaker.as_files(pieces) == (Speech("b.wav"),)
    (tmp_path / SPEECH_FOLDER).write_text("a file")
    unwritable = Speaker(FolderMedia(tmp_path), SpeechVoice("en"), program=counting(tmp_path))
    assert await unwritable.as_files(pieces) == (Speech("b.wav"),)


async def test_more_texts_than_may_wait_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speech, "WAITING_MAX", 2)
    speaker = Speaker(FolderMedia(tmp_path), SpeechVoice("en"), program=counting(tmp_path))
    spoken = await asyncio.gather(*(speaker.file_of(text) for text in "abcb"), return_exceptions=True)
    assert [isinstance(one, SpeechError) for one in spoken] == [False, False, True, False]
    assert (await speaker.file_of("c")).startswith(SPEECH_FOLDER)


async def test_the_oldest_files_go_first_and_used_ones_stay(tmp_path: Path) -> None:
    """Each text has 1,644 bytes, and there is room for ten."""
    speaker = Speaker(FolderMedia(tmp_path), SpeechVoice("en"), program=counting(tmp_path), kept_bytes_max=16_440)
    names = []
    for number in range(30):
        names.append(await speaker.file_of(str(number)))
        os.utime(tmp_path / names[-1], (number, number))
        await speaker.file_of("0")
        assert sum(path.stat().st_size for path in (tmp_path / SPEECH_FOLDER).iterdir()) <= 16_440
    kept = [number for number, name in enumerate(names) if (tmp_path / name).exists()]
    assert (kept[0], kept[1:]) == (0, list(range(30 - len(kept) + 1, 30)))
    assert len(kept) >= 7


@pytest.mark.parametrize(("voice", "text", "hour"), [("de", "um 14:30 Uhr", "u:r"), ("fr", "à 14h30", "Wr")])
def test_a_voice_says_the_hour_once(voice: str, text: str, hour: str) -> None:
    program = find_tool("espeak-ng")

    def hours_in(spoken: str) -> int:
        done = subprocess.run([program, "-v", voice, "-q", "-x", spoken], capture_output=True, check=True)
        return done.stdout.decode().replace("'", "").replace(",", "").count(hour)

    assert (hours_in(text) != 1, hours_in(as_said(text, voice))) == (True, 1)
