"""Tests of the numbers with a fixed behaviour, through the kernel, worked out by hand.

The survey of `scenes` plays 6 s, asks for 4 s, waits for a key up to 5 s, and says goodbye in 2 s. Every number
rings 1 s after the dial, for 4 s, so an answer comes after 5 s. A minute costs 0.06000, and is charged when it begins.
"""

from typing import Final

from dialer.domain.words.enums import AmdStatus, SubscriberStatus
from dialer.sim.simulation import Simulation
from tests.sim.scenes import START_MS, run

MINUTE_COST: Final = 6_000
FIGURES: Final = {
    # number: cause, duration, billsec, billed_duration, call_cost
    # 6 s and 4 s of prompts, 5 s without a key, 2 s of goodbye: 17 s from the answer.
    "+12025550100": (16, 22, 17, 60, MINUTE_COST),
    # The key comes after 2 s of the 5: 14 s from the answer.
    **{f"+1202555010{key}": (16, 19, 14, 60, MINUTE_COST) for key in range(1, 10)},
    # A machine hears everything and presses nothing.
    "+12025550110": (16, 22, 17, 60, MINUTE_COST),
    # The network fails before it rings; a callee rejects after it rings.
    "+12025550111": (17, 1, 0, 0, 0),
    # Rings until the campaign's calltimeout of 30 s.
    "+12025550112": (19, 30, 0, 0, 0),
    "+12025550113": (21, 5, 0, 0, 0),
    "+12025550114": (1, 1, 0, 0, 0),
    "+12025550115": (34, 1, 0, 0, 0),
    "+12025550116": (38, 1, 0, 0, 0),
    "+12025550117": (41, 1, 0, 0, 0),
    "+12025550118": (16, 6, 1, 60, MINUTE_COST),
    "+12025550120": (22, 1, 0, 0, 0),
    # Talks until the campaign's callmaxduration of 90 s: two minutes have started.
    "+12025550121": (16, 95, 90, 120, 2 * MINUTE_COST),
}
SETTINGS: Final = {"calltimeout": 30, "callmaxduration": 90}


def figures(simulation: Simulation) -> dict[str, tuple[int, ...]]:
    return {
        cdr.phone_number: (
            cdr.hangup_cause_q850,
            cdr.duration,
            cdr.billsec,
            cdr.billed_duration,
            cdr.call_cost,
        )
        for cdr in simulation.store.cdrs
    }


def standings(simulation: Simulation) -> dict[str, tuple[SubscriberStatus, str]]:
    found = {one.number: simulation.store.standing(one.id) for one in simulation.subscribers}
    return {number: (standing.status, standing.reason) for number, standing in found.items()}


def test_each_number_has_its_fixed_behaviour() -> None:
    simulation = run(*FIGURES, campaign=SETTINGS)
    assert figures(simulation) == FIGURES


def test_each_number_leaves_its_subscriber_in_the_right_status() -> None:
    sent = (SubscriberStatus.SENT, "")
    assert standings(run(*FIGURES, campaign=SETTINGS)) == dict.fromkeys(FIGURES, sent) | {
        "+12025550111": (SubscriberStatus.FAIL, "busy"),
        "+12025550112": (SubscriberStatus.FAIL, "no_answer"),
        "+12025550113": (SubscriberStatus.FAIL, "rejected"),
        "+12025550114": (SubscriberStatus.FAIL, "invalid_number"),
        "+12025550115": (SubscriberStatus.FAIL, "carrier_failure"),
        "+12025550116": (SubscriberStatus.FAIL, "carrier_failure"),
        "+12025550117": (SubscriberStatus.FAIL, "carrier_failure"),
        "+12025550120": (SubscriberStatus.FAIL, "number_changed"),
    }


def test_each_key_is_an_answer() -> None:
    """One dial a second, an answer after 5 s, the end of the question after 10 s more, a key after 2 s: 17 s in all."""
    simulation = run(*(f"+1202555010{key}" for key in range(10)), campaign=SETTINGS)
    assert [(call_id, result.response, result.at_ms) for call_id, result in simulation.store.results] == [
        (key + 1, f"number {key}", START_MS + key * 1_000 + 17_000) for key in range(1, 10)
    ]


def test_a_number_that_answers_at_the_second_attempt_only() -> None:
    """It rings for 30 s, and is dialled again 300 s later, when a person answers. The retry costs a minute."""
    simulation = run("+12025550119", campaign={**SETTINGS, "maxretry": 3, "intervalretry": 300})
    assert [
        (cdr.starting_ms - START_MS, cdr.hangup_cause_q850, cdr.duration, cdr.billsec, cdr.call_cost)
        for cdr in simulation.store.cdrs
    ] == [(0, 19, 30, 0, 0), (330_000, 16, 22, 17, MINUTE_COST)]
    assert standings(simulation) == {"+12025550119": (SubscriberStatus.SENT, "")}


def with_detection(number: str, amd_behavior: int, **settings: float) -> tuple[object, ...]:
    """Simulate a call with detection, and return its billsec, its AMD status and the subscriber's state."""
    simulation = run(number, campaign={"voicemail": True, "amd_behavior": amd_behavior, **settings})
    (cdr,) = simulation.store.cdrs
    return (cdr.billsec, cdr.amd_status, *standings(simulation)[number])


def test_detection_takes_two_seconds_and_is_never_wrong_about_them() -> None:
    """The call is 2 s longer than without detection."""
    assert with_detection("+12025550100", 1) == (19, AmdStatus.PERSON, SubscriberStatus.SENT, "")
    assert with_detection("+12025550110", 1) == (19, AmdStatus.MACHINE, SubscriberStatus.FAIL, "machine")


def test_a_machine_hears_the_voicemail_recording_where_there_is_one() -> None:
    """2 s of detection and the 8 s of the recording, instead of the survey."""
    heard = with_detection("+12025550110", 1, voicemail_audio_seconds=8)
    assert heard == (10, AmdStatus.MACHINE, SubscriberStatus.FAIL, "machine")


def test_a_recording_on_a_machine_is_enough_if_the_campaign_says_so() -> None:
    heard = with_detection("+12025550110", 1, voicemail_audio_seconds=8, machine_is_reached=True)
    assert heard == (10, AmdStatus.MACHINE, SubscriberStatus.SENT, "message_left")
    # Half of the recording is none: the call is cut after 5 s.
    cut = with_detection("+12025550110", 1, voicemail_audio_seconds=8, machine_is_reached=True, callmaxduration=5)
    assert cut == (5, AmdStatus.MACHINE, SubscriberStatus.FAIL, "machine")


def test_human_only_hangs_up_on_a_machine_and_counts_it_as_not_answered() -> None:
    assert with_detection("+12025550110", 2) == (2, AmdStatus.MACHINE, SubscriberStatus.FAIL, "machine")
    assert with_detection("+12025550100", 2) == (19, AmdStatus.PERSON, SubscriberStatus.SENT, "")


def test_voicemail_only_hangs_up_on_a_person() -> None:
    assert with_detection("+12025550100", 3) == (2, AmdStatus.PERSON, SubscriberStatus.SENT, "")
    assert with_detection("+12025550110", 3) == (19, AmdStatus.MACHINE, SubscriberStatus.SENT, "message_left")
