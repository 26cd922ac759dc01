"""Tests of the mark of a leg's sound, against the table of ITU-T G.107 and by what must always hold."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.domain.calls.sound_quality import SoundQuality, Stream, rating, read_quality, score

OF_G107 = {90: 4.34, 80: 4.03, 70: 3.60, 60: 3.10, 50: 2.58}
"""Ratings and their mean opinion scores, from the table in annex B of G.107."""
BEST = 4.41
"""The score of a connection without loss or delay, which G.107 gives for its default values."""

counts = st.integers(0, 100_000)
streams = st.builds(Stream, counts, counts, st.integers(0, 1_000))
qualities = st.builds(SoundQuality, streams, streams | st.none(), st.integers(0, 60_000) | st.none())


@pytest.mark.parametrize(("rated", "mean"), OF_G107.items())
def test_a_rating_has_the_score_of_the_table(rated: int, mean: float) -> None:
    assert score(rated) == pytest.approx(mean, abs=0.01)


def test_a_telephone_without_loss_or_delay_has_the_best_score() -> None:
    assert round(score(rating(0.0, 0.0)), 2) == BEST


def test_loss_as_large_as_the_robustness_of_g711_costs_half_of_all() -> None:
    """G.113 gives 25.1 for G.711 whose losses are concealed, and G.107 the form of the formula."""
    assert rating(0.0, 0.0) - rating(25.1, 0.0) == pytest.approx(95 / 2)


@given(quality=qualities)
def test_a_mark_is_from_1_to_the_best_and_worse_sound_has_no_better_one(quality: SoundQuality) -> None:
    heard = quality.heard
    assert heard is not None
    worse = Stream(heard.packets, heard.lost + 1, heard.jitter_ms + 1)
    assert 1.0 <= quality.mark(worse) <= quality.mark(heard) <= 4.42


@given(quality=qualities)
def test_a_written_quality_is_read_as_it_was(quality: SoundQuality) -> None:
    assert read_quality(quality.text) == quality
    assert len(quality.text) <= 120
