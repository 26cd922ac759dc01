"""Tests of callees whom agents hand over while the service dies, or while the third person hangs up."""

from pathlib import Path

import pytest

from dialer.store.tables import Agent, LiveLeg, SurveyResult, Transfer
from tests.runtime.line_house import LineHouse
from tests.runtime.test_consultations import ALL, CALLEE, HAND_OVER, THIRD, begin, legs, on_hold, order
from tests.runtime.test_desk_transfers import ON_SQLITE, talking_over_a_line
from tests.runtime.test_second_legs import OTHER as THIRD_NUMBER
from tests.runtime.test_second_legs import is_clean

pytestmark = pytest.mark.usefixtures("quiet")


async def consulting(folder: Path, before: str = THIRD, **to: object) -> tuple[LineHouse, list[int]]:
    """Let an agent talk with a third person, with the callee, or with both, over a line."""
    house, agents = await talking_over_a_line(folder)
    begin(house, **(to or {"phone_number": THIRD_NUMBER}))
    await house.pass_s(6)
    order(house, before)
    await house.pass_s(1)
    return house, agents


def keys(house: LineHouse) -> list[str]:
    """Return the keys of the legs of callee, agent and third person, as far as they are up."""
    return [row["key"] for row in sorted(house.rows(LiveLeg), key=lambda row: int(row["place"]))]


def hang_up_third(house: LineHouse) -> None:
    """Let the third person hang up, while no process hears it."""
    key = keys(house)[2]
    house.side.phones[key].hang_up(house.now_ms())
    house.side.note(key, house.side.phones[key].take())


def bridges(house: LineHouse) -> dict[str, str]:
    """Return the legs that are connected, as far as both are up."""
    up = house.side.phones.keys()
    return {first: other for first, other in house.side.bridges.items() if {first, other} <= up}


def state_of(house: LineHouse, agent_id: int) -> tuple[bool, int | None]:
    row = house.row(Agent, agent_id)
    return bool(row["is_talking"]), row["consulted_call_id"]


@ON_SQLITE
@pytest.mark.parametrize("before", [THIRD, CALLEE, ALL])
async def test_a_third_person_who_hangs_up_while_the_service_is_dead_gets_no_callee(
    tmp_path: Path, before: str
) -> None:
    """The order to hand over is stored, and the process dies before its step. The agent keeps the callee."""
    house, agents = await consulting(tmp_path, before)
    order(house, HAND_OVER)
    hang_up_third(house)
    house.restart()
    await house.pass_s(1)
    callee, agent = keys(house)
    assert (bridges(house), on_hold(house)) == ({callee: agent}, [False, False])
    assert (state_of(house, agents[0]), house.rows(SurveyResult)) == ((True, None), [])
    await house.pass_s(200)
    assert [row[1:4] for row in legs(house)] == [(agents[0], 0, ""), (None, 1, "")]
    assert is_clean(house)


@ON_SQLITE
@pytest.mark.parametrize("before", [THIRD, CALLEE, ALL])
async def test_a_callee_is_handed_over_after_a_restart_once_the_line_has_found_the_third_person(
    tmp_path: Path, before: str
) -> None:
    house, agents = await consulting(tmp_path, before)
    callee, _, third = keys(house)
    order(house, HAND_OVER)
    house.side.why_down = "connecting"
    house.restart()
    await house.pass_s(2)
    assert (state_of(house, agents[0]), len(keys(house))) == ((True, 1), 3)
    house.side.lines[-1].exchange.is_up("")
    await house.pass_s(1)
    assert (state_of(house, agents[0]), bridges(house)) == ((False, None), {callee: third})
    await house.pass_s(200)
    assert [row[1:4] for row in legs(house)] == [(agents[0], 0, ""), (None, 2, "")]
    assert is_clean(house)


@ON_SQLITE
@pytest.mark.parametrize("restarts", [False, True])
@pytest.mark.parametrize("who", ["number", "agent"])
async def test_a_callee_comes_back_from_a_third_person_who_hangs_up_in_the_moment_of_the_hand_over(
    tmp_path: Path, who: str, *, restarts: bool
) -> None:
    """The end of the third person is heard in the step of the order, or is lost and found after a restart."""
    to = {"phone_number": THIRD_NUMBER} if who == "number" else {"agent_id": 2}
    house, agents = await consulting(tmp_path, **to)
    order(house, HAND_OVER)
    if restarts:
        hang_up_third(house)
        await house.worker.advance(house.now_ms())
        house.restart()
    else:
        house.side.phones[keys(house)[2]].hang_up(house.now_ms())
        house.side.speak()
    await house.pass_s(0)
    assert [row["for_agent_id"] for row in house.rows(Transfer)][2:] == [agents[0]]
    await house.pass_s(5)
    callee, agent = keys(house)
    assert (bridges(house), state_of(house, agents[0])) == ({callee: agent}, (True, None))
    third = agents[1] if who == "agent" else None
    assert [row[1:4] for row in legs(house)] == [
        (agents[0], 0, ""),
        (third, 2, "not_handed_over"),
        (agents[0], 0, ""),
    ]
    await house.pass_s(200)
    assert is_clean(house)
