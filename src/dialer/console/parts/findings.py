"""Findings of checks in the viewer's language, each with the name of its section."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from dialer.console.parts.sentences import in_viewers_words
from dialer.domain.survey.findings import Finding, FindingLevel
from dialer.domain.survey.placeholders import in_section, names_section
from dialer.domain.survey.survey import Survey, section_name
from dialer.domain.words.sentences import Sentence


class ShownFinding(NamedTuple):
    """A finding of a check, with the texts and links that a page shows."""

    level: FindingLevel
    code: str
    section_id: int | None
    message: str
    """The sentence, which begins with the name of its section."""
    bare: str
    """The sentence without that name, for a place where the name stands already."""
    field: str


def shown_findings(findings: Iterable[Finding], survey: Survey) -> list[ShownFinding]:
    """Return the findings of a check in the viewer's language; `survey` has the names of their sections."""
    names = {section.id: section_name(section) for section in survey.sections}
    return [_shown(finding, names) for finding in findings]


def _shown(finding: Finding, names: Mapping[int, str]) -> ShownFinding:
    message = bare = finding.message
    if isinstance(message, Sentence) and names_section(message):
        bare = message.values.get("message", message)
    elif (name := names.get(finding.section_id or 0)) is not None:
        message = in_section(name, message)
    words = in_viewers_words(message), in_viewers_words(bare)
    return ShownFinding(finding.level, finding.code, finding.section_id, *words, finding.field)
