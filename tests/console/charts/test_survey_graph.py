"""Tests of the drawing of a survey: every section has a box, no two overlap, and every branch a line."""

import re
from itertools import combinations, pairwise

from hypothesis import given
from hypothesis import strategies as st

from dialer.console.charts.survey_graph import HEIGHT, branch_counts, draw_survey
from dialer.domain.survey.survey import Prompt, Section, Survey
from dialer.store.queries.survey_results import AnswerCount, SectionCount

TRANSFER = 6
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


def branches_of(section: Section) -> dict[str, int | None]:
    """Return the branches of a section, with the one that stands in for one that a transfer lacks."""
    own = section.branches
    if section.type != TRANSFER:
        return own
    if "0" not in own and "timeout" in own:
        return {**own, "0": own["timeout"]}
    if "timeout" not in own and "0" in own and section.queue_id is None:
        return {**own, "timeout": own["0"]}
    return own


@given(surveys())
def test_every_section_has_a_box_of_its_own_and_every_branch_a_line_within_the_drawing(survey: Survey) -> None:
    graph = draw_survey(survey, {})
    assert graph is not None
    assert [box.section_id for box in graph.boxes] == [section.id for section in survey.sections]
    for one, other in combinations(graph.boxes, 2):
        assert abs(one.y - other.y) >= HEIGHT or one.x + one.width <= other.x or other.x + other.width <= one.x
    for box in graph.boxes:
        assert 0 <= box.x <= graph.width - box.width
        assert 0 <= box.y <= graph.height - HEIGHT
        for port, other_port in pairwise(box.ports):
            assert port.x + port.width / 2 < other_port.x - other_port.width / 2
    ids = {section.id for section in survey.sections}
    branches = {
        (section.id, key) for section in survey.sections for key, goto in branches_of(section).items() if goto in ids
    }
    lines = [(path.section_id, key) for path in graph.paths for key in path.keys.split(",")]
    assert sorted(lines) == sorted(branches)
    numbers = [float(one) for path in graph.paths for one in re.findall(r"-?[0-9]+\.?[0-9]*", path.d)]
    assert all(0 <= number <= max(graph.width, graph.height) for number in numbers)


@given(surveys())
def test_a_line_leads_down_unless_it_closes_a_loop_or_comes_from_where_no_call_is(survey: Survey) -> None:
    graph = draw_survey(survey, {})
    assert graph is not None
    heights = {box.section_id: box.y for box in graph.boxes}
    targets = {
        (section.id, key): goto for section in survey.sections for key, goto in branches_of(section).items() if goto
    }
    for path in graph.paths:
        target = targets[path.section_id, path.keys.split(",")[0]]
        assert path.is_back == (heights[target] <= heights[path.section_id])


def test_a_section_that_leads_to_itself_has_a_loop_beside_its_box() -> None:
    asking = Section(1, 2, "Tea?", Prompt(), key_labels={"1": "yes"}, branches={"1": None, "timeout": 1, "invalid": 1})
    graph = draw_survey(Survey((asking,)), {})
    assert graph is not None
    (box,), (path,) = graph.boxes, graph.paths
    assert (path.is_back, path.keys) == (True, "invalid,timeout")
    assert path.d.endswith(f" {box.y}")
    assert max(float(one) for one in re.findall(r"[LQ]([0-9.]+)", path.d)) > box.x + box.width


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


def test_calls_that_nobody_took_count_at_the_branch_for_them_if_their_callees_stayed() -> None:
    section = Section(1, 6, "", Prompt(), queue_id=1, branches={"0": None, "timeout": 2})
    count = SectionCount(9, [AnswerCount("queue: 1", 9)], unserved=4, went_on=3)
    assert branch_counts(section, count) == {"0": 5, "timeout": 3}


def test_calls_count_at_the_branch_that_stands_in_for_one_that_a_transfer_has_not() -> None:
    afterwards = Section(1, 6, "", Prompt(), queue_id=1, branches={"timeout": 1})
    graph = draw_survey(Survey((afterwards,)), {1: SectionCount(9, [AnswerCount("queue: 1", 9)], 4, went_on=3)})
    assert graph is not None
    assert [port.calls for port in graph.boxes[0].ports] == [8]


def test_the_keys_of_a_section_have_short_words() -> None:
    every: dict[str, int | None] = {"any": 2, "timeout": 2, "invalid": 2}
    answers = {"1": "A very long answer indeed", "2": "no"}
    cases: list[tuple[int, dict[str, int | None], list[str]]] = [
        (1, {"0": 2}, [""]),
        (3, every, ["always"]),
        (3, {"1": 2, **every}, ["1", "else"]),
        (2, every, ["always"]),
        (2, {"1": 3}, ["1 A very lo…", "2 no", "else"]),
        (2, {"1": 3, "any": 2, "timeout": 2}, ["1 A very lo…", "else", "wrong"]),
        (TRANSFER, {"0": 2}, [""]),
        (TRANSFER, {"0": 2, "timeout": 3}, ["afterwards", "no answer"]),
        (7, {}, []),
    ]
    for kind, branches, expected in cases:
        first = Section(1, kind, "", Prompt(), key_labels=answers, branches=branches)
        others = [Section(number, 1, "", Prompt()) for number in (2, 3)]
        graph = draw_survey(Survey((first, *others)), {})
        assert graph is not None
        assert [port.label for port in graph.boxes[0].ports] == expected


def test_the_calls_of_a_way_are_those_of_all_its_keys() -> None:
    first = Section(1, 3, "", Prompt(), rating_laps=5, branches={"1": 1, "any": None})
    graph = draw_survey(Survey((first,)), {1: SectionCount(9, [AnswerCount("1", 4), AnswerCount("3", 5)])})
    assert graph is not None
    assert [(port.label, port.calls) for port in graph.boxes[0].ports] == [("1", 4), ("other", 5), ("else", None)]
