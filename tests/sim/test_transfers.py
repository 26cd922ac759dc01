"""Tests of transfers: the times and the costs of each leg, and the continuation of the call."""

from typing import Any, Final

import pytest

from dialer.sim.simulation import USER_ID, Simulation
from tests.sim.legs import (
    CALLER,
    MINUTE,
    OTHER,
    PATIENT,
    POPULATION,
    TRANSFER,
    a_leg,
    b_leg,
    call,
    fates,
    legs,
    responses,
)
from tests.sim.scenes import run

SERVED: Final = {"type": 7, "audio_seconds": 3}
UNSERVED: Final = {"type": 7, "audio_seconds": 8}
BOTH_WAYS: Final = TRANSFER | {"branches": {"0": 2, "timeout": 3}}
QUEUE: Final = TRANSFER | {"queue": 5}
AGENT: Final[dict[str, Any]] = {"id": 1, "parameters": {"talk": 20}}
"""An agent who is offered a call at 7 s, takes it at 8 s, and talks until 28 s."""


def test_a_call_is_transferred_to_a_number() -> None:
    """The transfer begins at 7 s, is answered at 11 s, and lasts 40 s. No branch follows."""
    simulation = call(TRANSFER)
    assert legs(simulation) == [b_leg(7, 44, 40), a_leg(51, 46)]
    assert fates(simulation) == [("", False)]
    assert responses(simulation) == [f"phonenumber: {OTHER}"]
    assert simulation.store.spent[USER_ID] == 2 * MINUTE


@pytest.mark.parametrize(
    ("number", "duration", "billsec", "cause", "reason"),
    [
        ("+12025550100", 45, 40, 16, ""),  # 1 + 4 s until the answer, 40 s of talk
        ("+12025550110", 45, 40, 16, ""),  # A machine; no key is asked for.
        ("+12025550118", 6, 1, 16, ""),  # The target hangs up after a second, but was connected.
        ("+12025550111", 1, 0, 17, "busy"),
        ("+12025550112", 20, 0, 19, "no_answer"),  # The campaign's calltimeout
        ("+12025550113", 5, 0, 21, "rejected"),
        ("+12025550114", 1, 0, 1, "invalid_number"),
        ("+12025550115", 1, 0, 34, "carrier_failure"),
    ],
)
def test_after_a_transfer_the_call_goes_on_as_the_transfer_went(
    number: str, duration: int, billsec: int, cause: int, reason: str
) -> None:
    """If connected: `0`, 3 s of goodbye; else `timeout`, 8 s."""
    simulation = call(BOTH_WAYS | {"phonenumber": number}, SERVED, UNSERVED, campaign={"calltimeout": 20})
    talked = 2 + duration + (8 if reason else 3)
    assert legs(simulation) == [
        b_leg(7, duration, billsec, cause, to=number, minutes=int(billsec > 0)),
        a_leg(5 + talked, talked),
    ]
    assert fates(simulation) == [(reason, False)]


def test_a_transfer_is_cut_by_the_limit_of_the_call() -> None:
    simulation = call(TRANSFER | {"phonenumber": "+12025550121"}, campaign={"callmaxduration": 90})
    assert legs(simulation) == [b_leg(7, 88, 83, to="+12025550121", minutes=2), a_leg(95, 90, minutes=2)]


@pytest.mark.parametrize(
    ("section", "goodbye_s"),
    [
        ({"phonenumber": "+12025550111", "branches": {"0": 2}}, 3),  # A busy number continues at `0`, ...
        ({"phonenumber": "+12025550111", "branches": {"timeout": 2}}, 3),  # ... unless there is a `timeout`.
        ({"phonenumber": "+12025550111", "branches": {"0": 2, "timeout": None}}, 0),
        (
            {"phonenumber": "+12025550118", "branches": {"timeout": 2}},
            3,
        ),  # A connected one continues at `timeout` if there is no `0`.
        ({"phonenumber": "+12025550118", "branches": {"0": None, "timeout": 2}}, 0),
        ({"phonenumber": "+12025550118", "branches": {}}, 0),
    ],
)
def test_a_missing_branch_is_replaced_by_another(section: dict[str, Any], goodbye_s: int) -> None:
    simulation = call(TRANSFER | section, SERVED)
    dialled_s = 1 if section["phonenumber"].endswith("1") else 6
    assert legs(simulation)[-1] == a_leg(7 + dialled_s + goodbye_s, 2 + dialled_s + goodbye_s)


