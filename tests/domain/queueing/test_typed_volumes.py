"""Tests of the calls that somebody expects by half hours of the week, as text."""

import re

import pytest

from dialer.domain.queueing.typed_volumes import EXAMPLE, TypedVolumesError, volumes_in


def test_entries_have_days_a_time_and_calls_of_a_half_hour_or_a_day() -> None:
    found = volumes_in("Mon 9:00-10:00 3.5;; tuesday,SUN 23:30-24:00 7\n mon 09:30-10:30 10/day")
    assert found == {18: 3.5, 19: 8.5, 20: 5.0, 48 + 47: 7, 6 * 48 + 47: 7}
    assert len(volumes_in(EXAMPLE)) == 5 * 16 + 8
    assert volumes_in(" ; \n") == volumes_in("mon 09:00-10:00 0") == {}


@pytest.mark.parametrize(
    "text",
    [
        "30",
        "mon 09:00-10:00",
        "mon 10:00-09:00 3",
        "mon 09:00-09:00 3",
        "mon 09:15-10:00 3",
        "mon 09:00-24:30 3",
        "fri-mon 09:00-10:00 3",
        "moon 09:00-10:00 3",
        "mon- 09:00-10:00 3",
        "mon ٠٩:00-10:00 3",
        "mon 09:00-10:00 3/week",
        "x" * 2_001,
    ],
)
def test_other_texts_are_told(text: str) -> None:
    with pytest.raises(TypedVolumesError, match=r"says no calls of half hours|Give at most 2000 characters"):
        volumes_in(f"mon 09:00-10:00 3; {text}")


@pytest.mark.parametrize("calls", ["-3", "-0.5", "100001", "100000.5", "9" * 40, "1" * 40 + "/day"])
def test_calls_below_none_and_past_the_limit_are_told(calls: str) -> None:
    told = re.escape(f"'mon 09:00-10:00 {calls}': the calls are a number from 0 to 100000.")
    with pytest.raises(TypedVolumesError, match=told):
        volumes_in(f"mon 09:00-10:00 {calls}")
