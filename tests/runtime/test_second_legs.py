"""Tests of second legs over lines: transfers to numbers and to agents' telephones, seen from both sides."""

from pathlib import Path
from typing import Any, Final

import msgspec
import pytest
from sqlalchemy import Connection, RowMapping, select

from dialer.domain.sessions.leg_protocol import Ask, Bridge, Clear, Hold, Play
from dialer.domain.words.enums import AgentStatus, CampaignStatus
from dialer.store.database.database import StorageUnavailableError
from dialer.store.database.service_state import read_state
from dialer.store.rows.clock_jumps import Jump, follow_jump
from dialer.store.rows.live_legs import leg_keys
from dialer.store.tables import (
    Agent,
    AgentHour,
    CallRequest,
    Cdr,
    Gateway,
    LedgerEntry,
    LiveLeg,
    Subscriber,
    SurveyResult,
    Transfer,
    User,
)
from tests.runtime.line_house import LineHouse
from tests.vopr.faults import Fault

pytestmark = pytest.mark.usefixtures("quiet")
COMPARED: Final = (CallRequest, Cdr, SurveyResult, Subscriber, User, Transfer, Agent)
OTHER: Final = "+12025559999"
BUSY: Final = "+12025550111"
TARGETS: Final = (
    OTHER,
    BUSY,
    "+12025550112",  # rings until the limit
    "+12025550113",  # rejects
    "+12025550114",  # has no such number
    "+12025550115",  # is congested
    "+12025550118",  # hangs up after a second
    "+12025550121",  # talks until it is cut
    "+12025550110",  # is a machine
)
PATIENT: Final[dict[str, Any]] = {"outcome": "answer", "ring": 4, "keys": []}
"""Answers 5 s after the dial, and hears everything."""


def caller(place: int) -> str:
    return f"+1202556{place:04}"


CALLERS: Final = {caller(place): PATIENT for place in range(len(TARGETS))} | {
    caller(20): PATIENT | {"hang_up_after": 20},
    caller(21): PATIENT | {"hang_up_after": 4},
}
BEHAVIOUR: Final[dict[str, Any]] = {"ring": 3, "talk": [10, 40], "key_delay": 2, "numbers": CALLERS}
PROMPT_MS: Final = 2_300
"""Nothing else happens at the ends of prompts, so the order within a millisecond does not matter."""
CONFIRM: Final[dict[str, Any]] = {"confirm_script": "press five", "confirm_key": "5", "timeout": 3}


@pytest.fixture
def house(tmp_path: Path) -> LineHouse:
    return LineHouse(tmp_path, behaviour=BEHAVIOUR)


def without_id(row: RowMapping) -> str:
    return str({name: value for name, value in row.items() if name not in {"id", "is_simulated"}})


async def transferring(house: LineHouse, *numbers: str, dial_method: int = 1, **section: Any) -> int:  # noqa: ANN401 - any column
    """Start a campaign of a prompt and a transfer, after which 3 s are played if it succeeded, else 8 s."""
    survey_id = house.survey(
        {"type": 6, "audiofile_id": house.recording(PROMPT_MS), "phonenumber": OTHER, **section},
        {"type": 7, "audiofile_id": house.recording(3_000)},
        {"type": 7, "audiofile_id": house.recording(8_000)},
        branches={0: {"0": 1, "timeout": 2}},
    )
    phonebook_id = house.phonebook()
    for number in numbers:
        place = list(CALLERS).index(number)
        target = TARGETS[place] if place < len(TARGETS) else OTHER
        variables = msgspec.json.encode({"transfer_phonenumber": target}).decode()
        house.contact(phonebook_id, number, additional_vars=variables)
    return await house.started(
        survey_id, phonebook_id, callmaxduration=120, calltimeout=20, frequency=600, dial_method=dial_method
    )


def cdrs(house: LineHouse) -> list[tuple[int, int, int, int]]:
    """Return type, duration, billed seconds and cause of each CDR."""
    return [(row["leg_type"], row["duration"], row["billsec"], row["hangup_cause_q850"]) for row in house.rows(Cdr)]


def reasons(house: LineHouse) -> list[str]:
    return [row["reason"] for row in house.rows(Transfer)]


