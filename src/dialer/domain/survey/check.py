"""The check of a survey before a campaign starts: sections, branches and answers that cannot work as designed."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

from dialer.domain.survey.callflow import NODES_PER_CALL_MAX
from dialer.domain.survey.findings import Finding, FindingCode, FindingLevel, Remark
from dialer.domain.survey.loops import loops
from dialer.domain.survey.reach import shortest_paths
from dialer.domain.survey.sections.table import definition_of
from dialer.domain.survey.survey import Section, Survey

SECTIONS_MAX: Final = 1_000
"""Number of sections of a survey that a campaign can start."""
NAMED_MAX: Final = 10
"""Number of keys or sections that one message lists."""


def check_survey(survey: Survey) -> list[Finding]:
    """Return all findings about the survey, in the order of its sections."""
    count = len(survey.sections)
    if count == 0:
        return [Finding(FindingLevel.ERROR, FindingCode.NO_SECTIONS, None, "The survey has no sections.")]
    if count > SECTIONS_MAX:
        message = f"The survey has {count} sections; at most {SECTIONS_MAX} can be played."
        return [Finding(FindingLevel.ERROR, FindingCode.TOO_MANY_SECTIONS, None, message)]
    sections = {section.id: section for section in survey.sections}
    paths = shortest_paths(survey.sections[0], sections)
    in_loops = _remarks_on_loops([sections[section_id] for section_id in paths])
    is_cut = len(paths) < count
    findings = []
    for section in survey.sections:
        remarks = [remark for rule in _RULES for remark in rule(section, sections)]
        remarks += _remarks_on_the_end(section, sections, is_cut=is_cut)
        if section.id not in paths:
            message = f'No call can reach the section "{section.question}".'
            remarks.insert(0, Remark(FindingLevel.WARNING, FindingCode.UNREACHABLE, message))
        remarks += in_loops.get(section.id, [])
        path = paths.get(section.id, ())
        findings += [Finding(level, code, section.id, message, path) for level, code, message in remarks]
    return findings


def _remarks_on_loops(reached: Iterable[Section]) -> dict[int, list[Remark]]:
    """Return one remark for each loop without questions, at the section of the loop that a call reaches first."""
    silent = {section.id: section for section in reached if _never_asks(section)}
    instant = {section_id: quiet for section_id, quiet in silent.items() if not definition_of(quiet).acts_after_prompt}
    endless = loops(_targets(instant))
    waiting = [loop for loop in loops(_targets(silent)) if not any(loop >= other for other in endless)]
    remarks: dict[int, list[Remark]] = {}
    for level, section_loops, how in (
        (FindingLevel.ERROR, endless, "never waits for the callee"),
        (FindingLevel.WARNING, waiting, "never asks the callee anything"),
    ):
        for loop in section_loops:
            first = next(section_id for section_id in silent if section_id in loop)
            names = _first_names(str(section_id) for section_id in silent if section_id in loop)
            message = f"A loop {how}: {names}. The call is hung up after {NODES_PER_CALL_MAX} sections."
            remarks.setdefault(first, []).append(Remark(level, FindingCode.LOOP, message))
    return remarks


def _never_asks(section: Section) -> bool:
    """Return whether the call leaves this section without asking the callee for input."""
    definition = definition_of(section)
    return not definition.asks and not definition.ends


def _targets(sections: Mapping[int, Section]) -> dict[int, list[int]]:
    """Return the sections to which each section leads, limited to the given sections."""
    return {
        section.id: [
            target
            for key in definition_of(section).ways_out(section)
            if (target := section.branches[key]) is not None and target in sections
        ]
        for section in sections.values()
    }


def _check_targets(section: Section, sections: Mapping[int, Section]) -> Iterator[Remark]:
    lost = [key for key, target in section.branches.items() if target is not None and target not in sections]
    if lost:
        message = f"Branches lead to sections that this survey does not have: {_first_names(sorted(lost))}."
        yield Remark(FindingLevel.ERROR, FindingCode.UNKNOWN_TARGET, message)


def _check_settings(section: Section, _: Mapping[int, Section]) -> Iterator[Remark]:
    yield from definition_of(section).remarks(section)


def _check_prompt(section: Section, _: Mapping[int, Section]) -> Iterator[Remark]:
    if definition_of(section).needs_prompt and section.prompt.audio_ms is None and not section.prompt.script.strip():
        message = "There is neither an audiofile nor a script: the callee hears nothing."
        yield Remark(FindingLevel.WARNING, FindingCode.MISSING_PROMPT, message)


def _check_branches(section: Section, _: Mapping[int, Section]) -> Iterator[Remark]:
    definition = definition_of(section)
    taken = set(definition.ways_out(section))
    never = sorted(key for key in section.branches if key not in taken)
    if never and definition.ends:
        message = f"The call ends here, so branches are never taken: {_first_names(never)}."
        yield Remark(FindingLevel.WARNING, FindingCode.AFTER_THE_END, message)
        return
    reasons: dict[str, list[str]] = {}
    for key in never:
        reasons.setdefault(definition.why_never_taken(section, key), []).append(key)
    for reason, keys in reasons.items():
        yield Remark(
            FindingLevel.WARNING, FindingCode.NEVER_TAKEN, f"Branches are never taken: {_first_names(keys)}; {reason}."
        )


def _remarks_on_the_end(section: Section, sections: Mapping[int, Section], *, is_cut: bool) -> Iterator[Remark]:
    """Yield a remark if the call ends at a section where its author is likely to want it to continue.

    A survey may well end after a question or a transfer, unless it `is_cut`: it has sections that no call can reach.
    """
    definition = definition_of(section)
    goes_on = is_cut and (definition.transfers or definition.asks)
    if goes_on and not any(section.branches[key] in sections for key in definition.ways_out(section)):
        yield Remark(
            FindingLevel.WARNING, FindingCode.DEAD_END, "The call always ends here: no branch leads to another section."
        )


def _first_names(names: Iterable[str]) -> str:
    """Return the first of the names, joined by commas, and the number of the others."""
    all_names = list(names)
    more = len(all_names) - NAMED_MAX
    return ", ".join(all_names[:NAMED_MAX]) + (f" and {more} more" if more > 0 else "")


_RULES: Final[tuple[Callable[[Section, Mapping[int, Section]], Iterator[Remark]], ...]] = (
    _check_targets,
    _check_settings,
    _check_prompt,
    _check_branches,
)