def test_a_queue_that_serves_nobody_hangs_up_if_nothing_says_otherwise() -> None:
    impatient = {"patience": 6}
    assert legs(call(QUEUE | {"branches": {"0": 2}}, SERVED, caller=impatient, queues=[{"id": 5}])) == [a_leg(13, 8)]
    saying = QUEUE | {"branches": {"timeout": 2}}
    assert legs(call(saying, SERVED, caller=impatient, queues=[{"id": 5}])) == [a_leg(16, 11)]


def test_the_number_of_the_contact_wins() -> None:
    simulation = call(TRANSFER, contact={"additional_vars": {"transfer_phonenumber": "+1 (202) 555-0111"}})
    assert legs(simulation) == [b_leg(7, 1, 0, 17, to="+12025550111", minutes=0), a_leg(8, 3)]


@pytest.mark.parametrize(
    ("section", "variables", "reason"),
    [
        ({"phonenumber": ""}, {}, "no_number"),
        ({"phonenumber": ""}, {"transfer_phonenumber": " "}, "no_number"),
        ({}, {"transfer_phonenumber": "the boss"}, "invalid_number"),
        ({}, {"transfer_phonenumber": "1" * 5_000}, "invalid_number"),
        ({}, {"transfer_phonenumber": ["+33199000000"]}, "invalid_number"),
        ({}, {"transfer_phonenumber": "1-1-2"}, "emergency"),
        ({}, {"transfer_phonenumber": "+1 911"}, "emergency"),
    ],
)
def test_a_call_is_not_transferred_to_an_invalid_or_an_emergency_number(
    section: dict[str, Any], variables: dict[str, Any], reason: str
) -> None:
    simulation = call(BOTH_WAYS | section, SERVED, UNSERVED, contact={"additional_vars": variables})
    assert legs(simulation) == [a_leg(15, 10)]
    assert fates(simulation) == [(reason, False)]
    assert all(len(response) <= 255 for response in responses(simulation))


# --- confirmation ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("behaviour", "billsec", "reason"),
    [
        (None, 43, ""),  # 1 s of script, 2 s until the key, 40 s of talk
        ({"outcome": "answer", "ring": 3, "keys": ["5"], "key_delay": 3}, 44, ""),
        ({"outcome": "answer", "ring": 3, "keys": ["51"]}, 43, ""),
        ({"outcome": "answer", "ring": 3, "keys": ["5"], "key_delay": 3.001}, 4, "not_confirmed"),
        ({"outcome": "answer", "ring": 3, "keys": ["6"]}, 3, "not_confirmed"),  # A wrong key ends the leg at once.
        ({"outcome": "answer", "ring": 3, "keys": []}, 4, "not_confirmed"),
        ({"outcome": "machine", "ring": 3}, 4, "not_confirmed"),
        ({"outcome": "answer", "ring": 3, "keys": ["5"], "hang_up_after": 2}, 2, "not_confirmed"),
    ],
)
def test_the_target_of_a_transfer_has_to_accept_the_call(
    behaviour: dict[str, Any] | None, billsec: int, reason: str
) -> None:
    """After 1 s of script the target has 3 s to press 5. The leg is billed from the answer."""
    section = BOTH_WAYS | {"confirm_script": "press five", "confirm_key": "5", "timeout": 3}
    simulation = call(section, SERVED, UNSERVED, numbers=behaviour and {OTHER: behaviour})
    talked = 2 + 4 + billsec + (8 if reason else 3)
    assert legs(simulation) == [b_leg(7, 4 + billsec, billsec), a_leg(5 + talked, talked)]
    assert fates(simulation) == [(reason, False)]


def test_a_target_without_a_key_has_accepted_by_answering() -> None:
    """It answers and hangs up in the same moment, as a line reports it: an answer, then an end."""
    simulation = call(
        BOTH_WAYS, SERVED, UNSERVED, numbers={OTHER: {"outcome": "answer", "ring": 3, "hang_up_after": 0}}
    )
    assert fates(simulation) == [("", False)]


# --- limits ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("caller", "campaign", "ended_s"),
    [
        ({}, {"callmaxduration": 30}, 35),
        ({"hang_up_after": 20}, {}, 25),
        ({"hang_up_after": 4}, {}, 9),  # While it rings
    ],
)
def test_the_limits_of_the_call_end_both_legs(caller: dict[str, Any], campaign: dict[str, Any], ended_s: int) -> None:
    simulation = call(TRANSFER, caller=caller, campaign=campaign)
    talked = max(0, ended_s - 11)
    assert legs(simulation) == [
        b_leg(7, ended_s - 7, talked, minutes=int(talked > 0)),
        a_leg(ended_s, ended_s - 5),
    ]
    assert fates(simulation) == [("" if talked else "hung_up", False)]


