"""The check that a survey marks nobody completed before an agent has taken their call."""

from collections.abc import Collection, Iterator, Mapping

from dialer.domain.survey.findings import FindingCode, FindingLevel, Remark
from dialer.domain.survey.sections.table import definition_of
from dialer.domain.survey.survey import BRANCH_DONE, Section, named_section
from dialer.domain.words.sentences import Sentence


def remarks_on_early_completion(first: Section, sections: Mapping[int, Section]) -> dict[int, list[Remark]]:
    """Return a remark for each section marked `completed` that a call passes on its way to its first agent.

    A transfer marked `completed` is no such section: it counts once somebody takes the call.
    """
    reached = _reached(first.id, sections)
    queued = _queues_ahead(reached, sections)
    return {
        section_id: [Remark(FindingLevel.WARNING, FindingCode.COMPLETED_EARLY, _message(queued[section_id]))]
        for section_id in reached
        if section_id in queued and sections[section_id].completed and not definition_of(sections[section_id]).transfers
    }


def _message(queued: Section) -> Sentence:
    return Sentence(
        "People are marked completed here, before an agent takes their call. Those who reach no agent are not called"
        " again. Mark section %(section)s instead, which transfers the call.",
        section=named_section(queued),
    )


def _queues_ahead(reached: Collection[int], sections: Mapping[int, Section]) -> dict[int, Section]:
    """Return for each section from which a call can come to agents the nearest transfer to them, in one walk back."""
    before: dict[int, list[int]] = {}
    for section_id in reached:
        for target in _ways_without_agent(sections[section_id]):
            before.setdefault(target, []).append(section_id)
    found = {section_id: sections[section_id] for section_id in reached if _is_for_agents(sections[section_id])}
    waiting = [*found]
    for section_id in waiting:
        for earlier in before.get(section_id, ()):
            if earlier not in found:
                found[earlier] = found[section_id]
                waiting.append(earlier)
    return found


def _reached(first_id: int, sections: Mapping[int, Section]) -> Collection[int]:
    """Return the sections that a call can reach from one on, this one first, before an agent has taken it."""
    found = {first_id: None}
    waiting = [first_id]
    for section_id in waiting:
        for target in _ways_without_agent(sections[section_id]):
            if target in sections and target not in found:
                found[target] = None
                waiting.append(target)
    return found


def _ways_without_agent(section: Section) -> Iterator[int]:
    """Yield the sections that follow one, unless an agent has taken the call in it."""
    for key in definition_of(section).ways_out(section):
        target = section.branches[key]
        if target is not None and not (key == BRANCH_DONE and _is_for_agents(section)):
            yield target


def _is_for_agents(section: Section) -> bool:
    return section.queue_id is not None and definition_of(section).transfers
