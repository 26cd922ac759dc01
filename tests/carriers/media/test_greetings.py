"""Tests of detection with greetings that espeak-ng speaks, in voices and languages that it was not tuned with."""

from random import Random
from typing import Final

import pytest

from benchmarks.detecting import listened, percentile
from benchmarks.greetings import corpus
from benchmarks.greetings.corpus import Answer
from dialer.carriers.media.detection_orders import AwaitingBeep, Detecting
from dialer.carriers.media.rtp import FRAME_MS
from dialer.domain.words.enums import AmdStatus
from tests.optional_tools import find_tool

COUNT: Final = 20
SEED: Final = 11


@pytest.fixture(scope="module")
def calls() -> tuple[list[Answer], list[Answer]]:
    """Return calls that people answer, and calls that machines answer."""
    find_tool("espeak-ng")
    chance = Random(SEED)  # noqa: S311 - chance makes calls, never a secret
    material = corpus.checked(chance, programs=frozenset({"espeak-ng"}))
    people, machines = (list(corpus.answers(material, chance, COUNT, is_machine=one)) for one in (False, True))
    return people, machines


def test_eighteen_of_twenty_people_are_people_and_hear_the_first_word_soon(
    calls: tuple[list[Answer], list[Answer]],
) -> None:
    heard = [listened(Detecting(1), one) for one in calls[0]]
    found = [(one, call) for one, call in zip(heard, calls[0], strict=True) if one.status is AmdStatus.PERSON]
    late_ms = [one.after_ms - call.ends_ms for one, call in found]
    assert len(found) >= 18
    assert (percentile(late_ms, 0.5) <= 500, max(late_ms) <= 1_500) == (True, True)


def test_eighteen_of_twenty_machines_are_machines(calls: tuple[list[Answer], list[Answer]]) -> None:
    heard = [listened(Detecting(1), one) for one in calls[1]]
    assert sum(one.status is AmdStatus.MACHINE for one in heard) >= 18


def test_a_message_begins_after_the_beep(calls: tuple[list[Answer], list[Answer]]) -> None:
    beeping = [one for one in calls[1] if one.beep_ms is not None]
    late_ms = [listened(AwaitingBeep(1), one).after_ms - one.beep_ms[1] for one in beeping if one.beep_ms is not None]
    assert len(late_ms) >= 10
    in_time = sum(-FRAME_MS <= one <= 200 for one in late_ms)
    assert in_time * 10 >= len(late_ms) * 9
