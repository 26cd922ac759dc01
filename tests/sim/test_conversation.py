"""Tests of the durations in a simulated call. Every call here is answered 5 s after the dial."""

from typing import Any, Final

import pytest

from dialer.domain.words.enums import SubscriberStatus
from dialer.sim.simulation import Simulation
from tests.sim.scenes import run

NUMBER: Final = "+33199001234"
ANSWERS: Final = {"outcome": "answer", "ring": 4}
SECTION: Final = {"id": 1, "question": "Section 1"}
CAPTURE: Final = SECTION | {"type": 4, "audio_seconds": 4, "timeout": 5, "number_digits": 3, "max_number": 999}


def conversation(
    behaviour: dict[str, Any], *sections: dict[str, Any], campaign: dict[str, Any] | None = None, **contact: object
) -> Simulation:
    """Simulate one call to one scripted number; sections are numbered from 1."""
    return run(
        survey={"sections": [SECTION | section | {"id": index} for index, section in enumerate(sections, 1)]},
        gateway={"parameters": {"numbers": {NUMBER: ANSWERS | behaviour}}},
        contacts=[{"contact": NUMBER, **contact}],
        campaign=campaign or {},
    )


def billsec(simulation: Simulation) -> int:
    return simulation.store.cdrs[0].billsec


def responses(simulation: Simulation) -> list[str]:
    return [result.response for _, result in simulation.store.results]


@pytest.mark.parametrize(
    ("script", "full_name", "seconds"),
    [
        ("", "", 1),  # An answered call lasts at least a second.
        ("Hello", "", 1),  # One word takes 0.4 s, but the shortest prompt takes a second.
        ("one two three four five", "", 2),
        ("one two three four five six", "", 3),  # 2.4 s are rounded up.
        (
            "good morning {first_name} from {city}",
            "Ada Byrne",
            2,
        ),  # Five words: `{city}` is one of the contact's variables.
        ("good morning {full_name} from {town}", "Ada Byrne", 2),  # Five words: the town is unknown.
    ],
)
def test_a_text_is_spoken_word_by_word(script: str, full_name: str, seconds: int) -> None:
    call = conversation({}, {"script": script}, full_name=full_name, additional_vars={"city": "Rome"})
    assert billsec(call) == seconds


def test_a_recording_takes_its_length_for_any_text() -> None:
    assert billsec(conversation({}, {"script": "one two three", "audio_seconds": 7})) == 7


@pytest.mark.parametrize(
    ("keys", "key_delay", "seconds", "heard"),
    [
        ("421", 1, 5, ["421"]),  # The third digit ends the input: 4 s of question, 1 s until the digit.
        ("4219", 1, 5, ["421"]),  # Digits after the last one are ignored.
        ("42#", 1, 5, ["42"]),  # The # ends the input.
        ("42", 1, 10, ["42"]),  # Only 5 s without a key end the input.
        ("", 1, 9, []),
        ("#", 1, 5, []),  # A # without digits is no input.
        ("421", 5, 9, ["421"]),  # Just in time.
        ("421", 5.001, 9, []),  # Too late: the call ends after 5 s.
    ],
)
def test_an_input_ends_with_its_last_digit_or_a_hash_or_by_itself(
    keys: str, key_delay: float, seconds: int, heard: list[str]
) -> None:
    call = conversation({"keys": [keys], "key_delay": key_delay}, CAPTURE)
    assert (billsec(call), responses(call)) == (seconds, heard)


def test_each_prompt_that_asks_gets_its_own_keys_and_those_after_the_last_get_none() -> None:
    """Twice 4 s of question and 1 s until the third digit, then 4 s of question and 5 s of silence."""
    asking = CAPTURE | {"branches": {"any": 2}}
    again = CAPTURE | {"branches": {"any": 3}}
    call = conversation({"keys": ["111", "222"], "key_delay": 1}, asking, again, CAPTURE)
    assert (billsec(call), responses(call)) == (19, ["111", "222"])


def test_the_last_answer_to_a_section_is_the_one_that_is_kept() -> None:
    call = conversation({"keys": ["111", "222"], "key_delay": 1}, CAPTURE | {"branches": {"111": 1}})
    assert responses(call) == ["222"]


