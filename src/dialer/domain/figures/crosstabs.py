"""Crosstabs: how the people of each group answered a question, with shares and margins of error."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import sqrt
from typing import Final, NamedTuple

from dialer.domain.figures.scales import STEPS_MAX, MeanMark, in_order, mean_of

GROUPS_MAX: Final = 1_000
"""Different groups of one crosstab. A column with more of them names people rather than groups."""
ANSWERS_KEPT_MAX: Final = 1_000
"""Different answers to a question that are counted apart. Further ones, as of keyed numbers, count as others."""
_FURTHER: Final = "\0"
"""The place of further answers, which is no text that people give."""
_Z: Final = 1.959964
"""Standard errors to each side of a share that hold the true share in 95 of 100 samples."""
_PERCENT: Final = 100
_TENTHS: Final = 10


class TooManyGroupsError(ValueError):
    """Raised for a column with more different values than a crosstab has groups."""


class Share(NamedTuple):
    """A part of a whole: its people, its share and the margin of error, both in per cent."""

    people: int
    percent: float
    margin: float


class CrossedGroup(NamedTuple):
    """A group: the people in it who answered, and how many gave each answer."""

    name: str
    total: int
    shares: list[Share]
    mean: MeanMark | None = None
    """The mean of a scale."""


class CrossTable(NamedTuple):
    """The answers to a question, and the groups of people, the largest first.

    The most frequent answer is the first, but those to a scale are in its order.
    """

    answers: list[str]
    groups: list[CrossedGroup]


class Crosstab:
    """The answers to one question by groups of people, counted one at a time.

    The `marks` of a scale are shown also if nobody gave them, so that its length is seen.
    """

    def __init__(self, *, is_scale: bool = False, marks: Sequence[str] = ()) -> None:
        self._is_scale: Final = is_scale
        self._marks: Final = marks
        self._cells: Final[dict[str, Counter[str]]] = {}
        self._answers: Final[set[str]] = set()

    def add(self, group: str, answer: str) -> None:
        """Count the answer of a person in a group.

        Raises:
            TooManyGroupsError: there are more than `GROUPS_MAX` groups.
        """
        if group not in self._cells and len(self._cells) == GROUPS_MAX:
            raise TooManyGroupsError
        if len(self._answers) < ANSWERS_KEPT_MAX:
            self._answers.add(answer)
        kept = answer if answer in self._answers else _FURTHER
        self._cells.setdefault(group, Counter())[kept] += 1

    def table(self, groups_most: int, answers_most: int, others: str) -> CrossTable:
        """Return the table with the largest groups and most frequent answers; further ones count as others."""
        sizes = {group: cells.total() for group, cells in self._cells.items()}
        named = sorted(sizes, key=lambda group: (-sizes[group], group))[:groups_most]
        counts = _sum(self._cells.values())
        apart = counts.keys() - {_FURTHER}
        answers = sorted(apart, key=lambda answer: (-counts[answer], answer))
        answers = self._steps(answers) if self._is_scale else answers[:answers_most]
        rest = _sum(self._cells[group] for group in sizes.keys() - set(named))
        rows = [(group, self._cells[group]) for group in named] + ([(others, rest)] if rest else [])
        further = [others] if counts.keys() - set(answers) else []
        groups = [_crossed(name, cells, answers, bool(further)) for name, cells in rows]
        if self._is_scale:
            groups = [one._replace(mean=mean_of(cells)) for one, (_, cells) in zip(groups, rows, strict=True)]
        return CrossTable(answers + further, groups)

    def _steps(self, frequent: list[str]) -> list[str]:
        """Return the steps of a scale that are shown: its marks, and other answers as far as there is room."""
        others = [answer for answer in frequent if answer not in self._marks]
        return in_order([*self._marks, *others][:STEPS_MAX])


def _sum(groups: Iterable[Counter[str]]) -> Counter[str]:
    total = Counter[str]()
    for cells in groups:
        total.update(cells)
    return total


def _crossed(name: str, cells: Mapping[str, int], answers: list[str], has_others: bool) -> CrossedGroup:  # noqa: FBT001
    total = sum(cells.values())
    counts = [cells.get(answer, 0) for answer in answers]
    counts += [total - sum(counts)] if has_others else []
    return CrossedGroup(name, total, [share_of(count, total) for count in counts])


def share_of(count: int, total: int) -> Share:
    """Return a share of a whole, whose margin is half the width of Wilson's 95 % interval."""
    if not total:
        return Share(count, 0.0, 0.0)
    share, spread = count / total, _Z**2 / total
    half = _Z * sqrt(share * (1 - share) / total + spread / (4 * total)) / (1 + spread)
    return Share(count, _PERCENT * share, _PERCENT * half)


def tenths(count: int, total: int) -> int:
    """Return how many of ten people a share is, rounded; 0 and 10 may be a few of many, or nearly all."""
    return (2 * _TENTHS * count + total) // (2 * total) if total else 0
