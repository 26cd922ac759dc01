"""Tests of supervisors who hear calls over lines: their telephone is a third leg, which changes nothing else."""

from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import delete

from dialer.app.accounts.users import NewUser, change_user, create_user, delete_user
from dialer.app.call_centre.live_calls import hang_up_call, hold_call, resume_call
from dialer.app.call_centre.supervision import stop_supervising, supervise_call
from dialer.app.work.errors import ErrorCode, RefusedError
from dialer.app.work.unit import UnitOfWork
from dialer.domain.sessions.leg_protocol import Order, Supervise
from dialer.domain.words.enums import CampaignStatus, SupervisionMode
from dialer.domain.words.roles import Role
from dialer.store.database.touched import Touched
from dialer.store.tables import Agent, CallRequest, Cdr, Gateway, LedgerEntry, LiveLeg, Transfer, User
from tests.runtime.house import House
from tests.runtime.line_house import LineHouse
from tests.runtime.test_hold import ON_SQLITE, talking, talking_over_a_line
from tests.runtime.test_second_legs import caller, cdrs, is_clean
from tests.sizes import examples
from tests.vopr.faults import Fault

pytestmark = [ON_SQLITE, pytest.mark.usefixtures("quiet")]
LISTEN, WHISPER, JOIN = SupervisionMode.LISTEN, SupervisionMode.WHISPER, SupervisionMode.JOIN
TELEPHONE: Final = "+12025550160"
BUSY: Final = "+12025550111"
MUTE: Final = "+12025550112"
"""Rings until the limit."""
NOWHERE: Final = "+12025550114"


def supervise(house: House, mode: SupervisionMode = LISTEN) -> None:
    """Let the supervisor hear the only call."""
    (call,) = house.rows(CallRequest)
    house.perform(partial(supervise_call, callrequest_id=call["id"], supervisor_id=house.user_id, mode=mode))


def stop(house: House) -> None:
    """Let the supervisor hear the only call no more."""
    (call,) = house.rows(CallRequest)
    house.perform(partial(stop_supervising, callrequest_id=call["id"]))


async def supervised(folder: Path, telephone: str = TELEPHONE, number: str = caller(0)) -> LineHouse:
    """Let an agent talk over a line until 12 s, and a supervisor hear it 3 s later."""
    house = await talking_over_a_line(folder, number)
    house.change(User, house.user_id, telephone=telephone)
    supervise(house)
    await house.pass_s(8)
    return house


def steered(house: LineHouse, telephone: str = TELEPHONE) -> list[str]:
    """Return what the supervisor's legs were told: modes, and the end. A repetition says nothing new."""
    keys = {key for key, number in house.side.second_numbers.items() if number == telephone}
    told = [_shown(order) for line in house.side.lines for key, order in line.orders if key in keys]
    return [one for one, _ in groupby(told)]


def _shown(order: Order) -> str:
    return str(order.mode) if isinstance(order, Supervise) else type(order).__name__


def wishes(house: House) -> list[tuple[int | None, int]]:
    return [(row["supervised_call_id"], row["supervision_turn"]) for row in house.rows(Agent)]


def supervisors(house: LineHouse) -> int:
    """Return the number of supervisors' telephones that are in use."""
    return sum(house.side.second_numbers.get(key) == TELEPHONE for key in house.side.phones)


async def left_by(house: LineHouse) -> list[list[dict[str, Any]]]:
    """Return the rows of a call and its money at the end."""
    await house.pass_s(200)
    assert is_clean(house)
    return [[dict(row) for row in house.rows(model)] for model in (CallRequest, Transfer, Cdr, LedgerEntry)]


async def test_the_mode_changes_and_the_call_goes_on_as_without_a_supervisor(tmp_path: Path) -> None:
    (tmp_path / "alone").mkdir()
    alone = await talking_over_a_line(tmp_path / "alone")
    house = await supervised(tmp_path)
    assert (steered(house), supervisors(house)) == (["listen"], 1)
    for mode in (WHISPER, WHISPER, JOIN):
        supervise(house, mode)
        await house.pass_s(2)
    assert steered(house) == ["listen", "whisper", "join"]
    keys = {row["place"]: row["key"] for row in house.rows(LiveLeg)}
    order = house.side.lines[0].orders[-1][1]
    assert order == Supervise(3, keys[0], keys[1], JOIN)
    assert await left_by(house) == await left_by(alone)
    assert (steered(house)[-1], wishes(house)) == ("Clear", [(None, 1)])


