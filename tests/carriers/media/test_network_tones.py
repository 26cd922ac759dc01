"""Tests of detection with the tones of telephone networks: whoever hears them has reached nobody yet.

Frequencies and cadences are those of Asterisk's sample of indications.conf, read on 2026-11-28, which names the ITU's
list of 2003 as its source for most countries. Tones that warble are not among them: Japan's, Singapore's and some of
South Africa's ringing still sounds like a voice. An exchange of a company answers a call and rings an extension, so
tones begin with the answer or after it.
"""

import math
from itertools import cycle
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dialer.carriers.media import g711
from dialer.carriers.media.dtmf_inband import silence, tone
from dialer.carriers.media.rtp import RATE_HZ, RtpPacket
from dialer.domain.sessions.leg_protocol import AwaitBeep, Detect, Done
from dialer.domain.words.enums import AmdSensitivity, AmdStatus
from tests.carriers.media.studio import Studio
from tests.carriers.media.test_answering_machine import GREETING, HELLO, SYLLABLES, hear, listen, spoken

LASTS_MS: Final = 8_000
LEVELS_DBFS: Final = (-46, -20, -10)
STARTS_MS: Final = (0, 37, 400, 1_000)
"""Times after the answer at which a tone begins."""
NO_TONE: Final[tuple[int, ...]] = ()
NETWORK_TONES: Final = {
    "ringing, recommended, most of Europe": (((425,), 1_000), (NO_TONE, 4_000)),
    "ringing, France": (((440,), 1_500), (NO_TONE, 3_500)),
    "ringing, China": (((450,), 1_000), (NO_TONE, 4_000)),
    "ringing, United States": (((440, 480), 2_000), (NO_TONE, 4_000)),
    "ringing, United Kingdom": (((400, 450), 400), (NO_TONE, 200), ((400, 450), 400), (NO_TONE, 2_000)),
    "ringing, Australia": (((413, 438), 400), (NO_TONE, 200), ((413, 438), 400), (NO_TONE, 2_000)),
    "ringing, Philippines": (((425, 480), 1_000), (NO_TONE, 4_000)),
    "ringing, South Africa, some exchanges": (((383, 417), 400), (NO_TONE, 200), ((383, 417), 400), (NO_TONE, 2_000)),
    "busy, recommended, most of Europe": (((425,), 500), (NO_TONE, 500)),
    "busy, Germany": (((425,), 480), (NO_TONE, 480)),
    "busy, United Kingdom": (((400,), 375), (NO_TONE, 375)),
    "busy, Spain": (((425,), 200), (NO_TONE, 200)),
    "busy, Israel": (((414,), 500), (NO_TONE, 500)),
    "busy, United States": (((480, 620), 500), (NO_TONE, 500)),
    "busy, China": (((450,), 350), (NO_TONE, 350)),
    "congestion, recommended": (((425,), 250), (NO_TONE, 250)),
    "congestion, Czechia": (((425,), 165), (NO_TONE, 165)),
    "congestion, United States": (((480, 620), 250), (NO_TONE, 250)),
    "congestion, Germany": (((425,), 240), (NO_TONE, 240)),
    "congestion, United Kingdom": (((400,), 400), (NO_TONE, 350), ((400,), 225), (NO_TONE, 525)),
    "dialling, recommended, most of Europe": (((425,), LASTS_MS),),
    "dialling, Italy": (((425,), 200), (NO_TONE, 200), ((425,), 600), (NO_TONE, 1_000)),
    "dialling, France": (((440,), LASTS_MS),),
    "dialling, United Kingdom and United States": (((350, 440), LASTS_MS),),
}
SPECIAL_INFORMATION: Final = (((950,), 330), ((1_400,), 330), ((1_800,), 330), (NO_TONE, 1_000))
"""The tones before an announcement of the network, which is a recording."""


def amplitude(level_dbfs: int, tones: int = 1) -> int:
    """Return the amplitude of each of several tones that are together as loud as one of this level."""
    return round(32_767 * 10 ** (level_dbfs / 20) / math.sqrt(max(1, tones)))


def sounding(cadence: tuple[tuple[tuple[int, ...], int], ...], level_dbfs: int, start_ms: int = 0) -> bytes:
    """Return the sound of a line on which a cadence begins some time after the answer, again and again."""
    sound, length = silence(start_ms), RATE_HZ * LASTS_MS // 1_000
    for hertz, length_ms in cycle(cadence):
        sound += tone(hertz, length_ms, amplitude(level_dbfs, len(hertz))) if hertz else silence(length_ms)
        if len(sound) >= length:
            break
    return sound[:length]


