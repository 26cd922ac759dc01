"""Tests of sections that record the callee. Every call here is answered 5 s after the dial."""

from typing import Any, Final

import pytest

from dialer.sim.simulation import Simulation
from tests.sim.legs import a_leg, call, legs

RECORD: Final[dict[str, Any]] = {"type": 5, "audio_seconds": 2}
"""A section whose recording begins 7 s after the dial."""


def recordings(simulation: Simulation) -> list[tuple[str, int | None]]:
    """Return the recorded files and their lengths in milliseconds."""
    return [(result.response, result.recording_ms) for _, result in simulation.store.results]


@pytest.mark.parametrize(
    ("caller", "campaign", "recorded_ms", "billsec"),
    [
        ({}, {}, 10_000, 12),
        ({"outcome": "machine"}, {}, 120_000, 122),  # A machine talks to the end of the recording.
        ({"hang_up_after": 6.25}, {}, 4_250, 7),
        ({"outcome": "machine"}, {"callmaxduration": 62}, 60_000, 62),
    ],
)
def test_a_person_speaks_for_ten_seconds_and_a_machine_for_two_minutes(
    caller: dict[str, Any], campaign: dict[str, Any], recorded_ms: int, billsec: int
) -> None:
    simulation = call(RECORD, caller=caller, campaign=campaign)
    assert legs(simulation) == [a_leg(5 + billsec, billsec, minutes=-(-billsec // 60))]
    assert recordings(simulation) == [(f"{simulation.store.cdrs[0].callid}-1.wav", recorded_ms)]


def test_a_callee_who_hangs_up_before_the_tone_leaves_no_recording() -> None:
    assert recordings(call(RECORD, caller={"hang_up_after": 2})) == []
    assert recordings(call(RECORD, caller={"hang_up_after": 1})) == []


def test_the_call_goes_on_after_a_recording() -> None:
    """Two recordings, then 3 s of goodbye, by the branch `0`, else `timeout`."""
    simulation = call(
        RECORD | {"branches": {"0": 2, "timeout": None}},
        RECORD | {"branches": {"timeout": 3}},
        {"type": 7, "audio_seconds": 3},
    )
    callid = simulation.store.cdrs[0].callid
    assert recordings(simulation) == [(f"{callid}-1.wav", 10_000), (f"{callid}-2.wav", 10_000)]
    assert legs(simulation) == [a_leg(32, 27)]
