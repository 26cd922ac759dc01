"""Tests of `dialer try`: a program is measured as it talks, and wrong arguments are refused in words."""

import base64
import threading
import wave
from collections.abc import Iterator
from pathlib import Path

import anyio
import msgspec
import pytest

from dialer.carriers.media.agent_playout import SILENCE
from dialer.carriers.media.rtp import FRAME_SAMPLES
from dialer.dev.tried_agent import AgentTrial
from dialer.domain.sessions.leg_protocol import Converse
from tests.carriers.voice.agents import Agent, Place, agent_place
from tests.commands.conftest import Run


async def speaks_and_ends(agent: Agent) -> None:
    """Send 0.4 s of sound in two messages at once, with a mark, and end when it has come back."""
    await agent.next("start")
    for _ in range(2):
        await agent.says("media", payload="ICAg" * 533)
    await agent.says("mark", name="said")
    await agent.next("mark")
    await agent.says("end", branch="2", result={"age": 7}, summary="Done.")
    await agent.until_closed()


async def returns_at_once(agent: Agent) -> None:
    await agent.says("clear")
    await agent.next("start")
    agent.socket.transport.abort()


@pytest.fixture
def program(request: pytest.FixtureRequest) -> Iterator[Place]:
    """Serve a program in another thread, as it is another process of a user."""
    there, is_over = threading.Event(), threading.Event()
    found: list[Place] = []

    async def serve() -> None:
        async with agent_place(request.param) as place:
            found.append(place)
            there.set()
            await anyio.to_thread.run_sync(is_over.wait)

    thread = threading.Thread(target=anyio.run, args=(serve,))
    thread.start()
    assert there.wait(30)
    yield found[0]
    is_over.set()
    thread.join()


@pytest.mark.parametrize("program", [speaks_and_ends], indirect=True)
def test_a_program_is_measured_and_heard(run: Run, program: Place, tmp_path: Path) -> None:
    heard = tmp_path / "heard.wav"
    done = run("try", "--agent", program.url, "--save", str(heard), "--json")
    seen = done.data
    assert (done.code, seen["branch"], seen["result"], seen["summary"]) == (0, "2", '{"age":7}', "Done.")
    assert (seen["messages"], seen["message_bytes"], seen["sound_ms"], seen["marks"]) == (2, 1_599, 398, 1)
    assert (seen["holes"], seen["clears"], seen["unread"]) == (0, 0, 0)
    with wave.open(str(heard)) as file:
        assert file.getframerate() == 8_000
        assert file.getnframes() * 1_000 // 8_000 == seen["length_ms"]
    again = run("try", "--agent", program.url, "--save", str(heard))
    assert (again.code, "File exists" in again.err) == (1, True)


def test_a_program_that_connects_late_hears_the_first_word_and_all_keys() -> None:
    order = Converse(1, (), "wss://agent.example/", 20_000, 60_000, "0a1b2c3d-0000-8000-8000-0123456789ab")
    voice = b"".join(bytes([number]) * FRAME_SAMPLES for number in range(1, 41))
    trial = AgentTrial(order, voice, "12")
    for _ in range(100):
        assert trial.frame()
    trial.talk.stream.connected()
    for _ in range(200):
        assert trial.frame()
    sent = [msgspec.json.decode(message) for message in trial.talk.stream.to_send]
    sound = b"".join(base64.b64decode(one["media"]["payload"]) for one in sent if one["event"] == "media")
    assert sound == SILENCE + voice + SILENCE * 159
    keys = [(number, one["dtmf"]["digit"]) for number, one in enumerate(sent) if one["event"] == "dtmf"]
    # `connected`, `start` and silence, then 100 and 50 frames.
    assert keys == [(3 + 100, "1"), (3 + 100 + 1 + 50, "2")]


@pytest.mark.parametrize("program", [returns_at_once], indirect=True)
def test_a_program_that_drops_the_connection_is_told_why(run: Run, program: Place) -> None:
    done = run("try", "--agent", program.url)
    assert done.code == 1
    assert "the connection was closed without a close frame" in done.out + done.err
    assert "uvicorn closes so" in done.out + done.err


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("--agent", "https://agent.example/"), 2, "--agent:"),
        (("--agent", "ws://127.0.0.1:9/", "--keys", "x"), 2, "--keys:"),
        (("--agent", "ws://127.0.0.1:9/", "--voice", "missing.wav"), 1, "missing.wav"),
        (("--agent", "wss://10.0.0.1/"), 1, "it has no address that may be connected"),
    ],
)
def test_what_cannot_be_tried_is_said_in_words(run: Run, arguments: tuple[str, ...], code: int, words: str) -> None:
    refused = run("try", *arguments)
    assert (refused.code, "Traceback" in refused.err) == (code, False)
    assert words in refused.out + refused.err
