"""The calls that somebody expects by half hours of the week, as text: `mon-fri 09:00-17:00 30; sat 10:00-14:00 96/day`.

An entry has weekdays, a time of the day, and the calls of each half hour in it, or with `/day` of each whole day.
"""

import re
from collections import defaultdict
from collections.abc import Mapping
from typing import Final

from dialer.domain.words.sentences import Sentence

DAY_HALF_HOURS: Final = 48
TEXT_MAX: Final = 2_000
"""The most characters of such a text."""
CALLS_MAX: Final = 100_000
EXAMPLE: Final = "mon-fri 09:00-17:00 30; sat 10:00-14:00 96/day"
_DAYS: Final = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_NAMES: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_DAY: Final = {name: place for names in (_DAYS, _NAMES) for place, name in enumerate(names)}
_ENTRY: Final = re.compile(
    r"(?P<days>[a-z]+(?:[-,][a-z]+)*)\s+(?P<from>[0-9]{1,2}:[0-9]{2})\s*-\s*(?P<to>[0-9]{1,2}:[0-9]{2})\s+"
    r"(?P<calls>-?[0-9]{1,40}(?:\.[0-9]{1,40})?)(?P<daily>\s*/\s*day)?"
)


class TypedVolumesError(ValueError):
    """Raised for a text that says no calls; `sentence` says which entry, and how one looks."""

    def __init__(self, sentence: Sentence) -> None:
        """Keep the sentence, whose template pages translate."""
        super().__init__(sentence)
        self.sentence: Final = sentence


def volumes_in(text: str) -> Mapping[int, float]:
    """Return the calls by the place of the half hour in the week, from Monday 00:00. Entries that meet add up.

    Raises:
        TypedVolumesError: an entry cannot be read, or the text is too long.
    """
    if len(text) > TEXT_MAX:
        raise TypedVolumesError(Sentence("Give at most %(most)s characters.", most=TEXT_MAX))
    found: defaultdict[int, float] = defaultdict(float)
    for entry in re.split(r"[;\n\r]+", text):
        if entry.strip():
            _add(found, entry.strip())
    return {place: calls for place, calls in sorted(found.items()) if calls}


def _add(found: defaultdict[int, float], entry: str) -> None:
    read = _ENTRY.fullmatch(entry.lower())
    days = _days(read["days"]) if read else None
    first, end = (_half_hour(read[name]) if read else None for name in ("from", "to"))
    if read is None or not days or first is None or end is None or first >= end:
        raise TypedVolumesError(
            Sentence(
                "%(entry)r says no calls of half hours. Write it as in: %(example)s", entry=entry[:60], example=EXAMPLE
            )
        )
    whole = float(read["calls"])
    if not 0 <= whole <= CALLS_MAX:
        raise TypedVolumesError(
            Sentence("%(entry)r: the calls are a number from 0 to %(most)s.", entry=entry[:60], most=CALLS_MAX)
        )
    calls = whole / (end - first if read["daily"] else 1)
    for day in days:
        for half_hour in range(first, end):
            found[day * DAY_HALF_HOURS + half_hour] += calls


def _days(text: str) -> set[int] | None:
    """Return the weekdays of `mon-fri` or `mon,wed`, Monday as 0; None if a word is no weekday."""
    days: set[int] = set()
    for part in text.split(","):
        first, _, last = part.partition("-")
        ends = (_DAY.get(first), _DAY.get(last or first))
        if ends[0] is None or ends[1] is None or ends[0] > ends[1]:
            return None
        days |= set(range(ends[0], ends[1] + 1))
    return days


def _half_hour(text: str) -> int | None:
    """Return the number of the half hour that begins at a time of the day, 48 at its end; None for other times."""
    hour, minute = map(int, text.split(":"))
    place = hour * 2 + minute // 30
    return place if minute in {0, 30} and place <= DAY_HALF_HOURS else None
