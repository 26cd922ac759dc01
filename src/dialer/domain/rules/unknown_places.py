"""People whose place is not known: by their area code, or by a column `state` that names no state of their country."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from dialer.domain.survey.findings import Finding, FindingCode, FindingLevel
from dialer.domain.words.sentences import Sentence, counting_sentence

AREAS_SHOWN_MAX: Final = 5
"""Area codes that a message shows."""


class UnknownStates(NamedTuple):
    """The people whose state is not understood, as far as they were looked at."""

    people: int
    example: str
    """The state of the first of them, as it is written."""


def with_unknown_state(unknown: UnknownStates) -> Finding:
    """Return the warning about states that are not understood."""
    message = counting_sentence(
        "A person has a state that is not known (%(example)s), so rules of states hold by the area code alone. Write"
        " its code, such as FL or NSW, or the English name.",
        "%(count)s people have a state that is not known (such as %(example)s), so rules of states hold by the area"
        " code alone. Write its code, such as FL or NSW, or the English name.",
        unknown.people,
        example=unknown.example,
    )
    return Finding(FindingLevel.WARNING, FindingCode.UNKNOWN_STATE, None, message, field="phonebook")


def in_unknown_areas(areas: Mapping[str, int]) -> Sentence:
    """Return the words about numbers whose area code has no known place, by area code."""
    shown = sorted(areas)[:AREAS_SHOWN_MAX]
    return counting_sentence(
        "A number has an area code whose place is not known (%(areas)s). It is called only while the hours of all"
        " states and provinces allow it. An admin can tell the time zone in the file of DIALER_PLACES_FILE.",
        "%(count)s numbers have area codes whose place is not known (%(areas)s). They are called only while the hours"
        " of all states and provinces allow it. An admin can tell the time zones in the file of DIALER_PLACES_FILE.",
        sum(areas.values()),
        areas=", ".join(shown) + ("" if len(areas) <= AREAS_SHOWN_MAX else ", …"),
    )
