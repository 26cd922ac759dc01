"""The keys of branches: those that a section may have, their words, and the ways that they make in the graph."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from dialer.console.words.language import gettext, gettext_noop
from dialer.domain.survey.editing import FALLBACKS, keys_onward
from dialer.domain.survey.sections.table import definition_of
from dialer.domain.survey.survey import BRANCH_ANY, BRANCH_DONE, BRANCH_INVALID, BRANCH_TIMEOUT, Section

WAYS_MAX: Final = 8
"""Ways of a section in the graph. If its keys lead to more places, those with one target share a way."""
_ANSWERS: Final = ("1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "0")
"""The answers for which a branch of their own is offered, as far as a section accepts them."""
_WORDS: Final[Mapping[str, str]] = {
    BRANCH_ANY: gettext_noop("any other answer"),
    BRANCH_INVALID: gettext_noop("wrong input"),
    BRANCH_TIMEOUT: gettext_noop("no input"),
}
_SHORT: Final[Mapping[str, str]] = {
    BRANCH_ANY: gettext_noop("other"),
    BRANCH_INVALID: gettext_noop("wrong"),
    BRANCH_TIMEOUT: gettext_noop("silent"),
}
UNSET: Final = -1
"""The target of keys without a branch."""


class Way(NamedTuple):
    """A way out of a section: keys that lead to the same section."""

    keys: tuple[str, ...]
    label: str
    """Its words on the graph, which are short; empty for a section with one way."""
    words: str
    target: int | None
    """None if the call ends."""


def keys_of(section: Section) -> list[str]:
    """Return the keys for which a section can be given a branch."""
    definition = definition_of(section)
    if definition.ends:
        return []
    if definition.converses:
        return [BRANCH_DONE, *FALLBACKS]
    if not definition.asks:
        return [BRANCH_DONE, BRANCH_TIMEOUT] if definition.transfers else [BRANCH_DONE]
    return [*(key for key in _ANSWERS if _answer_of(section, key) is not None), *FALLBACKS]


def key_in_words(section: Section, key: str) -> str:
    """Return a key as people say it, with the label of an answer."""
    definition = definition_of(section)
    if key in definition.branch_words:
        return gettext(definition.branch_words[key])
    if definition.transfers and key == BRANCH_TIMEOUT:
        return gettext("nobody answers")
    if key == BRANCH_DONE and not definition.asks:
        return gettext("afterwards") if definition.transfers else gettext("then")
    if key == BRANCH_ANY and not definition.names_answers and section.branches.keys() <= set(FALLBACKS):
        return gettext("any answer")
    if key in _WORDS:
        return gettext(_WORDS[key])
    answer = _answer_of(section, key)
    return key if answer is None or answer == key else f"{key}: {answer}"


def ways_of(section: Section) -> list[Way]:
    """Return the ways out of a section, those that lead nowhere among them."""
    definition = definition_of(section)
    answers = _answers_with_a_way(section)
    if definition.asks:
        needs_any = not definition.names_answers or BRANCH_ANY in section.branches
        others = [key for key in FALLBACKS if needs_any or key != BRANCH_ANY]
    else:
        onward = keys_onward(definition)
        others, answers = [*onward, *(key for key in section.branches if key not in onward)], []
    groups = [*([key] for key in answers), *_by_target(section, others)]
    if len(groups) > WAYS_MAX:
        groups = [*_by_target(section, answers), *_by_target(section, others)]
    return [_way(section, tuple(keys), is_only=len(groups) == 1) for keys in groups]


def _answers_with_a_way(section: Section) -> list[str]:
    """Return the answers that have a branch, and those of a choice without one if no branch is for all others."""
    own = [key for key in section.branches if key not in FALLBACKS]
    if definition_of(section).names_answers and BRANCH_ANY not in section.branches:
        own += [key for key in section.key_labels if key not in own]
    return sorted(own, key=lambda key: (key == BRANCH_DONE, len(key), key))


def _by_target(section: Section, keys: list[str]) -> list[list[str]]:
    groups: dict[int | None, list[str]] = {}
    for key in keys:
        groups.setdefault(_leads_to(section, key), []).append(key)
    return list(groups.values())


def stands_in(section: Section, key: str) -> str:
    """Return the key whose branch a transfer takes because it has none for `key`; an empty text for none."""
    if key in section.branches or not definition_of(section).transfers:
        return ""
    if key == BRANCH_DONE:
        return BRANCH_TIMEOUT if BRANCH_TIMEOUT in section.branches else ""
    return BRANCH_DONE if section.queue_id is None and BRANCH_DONE in section.branches else ""


def _leads_to(section: Section, key: str) -> int | None:
    return section.branches.get(stands_in(section, key) or key, UNSET)


def _way(section: Section, keys: tuple[str, ...], *, is_only: bool) -> Way:
    definition = definition_of(section)
    words = ", ".join(key_in_words(section, key) for key in keys)
    if definition.converses:
        label = "" if is_only else ", ".join(keys)
    elif not definition.asks:
        shorter = gettext("no answer") if keys == (BRANCH_TIMEOUT,) and definition.transfers else words
        label = "" if is_only else shorter
    elif len(keys) > 1 and set(keys) <= set(FALLBACKS):
        label = gettext("always") if is_only else gettext("else")
    elif definition.names_answers and len(keys) == 1 and (answer := section.key_labels.get(keys[0])):
        label = f"{keys[0]} {answer}"
    else:
        label = ", ".join(gettext(_SHORT[key]) if key in _SHORT else key for key in keys)
    target = _leads_to(section, keys[0])
    return Way(keys, label, words, None if target == UNSET else target)


def _answer_of(section: Section, key: str) -> str | None:
    definition = definition_of(section)
    return definition.response_to(section, key) if definition.asks and definition.has_chosen_answers else None
