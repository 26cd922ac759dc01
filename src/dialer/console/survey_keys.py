"""The keys of branches: those that a section may have, and their words."""

from collections.abc import Mapping
from typing import Final

from dialer.domain.survey.sections.table import definition_of
from dialer.domain.survey.survey import BRANCH_ANY, BRANCH_DONE, BRANCH_INVALID, BRANCH_TIMEOUT, Section

_ANSWERS: Final = tuple(str(number) for number in range(11))
"""The answers for which a branch of their own is offered, as far as a section accepts them."""
_WORDS: Final[Mapping[str, str]] = {
    BRANCH_ANY: "any other answer",
    BRANCH_INVALID: "wrong input",
    BRANCH_TIMEOUT: "no input",
}


def keys_of(section: Section) -> list[str]:
    """Return the keys for which a section can be given a branch."""
    if not definition_of(section).asks:
        return [BRANCH_DONE]
    return [*(key for key in _ANSWERS if _answer_of(section, key) is not None), *_WORDS]


def key_in_words(section: Section, key: str) -> str:
    """Return a key as people say it, with the label of an answer."""
    if key == BRANCH_DONE and not definition_of(section).asks:
        return "then"
    if key in _WORDS:
        return _WORDS[key]
    answer = _answer_of(section, key)
    return key if answer is None or answer == key else f"{key}: {answer}"


def _answer_of(section: Section, key: str) -> str | None:
    definition = definition_of(section)
    return definition.response_to(section, key) if definition.asks and definition.has_chosen_answers else None
