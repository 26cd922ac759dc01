"""Tests of the programs of `dialer agent`, against a call's side."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

import pytest

from dialer.carriers.media.agent_playout import SILENCE
from dialer.dev import talking_agents
from dialer.dev.talking_agents import ECHO, RUDE, SCRIPT, SLOW, TONE, ScriptError, ScriptStep, read_script, serve_agent
from tests.carriers.voice.agents import Place
from tests.carriers.voice.test_agent_socket import Side

WORD: Final = b"\x20" * 160


async def with_agent(kind: str, steps: tuple[ScriptStep, ...], work: Callable[[Side], Any]) -> list[str]:
    """Let a call talk with an agent, and return what the agent tells."""
    told: list[str] = []
    port: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    serving = asyncio.create_task(serve_agent(kind, steps, "127.0.0.1", 0, told.append, port.set_result))
    side = Side(Place(f"ws://127.0.0.1:{await port}/"))
    await work(side)
    side.socket.stop()
    await side.is_left()
    serving.cancel()
    with suppress(asyncio.CancelledError):
        await serving
    return told


def test_an_echo_ends_with_the_digit_that_is_pressed() -> None:
    async def work(side: Side) -> None:
        await side.until(lambda: side.talk.stream.to_send == [] and side.socket.talk.stream.end is None)
        for _ in range(20):
            await side.tick(WORD)
        await side.until(lambda: WORD in side.played)
        side.talk.take_key(0, "3")
        assert (await side.runs_to_its_end()).branch == "3"

    told = asyncio.run(with_agent(ECHO, (), work))
    assert "key 3" in told
    assert "a call from ? to +12025550100" in told


def test_a_tone_beeps_and_a_clear_and_a_hash_are_obeyed() -> None:
    async def work(side: Side) -> None:
        await side.until(lambda: any(frame != SILENCE for frame in side.played))
        side.talk.take_key(0, "*")
        side.talk.take_key(0, "#")
        assert (await side.runs_to_its_end()).branch == "0"

    asyncio.run(with_agent(TONE, (), work))


def test_a_script_is_played_step_by_step() -> None:
    steps = read_script("# a script\ntone 0.2\nsilence 0.1\n\nmark asked\nkey\nclear\nend 2\n")
    assert [step.word for step in steps] == ["tone", "silence", "mark", "key", "clear", "end"]

    async def work(side: Side) -> None:
        await side.until(lambda: any(frame != SILENCE for frame in side.played))
        side.talk.take_key(0, "1")
        assert (await side.runs_to_its_end()).branch == "2"

    asyncio.run(with_agent(SCRIPT, steps, work))


def test_rude_agents_are_invalid_and_slow_ones_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(talking_agents, "RUDE_S", 0.0)
    monkeypatch.setattr(talking_agents, "SLOW_S", 0.0)

    async def dropped(side: Side) -> None:
        assert (await side.runs_to_its_end()).branch == "invalid"

    async def beeps(side: Side) -> None:
        await side.until(lambda: any(frame != SILENCE for frame in side.played))

    assert "drops the connection" in asyncio.run(with_agent(RUDE, (), dropped))
    asyncio.run(with_agent(SLOW, (), beeps))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("tone", "line 1: 'tone' is no step"),
        ("tone x", "line 1: tone needs seconds from 0 to 300"),
        ("silence 301", "line 1: silence needs seconds from 0 to 300"),
        ("clear\nsing a song", "line 2: 'sing a song' is no step"),
        ("key\n" * 1_001, "it has more than 1000 steps"),
    ],
)
def test_a_wrong_script_says_where(text: str, words: str) -> None:
    with pytest.raises(ScriptError, match=words):
        read_script(text)
