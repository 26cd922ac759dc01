"""Tests of presence: nobody is kept available whose desk was closed, and signing out in a call asks."""

from collections.abc import Callable
from typing import Any, Final

import anyio
import pytest
from sqlalchemy import insert, select, update

from dialer.console.app import Console
from dialer.console.parts.agent_day_sheet import end_in_words
from dialer.console.serving import presence as serving
from dialer.console.serving.presence import OpenDesks
from dialer.domain.queueing.agent_periods import DutyEnd
from dialer.domain.queueing.presence import DESK_CLOSED_MS
from dialer.domain.words.enums import Consulted
from dialer.domain.words.reasons import BreakCause
from dialer.store.database.database import Database, StorageUnavailableError
from dialer.store.tables import Agent, Transfer
from tests import loops
from tests.api.harness import NOW_MS, Caller
from tests.console.building import campaign, store
from tests.console.conftest import Machine
from tests.console.test_desk import GUS, talk_to_gus
from tests.console.test_desk import gus as gus  # noqa: PLC0414 - a fixture
from tests.console.visitor import Visitor, token_of, words

LOOK_MS = 5_000
SCRIPT = {"Accept": "application/json"}


def agent(database: Database, identity: int = 1) -> tuple[int, str, int]:
    query = select(Agent.status, Agent.break_cause, Agent.desk_seen_ms).where(Agent.id == identity)
    status, cause, seen_ms = database.read_now(lambda c: c.execute(query).one())
    return status, cause, seen_ms


def look(presence: OpenDesks) -> bool:
    return loops.run(presence.database, presence.look, lambda: NOW_MS)