def is_clean(house: LineHouse) -> bool:
    """Tell whether nothing is left: no leg, no hold, no difference."""
    left = (house.rows(LiveLeg), house.side.phones, house.findings(), house.row(User, house.user_id)["held"])
    assert left == ([], {}, [], 0)
    return True


async def compared(
    tmp_path: Path, limits: dict[str, Any], *, queued: bool, dial_method: int = 1, **section: object
) -> None:
    """Check that a campaign of all callers leaves the rows of a simulated one."""
    left = []
    for place in ("line", "simulated"):
        (tmp_path / place).mkdir()
        house = LineHouse(tmp_path / place, behaviour=BEHAVIOUR)
        is_simulated = {"protocol": "sim", "parameters": msgspec.json.encode(BEHAVIOUR).decode()}
        house.change(Gateway, house.gateway_id, **limits, **(is_simulated if place == "simulated" else {}))
        if queued:
            agents = [
                house.agent(contact="+12025550150", parameters='{"talk": 20, "answer": 2}', wrap_up_time=5),
                house.agent(contact="1001", parameters='{"talk": [5, 50], "answer": [3, 30]}', status=3),
            ]
            section["queue_id"] = house.queue(*agents, strategy=2, max_wait_time=60)
        await transferring(house, *CALLERS, dial_method=dial_method, **section)
        await house.pass_s(600)
        left.append([sorted(map(without_id, house.rows(model))) for model in COMPARED])
        if place == "line":
            assert is_clean(house)
            assert len(house.side.seconds) > 1
        house.database.close()
    assert left[0] == left[1]
    assert len(left[0][1]) > len(CALLERS)


@pytest.mark.parametrize(
    ("section", "limits"),
    [({}, {"max_cps": 0}), (CONFIRM, {"max_cps": 0}), ({}, {"max_cps": 1})],
)
async def test_transfers_over_a_line_leave_the_rows_of_simulated_ones(
    tmp_path: Path, section: dict[str, Any], limits: dict[str, Any]
) -> None:
    await compared(tmp_path, limits, queued=False, **section)


@pytest.mark.parametrize("dial_method", [1, 2])
async def test_agents_over_a_line_leave_the_rows_of_simulated_ones(tmp_path: Path, dial_method: int) -> None:
    await compared(tmp_path, {"max_cps": 0}, queued=True, dial_method=dial_method)


PATIENT_CALLER: Final = caller(0)
"""Their transfer begins 7.3 s after the dial, and is answered at 11.3 s."""


async def test_both_legs_are_steered_by_one_order_at_a_time(house: LineHouse) -> None:
    await transferring(house, PATIENT_CALLER, **CONFIRM)
    await house.pass_s(120)
    (line,) = house.side.lines
    first, second = line.orders[0][0], line.orders[2][0]
    shown = [(key == first, type(order)) for key, order in line.orders]
    assert shown == [(True, Play), (True, Hold), (False, Ask), (True, Bridge), (True, Play), (True, Clear)]
    assert line.orders[3][1] == Bridge(3, second)
    assert [kind for kind, *_ in cdrs(house)] == [2, 1]
    assert [row["amount"] for row in house.rows(LedgerEntry)[1:]] == [-2_000, -2_000]
    assert is_clean(house)


async def test_a_leg_whose_turn_comes_later_is_dialled_then(house: LineHouse) -> None:
    """The first caller reaches the transfer at 7.3 s. The gateway has placed a call at 7 s, and places one a second."""
    house.change(Gateway, house.gateway_id, max_cps=1)
    await transferring(house, *list(CALLERS)[:9])
    await house.pass_s(7.5)
    (waiting,) = [row for row in house.rows(LiveLeg) if row["place"]]
    assert (waiting["wanted_ms"] - house.now_ms(), waiting["handed_ms"], house.side.seconds) == (500, None, [])
    house.restart()
    await house.pass_s(200)
    assert sorted(house.side.seconds) == sorted(TARGETS)
    assert is_clean(house)


