"""Tests that quick ways of listening find the same as plain ones, which are written out here."""

import math
from array import array
from collections.abc import Sequence
from itertools import groupby
from operator import add, mul, sub
from random import Random
from typing import Final

from hypothesis import given
from hypothesis import strategies as st

from dialer.carriers.media import g711
from dialer.carriers.media.frequencies import (
    ASIDE_HZ,
    REST_MAX,
    SHARE_MIN,
    TONE_HZ,
    correlations_of,
    energy,
    narrow_hz,
    power,
    tone_hz,
)
from dialer.carriers.media.incoming_sound import FrameCutter
from dialer.carriers.media.loudness import CLICK_FRAMES, FRAMES_KEPT_MAX, Loudness, VoiceRuns
from dialer.carriers.media.rtp import FRAME_SAMPLES, RATE_HZ

LEVEL: Final = st.floats(0, 8_000)
HERTZ: Final = st.floats(200, 2_400)
LEVELS: Final = st.integers(0, 120).map(lambda tens: tens * 10.0)
"""Few different levels, so that some are equal."""
SHARES: Final = (0.25, 0.33, 0.04)


def plain_tone_hz(frame: Sequence[int], middle: Sequence[int]) -> float | None:
    """Return the frequency of a tone by sums of products, and by Pisarenko's method."""
    for samples in (frame, middle):
        count = len(samples)
        first = sum(map(mul, samples, samples[1:])) / (count - 1)
        second = sum(map(mul, samples, samples[2:])) / (count - 2)
        if not first:
            continue
        ratio = second / first
        cosine = (ratio + math.copysign(math.sqrt(ratio * ratio + 8), first)) / 4
        if abs(cosine) >= 1 or first / cosine < SHARE_MIN * energy(samples) / count:
            continue
        hz = math.acos(cosine) * RATE_HZ / (2 * math.pi)
        if not TONE_HZ.start <= hz <= TONE_HZ.stop:
            continue
        strongest = max(power(samples, hz + aside) for aside in (-ASIDE_HZ, 0, ASIDE_HZ))
        if strongest * 2 >= SHARE_MIN * count * energy(samples):
            return hz
    return None


def plain_narrow_hz(samples: Sequence[int]) -> float | None:
    """Return the frequency of a narrow band by sums of neighbours."""
    inner, sums = samples[1:-1], list(map(add, samples, samples[2:]))
    total = energy(inner)
    if not total:
        return None
    product = sum(map(mul, sums, inner))
    cosine = product / (2 * total)
    if abs(cosine) >= 1 or energy(sums) - product * product / total > REST_MAX * total:
        return None
    hz = math.acos(cosine) * RATE_HZ / (2 * math.pi)
    return hz if hz >= TONE_HZ.start else None


def plain_places(whole: Loudness, middle: Loudness, under_peak: float) -> list[range]:
    """Return the places of voice, with all frames judged anew."""
    least, middle_least = whole.least(under_peak), middle.least(under_peak)
    levels = zip(whole.levels, middle.levels, strict=True)
    places = enumerate(one > least or other > middle_least for one, other in levels)
    runs = [[place for place, _ in run] for is_loud, run in groupby(places, lambda one: one[1]) if is_loud]
    return [range(run[0], run[-1] + 1) for run in runs if len(run) > CLICK_FRAMES]


@given(
    tones=st.lists(st.tuples(HERTZ, LEVEL), max_size=2),
    noise=LEVEL,
    cut=st.integers(0, FRAME_SAMPLES),
    seed=st.integers(0, 1_000),
)
def test_the_frequencies_of_a_frame_are_those_by_sums_of_products(
    tones: list[tuple[float, float]], noise: float, cut: int, seed: int
) -> None:
    chance = Random(seed)  # noqa: S311 - chance makes noise, never a secret
    samples = [
        sum(level * math.sin(2 * math.pi * hz * place / RATE_HZ) for hz, level in tones) + chance.uniform(-noise, noise)
        for place in range(FRAME_SAMPLES)
    ]
    sound = g711.encode(array("h", [0] * cut + [round(sample) for sample in samples[cut:]]))
    (heard,) = FrameCutter().frames_of(sound)
    middle = list(map(sub, heard.samples[2:], heard.samples))
    sums = correlations_of(heard.samples, heard.energy, heard.middle_energy)
    assert (tone_hz(heard.samples, sums), narrow_hz(sums.middle)) == (
        plain_tone_hz(heard.samples, middle),
        plain_narrow_hz(middle),
    )


@given(
    steps=st.lists(
        st.one_of(
            st.tuples(st.just("hear"), LEVELS, LEVELS, st.integers(1, 30)),
            st.tuples(st.just("lose"), LEVELS, LEVELS, st.integers(1, 3)),
            st.tuples(st.just("silence"), LEVELS, LEVELS, st.integers(1, 9)),
            st.tuples(st.just("long"), LEVELS, LEVELS, st.integers(1, FRAMES_KEPT_MAX)),
        ),
        max_size=40,
    )
)
def test_voice_is_where_it_is_if_all_frames_are_judged_anew(steps: list[tuple[str, float, float, int]]) -> None:
    whole, middle = Loudness(), Loudness()
    voices = {share: VoiceRuns(whole, middle, share) for share in SHARES}
    for kind, level, middle_level, frames in steps:
        if kind == "silence":
            whole.silence_last(frames)
            middle.silence_last(frames)
        else:
            for _ in range(frames):
                whole.keep(level, is_heard=kind != "lose")
                middle.keep(middle_level, is_heard=kind != "lose")
        for share, runs in voices.items():
            assert runs.places() == plain_places(whole, middle, share)
