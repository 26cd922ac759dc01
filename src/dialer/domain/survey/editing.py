"""Decisions of an editor of surveys: the branches of a new section, and those that a deleted one leaves behind."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from dialer.domain.survey.sections.definition import SectionDefinition
from dialer.domain.survey.sections.table import definition_of
from dialer.domain.survey.survey import BRANCH_ANY, BRANCH_DONE, BRANCH_INVALID, BRANCH_TIMEOUT, Section, Survey

FALLBACKS: Final = (BRANCH_ANY, BRANCH_INVALID, BRANCH_TIMEOUT)
"""The branches of a question for every other answer, a wrong input and none."""


class Branch(NamedTuple):
    """A branch of a section: its key, and the section to which it leads; None: the call is hung up."""

    section_id: int
    key: str
    target: int | None


def keys_onward(definition: SectionDefinition) -> tuple[str, ...]:
    """Return the branch keys by which each call continues after a section of this type; none if it ends there."""
    if definition.ends:
        return ()
    if definition.asks:
        return FALLBACKS
    if definition.converses:
        return (BRANCH_DONE, BRANCH_TIMEOUT, BRANCH_INVALID)
    return (BRANCH_DONE, BRANCH_TIMEOUT) if definition.transfers else (BRANCH_DONE,)


def branches_to(survey: Survey, section_id: int) -> list[Branch]:
    """Return the branches of other sections that lead to this one."""
    return [
        Branch(section.id, key, target)
        for section in survey.sections
        for key, target in section.branches.items()
        if target == section_id != section.id
    ]


def onward(survey: Survey, section_id: int) -> int | None:
    """Return the section to which calls go on that would reach this one, if it is deleted.

    It is the target of the branch that needs no certain answer, or else of the first one that does. None: the end.
    """
    sections = {section.id: section for section in survey.sections}
    return next((target for target in _targets(sections[section_id]) if target in sections), None)


def _targets(section: Section) -> Iterator[int]:
    """Yield the other sections to which a section leads, that of the branch for whatever happens first."""
    definition = definition_of(section)
    for key in (*keys_onward(definition)[:1], *definition.ways_out(section)):
        target = section.branches.get(key)
        if target is not None and target != section.id:
            yield target


def branches_of_type(section: Section, definition: SectionDefinition) -> dict[str, int | None] | None:
    """Return the branches of a section that gets another type; None if the ones that it has will do.

    A question has other keys than a section that asks nothing, so the way on gets those keys.
    """
    if definition.type == section.type:
        return None
    if definition.ends:
        return {}
    if definition.asks == definition_of(section).asks:
        return None
    target = next(_targets(section), None)
    return {} if target is None else dict.fromkeys(keys_onward(definition), target)
