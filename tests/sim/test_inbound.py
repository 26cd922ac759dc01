"""Tests of callees who missed a call and call back."""

from typing import Any, Final

import pytest

from dialer.domain.words.enums import SubscriberStatus
from dialer.sim.memory_store import SubscriberStanding
from dialer.sim.simulation import CAMPAIGN_ID, USER_ID, Simulation
from tests.sim.legs import CALLER, OTHER, TRANSFER, Leg, b_leg, call, legs, responses
from tests.sim.scenes import run

SHOWN: Final = "+33199000000"
"""The caller ID that callees see, which is one of our DIDs."""
HELLO: Final = {"audio_seconds": 6}
MISSES: Final[dict[str, Any]] = {"outcome": "no_answer", "call_back_after": 30}
"""A callee who misses a call of 20 s, and calls back at 50 s."""
CAMPAIGN: Final = {"callerid": SHOWN, "calltimeout": 20}


def missed(starts_s: float = 0) -> Leg:
    """Return the CDR of a missed call."""
    return Leg(1, starts_s, 20, 0, 19, SHOWN, CALLER, 0)


def came_in(starts_s: float, billsec: int) -> Leg:
    """Return the CDR of an inbound call, which is answered at once and free."""
    return Leg(1, starts_s, billsec, billsec, 16, CALLER, SHOWN, 0)


def called_back(*sections: dict[str, Any], campaign: dict[str, Any] | None = None, **parts: Any) -> Simulation:  # noqa: ANN401
    """Simulate a missed call and the call back."""
    settings = CAMPAIGN | (campaign or {})
    return call(*sections, **{"caller": MISSES, "campaign": settings, "dids": [SHOWN], **parts})


def test_a_callee_who_missed_a_call_calls_back_and_hears_the_survey() -> None:
    simulation = called_back(HELLO)
    assert legs(simulation) == [missed(), came_in(50, 6)]
    assert simulation.store.spent[USER_ID] == 0
    assert simulation.store.standing(1).status is SubscriberStatus.FAIL


def test_an_inbound_caller_hears_the_usual_questions() -> None:
    asking = {"type": 2, "audio_seconds": 4, "key_1": "yes", "completed": True}
    simulation = called_back(asking, caller=MISSES | {"keys": ["1"], "key_delay": 2})
    assert legs(simulation) == [missed(), came_in(50, 6)]
    assert responses(simulation) == ["yes"]
    assert simulation.store.standing(1).status is SubscriberStatus.FAIL


def test_an_inbound_call_may_be_transferred_at_the_usual_price() -> None:
    simulation = called_back(TRANSFER)
    assert legs(simulation) == [missed(), b_leg(52, 44, 40, to=OTHER), came_in(50, 46)]


def test_each_call_that_was_missed_is_called_back() -> None:
    """The second call is dialled 100 s after the first was missed."""
    simulation = called_back(HELLO, campaign={"maxretry": 1, "intervalretry": 100})
    assert legs(simulation) == [missed(), came_in(50, 6), missed(120), came_in(170, 6)]
    assert len({row.callid for row in simulation.store.cdrs}) == 4


def test_a_callee_who_completes_the_survey_by_calling_back_is_not_called_again() -> None:
    """The retry would be due 100 s after the missed call."""
    asking = {"type": 2, "audio_seconds": 4, "key_1": "yes", "completed": True}
    caller = MISSES | {"keys": ["1"], "key_delay": 2}
    simulation = called_back(asking, caller=caller, campaign={"maxretry": 1, "intervalretry": 100})
    assert legs(simulation) == [missed(), came_in(50, 6)]
    assert simulation.store.standing(1) == SubscriberStanding(SubscriberStatus.COMPLETED)
    assert simulation.store.closings[CAMPAIGN_ID].reason == "completed"


def test_a_callee_who_completes_while_they_are_called_again_is_not_called_a_third_time() -> None:
    """The retry is dialled at 45 s, rings until 65 s, and is missed while the callee talks to us from 50 s to 56 s."""
    asking = {"type": 2, "audio_seconds": 4, "key_1": "yes", "completed": True}
    caller = MISSES | {"keys": ["1"], "key_delay": 2}
    campaign = {"maxretry": 3, "intervalretry": 25}
    simulation = called_back(asking, caller=caller, campaign=campaign)
    assert legs(simulation)[:3] == [missed(), came_in(50, 6), missed(45)]
    assert [leg for leg in legs(simulation) if leg.starts_s > 65 and leg.callerid == SHOWN] == []
    assert simulation.store.standing(1).status is SubscriberStatus.COMPLETED


def test_the_limit_of_a_call_holds_for_those_that_come_in() -> None:
    assert legs(called_back({"audio_seconds": 60}, campaign={"callmaxduration": 45}))[1] == came_in(50, 45)


@pytest.mark.parametrize(
    "parts",
    [
        {"dids": []},
        {"dids": ["+33199000001"]},
        {"caller": {"outcome": "no_answer"}},  # This callee does not call back.
        {"caller": {"outcome": "busy", "call_back_after": 30}},  # A call that never rang was not missed.
        {"caller": {"outcome": "rejected", "call_back_after": 30}},
    ],
)
def test_nobody_else_calls(parts: dict[str, Any]) -> None:
    assert len(legs(called_back(HELLO, **parts))) == 1


@pytest.mark.parametrize(("chance", "calls"), [(0, 40), (1, 80)])
def test_of_the_population_as_many_call_back_as_its_parameters_say(chance: float, calls: int) -> None:
    nobody = {"answer": 0, "busy": 0, "rejected": 0, "invalid": 0, "call_back": chance, "call_back_after": [5, 60]}
    simulation = run(
        gateway={"parameters": nobody},
        campaign=CAMPAIGN,
        dids=[SHOWN],
        population={"size": 40, "patterns": ["+331990xxxxx"]},
    )
    assert len(legs(simulation)) == calls
