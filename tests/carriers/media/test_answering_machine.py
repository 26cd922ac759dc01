"""Tests of detection with made-up greetings: bursts of noise for syllables, over a line with noise or without."""

from array import array
from random import Random
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dialer.carriers.media import g711
from dialer.carriers.media.detection_orders import BEEP_WAIT_MS
from dialer.carriers.media.dtmf_inband import silence, tone
from dialer.carriers.media.rtp import RATE_HZ, RtpPacket
from dialer.domain.sessions.leg_protocol import AwaitBeep, Detect, Done
from dialer.domain.words.enums import AmdSensitivity, AmdStatus
from tests.carriers.media.studio import Studio

CHANCE: Final = Random(5)  # noqa: S311 - chance makes noise, never a secret
HELLO: Final = (300, 0, 200, 1)
"""Lengths of sound and silence in milliseconds, in turns: here, two syllables."""
GREETING: Final = (400, 150, 500, 200, 600, 100, 700, 150, 500, 1)

SYLLABLES: Final = (320, 80)


def noise(length_ms: int, level: int) -> bytes:
    count = RATE_HZ * length_ms // 1_000
    return g711.encode(array("h", [CHANCE.randrange(-level, level + 1) for _ in range(count)]))


def spoken(lengths: tuple[int, ...], floor: int) -> bytes:
    """Return a short silence, sound and silence in turns, and four seconds of silence after them."""
    parts = [noise(length_ms, floor if place % 2 else 4_000) for place, length_ms in enumerate((*lengths, 0, 4_000))]
    return noise(200, floor) + b"".join(parts)


def mixed(*sounds: bytes) -> bytes:
    """Return sounds that are heard together. They last as long as the first one."""
    samples = [g711.decode(sound) for sound in sounds]
    together = [sum(each) for each in zip(*samples, strict=False)]
    return g711.encode(array("h", [max(-32_768, min(32_767, one)) for one in together]))


def listen(order: Detect | AwaitBeep, sound: bytes, packet_ms: int = 20, lost: int = 0) -> tuple[list[Done], int]:
    """Give a leg sound in its own time, and return what the order found, and after how many milliseconds.

    Of packets, each `lost`-th is lost.
    """
    studio = Studio("a")
    studio.order("a", order)
    hear(studio, sound, packet_ms, lost)
    return [one.done for one in studio.done], studio.now_ms


def hear(studio: Studio, sound: bytes, packet_ms: int = 20, lost: int = 0) -> None:
    """Give a leg sound until its order is done."""
    alaw, size, given = sound.translate(g711.ALAW_OF_ULAW), RATE_HZ * packet_ms // 1_000, 0
    while given < len(alaw) and not studio.done:
        studio.run(20)
        while given + size <= studio.now_ms * RATE_HZ // 1_000 and given < len(alaw):
            number = given // size
            if not lost or number % lost:
                studio.say("a", RtpPacket(8, number, given, 1, alaw[given : given + size]))
            given += size


@pytest.mark.parametrize("floor", [1, 400])
@pytest.mark.parametrize(
    ("sound", "status", "until_ms"),
    [
        (HELLO, AmdStatus.PERSON, 1_240),
        (GREETING, AmdStatus.MACHINE, 3_200),
        ((0, 3_000), AmdStatus.UNSURE, 2_520),
        ((0, 1_500, *HELLO), AmdStatus.PERSON, 2_740),
    ],
)
def test_a_short_greeting_is_a_person_and_a_long_one_a_machine(
    sound: tuple[int, ...], status: AmdStatus, until_ms: int, floor: int
) -> None:
    done, after_ms = listen(Detect(1), spoken(sound, floor))
    assert done == [Done(1, 0, status=status)]
    assert after_ms <= until_ms


@pytest.mark.parametrize("packet_ms", [10, 20, 30, 60])
@pytest.mark.parametrize(("sound", "status"), [(HELLO, AmdStatus.PERSON), (GREETING, AmdStatus.MACHINE)])
def test_a_greeting_is_heard_in_packets_of_any_length_and_over_lost_ones(
    sound: tuple[int, ...], status: AmdStatus, packet_ms: int
) -> None:
    for lost in (0, 9):
        done, after_ms = listen(Detect(1), spoken(sound, 1), packet_ms, lost)
        assert done == [Done(1, 0, status=status)]
        assert after_ms <= (1_400 if sound == HELLO else 3_400)


