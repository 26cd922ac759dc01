"""The survey as a graph: boxes in rows by their distance from the first section, and a line for each branch."""

from collections import deque
from collections.abc import Mapping
from typing import Final, NamedTuple

from dialer.console.words import words_of
from dialer.domain.enums import SectionType
from dialer.domain.survey.sections.table import definition_of
from dialer.domain.survey.survey import BRANCH_ANY, BRANCH_INVALID, BRANCH_TIMEOUT, Section, Survey
from dialer.store.queries.survey_results import SectionCount

WIDTH: Final = 196
HEIGHT: Final = 56
GAP_X: Final = 28
GAP_Y: Final = 62
MARGIN: Final = 14
SIDE: Final = 44
"""Room at the right for lines that lead back up."""
QUESTION_MAX: Final = 22
SECTIONS_MAX: Final = 60
"""Sections that a graph shows; a larger survey is shown as a list of its questions only."""
LABEL_MAX: Final = 22
_OTHERWISE: Final = frozenset({BRANCH_ANY, BRANCH_INVALID, BRANCH_TIMEOUT})
_WORDS: Final[Mapping[str, str]] = {"0": "then", "timeout": "no input", "invalid": "wrong input", "any": "any"}


class Box(NamedTuple):
    """A section: the position of its upper left corner, and its texts."""

    x: float
    y: float
    type: str
    question: str
    whole_question: str
    is_goal: bool
    section_id: int


class Path(NamedTuple):
    """A line of one or more branches from one section to another, with the place of its label."""

    d: str
    label: str
    x: float
    y: float


class Graph(NamedTuple):
    """A drawing of a survey, with its size in pixels."""

    width: float
    height: float
    boxes: list[Box]
    paths: list[Path]


class _Place(NamedTuple):
    row: int
    x: float
    y: float


def draw_survey(survey: Survey, counts: Mapping[int, SectionCount]) -> Graph | None:
    """Return the drawing of a survey with the calls that took each branch; None if it is empty or too large."""
    if not 0 < len(survey.sections) <= SECTIONS_MAX:
        return None
    places, width = _places(survey)
    boxes = [_box(section, places[section.id]) for section in survey.sections]
    paths = [
        _path(places[section.id], places[target], _label(section, keys, counts.get(section.id)), width)
        for section in survey.sections
        for target, keys in _targets(section).items()
        if target in places
    ]
    rows = max(place.row for place in places.values()) + 1
    return Graph(width + SIDE, 2 * MARGIN + rows * HEIGHT + (rows - 1) * GAP_Y, boxes, paths)


def branch_counts(section: Section, count: SectionCount | None) -> dict[str, int]:
    """Return the calls that took each branch of a section with answers, by the key of the branch.

    A call counts with its last answer to the section.
    """
    if count is None or not definition_of(section).has_answers:
        return {}
    digits = {label: digit for digit, label in section.key_labels.items()}
    counts_of_branches: dict[str, int] = {}
    for answer in count.answers:
        key = digits.get(answer.response, answer.response)
        taken = key if key in section.branches else BRANCH_ANY
        if taken in section.branches:
            counts_of_branches[taken] = counts_of_branches.get(taken, 0) + answer.count
    return counts_of_branches


def _targets(section: Section) -> dict[int, list[str]]:
    """Return the keys of the branches by the section to which they lead."""
    targets: dict[int, list[str]] = {}
    for key, target in section.branches.items():
        if target is not None:
            targets.setdefault(target, []).append(key)
    return targets


def _label(section: Section, keys: list[str], count: SectionCount | None) -> str:
    counts = branch_counts(section, count)
    chosen = [key for key in keys if key not in _OTHERWISE]
    if len(keys) - len(chosen) == len(_OTHERWISE):
        words = ", ".join([*chosen, "otherwise"]) if chosen or len(section.branches) > len(keys) else "always"
    else:
        words = ", ".join(_WORDS.get(key, key) for key in keys)
    words = words if len(words) <= LABEL_MAX else f"{words[:LABEL_MAX]}…"
    answer_counts = [counts.get(key, 0) for key in keys if key in counts]
    return f"{words} · {sum(answer_counts):,}" if answer_counts else words


def _places(survey: Survey) -> tuple[dict[int, _Place], float]:
    """Return the place of each section, and the width of the drawing. Sections that no call reaches come last."""
    rows = _rows(survey)
    widest = max(map(len, rows))
    width = 2 * MARGIN + widest * WIDTH + (widest - 1) * GAP_X
    places = {}
    for number, row in enumerate(rows):
        begin = (width - len(row) * WIDTH - (len(row) - 1) * GAP_X) / 2
        for place, section_id in enumerate(row):
            places[section_id] = _Place(number, begin + place * (WIDTH + GAP_X), MARGIN + number * (HEIGHT + GAP_Y))
    return places, width


def _rows(survey: Survey) -> list[list[int]]:
    sections = {section.id: section for section in survey.sections}
    depth = {survey.sections[0].id: 0}
    queue = deque([survey.sections[0]])
    while queue:
        section = queue.popleft()
        for target in _targets(section):
            if target in sections and target not in depth:
                depth[target] = depth[section.id] + 1
                queue.append(sections[target])
    last = max(depth.values()) + 1
    rows: dict[int, list[int]] = {}
    for section in survey.sections:
        rows.setdefault(depth.get(section.id, last), []).append(section.id)
    return [rows[number] for number in sorted(rows)]


def _box(section: Section, place: _Place) -> Box:
    question = section.question if len(section.question) <= QUESTION_MAX else f"{section.question[:QUESTION_MAX]}…"
    kind_in_words = words_of(SectionType(section.type))
    return Box(place.x, place.y, kind_in_words, question, section.question, section.completed, section.id)


def _path(source: _Place, target: _Place, label: str, width: float) -> Path:
    x1, y1, x2, y2 = source.x + WIDTH / 2, source.y + HEIGHT, target.x + WIDTH / 2, target.y
    if target.row == source.row + 1:
        middle = (y1 + y2) / 2
        return Path(f"M{x1} {y1}C{x1} {middle} {x2} {middle} {x2} {y2}", label, (x1 + x2) / 2, middle)
    # A line that leads back, or past a row, goes round at the right.
    side, x1, y1, x2, y2 = (
        width + SIDE / 2,
        source.x + WIDTH,
        source.y + HEIGHT / 2,
        target.x + WIDTH,
        target.y + HEIGHT / 2,
    )
    d = f"M{x1} {y1}C{side} {y1} {side} {y1} {side} {(y1 + y2) / 2}S{side} {y2} {x2} {y2}"
    return Path(d, label, (x1 + side) / 2, y1 - 4)