async def test_a_supervisor_who_stops_and_listens_again_is_called_again(tmp_path: Path) -> None:
    house = await supervised(tmp_path)
    stop(house)
    stop(house)
    await house.pass_s(2)
    assert (steered(house), supervisors(house), wishes(house)) == (["listen", "Clear"], 0, [(None, 1)])
    supervise(house, JOIN)
    await house.pass_s(8)
    assert (steered(house)[2:], supervisors(house)) == (["join"], 1)
    stop(house)
    supervise(house, WHISPER)
    await house.pass_s(8)
    assert (steered(house)[3:], supervisors(house)) == (["Clear", "whisper"], 1)
    assert house.side.seconds.count(TELEPHONE) == 3
    await left_by(house)


async def test_the_call_goes_on_when_the_supervisor_hangs_up(tmp_path: Path) -> None:
    house = await supervised(tmp_path)
    (key,) = [one for one, number in house.side.second_numbers.items() if number == TELEPHONE]
    house.side.phones[key].hang_up(house.now_ms())
    await house.pass_s(1)
    assert (wishes(house), cdrs(house), len(house.side.bridges)) == ([(None, 1)], [], 1)
    assert house.side.seconds.count(TELEPHONE) == 1
    await left_by(house)


@pytest.mark.parametrize("telephone", [BUSY, MUTE, NOWHERE, "1234"])
async def test_a_telephone_that_is_not_reached_leaves_the_call_as_it_is(tmp_path: Path, telephone: str) -> None:
    """The extension is refused by the line."""
    (tmp_path / "alone").mkdir()
    alone = await talking_over_a_line(tmp_path / "alone")
    house = await talking_over_a_line(tmp_path)
    house.change(User, house.user_id, telephone=telephone)
    house.side.refuses = telephone == "1234"
    supervise(house)
    await house.pass_s(30)
    house.side.refuses = False
    assert (wishes(house), steered(house, telephone)) == ([(None, 1)], [])
    assert await left_by(house) == await left_by(alone)


@pytest.mark.parametrize("who", ["callee", "agent", "desk", "campaign"])
async def test_a_supervision_ends_with_its_call(tmp_path: Path, who: str) -> None:
    house = await supervised(tmp_path)
    agents = [key for key, number in house.side.second_numbers.items() if number != TELEPHONE]
    if who == "desk":
        house.perform(lambda unit: hang_up_call(unit, house.rows(CallRequest)[0]["id"]))
    elif who == "campaign":
        await house.move(house.rows(CallRequest)[0]["campaign_id"], CampaignStatus.ABORT)
    else:
        key = agents[0] if who == "agent" else next(iter(house.side.phones))
        house.side.phones[key].hang_up(house.now_ms())
    await house.pass_s(2)
    assert (supervisors(house), wishes(house), steered(house)) == (0, [(None, 1)], ["listen", "Clear"])
    await house.pass_s(60)
    assert is_clean(house)


async def test_a_supervision_ends_with_the_row_of_its_agent(tmp_path: Path) -> None:
    house = await supervised(tmp_path)
    (agent,) = house.rows(Agent)

    def remove(unit: UnitOfWork) -> None:
        unit.connection.execute(delete(Agent))
        unit.note(Touched(agents=frozenset({agent["id"]})))

    house.perform(remove)
    await house.pass_s(2)
    assert (supervisors(house), cdrs(house)) == (0, [])
    await left_by(house)


