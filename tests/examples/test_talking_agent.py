"""Tests of the example of a program that talks, against a call's side."""

import asyncio
import importlib.util
from pathlib import Path
from typing import Final

from dialer.carriers.media.agent_playout import SILENCE
from tests.carriers.voice.agents import Place
from tests.carriers.voice.test_agent_socket import Side

ROOT: Final = Path(__file__).parents[2]


def test_the_example_beeps_three_keys_back_and_ends_with_the_first() -> None:
    path = ROOT / "examples" / "talking_agent.py"
    assert len(path.read_text("utf-8").splitlines()) < 60
    spec = importlib.util.spec_from_file_location("talking_agent", path)
    assert spec is not None
    assert spec.loader is not None
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)

    async def work() -> None:
        async with example.serve(example.talk, "127.0.0.1", 0) as server:
            port = next(iter(server.sockets)).getsockname()[1]
            side = Side(Place(f"ws://127.0.0.1:{port}/"))
            await side.until(lambda: any(frame != SILENCE for frame in side.played))
            for key in "212":
                side.talk.take_key(0, key)
            done = await side.runs_to_its_end()
            assert (done.branch, done.answer, done.summary) == ("2", '{"keys":"212"}', "Pressed 212.")

    asyncio.run(work())