async def test_a_transfer_over_a_line_that_is_not_up_yet_says_so(house: LineHouse) -> None:
    """The worker starts again just before the caller comes to the transfer."""
    await transferring(house, PATIENT_CALLER)
    await house.pass_s(7)
    house.side.why_down = "the program has just been started"
    house.restart()
    await house.pass_s(60)
    assert (reasons(house), house.side.seconds, is_clean(house)) == (["line_down"], [], True)


@pytest.mark.parametrize("seconds", [8, 11.5, 14, 20])
async def test_a_pair_goes_on_after_a_restart(house: LineHouse, seconds: float) -> None:
    """The B-leg rings, its callee is asked for the key, or both talk."""
    await transferring(house, PATIENT_CALLER, **CONFIRM)
    await house.pass_s(seconds)
    house.restart()
    await house.pass_s(150)
    ((kind, _, seconds_talked, cause), a_leg) = cdrs(house)
    assert (kind, cause, a_leg[0], reasons(house)) == (2, 16, 1, [""])
    assert seconds_talked > 10
    assert (house.side.seconds, is_clean(house)) == ([OTHER], True)


async def test_a_leg_that_ended_while_nobody_listened_ends_the_transfer(house: LineHouse) -> None:
    await transferring(house, PATIENT_CALLER)
    await house.pass_s(12)
    house.restart_at(house.now_ms() + 60_000)
    await house.pass_s(60)
    assert [(kind, cause) for kind, _, _, cause in cdrs(house)] == [(2, 16), (1, 16)]
    assert is_clean(house)


@pytest.mark.parametrize("fault", [Fault.CRASH_BEFORE, Fault.CRASH_AFTER])
async def test_a_leg_is_never_dialled_twice(house: LineHouse, fault: Fault) -> None:
    """The process ends around the mark of the B-leg. Without the mark, it has no CDR; with it, cause 41."""
    await transferring(house, PATIENT_CALLER)
    await house.pass_s(7.2)
    await house.worker.advance(house.now_ms() + 100)
    house.side.speak()
    house.database.faults = [None, fault]
    with pytest.raises(StorageUnavailableError):
        await house.worker.advance(house.now_ms())
    house.restart_at(house.now_ms() + 1_000)
    await house.pass_s(100)
    legs = [(kind, cause) for kind, _, _, cause in cdrs(house)]
    assert legs == ([(1, 16)] if fault is Fault.CRASH_BEFORE else [(2, 41), (1, 16)])
    assert (house.side.seconds, reasons(house), is_clean(house)) == ([], ["carrier_failure"], True)


async def test_a_caller_who_hangs_up_ends_the_other_leg_once(house: LineHouse) -> None:
    """The end of the other leg is not heard before a restart, which tells it again to end."""
    await transferring(house, PATIENT_CALLER)
    await house.pass_s(15)
    first = next(iter(house.side.phones))
    house.side.phones[first].hang_up(house.now_ms())
    house.side.speak()
    house.database.faults = [None, Fault.CRASH_BEFORE]
    await house.worker.advance(house.now_ms())
    assert [(kind, cause) for kind, _, _, cause in cdrs(house)] == [(2, 16), (1, 16)]
    ((_, leaving),) = [(row["place"], row["is_leaving"]) for row in house.rows(LiveLeg)]
    assert leaving
    house.side.lines = []
    house.restart()
    await house.pass_s(5)
    assert is_clean(house)


async def test_a_refused_leg_lets_the_call_go_on(house: LineHouse) -> None:
    await transferring(house, PATIENT_CALLER)
    await house.pass_s(6)
    house.side.refuses = True
    await house.pass_s(60)
    assert ([kind for kind, *_ in cdrs(house)], reasons(house)) == ([1], ["carrier_failure"])
    assert is_clean(house)


async def test_aborted_campaigns_end_both_legs(house: LineHouse) -> None:
    campaign_id = await transferring(house, PATIENT_CALLER)
    await house.pass_s(20)
    await house.move(campaign_id, CampaignStatus.ABORT)
    await house.pass_s(0)
    assert cdrs(house) == [(2, 13, 9, 16), (1, 20, 15, 16)]
    assert is_clean(house)


# --- agents -----------------------------------------------------------------------------------------------------------