@pytest.mark.parametrize(
    ("columns", "goes_on"),
    [
        ({"enabled": False}, False),
        ({"role": "viewer"}, False),
        ({"role": "manager"}, False),
        ({"telephone": "+12025550161"}, False),
        ({"telephone": ""}, False),
        ({"telephone": "+1 202 555 0160", "first_name": "Sue"}, True),
        (None, False),
    ],
)
async def test_a_supervisor_who_may_not_listen_any_more_is_hung_up(
    tmp_path: Path, columns: dict[str, Any] | None, *, goes_on: bool
) -> None:
    """An admin listens to a call of another account. A manager would not see it. None: the user is deleted."""
    (tmp_path / "alone").mkdir()
    alone = await talking_over_a_line(tmp_path / "alone")
    house = await talking_over_a_line(tmp_path)
    new = NewUser(username="root", password_hash="", role=Role.ADMIN)
    house.perform(partial(create_user, user=msgspec.structs.replace(new, username="another")))
    admin = house.perform(partial(create_user, user=new))
    house.change(User, admin, telephone=TELEPHONE)
    (call,) = house.rows(CallRequest)
    house.perform(partial(supervise_call, callrequest_id=call["id"], supervisor_id=admin, mode=LISTEN))
    await house.pass_s(8)
    assert supervisors(house) == 1
    house.perform(partial(change_user, user_id=house.user_id, columns={"role": "viewer"}))
    if columns is None:
        house.perform(partial(delete_user, user_id=admin))
    else:
        house.perform(partial(change_user, user_id=admin, columns=columns))
    await house.pass_s(2)
    assert (supervisors(house), wishes(house)[0][0]) == ((1, call["id"]) if goes_on else (0, None))
    assert await left_by(house) == await left_by(alone)


async def test_a_supervision_outlives_a_hold_and_the_process(tmp_path: Path) -> None:
    house = await supervised(tmp_path)
    call_id = house.rows(CallRequest)[0]["id"]
    house.perform(lambda unit: hold_call(unit, call_id))
    await house.pass_s(2)
    house.restart()
    await house.pass_s(2)
    house.perform(lambda unit: resume_call(unit, call_id))
    supervise(house, JOIN)
    await house.pass_s(2)
    assert (steered(house), supervisors(house), len(house.side.bridges)) == (["listen", "join"], 1, 1)
    house.restart()
    stop(house)
    await house.pass_s(2)
    assert (steered(house), supervisors(house), len(house.side.bridges)) == (["Clear"], 0, 1)
    await left_by(house)


@pytest.mark.parametrize("what", ["stop", "stop and listen", "whisper"])
async def test_a_wish_while_no_process_runs_is_followed_by_the_next_one(tmp_path: Path, what: str) -> None:
    house = await supervised(tmp_path)
    if what != "whisper":
        stop(house)
    if what != "stop":
        supervise(house, WHISPER)
    house.restart()
    await house.pass_s(8)
    expected = {"stop": ["Clear"], "stop and listen": ["Clear", "whisper"], "whisper": ["whisper"]}
    assert (steered(house), supervisors(house)) == (expected[what], int(what != "stop"))
    await left_by(house)


@pytest.mark.parametrize("fault", [Fault.CRASH_BEFORE, Fault.CRASH_AFTER])
async def test_a_crash_around_the_mark_drops_the_supervisor_only(tmp_path: Path, fault: Fault) -> None:
    """The telephone is never called twice for one wish."""
    house = await talking_over_a_line(tmp_path)
    house.change(User, house.user_id, telephone=TELEPHONE)
    supervise(house)
    await house.crash(None, fault)
    await house.pass_s(10)
    assert (house.side.seconds.count(TELEPHONE), wishes(house), len(house.side.bridges)) == (0, [(None, 1)], 1)
    await left_by(house)


async def test_a_telephone_that_hung_up_while_nobody_listened_ends_the_supervision(tmp_path: Path) -> None:
    house = await supervised(tmp_path)
    (key,) = [one for one, number in house.side.second_numbers.items() if number == TELEPHONE]
    house.side.phones[key].hang_up(house.now_ms())
    house.side.lines = []
    house.side.speak()
    house.restart()
    await house.pass_s(2)
    assert (wishes(house), len(house.side.bridges)) == ([(None, 1)], 1)
    await left_by(house)


STEPS: Final = st.lists(
    st.sampled_from([*SupervisionMode, "stop", "hold", "resume", "restart", "supervisor", "agent", "callee", "time"]),
    max_size=12,
)


