"""The answers: a row with a bar for each answer to each question."""

from collections import Counter

import msgspec
from rich.console import Console
from rich.text import Text

from dialer.demo.checks import Checks
from dialer.demo.display import bar, heading, indented, share, table
from dialer.demo.evidence import Evidence
from dialer.demo.survey import STEPS, Step
from dialer.domain.survey.sections.table import SECTION_TYPES
from dialer.domain.words.enums import SectionType

_NAMES = {
    SectionType.MULTI_CHOICE: "multi-choice",
    SectionType.RATING: "rating",
    SectionType.CAPTURE_DIGITS: "digits",
    SectionType.DNC: "do not call",
}


class Question(msgspec.Struct, frozen=True):
    """A section, its number of answers, and the number of times that each answer was given."""

    question: str
    type: SectionType
    total: int
    answers: tuple[tuple[str, int], ...] = ()


def figures(evidence: Evidence, checks: Checks) -> list[Question]:
    """Return the questions of the survey with their answers, in order."""
    return [_question(evidence, checks, step) for step in STEPS if step.type in _NAMES]


def _question(evidence: Evidence, checks: Checks, step: Step) -> Question:
    section_id = evidence.prepared.survey.sections[step.name]
    responses = [answer.response for answer in evidence.answers if answer.section_id == section_id]
    total = checks.same(
        f"answers to {step.question!r}", evidence.api.count("survey-result", section_id=section_id), len(responses)
    )
    if SECTION_TYPES[step.type].counted_as:
        return Question(step.question, step.type, total)
    counts = Counter(responses)
    return Question(
        step.question,
        step.type,
        total,
        tuple(
            (
                response,
                checks.same(
                    f"{response!r} to {step.question!r}",
                    evidence.api.count("survey-result", section_id=section_id, response=response),
                    counts[response],
                ),
            )
            for response in _in_order(step, set(counts))
        ),
    )


def _in_order(step: Step, responses: set[str]) -> list[str]:
    """Return all choices in the order of their keys; sort digits as numbers."""
    labels = [label for name, label in sorted(step.fields.items()) if name.startswith("key_")]
    return labels or sorted(responses, key=int)


def show(console: Console, questions: list[Question]) -> None:
    """Print the questions with their answers."""
    heading(console, "Answers")
    for question in questions:
        most = max((count for _, count in question.answers), default=0)
        title = Text.assemble(question.question, (f"  {_NAMES[question.type]}, {question.total:,} answers", "dim"))
        indented(console, title)
        rows = [
            (f"  {response}", f"{count:,}", share(count, question.total), bar(count, most))
            for response, count in question.answers
        ]
        if rows:
            indented(console, table(["", "", "", ""], rows, left=(0, 3)))