@pytest.mark.parametrize("level_dbfs", LEVELS_DBFS)
@pytest.mark.parametrize("name", NETWORK_TONES)
def test_tones_of_a_network_are_neither_a_person_nor_a_machine_at_any_level(name: str, level_dbfs: int) -> None:
    heard = {start: listen(Detect(1), sounding(NETWORK_TONES[name], level_dbfs, start)) for start in STARTS_MS}
    assert heard == {start: ([Done(1, 0, status=AmdStatus.UNSURE)], 2_500) for start in STARTS_MS}


@pytest.mark.parametrize("level_dbfs", LEVELS_DBFS)
@pytest.mark.parametrize(("start_ms", "after_ms"), [(0, 540), (400, 600), (1_000, 1_200)])
def test_tones_before_an_announcement_are_a_machine(start_ms: int, after_ms: int, level_dbfs: int) -> None:
    """A first tone that begins with the answer may remain from before it, so the second one decides."""
    found = listen(Detect(1), sounding(SPECIAL_INFORMATION, level_dbfs, start_ms))
    assert found == ([Done(1, 0, status=AmdStatus.MACHINE)], after_ms)


@pytest.mark.parametrize(
    ("words", "status"), [(spoken(HELLO, 1), AmdStatus.PERSON), (spoken(GREETING, 1), AmdStatus.MACHINE)]
)
def test_who_speaks_after_the_ringing_of_an_extension_is_told_by_the_words(words: bytes, status: AmdStatus) -> None:
    for level_dbfs in LEVELS_DBFS:
        ringing = sounding(NETWORK_TONES["ringing, recommended, most of Europe"], level_dbfs, 400)[: 2 * RATE_HZ]
        assert listen(Detect(1), ringing + words)[0] == [Done(1, 0, status=status)]


def test_ringing_before_a_greeting_is_not_the_beep_after_it() -> None:
    """Otherwise the message for the machine would begin in the middle of the greeting."""
    studio = Studio("a")
    studio.order("a", Detect(1))
    ringing = silence(400) + tone((425,), 1_000, amplitude(-20)) + silence(600)
    sound = ringing + spoken(SYLLABLES * 15, 1)[: RATE_HZ * 6] + tone((440,), 400, amplitude(-20)) + silence(400)
    hear(studio, sound)
    assert [one.done for one in studio.done] == [Done(1, 0, status=AmdStatus.MACHINE)]
    begun = studio.now_ms // 20
    studio.done.clear()
    studio.order("a", AwaitBeep(2))
    alaw = sound.translate(g711.ALAW_OF_ULAW)
    for number in range(begun, len(alaw) // 160):
        if studio.done:
            break
        studio.say("a", RtpPacket(8, number, 160 * number, 1, alaw[160 * number : 160 * number + 160]))
        studio.run(20)
    assert ([one.done.turn for one in studio.done], 8_400 <= studio.now_ms <= 8_480) == ([2], True)


@pytest.mark.parametrize("hz", [400, 440, 480, 1_000])
def test_a_beep_as_low_as_a_network_tone_is_heard_after_words_and_where_it_is_awaited(hz: int) -> None:
    for level_dbfs in LEVELS_DBFS:
        beep = tone((hz,), 400, amplitude(level_dbfs)) + silence(3_000)
        words = spoken((1_200, 1), 1)[: RATE_HZ * 19 // 10]
        found = [Done(1, 0, status=AmdStatus.MACHINE)]
        assert listen(Detect(1), words + beep) == (found, 2_100)
        done, after_ms = listen(AwaitBeep(1), silence(1_000) + beep)
        assert (done, 1_400 <= after_ms <= 1_480) == (found, True)


@pytest.mark.parametrize("hz", [550, 620, 800, 1_400])
def test_a_higher_tone_without_words_is_a_beep(hz: int) -> None:
    for level_dbfs in LEVELS_DBFS:
        beep = silence(400) + tone((hz,), 400, amplitude(level_dbfs)) + silence(3_000)
        assert listen(Detect(1), beep) == ([Done(1, 0, status=AmdStatus.MACHINE)], 600)


@given(
    hz=st.integers(340, 500),
    on_ms=st.integers(150, 3_000),
    off_ms=st.integers(150, 5_000),
    start_ms=st.integers(0, 2_000),
    level_dbfs=st.integers(-46, -3),
    sensitivity=st.sampled_from(AmdSensitivity),
)
@settings(max_examples=40, deadline=None)
def test_one_tone_in_the_band_of_networks_is_never_a_machine(
    hz: int, on_ms: int, off_ms: int, start_ms: int, level_dbfs: int, sensitivity: AmdSensitivity
) -> None:
    cadence = (((hz,), on_ms), (NO_TONE, off_ms))
    found = listen(Detect(1, sensitivity), sounding(cadence, level_dbfs, start_ms))
    assert found == ([Done(1, 0, status=AmdStatus.UNSURE)], 2_500)
