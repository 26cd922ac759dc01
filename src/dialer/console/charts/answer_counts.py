"""The answers of campaigns, counted for pages that move: only answers that are new are read again."""

import time
from collections import OrderedDict
from collections.abc import Callable
from operator import add
from threading import Lock
from typing import Final, NamedTuple

from sqlalchemy import Connection

from dialer.store.queries.survey_results import (
    ANSWERS_MAX,
    AnswerCount,
    LastAnswer,
    SectionCount,
    count_answers,
    last_answer,
)

KEPT_MAX: Final = 128
"""Campaigns whose answers are kept."""
RECOUNT_S: Final = 300
"""Seconds after which all answers are counted again, because answers may be erased."""


class _Sums(NamedTuple):
    """The figures of a section that are added up."""

    total: int = 0
    unserved: int = 0
    went_on: int = 0
    recordings: int = 0


class _Kept(NamedTuple):
    counts: dict[int, dict[str, int]]
    """The calls by section and answer, as far as they are listed."""
    sums: dict[int, _Sums]
    last: LastAnswer
    counted_s: float


class AnswerCounts:
    """The answers of campaigns by section. Threads may share it."""

    def __init__(self, now_s: Callable[[], float] = time.monotonic) -> None:
        self._now_s: Final = now_s
        self._kept: Final[OrderedDict[int, _Kept]] = OrderedDict()
        self._lock: Final = Lock()

    def read(self, connection: Connection, campaign_id: int, *, anew: bool = False) -> dict[int, SectionCount]:
        """Return the answers of a campaign by the ids of its sections, as `count_answers` does; `anew`: counts all."""
        with self._lock:
            kept = None if anew else self._kept.get(campaign_id)
        last = last_answer(connection, campaign_id)
        if last is None:
            with self._lock:
                self._kept.pop(campaign_id, None)
            return {}
        if kept is None or not self._is_true(connection, campaign_id, kept):
            counted = count_answers(connection, campaign_id)
            counts = {number: {one.response: one.count for one in found.answers} for number, found in counted.items()}
            kept = _Kept(counts, {number: _sums(found) for number, found in counted.items()}, last, self._now_s())
        elif last != kept.last:
            kept = _grown(kept, count_answers(connection, campaign_id, kept.last.id), last)
        with self._lock:
            self._kept[campaign_id] = kept
            self._kept.move_to_end(campaign_id)
            if len(self._kept) > KEPT_MAX:
                self._kept.popitem(last=False)
        return {
            number: SectionCount(kept.sums[number].total, _listed(counts), *kept.sums[number][1:])
            for number, counts in kept.counts.items()
        }

    def is_counted(self, campaign_id: int) -> bool:
        """Return whether the next reading is short, as it need not count all answers."""
        with self._lock:
            kept = self._kept.get(campaign_id)
        return kept is not None and self._now_s() - kept.counted_s < RECOUNT_S

    def _is_true(self, connection: Connection, campaign_id: int, kept: _Kept) -> bool:
        """Return whether the counts are not old, and the last answer that they count is still there."""
        is_new = self._now_s() - kept.counted_s < RECOUNT_S
        return is_new and last_answer(connection, campaign_id, kept.last.id) == kept.last


def _grown(kept: _Kept, new: dict[int, SectionCount], last: LastAnswer) -> _Kept:
    counts = {number: dict(found) for number, found in kept.counts.items()}
    sums = dict(kept.sums)
    for number, section in new.items():
        sums[number] = _Sums(*map(add, sums.get(number, _Sums()), _sums(section)))
        found = counts.setdefault(number, {})
        for one in section.answers:
            found[one.response] = found.get(one.response, 0) + one.count
    return _Kept(counts, sums, last, kept.counted_s)


def _sums(section: SectionCount) -> _Sums:
    return _Sums(section.total, section.unserved, section.went_on, section.recordings)


def _listed(counts: dict[str, int]) -> list[AnswerCount]:
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return [AnswerCount(*item) for item in ordered[:ANSWERS_MAX]]