def test_a_b_leg_is_cut_to_what_the_balance_pays_for() -> None:
    """Two minutes of the 0.18 are held for the A-leg, so one is left for the B-leg."""
    account = {"balance": "0.18", "call_rate": "0.06"}
    simulation = call(TRANSFER, campaign={"callmaxduration": 120}, account=account, population={"talk": 100})
    assert legs(simulation) == [b_leg(7, 64, 60), a_leg(71, 66, minutes=2)]
    assert simulation.store.spent[USER_ID] == 3 * MINUTE


@pytest.mark.parametrize("section", [BOTH_WAYS, BOTH_WAYS | {"queue": 5}])
def test_without_money_for_a_b_leg_there_is_none(section: dict[str, Any]) -> None:
    account = {"balance": "0.06", "call_rate": "0.06"}
    simulation = call(section, SERVED, UNSERVED, campaign={"callmaxduration": 60}, account=account, queues=[{"id": 5}])
    assert legs(simulation) == [a_leg(15, 10)]
    assert fates(simulation) == [("no_credit", False)]


def test_no_more_b_legs_than_max_xfer() -> None:
    """The second callee reaches the transfer a second after the first, who is still talking."""
    two = [{"contact": CALLER}, {"contact": "+33199001235"}]
    numbers = {one["contact"]: PATIENT for one in two}
    simulation = run(
        contacts=two,
        survey={"sections": [{**TRANSFER, "id": 1, "question": "?"}]},
        gateway={"parameters": POPULATION | {"numbers": numbers}},
        campaign={"max_xfer": 1, "frequency": 60},
    )
    assert fates(simulation) == [("", False), ("max_xfer", False)]
    assert [leg.duration for leg in legs(simulation)] == [7, 44, 51]


def test_a_callee_who_waits_in_a_queue_counts_towards_max_xfer() -> None:
    two = [{"contact": CALLER}, {"contact": "+33199001235"}]
    numbers = {one["contact"]: PATIENT for one in two}
    simulation = run(
        contacts=two,
        survey={"sections": [{**QUEUE, "id": 1, "question": "?"}]},
        queues=[{"id": 5, "max_wait_time": 30}],
        gateway={"parameters": POPULATION | {"numbers": numbers}},
        campaign={"max_xfer": 1, "frequency": 60},
    )
    assert fates(simulation) == [("max_wait", True), ("max_xfer", False)]


def test_a_b_leg_takes_a_channel() -> None:
    simulation = call(BOTH_WAYS, SERVED, UNSERVED, gateway={"max_channels": 1})
    assert legs(simulation) == [a_leg(15, 10)]
    assert fates(simulation) == [("gateway_full", False)]
    assert fates(call(BOTH_WAYS, SERVED, UNSERVED, gateway={"max_channels": 2})) == [("", False)]


def crowd() -> Simulation:
    """Simulate nine dials, and a transfer half a second after the eighth."""
    others = [f"+331990012{place:02d}" for place in range(8)]
    numbers = {CALLER: PATIENT} | {number: {"outcome": "busy"} for number in others}
    return run(
        CALLER,
        *others,
        survey={"sections": [{**TRANSFER, "id": 1, "question": "?", "audio_seconds": 2.5}]},
        gateway={"max_cps": 1, "parameters": POPULATION | {"numbers": numbers}},
        campaign={"frequency": 60},
    )


def test_a_b_leg_waits_for_its_turn_among_the_calls_of_a_second() -> None:
    """The campaign dials at 0, 1, ... 7 s; the leg wanted at 7.5 s is dialled at 8 s, and the last call after it."""
    found = sorted((leg.starts_s, leg.leg_type) for leg in legs(crowd()))
    assert found == [*((float(second), 1) for second in range(8)), (8.0, 2), (9.0, 1)]


def test_an_agent_takes_no_channel() -> None:
    simulation = call(QUEUE, gateway={"max_channels": 1}, queues=[{"id": 5}], agents=[AGENT])
    assert fates(simulation) == [("", False)]


# --- queues ---------------------------------------------------------------------------------------------------------


def test_a_call_is_transferred_to_an_agent() -> None:
    simulation = call(QUEUE | {"branches": {"0": 2}}, SERVED, queues=[{"id": 5}], agents=[AGENT])
    assert legs(simulation) == [b_leg(7, 21, 20, to="agent 1"), a_leg(31, 26)]
    assert fates(simulation) == [("", False)]
    assert responses(simulation) == ["queue: 5"]


