"""Tests of the connection with a program that talks, over real sockets, and of programs that misbehave."""

import asyncio
import base64
import json
from collections.abc import Callable, Coroutine
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import urlsplit

import pytest

from dialer.carriers.media.agent_playout import SILENCE
from dialer.carriers.media.conversing import Conversing
from dialer.carriers.voice.agent_socket import (
    READ_BYTES_A_SECOND,
    READ_BYTES_AT_ONCE,
    AgentSocket,
    ReadingPace,
    signature,
)
from dialer.domain.sessions.leg_protocol import Converse, Done
from tests.carriers.voice.agents import (
    Agent,
    Behave,
    Place,
    agent_place,
    closes_before_a_word,
    echo,
    floods,
    hangs,
    is_done,
    returns,
    says_nothing,
)

CALL: Final = "0a1b2c3d-0000-8000-8000-0123456789ab"
SID: Final = CALL.replace("-", "")
SECRET: Final = "made-up"
TOLD: Final = {"campaign": "1", "to_number": "+12025550100"}
LIMIT_S: Final = 20.0


class Side:
    """The call's side of a conversation, with a clock by hand."""

    def __init__(self, place: Place, disclosure: bytes = b"", **terms: Any) -> None:  # noqa: ANN401 - any field
        usual: dict[str, Any] = {"patience_ms": 20_000, "limit_ms": 600_000, "parameters": TOLD, "secret": SECRET}
        usual["addresses"] = () if "10.0.0.1" in place.url else ("127.0.0.1",)
        order = Converse(1, (), place.url, callid=CALL, **usual | terms)
        self.talk = Conversing(order, disclosure)
        self.socket = AgentSocket(self.talk)
        self.played: list[bytes] = []

    async def tick(self, frame: bytes | None = None) -> None:
        """Let 20 ms pass, in which the callee says something or nothing."""
        if frame is not None:
            self.talk.take_frame(0, frame)
        self.played.append(self.talk.next_frame())
        self.socket.flush()
        await asyncio.sleep(0)

    async def until(self, is_it: Callable[[], object]) -> None:
        """Let time pass until something has happened."""
        async with asyncio.timeout(LIMIT_S):
            while not is_it():
                await self.tick()

    async def runs_to_its_end(self) -> Done:
        await self.until(lambda: self.talk.done(0) is not None)
        await self.is_left()
        done = self.talk.done(0)
        assert done is not None
        return done

    async def is_left(self) -> None:
        """Wait until the connection is closed."""
        self.socket.flush()
        async with asyncio.timeout(LIMIT_S):
            await self.socket.ended()

    async def connects(self, place: Place) -> Agent:
        await self.until(lambda: place.called and self.talk.stream.to_send == [])
        return place.called[0]


def run(
    work: Callable[[Place], Coroutine[Any, Any, None]],
    behave: Behave,
    answer: HTTPStatus | None = None,
    location: str = "",
) -> None:
    """Run a test beside a program."""

    async def both() -> None:
        async with agent_place(behave, answer, location) as place:
            await work(place)

    asyncio.run(both())


def test_an_echo_comes_back_bit_for_bit_and_a_key_ends_it_with_a_result() -> None:
    spoken = [bytes([place + 1]) * 160 for place in range(60)]

    async def work(place: Place) -> None:
        side = Side(place)
        agent = await side.connects(place)
        await side.until(lambda: "start" in agent.events)
        for frame in spoken:
            await side.tick(frame)
        await side.until(lambda: [one for one in side.played if one != SILENCE] == spoken)
        side.talk.take_key(0, "#")
        assert await side.runs_to_its_end() == Done(1, 0, '{"echoed":true}', branch="2", summary="It was an echo.")
        await side.until(lambda: agent.is_over)
        assert agent.events[:2] == ["connected", "start"]
        assert agent.events[-1] == "stop"
        assert agent.heard[1]["start"]["customParameters"] == TOLD
        assert (agent.heard[1]["streamSid"], agent.heard[1]["start"]["callSid"]) == (f"MZ{SID}", f"CA{SID}")
        assert agent.socket.close_code == 1_000

    run(work, echo)


def test_the_handshake_is_signed_and_names_no_origin_and_no_protocol() -> None:
    async def work(place: Place) -> None:
        side = Side(place)
        await side.connects(place)
        (headers,) = place.headers
        assert headers["X-Twilio-Signature"] == signature(urlsplit(place.url), SECRET)["X-Twilio-Signature"]
        asked = {"Origin", "Sec-WebSocket-Protocol", "Sec-WebSocket-Extensions"}
        assert asked & headers.keys() == set()
        side.socket.stop()
        await side.is_left()

    run(work, says_nothing)


def test_signatures_are_those_of_twilio() -> None:
    assert signature(urlsplit("wss://Example.com:443"), "12345") == {"X-Twilio-Signature": TWILIO}
    assert signature(urlsplit("wss://example.com"), "") == {}


TWILIO: Final = "hoaxtdkWNBxVYCmDLq7UdjDdXIg="


@pytest.mark.parametrize(
    ("behave", "branch"),
    [
        (is_done, "0"),
        (returns, "invalid"),
        (closes_before_a_word, "invalid"),
        (floods, "invalid"),
        (says_nothing, "invalid"),
        (hangs, "invalid"),
    ],
    ids=lambda one: one if isinstance(one, str) else one.__name__,
)
def test_each_program_leads_to_its_branch(behave: Behave, branch: str) -> None:
    async def work(place: Place) -> None:
        done = await Side(place, patience_ms=2_000).runs_to_its_end()
        assert (done.branch, done.answer) == (branch, "")

    run(work, behave)


