"""The keys of branches: those that a section may have, and their words."""

from collections.abc import Mapping
from typing import Final

from dialer.domain.enums import SectionType
from dialer.domain.survey.sections.table import definition_of
from dialer.domain.survey.survey import BRANCH_ANY, BRANCH_DONE, BRANCH_INVALID, BRANCH_TIMEOUT, Section

RATINGS_MAX: Final = 10
"""Ratings for which a branch of their own is offered."""
_WORDS: Final[Mapping[str, str]] = {
    BRANCH_ANY: "any other answer",
    BRANCH_INVALID: "wrong input",
    BRANCH_TIMEOUT: "no input",
}


def keys_of(section: Section) -> list[str]:
    """Return the keys for which a section can be given a branch."""
    if not definition_of(section).asks:
        return [BRANCH_DONE]
    own = list(section.key_labels) if section.type == SectionType.MULTI_CHOICE else []
    if section.type == SectionType.RATING:
        own = [str(rating) for rating in range(1, min(section.rating_laps, RATINGS_MAX) + 1)]
    return [*own, *_WORDS]


def key_in_words(section: Section, key: str) -> str:
    """Return a key as people say it, with the label of an answer."""
    if key == BRANCH_DONE and not definition_of(section).asks:
        return "then"
    label = section.key_labels.get(key) if section.type == SectionType.MULTI_CHOICE else None
    return _WORDS.get(key) or (f"{key}: {label}" if label else key)
