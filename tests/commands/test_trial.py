"""Tests of `dialer try`: a program is measured as it talks, and wrong arguments are refused in words."""

import threading
import wave
from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest

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