async def test_all_telephones_ring_and_stop_when_one_answers(house: LineHouse) -> None:
    quick = house.agent(contact="+12025550150", parameters='{"answer": 2, "talk": 10}')
    slow = house.agent(contact="1001", parameters='{"answer": 9}')
    mute = house.agent(contact="by post")
    queue_id = house.queue(quick, slow, mute, strategy=1)
    await transferring(house, PATIENT_CALLER, queue_id=queue_id)
    await house.pass_s(8)
    assert house.side.seconds == ["+12025550150", "1001"]
    await house.pass_s(2)
    assert [number for number in house.side.phones if house.side.phones[number].turn] == list(house.side.phones)[:1]
    assert len(house.side.phones) == 2
    await house.pass_s(60)
    assert cdrs(house)[0] == (2, 12, 10, 16)
    (transfer,) = house.rows(Transfer)
    assert (transfer["agent_id"], transfer["phone_number"], is_clean(house)) == (quick, "+12025550150", True)


async def test_an_agent_who_is_busy_is_not_waited_for(house: LineHouse) -> None:
    """The first agent's telephone is busy, so the next one is asked at once."""
    first = house.agent(contact=BUSY, parameters='{"answer": 3}')
    second = house.agent(contact="+12025550150", parameters='{"answer": 2, "talk": 10}')
    await transferring(house, PATIENT_CALLER, queue_id=house.queue(first, second, strategy=9))
    await house.pass_s(8)
    key = next(
        key for key, number in zip(house.side.dialled, [*house.side.numbers, BUSY], strict=True) if number == BUSY
    )
    house.side.phones[key].hang_up(house.now_ms())
    await house.pass_s(60)
    assert house.side.seconds == [BUSY, "+12025550150"]
    (transfer,) = house.rows(Transfer)
    assert (transfer["agent_id"], is_clean(house)) == (second, True)


@pytest.mark.parametrize("restarts", [False, True])
async def test_an_agent_whose_telephone_does_not_answer_goes_on_a_break(house: LineHouse, *, restarts: bool) -> None:
    agent = house.agent(contact="+12025550150", parameters='{"answer": 60}')
    queue_id = house.queue(agent, missed_calls_max=2, max_wait_time_with_no_agent=1)
    await transferring(house, PATIENT_CALLER, queue_id=queue_id)
    await house.pass_s(40)
    row = house.row(Agent, agent)
    assert (len(house.side.seconds), row["status"], row["break_cause"]) == (2, AgentStatus.AVAILABLE, "")
    if restarts:
        house.restart()
    await house.pass_s(100)
    row = house.row(Agent, agent)
    assert (len(house.side.seconds), row["status"], row["break_cause"]) == (2, AgentStatus.ON_BREAK, "missed_calls")
    assert is_clean(house)


@pytest.mark.parametrize("fails", ["refuses", "is_down"])
async def test_a_carrier_that_fails_sends_no_agent_on_a_break(house: LineHouse, fails: str) -> None:
    agent = house.agent(contact="+12025550150", parameters='{"answer": 60}')
    queue_id = house.queue(agent, missed_calls_max=1, max_wait_time_with_no_agent=1, max_wait_time=50)
    await transferring(house, PATIENT_CALLER, queue_id=queue_id)
    await house.pass_s(6)
    if fails == "refuses":
        house.side.refuses = True
    else:
        house.side.lines[0].exchange.is_up("the registrar does not answer")
    await house.pass_s(100)
    row = house.row(Agent, agent)
    assert (row["status"], row["break_cause"], house.rows(AgentHour)) == (AgentStatus.AVAILABLE, "", [])
    assert is_clean(house)


async def test_an_agent_has_to_press_the_key_if_the_section_asks_for_one(house: LineHouse) -> None:
    agent = house.agent(contact="+12025550150", parameters='{"answer": 2, "talk": 10}')
    await transferring(house, PATIENT_CALLER, queue_id=house.queue(agent), **CONFIRM)
    await house.pass_s(60)
    (transfer,) = house.rows(Transfer)
    assert transfer["answered_ms"] - transfer["started_ms"] == 2_000 + 1_000 + 2_000
    assert (cdrs(house)[0][2], is_clean(house)) == (10, True)


