"""Tests of detection with made-up greetings: bursts of noise for syllables, over a line with noise or without."""

from array import array
from random import Random
from typing import Final

import pytest

from dialer.carriers.media import g711
from dialer.carriers.media.listening import BEEP_WAIT_MS
from dialer.carriers.media.rtp import RATE_HZ, RtpPacket
from dialer.carriers.media.tones import silence, tone
from dialer.domain.enums import AmdStatus
from dialer.domain.line import AwaitBeep, Detect, Done
from tests.carriers.media.test_sound import Studio

CHANCE: Final = Random(5)  # noqa: S311 - chance makes noise, never a secret
HELLO: Final = (300, 0, 200, 1)
"""Lengths of sound and silence in milliseconds, in turns: here, two syllables."""
GREETING: Final = (400, 150, 500, 200, 600, 100, 700, 150, 500, 1)


def noise(length_ms: int, level: int) -> bytes:
    count = RATE_HZ * length_ms // 1_000
    return g711.encode(array("h", [CHANCE.randrange(-level, level + 1) for _ in range(count)]))


def spoken(lengths: tuple[int, ...], floor: int) -> bytes:
    """Return sound and silence in turns, and four seconds of silence after them."""
    parts = [noise(length_ms, floor if place % 2 else 4_000) for place, length_ms in enumerate((*lengths, 0, 4_000))]
    return b"".join(parts)


def listen(order: Detect | AwaitBeep, sound: bytes) -> tuple[list[Done], int]:
    """Give a leg sound in its own time, and return what the order found, and after how many milliseconds."""
    studio = Studio("a")
    studio.order("a", order)
    alaw = sound.translate(g711.ALAW_OF_ULAW)
    for number in range(len(alaw) // 160):
        studio.say("a", RtpPacket(8, number, 160 * number, 1, alaw[160 * number : 160 * number + 160]))
        studio.run(20)
        if studio.done:
            break
    return [one.done for one in studio.done], studio.now_ms


@pytest.mark.parametrize("floor", [1, 400])
@pytest.mark.parametrize(
    ("sound", "status", "until_ms"),
    [
        (HELLO, AmdStatus.PERSON, 1_000),
        (GREETING, AmdStatus.MACHINE, 2_960),
        ((0, 3_000), AmdStatus.UNSURE, 2_520),
        ((0, 1_500, *HELLO), AmdStatus.PERSON, 2_500),
    ],
)
def test_a_short_greeting_is_a_person_and_a_long_one_a_machine(
    sound: tuple[int, ...], status: AmdStatus, until_ms: int, floor: int
) -> None:
    done, after_ms = listen(Detect(1), spoken(sound, floor))
    assert done == [Done(1, 0, status=status)]
    assert after_ms <= until_ms


def test_without_any_packet_nobody_knows() -> None:
    studio = Studio("a")
    studio.order("a", Detect(1))
    studio.run(3_000)
    assert [one.done for one in studio.done] == [Done(1, 0, status=AmdStatus.UNSURE)]


def test_a_beep_is_heard_to_its_end_and_syllables_are_none() -> None:
    greeting = spoken(GREETING, 1)[: 2 * RATE_HZ]
    for hz in (440, 1_000, 1_750):
        done, after_ms = listen(AwaitBeep(1), greeting + tone((hz,), 400) + silence(200))
        assert (done, 2_400 <= after_ms <= 2_480) == ([Done(1, 0, status=AmdStatus.MACHINE)], True)
    assert listen(AwaitBeep(1), greeting) == ([], 2_000)


def test_a_machine_without_a_beep_is_not_waited_for_for_ever() -> None:
    studio = Studio("a")
    studio.order("a", AwaitBeep(1))
    studio.run(BEEP_WAIT_MS)
    assert [one.done.turn for one in studio.done] == [1]
