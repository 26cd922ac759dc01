"""Percentiles of the figures of a forecast over its runs."""

from collections.abc import Sequence
from typing import Annotated, Final, TypeVar

import msgspec

from dialer.domain.words.described import described

PERCENTS: Final = (10, 50, 90)

_Value = TypeVar("_Value", int, float)


class DateSpread(msgspec.Struct, frozen=True):
    """Percentiles of a timestamp."""

    p10: Annotated[str, described("A tenth of the runs had this moment or less, in UTC.", "2026-11-18T11:36:40Z")]
    p50: Annotated[
        str, described("The median: half of the runs had this moment or less, in UTC.", "2026-11-18T11:40:10Z")
    ]
    p90: Annotated[str, described("Nine tenths of the runs had this moment or less, in UTC.", "2026-11-18T12:05:00Z")]


class MoneySpread(msgspec.Struct, frozen=True):
    """Percentiles of an amount, as decimal text."""

    p10: Annotated[str, described("A tenth of the runs had this amount or less, with five decimals.", "11.20000")]
    p50: Annotated[
        str, described("The median: half of the runs had this amount or less, with five decimals.", "12.40000")
    ]
    p90: Annotated[str, described("Nine tenths of the runs had this amount or less, with five decimals.", "13.80000")]


class CountSpread(msgspec.Struct, frozen=True):
    """Percentiles of a count."""

    p10: Annotated[int, described("A tenth of the runs had this count or less.", 590)]
    p50: Annotated[int, described("The median: half of the runs had this count or less.", 640)]
    p90: Annotated[int, described("Nine tenths of the runs had this count or less.", 700)]


class PercentSpread(msgspec.Struct, frozen=True):
    """Percentiles of a percentage."""

    p10: Annotated[float, described("A tenth of the runs had this percentage or less.", 1.2)]
    p50: Annotated[float, described("The median: half of the runs had this percentage or less.", 1.9)]
    p90: Annotated[float, described("Nine tenths of the runs had this percentage or less.", 2.7)]


class SecondsSpread(msgspec.Struct, frozen=True):
    """Percentiles of a length of time in seconds."""

    p10: Annotated[float, described("A tenth of the runs had this time or less, in seconds.", 1.2)]
    p50: Annotated[float, described("The median: half of the runs had this time or less, in seconds.", 2.9)]
    p90: Annotated[float, described("Nine tenths of the runs had this time or less, in seconds.", 7.3)]


def nearest_rank(values: Sequence[_Value], percent: int) -> _Value:
    """Return the nearest-rank percentile: the least value that `percent` per cent of `values` do not exceed."""
    ordered = sorted(values)
    return ordered[max(0, -(-percent * len(ordered) // 100) - 1)]


def spread(values: Sequence[_Value]) -> tuple[_Value, _Value, _Value]:
    """Return the 10th, 50th and 90th percentile of values."""
    p10, p50, p90 = (nearest_rank(values, percent) for percent in PERCENTS)
    return p10, p50, p90


def counts(values: Sequence[int]) -> CountSpread:
    """Return the percentiles of counts."""
    return CountSpread(*spread(values))


def percents(values: Sequence[float]) -> PercentSpread:
    """Return the percentiles of percentages."""
    return PercentSpread(*spread(values))


def seconds(values: Sequence[float]) -> SecondsSpread:
    """Return the percentiles of times in seconds."""
    return SecondsSpread(*spread(values))