def test_after_a_wrong_input_the_recording_that_says_so_comes_first() -> None:
    """4 s of question, 1 s until the keys, 3 s of error recording, then 4 s and 1 s again."""
    asking = CAPTURE | {"max_number": 500, "retries": 1, "invalid_audio_seconds": 3}
    call = conversation({"keys": ["999", "123"], "key_delay": 1}, asking)
    assert (billsec(call), responses(call)) == (13, ["123"])


def test_after_no_input_the_question_is_only_repeated() -> None:
    """4 s of question, 5 s of silence, 4 s again, 1 s until the keys."""
    asking = CAPTURE | {"retries": 1, "invalid_audio_seconds": 3}
    call = conversation({"keys": ["", "123"], "key_delay": 1}, asking)
    assert (billsec(call), responses(call)) == (14, ["123"])


@pytest.mark.parametrize(("hang_up_after", "seconds"), [(0, 1), (0.2, 1), (3, 3), (60, 9)])
def test_a_callee_may_hang_up_after_some_time_unless_the_call_ends_before(hang_up_after: float, seconds: int) -> None:
    assert billsec(conversation({"keys": [], "hang_up_after": hang_up_after}, CAPTURE)) == seconds


def test_a_call_is_cut_at_its_limit_in_the_middle_of_a_prompt() -> None:
    simulation = conversation({}, {"audio_seconds": 100}, campaign={"callmaxduration": 7})
    cdr = simulation.store.cdrs[0]
    assert (cdr.billsec, cdr.hangup_cause_q850) == (7, 16)
    assert simulation.store.standing(1).status is SubscriberStatus.SENT


def test_answers_given_before_the_call_was_cut_are_kept() -> None:
    asking = CAPTURE | {"branches": {"any": 2}}
    call = conversation({"keys": ["111", "222"], "key_delay": 1}, asking, CAPTURE, campaign={"callmaxduration": 9})
    assert (billsec(call), responses(call)) == (9, ["111"])


@pytest.mark.parametrize(("ring", "cause"), [(28.999, 16), (29, 19), (40, 19)])
def test_an_answer_after_the_calltimeout_does_not_count(ring: float, cause: int) -> None:
    """It rings after 1 s; the campaign's calltimeout is 30 s."""
    simulation = conversation({"ring": ring}, {"audio_seconds": 1}, campaign={"calltimeout": 30})
    assert simulation.store.cdrs[0].hangup_cause_q850 == cause


def test_a_loop_that_never_waits_ends_after_a_hundred_sections() -> None:
    assert billsec(conversation({}, {"audio_seconds": 1, "branches": {"0": 1}})) == 100


def test_a_section_marked_completed_counts_once_it_is_reached_even_if_nobody_listens() -> None:
    behaviour = {"hang_up_after": 2}
    reached = conversation(
        behaviour, {"audio_seconds": 1, "branches": {"0": 2}}, {"audio_seconds": 9, "completed": True}
    )
    missed = conversation(
        behaviour, {"audio_seconds": 3, "branches": {"0": 2}}, {"audio_seconds": 9, "completed": True}
    )
    assert [one.store.standing(1).status for one in (reached, missed)] == [
        SubscriberStatus.COMPLETED,
        SubscriberStatus.SENT,
    ]


def test_a_callee_who_asks_not_to_be_called_is_not_called_again() -> None:
    """The callee never reached the completing section, so without the request there would be another call."""
    wish = {"type": 9, "audio_seconds": 2}
    simulation = conversation(
        {}, wish, {"completed": True}, campaign={"completion_maxretry": 1, "completion_intervalretry": 60}
    )
    standing = simulation.store.standing(1)
    assert (len(simulation.store.cdrs), responses(simulation)) == (1, [f"DNC: {NUMBER}"])
    assert (standing.status, standing.reason) == (SubscriberStatus.NOT_AUTHORIZED, "dnc")


def test_a_population_that_never_listens_hangs_up_within_the_first_prompt() -> None:
    contacts = [f"+3319900{index:04d}" for index in range(50)]
    simulation = run(
        *contacts,
        gateway={"parameters": {"answer": 1, "busy": 0, "rejected": 0, "invalid": 0, "machine": 0, "listen": 0}},
        campaign={"frequency": 600},
    )
    lengths = {cdr.billsec for cdr in simulation.store.cdrs}
    assert lengths <= {0, 1, 2, 3, 4, 5, 6}
    assert len(lengths) > 3
