"""Scales: answers that are marks, such as 1 to 5, in their order and with their mean."""

import re
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Final

import msgspec

STEPS_MAX: Final = 21
"""Steps of a scale that are shown by name, as many as from 0 to 20."""
_MARK: Final = re.compile(r"[-+]?[0-9]{1,15}(?:[.,][0-9]{1,6})?", re.ASCII)


class MeanMark(msgspec.Struct, frozen=True):
    """The mean of some marks, and their number."""

    value: float
    count: int


def mark_of(answer: str) -> Fraction | None:
    """Return the number that an answer is; None if it is none."""
    text = answer.strip()
    return Fraction(text.replace(",", ".")) if _MARK.fullmatch(text) else None


def as_mark(answer: str) -> str:
    """Return an answer to a scale in one spelling: 7 for 07, which callees may key as well."""
    text = answer.strip()
    return str(int(text)) if text.isascii() and text.isdecimal() and _MARK.fullmatch(text) else answer


def whole_marks(lowest: int, highest: int) -> tuple[str, ...]:
    """Return the marks of a scale of whole numbers; none if they are more than `STEPS_MAX`."""
    return tuple(map(str, range(lowest, highest + 1))) if highest - lowest < STEPS_MAX else ()


def in_order(answers: Iterable[str]) -> list[str]:
    """Return answers by their marks, the lowest first. Those that are no marks come last."""
    return sorted(answers, key=_place)


def mean_of(counts: Mapping[str, int]) -> MeanMark | None:
    """Return the mean of the marks among counted answers; None without any."""
    marks = [(mark, count) for answer, count in counts.items() if count and (mark := mark_of(answer)) is not None]
    number = sum(count for _, count in marks)
    return (
        MeanMark(float(sum((mark * count for mark, count in marks), Fraction()) / number), number) if number else None
    )


def _place(answer: str) -> tuple[bool, Fraction, str]:
    mark = mark_of(answer)
    return mark is None, mark or Fraction(), answer
