"""Tests of presence: nobody is kept available whose desk was closed, and signing out in a call asks."""

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import select, update

from dialer.console.serving.presence import OpenDesks
from dialer.domain.queueing.presence import DESK_CLOSED_MS, NOT_WATCHED, has_left
from dialer.store.database.database import Database
from dialer.store.tables import Agent
from tests.api.harness import NOW_MS, Caller
from tests.console.building import campaign, store
from tests.console.conftest import Machine
from tests.console.test_desk import GUS, talk_to_gus
from tests.console.test_desk import gus as gus  # noqa: PLC0414 - a fixture
from tests.console.visitor import Visitor

MINUTE_MS = 60_000


@given(st.integers(0, 2**50), st.integers(0, 2**50))
def test_an_agent_has_left_a_desk_that_was_open_and_is_closed_for_a_while(seen_ms: int, now_ms: int) -> None:
    assert has_left(seen_ms, now_ms) == (seen_ms > 0 and now_ms >= seen_ms + DESK_CLOSED_MS)
    assert not has_left(NOT_WATCHED, now_ms)


def agent(database: Database) -> tuple[int, bool, int]:
    columns = (Agent.status, Agent.is_desk_closed, Agent.desk_seen_ms)
    status, is_closed, seen_ms = database.read_now(lambda c: c.execute(select(*columns)).one())
    return status, is_closed, seen_ms


def look(presence: OpenDesks) -> bool:
    return anyio.run(presence.look, lambda: NOW_MS)


@pytest.fixture
def presence(gus: Visitor, database: Database, machine: Machine) -> OpenDesks:
    """Return the presence of a process that began a minute ago; Gus is available."""
    machine.now_ms -= MINUTE_MS
    presence = OpenDesks(database, lambda: machine.now_ms)
    machine.now_ms += MINUTE_MS
    gus.get("desk/")
    gus.send("desk/status/", status="in")
    return presence


def test_an_agent_whose_desk_is_closed_goes_on_a_break_and_comes_back(
    presence: OpenDesks, gus: Visitor, alice: Visitor, machine: Machine, database: Database
) -> None:
    assert (look(presence), agent(database)) == (False, (2, False, 0))  # Without a desk, nobody is watched.
    with presence.at_desk(GUS), presence.at_desk(GUS):
        for _ in range(4):
            assert not look(presence)
            assert agent(database) == (2, False, machine.now_ms)
            machine.now_ms += MINUTE_MS
        assert not look(presence)
    seen_ms = machine.now_ms
    machine.now_ms += DESK_CLOSED_MS - 1
    assert (look(presence), agent(database)) == (False, (2, False, seen_ms))
    machine.now_ms += 1
    assert (look(presence), agent(database)) == (True, (4, True, 0))
    assert "You are on a break, because your desk was closed." in gus.text("desk/")
    assert "the desk was closed" in alice.text("board/")
    assert "Gus is on a break, because the desk was closed." in alice.text("overview/")
    assert not look(presence)
    gus.send("desk/status/", status="in")
    machine.now_ms += MINUTE_MS
    assert (look(presence), agent(database)) == (False, (2, False, 0))
    assert "the desk was closed" not in alice.text("board/")


def test_an_agent_who_closes_the_desk_in_a_call_goes_on_a_break_after_it(
    presence: OpenDesks, gus: Visitor, api: Caller, machine: Machine, database: Database
) -> None:
    talk_to_gus(database, campaign(api))
    store(database, update(Agent).values(is_talking=True))
    with presence.at_desk(GUS):
        look(presence)
    machine.now_ms += MINUTE_MS
    assert look(presence)
    assert "You go on a break when the call is over, because your desk was closed." in gus.text("desk/")
    gus.send("desk/status/", status="in")
    assert agent(database) == (2, False, 0)


def test_a_process_that_has_just_begun_waits_for_the_browsers(
    presence: OpenDesks, machine: Machine, database: Database
) -> None:
    with presence.at_desk(GUS):
        look(presence)
    machine.now_ms += MINUTE_MS
    again = OpenDesks(database, lambda: machine.now_ms)
    assert (look(again), agent(database)[0]) == (False, 2)
    machine.now_ms += DESK_CLOSED_MS
    assert (look(again), agent(database)[0]) == (True, 4)


def test_who_signs_out_is_logged_out_and_asked_first_in_a_call(gus: Visitor, api: Caller, database: Database) -> None:
    talk_to_gus(database, campaign(api))
    gus.get("desk/")
    gus.send("desk/status/", status="in")
    asked = gus.send("account/sign-out/")
    assert (asked.status_code, "You are in a call" in asked.text, agent(database)[0]) == (409, True, 2)
    assert gus.send("account/sign-out/", sure="1").status_code == 303
    assert (agent(database)[0], gus.request("GET", "desk/").status_code) == (1, 303)