def test_the_end_of_packets_is_the_end_of_a_greeting() -> None:
    """RFC 3551 4.1: a sender may send nothing in silence."""
    studio = Studio("a")
    studio.order("a", Detect(1))
    hear(studio, spoken((200, 60, 240), 1)[: RATE_HZ * 7 // 10])
    studio.run(600)
    assert [one.done.status for one in studio.done] == [AmdStatus.PERSON]


def test_packets_that_begin_again_after_a_pause_continue_the_greeting() -> None:
    """RFC 3551 4.1: the timestamps count the silence for which nothing was sent."""
    studio = Studio("a")
    studio.order("a", Detect(1))
    alaw = spoken((0, 2, *SYLLABLES * 10), 1).translate(g711.ALAW_OF_ULAW)
    for number in (*range(30), *range(44, 180)):
        studio.run(20 if number != 44 else 300)
        studio.say("a", RtpPacket(8, number, 160 * number, 1, alaw[160 * number : 160 * number + 160]))
    assert [one.done.status for one in studio.done] == [AmdStatus.MACHINE]
    assert studio.now_ms <= 3_700


@pytest.mark.parametrize("hertz", [(425,), (440, 480), (400, 450)])
def test_what_remains_of_the_ringing_is_neither_a_voice_nor_a_beep(hertz: tuple[int, ...]) -> None:
    remains = tone(hertz, 300, level=2_000) + silence(700)
    assert listen(Detect(1), remains + silence(4_000)) == ([Done(1, 0, status=AmdStatus.UNSURE)], 2_500)
    done, after_ms = listen(Detect(1), remains + spoken(HELLO, 1))
    assert (done, after_ms <= 2_200) == ([Done(1, 0, status=AmdStatus.PERSON)], True)


def test_a_hum_hides_no_voice() -> None:
    hum = tone((50, 100, 150), 6_000, level=700)
    for sound, status in ((HELLO, AmdStatus.PERSON), (GREETING, AmdStatus.MACHINE), ((0, 3_000), AmdStatus.UNSURE)):
        assert listen(Detect(1), mixed(spoken(sound, 1), hum))[0] == [Done(1, 0, status=status)]


def test_a_click_is_nobody() -> None:
    click = silence(500) + noise(20, 8_000) + silence(900) + noise(30, 8_000) + silence(3_000)
    assert listen(Detect(1), click) == ([Done(1, 0, status=AmdStatus.UNSURE)], 2_500)


@pytest.mark.parametrize(
    ("length_ms", "machines"),
    [
        (1_500, ()),
        (2_500, (AmdSensitivity.EAGER,)),
        (3_500, (AmdSensitivity.BALANCED, AmdSensitivity.EAGER)),
        (4_500, tuple(AmdSensitivity)),
    ],
)
def test_the_sensitivity_decides_how_long_a_persons_greeting_may_be(
    length_ms: int, machines: tuple[AmdSensitivity, ...]
) -> None:
    for sensitivity in AmdSensitivity:
        done, _ = listen(Detect(1, sensitivity), spoken(SYLLABLES * (length_ms // 400) + (length_ms % 400, 1), 1))
        assert done == [Done(1, 0, status=AmdStatus.MACHINE if sensitivity in machines else AmdStatus.PERSON)]


@pytest.mark.parametrize("hz", [400, 620, 1_000, 1_400, 2_000])
def test_a_short_greeting_with_a_beep_is_a_machines_and_the_beep_is_not_waited_for_again(hz: int) -> None:
    """The message for the machine begins at once: it has beeped during detection."""
    studio = Studio("a")
    studio.order("a", Detect(1))
    sound = silence(200) + noise(1_200, 4_000) + silence(500) + tone((hz,), 300) + silence(3_000)
    hear(studio, sound)
    assert [one.done for one in studio.done] == [Done(1, 0, status=AmdStatus.MACHINE)]
    assert studio.now_ms <= 2_140
    studio.done.clear()
    studio.order("a", AwaitBeep(2))
    alaw, begun = sound.translate(g711.ALAW_OF_ULAW), studio.now_ms // 20
    for number in range(begun, begun + 20):
        studio.say("a", RtpPacket(8, number, 160 * number, 1, alaw[160 * number : 160 * number + 160]))
        studio.run(20)
    assert [one.done.turn for one in studio.done] == [2]


def test_a_machine_that_has_fallen_silent_is_not_waited_for_long() -> None:
    done, after_ms = listen(AwaitBeep(1), spoken(GREETING, 1)[: 3 * RATE_HZ] + silence(9_000))
    assert (done, after_ms <= 9_000) == ([Done(1, 0, status=AmdStatus.MACHINE)], True)


@given(
    lengths=st.lists(st.integers(0, 1_500), max_size=8),
    floor=st.sampled_from([1, 50, 400]),
    sensitivity=st.sampled_from(AmdSensitivity),
)
@settings(max_examples=25, deadline=None)
def test_detection_always_decides_in_time(lengths: list[int], floor: int, sensitivity: AmdSensitivity) -> None:
    """A decision comes 1.2 s after the last voice at the latest, and after 7 s in any case."""
    studio = Studio("a")
    studio.order("a", Detect(1, sensitivity))
    hear(studio, spoken(tuple(lengths), floor))
    studio.run(8_000)
    (done,) = studio.done
    assert done.done.status is not None
    is_silent = sum(lengths[::2]) == 0
    assert is_silent <= (done.done.status is AmdStatus.UNSURE)


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


@pytest.mark.parametrize("sensitivity", list(AmdSensitivity))
def test_voices_behind_the_callee_do_not_keep_the_callee_waiting(sensitivity: AmdSensitivity) -> None:
    """Somebody says hello beside a television, whose voices are louder than a quarter of the greeting."""
    behind = b"".join(noise(300, 1_160) + noise(250, 1) for _ in range(10))
    done, after_ms = listen(Detect(1, sensitivity=sensitivity), noise(200, 1) + noise(500, 4_000) + behind)
    assert done == [Done(1, 0, status=AmdStatus.PERSON)]
    assert after_ms <= 200 + 500 + 1_400
