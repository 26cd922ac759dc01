"""Tests of sections that bring the callee into a conference."""

from typing import Any

import pytest

from dialer.sim.simulation import CAMPAIGN_ID
from tests.sim.legs import a_leg, call, legs, responses


@pytest.mark.parametrize(("name", "shown"), [("board room", "board room"), ("", str(CAMPAIGN_ID))])
def test_a_conference_has_a_name_and_without_one_it_is_the_campaigns(name: str, shown: str) -> None:
    assert responses(call({"type": 8, "conference": name})) == [f"conf: {shown}"]


@pytest.mark.parametrize(
    ("caller", "population", "campaign", "billsec"),
    [
        ({}, {}, {}, 45),  # 2 s of prompt, 40 s in the conference, 3 s of good-bye
        ({}, {"talk": 10}, {}, 15),
        ({"hang_up_after": 20}, {}, {}, 20),
        ({}, {}, {"callmaxduration": 30}, 30),
    ],
)
def test_the_callee_stays_as_long_as_they_talk(
    caller: dict[str, Any], population: dict[str, Any], campaign: dict[str, Any], billsec: int
) -> None:
    room = {"type": 8, "audio_seconds": 2, "branches": {"0": 2}}
    simulation = call(room, {"type": 7, "audio_seconds": 3}, caller=caller, population=population, campaign=campaign)
    assert legs(simulation) == [a_leg(5 + billsec, billsec)]