class Processes:
    """Processes of one service, with a clock each, that look at the desks every five seconds."""

    def __init__(self, machine: Machine, *looking: OpenDesks) -> None:
        self._machine = machine
        self.looking = looking

    def after(self, seconds: int, *, at: OpenDesks | None = None) -> bool:
        """Let time pass, in which the desk of Gus is open at a process or nowhere. Return whether somebody left."""
        has_left = False
        for _ in range(seconds * 1_000 // LOOK_MS):
            if at is not None:
                at.see(GUS)
            self._machine.now_ms += LOOK_MS
            for one in self.looking:
                has_left |= look(one)
        return has_left


@pytest.fixture
def presence(gus: Visitor, database: Database, machine: Machine) -> OpenDesks:
    """Return the presence of a process; Gus is available."""
    gus.get("desk/")
    gus.send("desk/status/", status="in")
    return OpenDesks(database, lambda: machine.now_ms)


@pytest.fixture
def alone(presence: OpenDesks, machine: Machine) -> Processes:
    return Processes(machine, presence)


@pytest.fixture
def two(presence: OpenDesks, machine: Machine, database: Database) -> Processes:
    """Return two processes whose clocks differ by twenty seconds."""
    return Processes(machine, presence, OpenDesks(database, lambda: machine.now_ms + 20_000))


def test_an_agent_whose_desk_is_closed_goes_on_a_break_and_comes_back(
    presence: OpenDesks, alone: Processes, gus: Visitor, alice: Visitor, machine: Machine, database: Database
) -> None:
    assert (alone.after(60), agent(database)) == (False, (2, "", 0))  # Without a desk, nobody is watched.
    assert (alone.after(60, at=presence), agent(database)) == (False, (2, "", machine.now_ms))
    seen_ms = machine.now_ms
    assert (alone.after(30), agent(database)) == (False, (2, "", seen_ms))
    assert (alone.after(5), agent(database)) == (True, (4, "desk_closed", 0))
    assert "You are on a break, because your desk was closed." in gus.text("desk/")
    assert "the desk was closed" in alice.text("board/")
    assert "Gus is on a break, because the desk was closed." in alice.text("overview/")
    assert not alone.after(60)
    gus.send("desk/status/", status="in")
    assert (alone.after(60), agent(database)) == (False, (2, "", 0))
    assert "the desk was closed" not in alice.text("board/")


def test_an_agent_who_closes_the_desk_in_a_call_goes_on_a_break_after_it(
    presence: OpenDesks, alone: Processes, gus: Visitor, alice: Visitor, api: Caller, database: Database
) -> None:
    talk_to_gus(database, campaign(api))
    store(database, update(Agent).values(is_talking=True))
    alone.after(10, at=presence)
    assert alone.after(60)
    talks_on = "Gus talks on with the desk closed, and goes on a break after the call."
    assert (talks_on in alice.text("overview/"), "is on a break" in words(alice.page)) == (True, False)
    assert "You go on a break when the call is over, because your desk was closed." in gus.text("desk/")
    gus.send("desk/status/", status="in")
    assert agent(database) == (2, "", 0)


def test_a_desk_that_another_process_serves_is_open(
    two: Processes, presence: OpenDesks, machine: Machine, database: Database
) -> None:
    assert (two.after(120, at=presence), agent(database)) == (False, (2, "", machine.now_ms))
    assert (two.after(120, at=two.looking[1]), agent(database)[:2]) == (False, (2, ""))
    assert (two.after(120, at=presence), agent(database)[:2]) == (False, (2, ""))
    assert (two.after(60), agent(database)[:2]) == (True, (4, "desk_closed"))


@pytest.mark.parametrize("first", [0, 1])
def test_after_an_outage_all_desks_have_the_whole_time_again(
    two: Processes, presence: OpenDesks, machine: Machine, database: Database, first: int
) -> None:
    two.after(30, at=presence)
    machine.now_ms += 2 * DESK_CLOSED_MS
    assert (look(two.looking[first]), agent(database)[0]) == (False, 2)
    assert (two.after(60, at=presence), agent(database)[0]) == (False, 2)
    assert (two.after(60), agent(database)[0]) == (True, 4)


class Unwritable:
    """A database that can be read, and written by those who are let."""

    def __init__(self, database: Database) -> None:
        self.read = database.read
        self._write = database.write
        self.takes_notes = True

    async def write(self, work: Callable[[Any], Any]) -> Any:  # noqa: ANN401 - as a database's
        """Write, or refuse."""
        if not self.takes_notes:
            raise StorageUnavailableError
        return await self._write(work)


def test_nobody_leaves_while_no_process_can_write_its_notes(
    presence: OpenDesks, machine: Machine, database: Database
) -> None:
    unwritable: Any = Unwritable(database)
    one = OpenDesks(unwritable, lambda: machine.now_ms)
    Processes(machine, presence, one).after(30, at=presence)
    unwritable.takes_notes, refused = False, 0
    for _ in range(12):
        machine.now_ms += LOOK_MS
        try:
            assert not look(one)
        except StorageUnavailableError:
            refused += 1
    assert refused > 0
    unwritable.takes_notes = True
    assert (Processes(machine, one).after(10), agent(database)[0]) == (False, 2)


def test_a_process_that_has_just_begun_waits_for_the_browsers(
    presence: OpenDesks, alone: Processes, machine: Machine, database: Database
) -> None:
    alone.after(10, at=presence)
    machine.now_ms += 2 * DESK_CLOSED_MS
    again = Processes(machine, OpenDesks(database, lambda: machine.now_ms))
    assert (again.after(30), agent(database)[0]) == (False, 2)
    assert (again.after(5), agent(database)[0]) == (True, 4)


def test_only_a_browser_that_says_so_has_an_open_desk(
    presence: OpenDesks,
    alone: Processes,
    gus: Visitor,
    console_of_session: Console,
    machine: Machine,
    database: Database,
) -> None:
    shown = console_of_session._presence  # noqa: SLF001 - the one behind the pages
    gus.get("desk/live/")
    assert (look(shown), agent(database)) == (False, (2, "", 0))
    gus.get("desk/")
    assert gus.request("POST", "desk/live/", data={"csrf": "x"}).status_code == 403
    data = {"csrf": token_of(gus.page)}
    assert gus.request("POST", "desk/live/", data=data, headers=SCRIPT).status_code == 204
    assert (look(shown), agent(database)) == (False, (2, "", machine.now_ms))
    gus.send("desk/status/", status="out")
    comes = gus.request("POST", "desk/status/", data={**data, "status": "in"}, headers=SCRIPT)
    assert (comes.status_code, agent(database)) == (204, (2, "", machine.now_ms))
    assert (alone.after(60), agent(database)[0]) == (True, 4)  # The browser was gone before the first look.
    assert look(presence) is False


def test_of_agents_with_one_login_the_desk_is_that_of_the_first(
    presence: OpenDesks, alone: Processes, database: Database
) -> None:
    dates = {"created_date": NOW_MS, "updated_date": NOW_MS}
    store(database, insert(Agent).values(user_id=2, name="By telephone", login_id=GUS, status=2, figures="", **dates))
    alone.after(30, at=presence)
    assert (alone.after(60), agent(database)[0], agent(database, 2)) == (True, 4, (2, "", 0))


def test_an_agent_whose_desk_is_not_watched_may_close_it(
    presence: OpenDesks, alone: Processes, api: Caller, database: Database
) -> None:
    alone.after(10, at=presence)
    api.change("agent/1/", desk_watched=False)
    assert (alone.after(60), alone.after(60, at=presence), agent(database)[:2]) == (False, False, (2, ""))
    assert (alone.after(60), agent(database)[:2]) == (False, (2, ""))
    api.change("agent/1/", desk_watched=True)
    alone.after(10, at=presence)
    assert (alone.after(60), agent(database)[:2]) == (True, (4, "desk_closed"))


def test_a_break_with_another_reason_is_not_due_to_the_desk(
    presence: OpenDesks, alone: Processes, api: Caller, database: Database
) -> None:
    alone.after(10, at=presence)
    assert (alone.after(60), agent(database)[:2]) == (True, (4, "desk_closed"))
    api.change("agent/1/", status=4, break_reason="Lunch")
    assert agent(database)[:2] == (4, "")


async def test_notes_are_written_while_the_dialling_settles(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serving, "EVERY_S", 0.0)
    is_looked_again = anyio.Event()

    class Left(OpenDesks):
        looks = 0

        async def look(self, service_ms: Callable[[], int]) -> bool:
            await super().look(service_ms)
            self.looks += 1
            if self.looks == 5:
                is_looked_again.set()
            return True

    with anyio.fail_after(60):
        async with Left(database, lambda: NOW_MS).watching(lambda: NOW_MS, anyio.sleep_forever):
            await is_looked_again.wait()


def test_who_signs_out_is_logged_out_and_asked_first_in_a_call(gus: Visitor, api: Caller, database: Database) -> None:
    talk_to_gus(database, campaign(api))
    gus.get("desk/")
    gus.send("desk/status/", status="in")
    asked = gus.send("account/sign-out/")
    assert (asked.status_code, "You are in a call" in asked.text, agent(database)[0]) == (409, True, 2)
    assert gus.send("account/sign-out/", sure="1").status_code == 303
    assert (agent(database)[0], gus.request("GET", "desk/").status_code) == (1, 303)


@pytest.mark.parametrize("status", ["in", "break", "out"])
def test_who_signs_out_is_logged_out_from_a_break_too(gus: Visitor, database: Database, status: str) -> None:
    gus.get("desk/")
    gus.send("desk/status/", status="in")
    gus.send("desk/status/", status=status, reason="")
    assert gus.send("account/sign-out/").status_code == 303
    assert agent(database)[0] == 1


def test_a_consulted_agent_who_signs_out_is_asked_first(gus: Visitor, api: Caller, database: Database) -> None:
    talk_to_gus(database, campaign(api))
    api.create("agent", name="Bea")
    third = {"agent_id": None, "for_agent_id": 1, "from_agent_id": 2, "consulted": Consulted.ASKED}
    gus.get("desk/")
    gus.send("desk/status/", status="in")
    wish = {"consulted_call_id": 7, "consultation_to": "agent:1"}
    store(database, update(Transfer).values(third), update(Agent).where(Agent.id == 1).values(is_talking=True))
    store(database, update(Agent).where(Agent.id == 2).values(wish))
    asked = gus.send("account/sign-out/")
    assert (asked.status_code, "You are in a call" in asked.text, agent(database)[0]) == (409, True, 2)


WHY: Final = {
    BreakCause.DESK_CLOSED: (
        "You are on a break, because your desk was closed.",
        "the desk was closed",
        "Gus is on a break, because the desk was closed.",
    ),
    BreakCause.MISSED_CALLS: (
        "You are on a break, because your telephone did not answer.",
        "the telephone did not answer",
        "Gus is on a break, because the telephone did not answer.",
    ),
    BreakCause.PREVIEW_OVER: (
        "You are on a break, because you neither called nor skipped a person in time.",
        "a person was neither called nor skipped in time",
        "Gus is on a break, having neither called nor skipped a person in time.",
    ),
}


@pytest.mark.parametrize("cause", BreakCause)
def test_an_agent_whom_the_service_sends_on_a_break_is_told_why_and_comes_back(
    gus: Visitor, alice: Visitor, api: Caller, database: Database, cause: BreakCause
) -> None:
    on_desk, on_board, on_overview = WHY[cause]
    store(database, update(Agent).values(status=4, break_cause=cause))
    assert api.get("agent/1/")["break_cause"] == cause
    assert on_desk in gus.text("desk/")
    assert on_board in alice.text("board/")
    assert on_overview in alice.text("overview/")
    assert end_in_words(DutyEnd(cause)) == on_board
    gus.send("desk/status/", status="in")
    assert api.get("agent/1/")["break_cause"] == ""
    assert on_board not in alice.text("board/")
    store(database, update(Agent).values(status=4, break_cause="of_tomorrow"))
    assert "Gus is on a break, because" not in alice.text("overview/")
