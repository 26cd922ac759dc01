"""Tests of the drawing of a survey: every section has a box, no two overlap, and every branch a line."""

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from dialer.console.charts.survey_graph import HEIGHT, WIDTH, branch_counts, draw_survey
from dialer.domain.survey.survey import Prompt, Section, Survey
from dialer.store.queries.survey_results import AnswerCount, SectionCount

KEYS = ("0", "1", "2", "any", "timeout", "invalid")


@st.composite
def surveys(draw: st.DrawFn) -> Survey:
    """Return a survey with any branches, some of which lead nowhere or to a section that is missing."""
    ids = range(1, draw(st.integers(1, 12)) + 1)
    targets = st.one_of(st.none(), st.integers(1, len(ids) + 1))
    return Survey(
        tuple(
            Section(
                id=number,
                type=draw(st.integers(1, 10)),
                question=f"Question {number}",
                prompt=Prompt(),
                branches=draw(st.dictionaries(st.sampled_from(KEYS), targets)),
            )
            for number in ids
        )
    )


@given(surveys())
def test_every_section_has_a_box_of_its_own_within_the_drawing(survey: Survey) -> None:
    graph = draw_survey(survey, {})
    assert graph is not None
    assert len(graph.boxes) == len(survey.sections)
    for one, other in combinations(graph.boxes, 2):
        assert abs(one.x - other.x) >= WIDTH or abs(one.y - other.y) >= HEIGHT
    for box in graph.boxes:
        assert 0 <= box.x <= graph.width - WIDTH
        assert 0 <= box.y <= graph.height - HEIGHT
    ids = {section.id for section in survey.sections}
    lines = {(section.id, goto) for section in survey.sections for goto in section.branches.values() if goto in ids}
    assert len(graph.paths) == len(lines)


def test_an_empty_survey_has_no_drawing() -> None:
    assert draw_survey(Survey(()), {}) is None


def test_answers_count_at_the_branch_that_they_take() -> None:
    section = Section(
        id=1,
        type=2,
        question="",
        prompt=Prompt(),
        key_labels={"1": "yes", "2": "no", "3": "later"},
        branches={"1": 2, "any": 3, "timeout": None},
    )
    answers = [AnswerCount("yes", 5), AnswerCount("no", 3), AnswerCount("later", 1)]
    assert branch_counts(section, SectionCount(9, answers)) == {"1": 5, "any": 4}
    assert branch_counts(section, None) == {}


def test_a_branch_for_whatever_happens_has_a_short_label() -> None:
    every: dict[str, int | None] = {"any": 2, "timeout": 2, "invalid": 2}
    cases: list[tuple[dict[str, int | None], list[str]]] = [
        (every, ["always"]),
        ({"1": 2, **every}, ["1, otherwise"]),
        ({"1": 3, **every}, ["1", "otherwise"]),
        ({"any": 2, "timeout": 2}, ["any, no input"]),
    ]
    for branches, labels in cases:
        first = Section(id=1, type=2, question="", prompt=Prompt(), branches=branches)
        others = [Section(id=number, type=1, question="", prompt=Prompt(), branches={}) for number in (2, 3)]
        graph = draw_survey(Survey((first, *others)), {})
        assert graph is not None
        assert [path.label for path in graph.paths] == labels