@pytest.mark.parametrize("seconds", [8, 15])
async def test_an_agents_call_goes_on_after_a_restart(house: LineHouse, seconds: float) -> None:
    """The telephone rings, or both talk."""
    agent = house.agent(contact="+12025550150", parameters='{"answer": 4, "talk": 30}')
    await transferring(house, PATIENT_CALLER, queue_id=house.queue(agent))
    await house.pass_s(seconds)
    house.restart()
    await house.pass_s(100)
    assert (house.side.seconds, reasons(house), is_clean(house)) == (["+12025550150"], [""], True)
    assert house.row(Agent, agent)["status"] == 2


async def test_a_caller_who_hangs_up_in_the_queue_stops_the_telephones(house: LineHouse) -> None:
    agent = house.agent(contact="+12025550150", parameters='{"answer": 15}')
    await transferring(house, caller(21), queue_id=house.queue(agent))
    await house.pass_s(30)
    assert (cdrs(house), reasons(house), is_clean(house)) == ([(1, 9, 4, 16)], ["hung_up"], True)


# --- other places that know second legs -------------------------------------------------------------------------------


@pytest.mark.parametrize("queued", [False, True])
async def test_the_messages_of_both_legs_can_be_found_by_the_callees_number(house: LineHouse, *, queued: bool) -> None:
    agent = house.agent(contact="+12025550150", parameters='{"answer": 2, "talk": 10}')
    section = {"queue_id": house.queue(agent)} if queued else {}
    await transferring(house, PATIENT_CALLER, **section)
    await house.pass_s(60)
    found = house.database.read_now(lambda connection: leg_keys(connection, 1, PATIENT_CALLER))
    assert (found, is_clean(house)) == (list(house.side.dialled), True)


async def test_a_jump_of_the_clock_moves_the_times_of_both_legs(house: LineHouse) -> None:
    await transferring(house, PATIENT_CALLER)
    await house.pass_s(15)

    def moments(connection: Connection) -> list[int]:
        standings = [
            msgspec.json.decode(row.standing, type=dict[str, Any])
            for row in connection.execute(select(LiveLeg.__table__))
        ]
        return [one[name] for one in standings for name in ("answered_ms", "began_ms") if name in one]

    before = house.database.read_now(moments)
    state = house.database.read_now(read_state)
    assert state is not None
    house.database.write_now(lambda connection: follow_jump(connection, Jump(state, house.now_ms(), 3_600_000)))
    assert len(before) == 3
    assert house.database.read_now(moments) == [at_ms + 3_600_000 for at_ms in before]


@pytest.mark.parametrize(("target", "reason"), [("+1202555", "invalid_number"), ("110", "emergency")])
async def test_what_no_call_goes_to_no_transfer_goes_to(house: LineHouse, target: str, reason: str) -> None:
    phonebook_id = house.phonebook()
    variables = msgspec.json.encode({"transfer_phonenumber": target}).decode()
    house.contact(phonebook_id, PATIENT_CALLER, additional_vars=variables)
    await house.started(house.survey({"type": 6, "phonenumber": OTHER}), phonebook_id)
    await house.pass_s(30)
    assert (reasons(house), house.side.seconds, is_clean(house)) == ([reason], [], True)


# --- lines that are lost ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("what", "causes"), [("ended", [(2, 16), (1, 16)]), ("vanished", [(2, 41), (1, 16)])])
async def test_a_line_that_is_lost_while_two_talk(house: LineHouse, what: str, causes: list[tuple[int, int]]) -> None:
    """Meanwhile the other leg ends, or the carrier forgets it. The callee hears the rest of the survey in any case."""
    await transferring(house, PATIENT_CALLER)
    await house.pass_s(14)
    line, key = house.side.lines[-1], next(iter(house.side.second_numbers))
    line.exchange.is_up("connection lost")
    house.side.is_mute = True
    await house.pass_s(1)
    if what == "vanished":
        del house.side.phones[key]
    await house.pass_s(60)
    house.side.is_mute = False
    line.exchange.is_up("")
    await house.pass_s(30)
    assert [(kind, cause) for kind, _, _, cause in cdrs(house)] == causes
    assert (house.side.dialled.most_common(1)[0][1], is_clean(house)) == (1, True)
