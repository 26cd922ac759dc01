"""What is wrong with a survey before anybody hears it: sections, branches and answers that cannot work as drawn."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import StrEnum
from typing import Final, NamedTuple

import msgspec

from dialer.domain.enums import SectionType
from dialer.domain.numbers.emergency import spells_emergency
from dialer.domain.numbers.normal_form import is_number
from dialer.domain.survey.answers import count_answers
from dialer.domain.survey.callflow import NODES_PER_CALL_MAX
from dialer.domain.survey.loops import loops
from dialer.domain.survey.reach import Path, shortest_paths
from dialer.domain.survey.survey import BRANCH_ANY, BRANCH_DONE, BRANCH_TIMEOUT, Section, Survey
from dialer.domain.survey.ways import ways_out

SECTIONS_MAX: Final = 1_000
"""Sections of a survey that may be started."""
NAMED_MAX: Final = 10
"""Keys or sections that one message names."""

_SPEAKING_TYPES: Final = frozenset({SectionType.PLAY_MESSAGE, SectionType.RECORD_MESSAGE})
_TELEPHONE_KEYS: Final = frozenset("0123456789*#")
_INSTANT_TYPES: Final = frozenset({SectionType.PLAY_MESSAGE, SectionType.SMS})
"""Sections that wait neither for the callee nor for anybody else."""


class FindingLevel(StrEnum):
    """How bad a finding is: a survey with an error is not started."""

    ERROR = "error"
    WARNING = "warning"


class FindingCode(StrEnum):
    """What is wrong."""

    NO_SECTIONS = "no_sections"
    TOO_MANY_SECTIONS = "too_many_sections"
    UNREACHABLE = "unreachable"
    UNKNOWN_TARGET = "unknown_target"
    DEAD_END = "dead_end"
    LOOP = "loop"
    NEVER_TAKEN = "never_taken"
    AFTER_THE_END = "after_the_end"
    MISSING_PROMPT = "missing_prompt"
    MISSING_TEXT = "missing_text"
    NO_ANSWER = "no_answer"
    NO_DESTINATION = "no_destination"


class Finding(msgspec.Struct, frozen=True):
    """One thing that is wrong: where, and how a call gets there in the fewest branches.

    `section_id` is None for what concerns the survey as a whole. `path` is empty for the first section, and for one
    that no call can reach.
    """

    level: FindingLevel
    code: FindingCode
    section_id: int | None
    message: str
    path: Path = ()


class _Remark(NamedTuple):
    """A finding without its place."""

    level: FindingLevel
    code: FindingCode
    message: str


def check_survey(survey: Survey) -> list[Finding]:
    """Everything that is wrong with the survey, by the order of its sections."""
    count = len(survey.sections)
    if count == 0:
        return [Finding(FindingLevel.ERROR, FindingCode.NO_SECTIONS, None, "The survey has no sections.")]
    if count > SECTIONS_MAX:
        message = f"The survey has {count} sections; at most {SECTIONS_MAX} can be played."
        return [Finding(FindingLevel.ERROR, FindingCode.TOO_MANY_SECTIONS, None, message)]
    sections = {section.id: section for section in survey.sections}
    paths = shortest_paths(survey.sections[0], sections)
    in_loops = _remarks_on_loops([sections[section_id] for section_id in paths])
    found = []
    for section in survey.sections:
        remarks = [remark for rule in _RULES for remark in rule(section, sections)]
        if section.id not in paths:
            remarks.insert(
                0, _Remark(FindingLevel.WARNING, FindingCode.UNREACHABLE, "No call can come to this section.")
            )
        remarks += in_loops.get(section.id, [])
        path = paths.get(section.id, ())
        found += [Finding(level, code, section.id, message, path) for level, code, message in remarks]
    return found


def _remarks_on_loops(reached: Iterable[Section]) -> dict[int, list[_Remark]]:
    """One remark a loop that asks nothing, at the section of it that a call comes to first."""
    mute = {section.id: section for section in reached if not section.asks and not section.ends}
    instant = {section.id: section for section in mute.values() if section.type in _INSTANT_TYPES}
    endless = loops(_targets(instant))
    waiting = [loop for loop in loops(_targets(mute)) if not any(loop >= other for other in endless)]
    remarks: dict[int, list[_Remark]] = {}
    for level, found, how in (
        (FindingLevel.ERROR, endless, "never waits for the callee"),
        (FindingLevel.WARNING, waiting, "never asks the callee anything"),
    ):
        for loop in found:
            first = next(section_id for section_id in mute if section_id in loop)
            names = _listed(str(section_id) for section_id in mute if section_id in loop)
            message = f"A loop {how}: {names}. The call is hung up after {NODES_PER_CALL_MAX} sections."
            remarks.setdefault(first, []).append(_Remark(level, FindingCode.LOOP, message))
    return remarks


def _targets(sections: Mapping[int, Section]) -> dict[int, list[int]]:
    """Where the sections lead, as far as to one another."""
    return {
        section.id: [
            target for key in ways_out(section) if (target := section.branches[key]) is not None and target in sections
        ]
        for section in sections.values()
    }


def _check_targets(section: Section, sections: Mapping[int, Section]) -> Iterator[_Remark]:
    lost = [key for key, target in section.branches.items() if target is not None and target not in sections]
    if lost:
        message = f"Branches lead to sections that are not of this survey: {_listed(sorted(lost))}."
        yield _Remark(FindingLevel.ERROR, FindingCode.UNKNOWN_TARGET, message)


def _check_answers(section: Section, _: Mapping[int, Section]) -> Iterator[_Remark]:
    if not section.asks or count_answers(section) > 0:
        return
    why = {
        SectionType.MULTI_CHOICE: "none of key_0 to key_9 is set",
        SectionType.RATING: "rating_laps is below 1",
        SectionType.CAPTURE_DIGITS: "number_digits digits cannot make a number from min_number to max_number",
    }
    yield _Remark(FindingLevel.ERROR, FindingCode.NO_ANSWER, f"No input is ever right: {why[section.type]}.")


def _check_destination(section: Section, _: Mapping[int, Section]) -> Iterator[_Remark]:
    if section.type is SectionType.CALL_TRANSFER and section.queue_id is None:
        message = ""
        if not section.phonenumber.strip():
            message = "The transfer has neither a phonenumber nor a queue."
        elif not is_number(section.phonenumber):
            message = "The transfer's phonenumber is no telephone number."
        elif spells_emergency(section.phonenumber):
            message = "The transfer's phonenumber is an emergency number, which is never dialled."
        if message:
            yield _Remark(FindingLevel.ERROR, FindingCode.NO_DESTINATION, message)
    if section.type is SectionType.SMS and not section.sms_text.strip():
        yield _Remark(FindingLevel.WARNING, FindingCode.MISSING_TEXT, "There is no sms_text: no message is sent.")


def _check_confirmation(section: Section, _: Mapping[int, Section]) -> Iterator[_Remark]:
    if section.type is not SectionType.CALL_TRANSFER or section.queue_id is not None or not section.confirm_key:
        return
    if section.confirm_key not in _TELEPHONE_KEYS:
        message = "Nobody can take the transfer: confirm_key is none of the keys of a telephone."
        yield _Remark(FindingLevel.ERROR, FindingCode.NO_ANSWER, message)
    if not section.confirm_script.strip():
        message = "There is no confirm_script: nobody is told to press the confirm_key."
        yield _Remark(FindingLevel.WARNING, FindingCode.MISSING_PROMPT, message)


def _check_prompt(section: Section, _: Mapping[int, Section]) -> Iterator[_Remark]:
    speaks = section.asks or section.type in _SPEAKING_TYPES
    if speaks and section.prompt.audio_ms is None and not section.prompt.script.strip():
        message = "There is neither an audiofile nor a script: the callee hears nothing."
        yield _Remark(FindingLevel.WARNING, FindingCode.MISSING_PROMPT, message)


def _check_branches(section: Section, _: Mapping[int, Section]) -> Iterator[_Remark]:
    taken = set(ways_out(section))
    never = sorted(key for key in section.branches if key not in taken)
    if never and section.ends:
        message = f"The call ends here; branches are never taken: {_listed(never)}."
        yield _Remark(FindingLevel.WARNING, FindingCode.AFTER_THE_END, message)
        return
    reasons: dict[str, list[str]] = {}
    for key in never:
        reasons.setdefault(_why_never(section, key), []).append(key)
    for reason, keys in reasons.items():
        yield _Remark(
            FindingLevel.WARNING, FindingCode.NEVER_TAKEN, f"Branches are never taken: {_listed(keys)}; {reason}."
        )


def _why_never(section: Section, key: str) -> str:
    """Why no call takes the branch of a section that goes on."""
    if not section.asks:
        is_second = key == BRANCH_TIMEOUT
        return (
            f"{BRANCH_DONE} goes first" if is_second else f"only {BRANCH_DONE} and {BRANCH_TIMEOUT} lead on from here"
        )
    if key == BRANCH_ANY:
        return "every right input has a branch of its own"
    if section.type is SectionType.MULTI_CHOICE:
        return "an answer is one digit whose key_n is set"
    if section.type is SectionType.RATING:
        return f"an answer is 1 to {section.rating_laps}"
    if len(key) > section.digits_max:
        return f"an answer has at most {section.number_digits} digits"
    return f"an answer is {section.min_number} to {section.max_number}"


def _check_end(section: Section, sections: Mapping[int, Section]) -> Iterator[_Remark]:
    goes_on = section.asks or section.type is SectionType.CALL_TRANSFER
    if goes_on and not any(section.branches[key] in sections for key in ways_out(section)):
        yield _Remark(
            FindingLevel.WARNING, FindingCode.DEAD_END, "Whatever happens here, the call is hung up: nothing leads on."
        )


def _listed(names: Iterable[str]) -> str:
    """The first of the names, and how many more there are."""
    all_names = list(names)
    more = len(all_names) - NAMED_MAX
    return ", ".join(all_names[:NAMED_MAX]) + (f" and {more} more" if more > 0 else "")


_RULES: Final[tuple[Callable[[Section, Mapping[int, Section]], Iterator[_Remark]], ...]] = (
    _check_targets,
    _check_answers,
    _check_destination,
    _check_confirmation,
    _check_prompt,
    _check_branches,
    _check_end,
)