@given(STEPS)
@settings(deadline=None, max_examples=examples(16))
async def test_whatever_a_supervisor_does_one_telephone_at_most_hears_a_call(
    tmp_path_factory: pytest.TempPathFactory, steps: list[str]
) -> None:
    """At the end nothing is left of the call, of its money, or of the supervisor."""
    house = await talking_over_a_line(tmp_path_factory.mktemp("house"))
    house.change(User, house.user_id, telephone=TELEPHONE)
    for step in steps:
        _take(house, step)
        await house.pass_s(1)
        (agent,) = house.rows(Agent)
        assert supervisors(house) <= int(agent["supervised_call_id"] is not None)
    await house.pass_s(200)
    assert (is_clean(house), wishes(house)[0][0]) == (True, None)
    house.database.close()


def _take(house: LineHouse, step: str) -> None:
    (call,) = house.rows(CallRequest)
    orders = {"stop": stop_supervising, "hold": hold_call, "resume": resume_call}
    try:
        if step in set(SupervisionMode):
            supervise(house, SupervisionMode(step))
        elif step in orders:
            house.perform(partial(orders[step], callrequest_id=call["id"]))
        elif step == "restart":
            house.restart()
        else:
            _hang_up(house, step)
    except RefusedError as error:
        assert error.code is ErrorCode.NO_AGENT_TALKS  # noqa: PT017 - all others are mistakes


def _hang_up(house: LineHouse, who: str) -> None:
    numbers = {"supervisor": TELEPHONE, "agent": "+12025550150", "callee": None}
    for key in list(house.side.phones):
        if who in numbers and house.side.second_numbers.get(key) == numbers[who]:
            house.side.phones[key].hang_up(house.now_ms())


async def test_calls_that_cannot_be_heard_are_refused(tmp_path: Path) -> None:
    house = await talking_over_a_line(tmp_path)

    def refused(code: ErrorCode) -> bool:
        with pytest.raises(RefusedError) as caught:
            supervise(house)
        return caught.value.code is code

    assert refused(ErrorCode.NO_TELEPHONE)
    for telephone in ("by post", "112", "911"):
        house.change(User, house.user_id, telephone=telephone)
        assert refused(ErrorCode.NO_TELEPHONE)
    house.change(User, house.user_id, telephone=TELEPHONE, allowed_countries="DE")
    assert refused(ErrorCode.NO_TELEPHONE)
    house.change(User, house.user_id, allowed_countries="")
    house.change(Gateway, house.gateway_id, protocol="freeswitch")
    assert refused(ErrorCode.PROTOCOL)
    house.change(Gateway, house.gateway_id, protocol="fake")
    supervise(house)
    house.change(User, house.user_id, telephone="1002")
    assert refused(ErrorCode.LIMIT_REACHED)
    await house.pass_s(200)
    assert refused(ErrorCode.NO_AGENT_TALKS)


async def test_a_simulated_call_is_refused_and_a_wish_about_one_ends(house: House) -> None:
    agent_id = await talking(house)
    house.change(User, house.user_id, telephone=TELEPHONE)
    with pytest.raises(RefusedError, match="simulated"):
        supervise(house)
    wish = {"supervised_call_id": house.rows(CallRequest)[0]["id"], "supervision_contact": TELEPHONE}

    def write(unit: UnitOfWork) -> None:
        unit.connection.execute(Agent.__table__.update().values(**wish, supervision_turn=1))
        unit.note(Touched(agents=frozenset({agent_id})))

    house.perform(write)
    await house.advance(2)
    assert wishes(house) == [(None, 1)]


async def test_a_telephone_that_becomes_forbidden_before_the_dial_is_not_called(tmp_path: Path) -> None:
    house = await talking_over_a_line(tmp_path)
    house.change(User, house.user_id, telephone=TELEPHONE)
    supervise(house)

    def forbid(unit: UnitOfWork) -> None:
        unit.connection.execute(User.__table__.update().values(allowed_countries="DE"))
        unit.note(Touched(accounts=frozenset({house.user_id})))

    house.perform(forbid)
    await house.pass_s(5)
    assert (house.side.seconds.count(TELEPHONE), wishes(house)) == (0, [(None, 1)])