def test_an_agent_has_a_number() -> None:
    simulation = call(QUEUE, queues=[{"id": 5}], agents=[AGENT | {"contact": "+33199000001"}])
    assert legs(simulation)[0] == b_leg(7, 21, 20, to="+33199000001")


@pytest.mark.parametrize(
    ("answer_s", "is_abandoned"),
    [(1.999, False), (2, False), (2.001, True), (10, True)],
)
def test_a_wait_of_more_than_two_seconds_is_abandoned_even_if_it_is_served(
    answer_s: float, *, is_abandoned: bool
) -> None:
    agent = AGENT | {"parameters": {"talk": 20, "answer": answer_s}}
    assert fates(call(QUEUE, queues=[{"id": 5}], agents=[agent])) == [("", is_abandoned)]


@pytest.mark.parametrize(
    ("caller", "queue", "agents", "ended_s", "fate"),
    [
        ({"patience": 6}, {}, [], 13, ("gave_up", True)),
        ({"patience": 1.5}, {}, [], 8.5, ("gave_up", False)),  # Ended before two seconds had passed
        ({"hang_up_after": 3}, {}, [], 8, ("hung_up", False)),
        ({"hang_up_after": 10}, {}, [], 15, ("hung_up", True)),
        ({}, {"max_wait_time": 10}, [AGENT | {"status": 1}], 17, ("max_wait", True)),
        ({}, {"max_wait_time_with_no_agent": 30}, [AGENT | {"status": 4}], 37, ("no_agent", True)),
        ({}, {}, [AGENT | {"parameters": {"answer": 21}}], 305, ("hung_up", True)),  # The agents never answer in time.
    ],
)
def test_nobody_waits_for_ever(
    caller: dict[str, Any],
    queue: dict[str, Any],
    agents: list[dict[str, Any]],
    ended_s: float,
    fate: tuple[str, bool],
) -> None:
    """An unserved call has one leg. The longest waits until the limit of the call."""
    simulation = call(
        QUEUE, caller=caller, queues=[{"id": 5, **queue}], agents=agents, campaign={"callmaxduration": 300}
    )
    (leg,) = legs(simulation)
    assert (leg.leg_type, leg.duration) == (1, -(-ended_s // 1))
    assert fates(simulation) == [fate]


def test_an_agent_has_one_call_at_a_time_and_a_rest_after_each() -> None:
    """Two callees reach the queue at 7 and 8 s. The second is offered after the first call and its wrap-up."""
    contacts = [{"contact": CALLER}, {"contact": "+33199001235"}]
    simulation = run(
        contacts=contacts,
        survey={"sections": [{**QUEUE, "id": 1, "question": "?"}]},
        queues=[{"id": 5}],
        agents=[AGENT | {"wrap_up_time": 10}],
        gateway={"parameters": POPULATION | {"numbers": {one["contact"]: PATIENT for one in contacts}}},
        campaign={"frequency": 60},
    )
    b_legs = [(leg.starts_s, leg.duration, leg.billsec) for leg in legs(simulation) if leg.leg_type == 2]
    assert b_legs == [(7, 21, 20), (38, 21, 20)]
    assert fates(simulation) == [("", False), ("", True)]


def test_a_call_may_be_transferred_more_than_once() -> None:
    """First to a queue without success, then to a number, and to that number again."""
    simulation = call(
        QUEUE | {"branches": {"timeout": 2}},
        {"type": 6, "phonenumber": OTHER, "branches": {"0": 3}},
        {"type": 6, "phonenumber": OTHER},
        caller={"patience": 3},
        queues=[{"id": 5}],
    )
    assert legs(simulation) == [b_leg(10, 44, 40), b_leg(54, 44, 40), a_leg(98, 93, minutes=2)]
    assert fates(simulation) == [("gave_up", True), ("", False), ("", False)]
    assert len({row.callid for row in simulation.store.cdrs}) == 3


def test_a_campaign_that_dials_for_an_agent_goes_on_when_they_are_free_again() -> None:
    """Each call takes 26 s until the agent has hung up, then 10 s of wrap-up. Nothing else wakes the campaign."""
    numbers = [f"+331990012{place:02d}" for place in range(3)]
    simulation = run(
        *numbers,
        survey={"sections": [{"type": 6, "id": 1, "question": "?", "queue": 5}]},
        queues=[{"id": 5}],
        agents=[AGENT | {"wrap_up_time": 10}],
        gateway={"parameters": POPULATION | {"numbers": dict.fromkeys(numbers, PATIENT)}},
        campaign={"dial_method": 2},
    )
    assert [leg.starts_s for leg in legs(simulation) if leg.leg_type == 1] == [0, 36, 72]
