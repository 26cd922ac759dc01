"""Tests of legs whose sound a program hears and makes: in this process and in a helper, up to each kind of end."""

from collections.abc import AsyncIterator
from contextlib import ExitStack
from typing import Final

import pytest

from dialer.carriers.voice import shared_room
from dialer.domain.sessions.leg_protocol import Bridge, Converse, Done, Play
from tests.carriers.voice.agents import Place, agent_place, echo, says_nothing
from tests.carriers.voice.test_shared_room import WORD, Callees

CALL: Final = "0a1b2c3d-0000-8000-8000-0123456789ab"


@pytest.fixture
async def callees(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Callees]:
    """Share each call beyond the first."""
    monkeypatch.setattr(shared_room, "CALLS_EACH", 1)
    monkeypatch.setattr(shared_room, "START_EVERY_MS", 0)
    with ExitStack() as stack:
        callees = Callees(stack, None)
        yield callees
        await callees.room.end()


def order(place: Place, turn: int = 1, *, goes_on: bool = False) -> Converse:
    return Converse(
        turn, (), place.url, 20_000, 600_000, CALL, {"campaign": "1"}, addresses=("127.0.0.1",), goes_on=goes_on
    )


async def hears_the_call(place: Place) -> None:
    """Wait until the program hears the callee."""
    await place.watch.until(lambda: place.called and "media" in place.called[0].events)


async def is_stopped(place: Place) -> None:
    """Wait until the program has heard the end."""
    await place.watch.until(lambda: place.called and place.called[0].is_over)
    assert place.called[0].events[-1] == "stop"


@pytest.mark.parametrize("who", ["here", "away"])
async def test_a_program_hears_the_callee_and_answers_and_a_key_ends_it(callees: Callees, who: str) -> None:
    async with agent_place(echo) as place:
        await callees.share("away")
        callees.room.perform(who, order(place), b"")
        await callees.hears(who, lambda data: data == WORD, speaker=who)
        callees.room.press(who, "#")
        await callees.watch.until(lambda: callees.done(who))
        ended = Done(1, 0, '{"echoed":true}', branch="2", summary="It was an echo.")
        assert callees.done(who) == [ended]
        await is_stopped(place)


@pytest.mark.parametrize("who", ["here", "away"])
async def test_the_end_of_the_call_stops_the_program(callees: Callees, who: str) -> None:
    async with agent_place(says_nothing) as place:
        await callees.share("away")
        callees.room.perform(who, order(place), b"")
        await hears_the_call(place)
        await callees.finish(who)
        await is_stopped(place)


async def test_another_order_stops_the_program_and_a_leg_that_moves_has_none(callees: Callees) -> None:
    async with agent_place(says_nothing) as place:
        await callees.share("away")
        callees.room.perform("here", order(place), b"")
        await hears_the_call(place)
        callees.room.perform("here", Bridge(2, "away"), b"")
        await is_stopped(place)


async def test_who_gives_orders_anew_finds_the_conversation_or_none(callees: Callees) -> None:
    async with agent_place(echo) as place:
        await callees.share()
        callees.room.perform("here", order(place), b"")
        await callees.hears("here", lambda data: data == WORD, speaker="here")
        callees.room.perform("here", order(place, 2, goes_on=True), b"")
        callees.room.press("here", "#")
        await callees.watch.until(lambda: callees.done("here"))
        assert [done.turn for done in callees.done("here")] == [2]
        callees.room.perform("here", order(place, 3, goes_on=True), b"")
        await callees.watch.until(lambda: len(callees.done("here")) > 1)
        assert callees.done("here")[1] == Done(3, 0, branch="invalid")
        assert len(place.called) == 1
        callees.room.perform("here", Play(4, ()), WORD)
