"""The ways out of a section: those of its branches that a call can take, whatever the callee does."""

from dialer.domain.enums import SectionType
from dialer.domain.survey.answers import count_answers, response_to
from dialer.domain.survey.callflow import INPUT_END
from dialer.domain.survey.survey import BRANCH_ANY, BRANCH_DONE, BRANCH_INVALID, BRANCH_TIMEOUT, Section


def ways_out(section: Section) -> tuple[str, ...]:
    """The keys of the branches that can be taken: what can be pressed first, in order, then the words."""
    if section.ends:
        return ()
    branches = section.branches
    if not section.asks:
        present = tuple(key for key in (BRANCH_DONE, BRANCH_TIMEOUT) if key in branches)
        return present if section.type is SectionType.CALL_TRANSFER else present[:1]
    pressed = sorted((key for key in branches if _is_answer(section, key)), key=lambda key: (len(key), key))
    words: list[str] = [key for key in (BRANCH_TIMEOUT, BRANCH_INVALID) if key in branches]
    if BRANCH_ANY in branches and count_answers(section) > len(pressed):
        words.insert(0, BRANCH_ANY)
    return (*pressed, *words)


def _is_answer(section: Section, key: str) -> bool:
    """Whether an input can be exactly these keys, and right."""
    return len(key) <= section.digits_max and INPUT_END not in key and response_to(section, key) is not None