@pytest.mark.parametrize("answer", [HTTPStatus.UNAUTHORIZED, HTTPStatus.OK, HTTPStatus.SERVICE_UNAVAILABLE])
def test_another_answer_than_101_is_no_connection(answer: HTTPStatus) -> None:
    async def work(place: Place) -> None:
        side = Side(place)
        assert (await side.runs_to_its_end()).branch == "invalid"
        assert f"HTTP {answer.value}" in side.talk.stream.why

    run(work, echo, answer)


def test_a_redirect_is_not_followed() -> None:
    async def both() -> None:
        async with agent_place(echo) as other, agent_place(echo, HTTPStatus.FOUND, other.url) as place:
            side = Side(place)
            assert (await side.runs_to_its_end()).branch == "invalid"
            assert (len(place.headers), other.headers) == (1, [])

    asyncio.run(both())


def test_nobody_listens() -> None:
    async def work() -> None:
        side = Side(Place("ws://127.0.0.1:1/"))
        await side.is_left()
        assert (await side.runs_to_its_end()).branch == "invalid"

    asyncio.run(work())


def test_an_address_of_a_private_network_is_never_connected_to() -> None:
    async def work() -> None:
        side = Side(Place("wss://10.0.0.1/"))
        await side.is_left()
        assert (await side.runs_to_its_end()).branch == "invalid"
        assert "it has no address that may be connected" in side.talk.stream.why

    asyncio.run(work())


def test_an_answer_of_200_seconds_at_once_is_heard_whole_and_4_mb_of_a_message_too() -> None:
    minute = base64.b64encode(b"\x20" * 480_000).decode()

    async def pours(agent: Agent) -> None:
        await agent.next("media")
        for number in range(1_000):
            await agent.says("media", payload=base64.b64encode(b"\x10" * 1_600).decode())
            await agent.says("mark", name=str(number))
        await agent.says("media", payload=minute)
        await agent.until_closed()

    async def work(place: Place) -> None:
        side = Side(place)
        agent = await side.connects(place)
        await side.until(lambda: "999" in agent.marks)
        assert agent.marks == [str(number) for number in range(1_000)]
        assert sum(frame.count(b"\x10") for frame in side.played) == 1_600_000
        side.socket.stop()
        await side.is_left()
        await side.until(lambda: agent.is_over)

    run(work, pours)


def test_a_message_that_is_too_long_ends_the_talk() -> None:
    async def shouts(agent: Agent) -> None:
        await agent.next("media")
        await agent.socket.send(json.dumps({"event": "media", "media": {"payload": "A" * 4_200_000}}))
        await agent.until_closed()

    async def work(place: Place) -> None:
        assert (await Side(place).runs_to_its_end()).branch == "invalid"

    run(work, shouts)


def test_half_frames_are_joined_and_a_clear_is_silence_within_one_frame() -> None:
    async def speaks(agent: Agent) -> None:
        await agent.next("media")
        for _ in range(200):
            await agent.says("media", payload=base64.b64encode(b"\x10" * 70).decode())
        await agent.says("mark", name="said")
        await agent.next("dtmf")
        await agent.says("clear")
        await agent.says("mark", name="cleared")
        await agent.until_closed()

    async def work(place: Place) -> None:
        side = Side(place)
        agent = await side.connects(place)
        await side.until(lambda: side.played.count(b"\x10" * 160) > 9)
        side.talk.take_key(0, "1")
        await side.until(lambda: agent.events.count("mark") == 2)
        side.played.clear()
        for _ in range(20):
            await side.tick()
        assert set(side.played) == {SILENCE}
        side.socket.stop()
        await side.is_left()

    run(work, speaks)


def test_the_program_is_connected_while_the_disclosure_plays() -> None:
    disclosure = b"\x30" * 160 * 100

    async def work(place: Place) -> None:
        side = Side(place, disclosure)
        agent = await side.connects(place)
        await side.until(lambda: "media" in agent.events)
        assert side.played.count(b"\x30" * 160) <= 100
        await side.until(lambda: side.played[-1] == SILENCE)
        assert b"".join(side.played).startswith(disclosure)
        side.socket.stop()
        await side.is_left()

    run(work, says_nothing)


def test_what_a_program_may_send_at_once_is_read_at_once_and_the_rest_in_time() -> None:
    pace = ReadingPace(10.0)
    assert pace.wait_s(10.0, READ_BYTES_AT_ONCE) == 0
    assert pace.wait_s(10.0, READ_BYTES_A_SECOND) == 1
    assert pace.wait_s(12.0, READ_BYTES_A_SECOND) == 0


def test_all_marks_of_a_long_answer_come_back_at_once_and_the_talk_goes_on() -> None:
    names = [str(number) for number in range(1_001)]

    async def marks(agent: Agent) -> None:
        await agent.next("start")
        for name in names:
            await agent.says("media", payload=base64.b64encode(SILENCE).decode())
            await agent.says("mark", name=name)
        await agent.says("clear")
        await agent.until_closed()

    async def work(place: Place) -> None:
        side = Side(place)
        agent = await side.connects(place)
        await side.until(lambda: len(agent.marks) == len(names))
        assert (agent.marks, side.talk.stream.end) == (names, None)
        side.socket.stop()
        await side.is_left()

    run(work, marks)
