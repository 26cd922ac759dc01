"""The check of a survey before a campaign starts: sections, branches and answers that cannot work as designed."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

from dialer.domain.messages.templates import is_word
from dialer.domain.survey.callflow import NODES_PER_CALL_MAX
from dialer.domain.survey.early_completion import remarks_on_early_completion
from dialer.domain.survey.findings import Finding, FindingCode, FindingLevel, Remark
from dialer.domain.survey.loops import loops
from dialer.domain.survey.placeholders import NOTHING_KNOWN, KnownNames, remarks_on_text
from dialer.domain.survey.reach import shortest_paths
from dialer.domain.survey.sections.agent_fields import names_in
from dialer.domain.survey.sections.table import definition_of
from dialer.domain.survey.survey import BRANCH_TIMEOUT, Section, Survey, section_name
from dialer.domain.words.sentences import FieldName, Sentence, template

SECTIONS_MAX: Final = 1_000
"""Number of sections of a survey that a campaign can start."""
NAMED_MAX: Final = 10
"""Number of keys or sections that one message lists."""
_ENDLESS: Final = template("A loop never waits for the callee: %(names)s. The call is hung up after %(most)s sections.")
_SILENT: Final = template(
    "A loop never asks the callee anything: %(names)s. The call is hung up after %(most)s sections."
)
_UNANSWERED: Final = template(
    "A callee who presses nothing goes round in a loop: %(names)s. The call lasts until %(limit)s is over."
)


def check_survey(survey: Survey, known: KnownNames = NOTHING_KNOWN) -> list[Finding]:
    """Return all findings about the survey, in the order of its sections.

    `known` are the names that the placeholders of a campaign's people can have.
    """
    count = len(survey.sections)
    if count == 0:
        message = Sentence("The survey has no sections.")
        return [Finding(FindingLevel.ERROR, FindingCode.NO_SECTIONS, None, message)]
    if count > SECTIONS_MAX:
        message = Sentence(
            "The survey has %(count)s sections; at most %(most)s can be played.", count=count, most=SECTIONS_MAX
        )
        return [Finding(FindingLevel.ERROR, FindingCode.TOO_MANY_SECTIONS, None, message)]
    sections = {section.id: section for section in survey.sections}
    paths = shortest_paths(survey.sections[0], sections)
    in_loops = _remarks_on_loops([sections[section_id] for section_id in paths])
    early = remarks_on_early_completion(survey.sections[0], sections)
    is_cut = len(paths) < count
    findings = []
    for section in survey.sections:
        remarks = [remark for rule in _RULES for remark in rule(section, sections)]
        remarks += _remarks_on_the_end(section, sections, is_cut=is_cut)
        if section.id in paths:
            remarks += _remarks_on_texts(section, known)
        else:
            message = Sentence("No call can reach this section.")
            remarks.insert(0, Remark(FindingLevel.WARNING, FindingCode.UNREACHABLE, message))
        remarks += in_loops.get(section.id, []) + early.get(section.id, [])
        path = paths.get(section.id, ())
        findings += [Finding(level, code, section.id, message, path) for level, code, message in remarks]
    return findings


def texts_of(section: Section) -> Iterator[str]:
    """Yield the texts of a section whose placeholders are filled in for the callee."""
    definition = definition_of(section)
    if section.prompt.audio_ms is None:
        yield section.prompt.script
    if definition.converses:
        yield "".join(f"{{{name}}}" for name in names_in(section.agent_parameters) if is_word(name))
        yield from (one.script for one in definition.heard_prompts(section) if one.audio_ms is None)
    if definition.sends_messages:
        yield section.sms_text
    if definition.transfers and section.queue_id is None and section.confirm_key:
        yield section.confirm_script


def _remarks_on_texts(section: Section, known: KnownNames) -> Iterator[Remark]:
    for text in texts_of(section):
        yield from remarks_on_text(text, section_name(section), known)


def _remarks_on_loops(reached: Iterable[Section]) -> dict[int, list[Remark]]:
    """Return one remark for each loop that goes on without the callee, at its section that a call reaches first."""
    sections = {section.id: section for section in reached}
    silent = {section_id: section for section_id, section in sections.items() if _never_asks(section)}
    instant = {section_id: quiet for section_id, quiet in silent.items() if not definition_of(quiet).acts_after_prompt}
    endless = loops(_targets(instant))
    waiting = [loop for loop in loops(_targets(silent)) if not any(loop >= other for other in endless)]
    remarks: dict[int, list[Remark]] = {}
    for level, section_loops, words in (
        (FindingLevel.ERROR, endless, _ENDLESS),
        (FindingLevel.WARNING, waiting, _SILENT),
    ):
        for loop in section_loops:
            first = next(section_id for section_id in silent if section_id in loop)
            names = _first_names(str(section_id) for section_id in silent if section_id in loop)
            message = Sentence(words, names=names, most=NODES_PER_CALL_MAX)
            remarks.setdefault(first, []).append(Remark(level, FindingCode.LOOP, message))
    for loop in loops({**_targets(silent), **_targets_without_answer(sections)}):
        in_order = [section_id for section_id in sections if section_id in loop]
        if not loop <= silent.keys():
            names, limit = _first_names(map(str, in_order)), FieldName("callmaxduration")
            message = Sentence(_UNANSWERED, names=names, limit=limit)
            remarks.setdefault(in_order[0], []).append(Remark(FindingLevel.WARNING, FindingCode.LOOP, message))
    return remarks


def _never_asks(section: Section) -> bool:
    """Return whether the call leaves this section without asking the callee for input."""
    definition = definition_of(section)
    return not definition.asks and not definition.converses and not definition.ends


def _targets(sections: Mapping[int, Section]) -> dict[int, list[int]]:
    """Return the sections to which each section leads."""
    return {
        section.id: [
            target for key in definition_of(section).ways_out(section) if (target := section.branches[key]) is not None
        ]
        for section in sections.values()
    }


def _targets_without_answer(sections: Mapping[int, Section]) -> dict[int, list[int]]:
    """Return the section to which each section that asks leads if the callee presses nothing."""
    timeouts = {one.id: one.branches.get(BRANCH_TIMEOUT) for one in sections.values() if definition_of(one).asks}
    return {section_id: [] if target is None else [target] for section_id, target in timeouts.items()}


def _check_targets(section: Section, sections: Mapping[int, Section]) -> Iterator[Remark]:
    lost = [key for key, target in section.branches.items() if target is not None and target not in sections]
    if lost:
        message = Sentence(
            "Branches lead to sections that this survey does not have: %(keys)s.", keys=_first_names(sorted(lost))
        )
        yield Remark(FindingLevel.ERROR, FindingCode.UNKNOWN_TARGET, message)


def _check_settings(section: Section, _: Mapping[int, Section]) -> Iterator[Remark]:
    yield from definition_of(section).remarks(section)


def _check_prompt(section: Section, _: Mapping[int, Section]) -> Iterator[Remark]:
    if definition_of(section).needs_prompt and section.prompt.audio_ms is None and not section.prompt.script.strip():
        message = Sentence(
            "There is neither an %(recording)s nor a %(text)s: the callee hears nothing.",
            recording=FieldName("audiofile"),
            text=FieldName("script"),
        )
        yield Remark(FindingLevel.WARNING, FindingCode.MISSING_PROMPT, message)


def _check_branches(section: Section, _: Mapping[int, Section]) -> Iterator[Remark]:
    definition = definition_of(section)
    taken = set(definition.ways_out(section))
    never = sorted(key for key in section.branches if key not in taken)
    if never and definition.ends:
        message = Sentence("The call ends here, so branches are never taken: %(keys)s.", keys=_first_names(never))
        yield Remark(FindingLevel.WARNING, FindingCode.AFTER_THE_END, message)
        return
    reasons: dict[str, list[str]] = {}
    for key in never:
        reasons.setdefault(definition.why_never_taken(section, key), []).append(key)
    for reason, keys in reasons.items():
        message = Sentence("Branches are never taken: %(keys)s; %(reason)s.", keys=_first_names(keys), reason=reason)
        yield Remark(FindingLevel.WARNING, FindingCode.NEVER_TAKEN, message)


def _remarks_on_the_end(section: Section, sections: Mapping[int, Section], *, is_cut: bool) -> Iterator[Remark]:
    """Yield a remark if the call ends at a section where its author is likely to want it to continue.

    A survey may well end after a question or a transfer, unless it `is_cut`: it has sections that no call can reach.
    """
    definition = definition_of(section)
    goes_on = is_cut and (definition.transfers or definition.asks)
    if goes_on and not any(section.branches[key] in sections for key in definition.ways_out(section)):
        message = Sentence("The call always ends here: no branch leads to another section.")
        yield Remark(FindingLevel.WARNING, FindingCode.DEAD_END, message)


def _first_names(names: Iterable[str]) -> str:
    """Return the first of the names, joined by commas, and the number of the others."""
    all_names = list(names)
    more = len(all_names) - NAMED_MAX
    names = ", ".join(all_names[:NAMED_MAX])
    return names if more <= 0 else Sentence("%(names)s and %(count)s more", names=names, count=more)


_RULES: Final[tuple[Callable[[Section, Mapping[int, Section]], Iterator[Remark]], ...]] = (
    _check_targets,
    _check_settings,
    _check_prompt,
    _check_branches,
)
