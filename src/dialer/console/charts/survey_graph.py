"""The survey as a graph: a box for each section, its keys below it, and a line from each key to where it leads."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Final, NamedTuple
from unicodedata import east_asian_width

from dialer.console.charts.graph_layout import Edge, GraphLayout, lay_out
from dialer.console.words.state_words import words_of
from dialer.console.words.survey_keys import Way, stands_in, ways_of
from dialer.domain.survey.sections.appearance import Appearance
from dialer.domain.survey.sections.table import definition_of
from dialer.domain.survey.survey import BRANCH_ANY, BRANCH_DONE, BRANCH_TIMEOUT, Section, Survey
from dialer.domain.words.enums import SectionType
from dialer.store.queries.survey_results import SectionCount

WIDTH: Final = 212
"""The least width of a box. One with many keys is wider."""
HEIGHT: Final = 58
GAP_X: Final = 36
GAP_Y: Final = 96
MARGIN: Final = 16
TOP: Final = 92
"""The height of the first box's upper edge: above it, the call begins."""
LANE: Final = 14
"""Room at the right for each section to which lines lead back up."""
SECTIONS_MAX: Final = 60
"""Sections that a graph shows; a larger survey is shown as a list only."""
LABEL_MAX: Final = 12
PORTS_WIDTH_MAX: Final = 440
"""The width of a section's keys with their answers. If they need more, they have no answers."""
_CHIP: Final = 20
"""The height of a key."""
_STEM: Final = 36
"""The distance from a box to where the line of a key turns; between them is room to insert a section."""
_RADIUS: Final = 9
_SHIFTS: Final = 7
"""Heights at which lines to different sections turn to the right."""
_LETTER: Final = 6.7
"""The width of a letter of a key."""
_LETTER_OF_TITLE: Final = 6.9
_BESIDE_TITLE: Final = 64
"""The width of a box besides its title."""


class Port(NamedTuple):
    """The label of the keys of a section with the same branch: position, width and words."""

    x: float
    width: float
    label: str
    words: str
    keys: str
    """The keys with commas."""
    is_open: bool
    """True if the call ends here."""
    calls: int | None
    """The calls that took the way; None if they are not counted."""


class Box(NamedTuple):
    """A section: the position of its upper left corner, its width, and its texts."""

    x: float
    y: float
    width: float
    type: str
    appearance: Appearance
    question: str
    whole_question: str
    is_goal: bool
    section_id: int
    ports: list[Port]

    @property
    def bottom(self) -> float:
        """Return the height of the lower edge."""
        return self.y + HEIGHT


class Path(NamedTuple):
    """A line from the keys of one section to another section."""

    d: str
    is_back: bool
    section_id: int
    keys: str


class Graph(NamedTuple):
    """A drawing of a survey, with its size in pixels. Its boxes are in the order of the sections."""

    width: float
    height: float
    boxes: list[Box]
    paths: list[Path]

    @property
    def first(self) -> Box:
        """Return the box with which a call begins."""
        return self.boxes[0]


def draw_survey(survey: Survey, counts: Mapping[int, SectionCount]) -> Graph | None:
    """Return the drawing of a survey with the calls that took each way; None if it is empty or too large."""
    if not 0 < len(survey.sections) <= SECTIONS_MAX:
        return None
    ids = {section.id for section in survey.sections}
    ways = {section.id: ways_of(section) for section in survey.sections}
    ports = {section.id: _ports(section, ways[section.id], counts.get(section.id)) for section in survey.sections}
    widths = {one: max(WIDTH, _extent(ports[one]) + 2 * _CHIP) for one in ports}
    begins: dict[Edge, list[float]] = {}
    for one, section_ways in ways.items():
        for way, port in zip(section_ways, ports[one], strict=True):
            if way.target in ids:
                begins.setdefault((one, way.target), []).append(port.x)
    layout = lay_out(widths, {edge: sum(xs) / len(xs) for edge, xs in begins.items()}, GAP_X)
    boxes = {section.id: _box(section, widths[section.id], ports[section.id], layout) for section in survey.sections}
    lanes = {target: lane for lane, target in enumerate(sorted({b for a, b in layout.back if a != b}))}
    right = MARGIN + layout.width + GAP_X / 2
    paths = [
        Path(
            " ".join(_line(boxes, layout, (one, way.target), port.x, lanes.get(way.target, 0))),
            (one, way.target) in layout.back,
            one,
            port.keys,
        )
        for one, section_ways in ways.items()
        for way, port in zip(section_ways, boxes[one].ports, strict=True)
        if way.target in ids
    ]
    height = max(box.bottom for box in boxes.values()) + _STEM + MARGIN + 6 * (min(len(lanes), _SHIFTS) + 1)
    return Graph(right + len(lanes) * LANE, height, list(boxes.values()), paths)


def branch_counts(section: Section, count: SectionCount | None) -> dict[str, int]:
    """Return the calls that took each branch of a section with answers, by the key of the branch.

    A call counts with its last answer to the section. Of a transfer, the calls that somebody took count as having taken
    its way onward, by whichever branch stands in for one that it has not.
    """
    if count is None or not definition_of(section).has_answers:
        return {}
    if definition_of(section).transfers:
        ends = {BRANCH_DONE: count.total - count.unserved, BRANCH_TIMEOUT: count.went_on}
        return {key: calls for key, calls in ends.items() if key in section.branches or stands_in(section, key)}
    digits = {label: digit for digit, label in section.key_labels.items()}
    counts_of_branches: dict[str, int] = {}
    for answer in count.answers:
        key = digits.get(answer.response, answer.response)
        taken = key if key in section.branches else BRANCH_ANY
        if taken in section.branches:
            counts_of_branches[taken] = counts_of_branches.get(taken, 0) + answer.count
    return counts_of_branches


def _ports(section: Section, ways: Sequence[Way], count: SectionCount | None) -> list[Port]:
    """Return the keys of a section, side by side around the middle of its box."""
    labels = [_cut(way.label) for way in ways]
    if sum(map(_chip_width, labels)) > PORTS_WIDTH_MAX:
        labels = [_cut(way.keys[0] if len(way.keys) == 1 and way.keys[0].isdecimal() else way.label) for way in ways]
    sizes = [_chip_width(label) for label in labels]
    x = -(sum(sizes) + _RADIUS * (len(sizes) - 1)) / 2
    counted = branch_counts(section, count)
    ports = []
    for way, label, size in zip(ways, labels, sizes, strict=True):
        calls = [counted[key] for key in way.keys if key in counted]
        ports.append(
            Port(
                x + size / 2,
                size,
                label,
                way.words,
                ",".join(way.keys),
                way.target is None,
                sum(calls) if calls else None,
            )
        )
        x += size + _RADIUS
    return ports


def _extent(ports: Sequence[Port]) -> float:
    return ports[-1].x - ports[0].x + (ports[0].width + ports[-1].width) / 2 if ports else 0


def _chip_width(label: str) -> float:
    return max(2 * _RADIUS + 8, _letters(label) * _LETTER + 14)


def _letters(text: str) -> int:
    """Return the length of a text, in which a letter of twice the width counts as two."""
    return sum(2 if east_asian_width(letter) in "WF" else 1 for letter in text)


def _fitted(text: str, most: int) -> str:
    """Return as much of a text as fits."""
    if _letters(text) <= most:
        return text
    lengths = accumulate(map(_letters, text))
    return f"{''.join(letter for letter, length in zip(text, lengths, strict=True) if length < most).rstrip()}…"


def _cut(label: str) -> str:
    return _fitted(label, LABEL_MAX)


def _box(section: Section, width: float, ports: Sequence[Port], layout: GraphLayout) -> Box:
    middle = MARGIN + layout.middles[section.id]
    question = " ".join(section.question.split())
    return Box(
        round(middle - width / 2, 1),
        TOP + layout.rows[section.id] * (HEIGHT + GAP_Y),
        width,
        words_of(SectionType(section.type)),
        definition_of(section).appearance,
        _fitted(question, int((width - _BESIDE_TITLE) / _LETTER_OF_TITLE)),
        question,
        section.completed,
        section.id,
        [port._replace(x=round(middle + port.x, 1)) for port in ports],
    )


def _line(boxes: Mapping[int, Box], layout: GraphLayout, edge: Edge, x: float, lane: int) -> Iterator[str]:
    """Yield the parts of the line that begins at `x` below its box. One that leads back rises in a lane."""
    source, target = boxes[edge[0]], boxes[edge[1]]
    begin, end = source.bottom + _STEM, target.x + target.width / 2
    yield f"M{x} {source.bottom}V{begin}"
    if edge in layout.back:
        if source is target:
            side, shift = source.x + source.width + GAP_X / 3, 0
        else:
            side, shift = MARGIN + layout.width + GAP_X / 2 + lane * LANE, (lane % _SHIFTS + 1) * 6
        low, into, high = begin + _RADIUS + shift, target.x + target.width - 2 * _RADIUS, target.y - 2 * _RADIUS
        yield from _corners([(x, begin - 1), (x, low), (side, low), (side, high), (into, high), (into, target.y)])
        return
    y = begin
    for place, bend in enumerate(layout.bends[edge], layout.rows[source.section_id] + 1):
        top = TOP + place * (HEIGHT + GAP_Y)
        bend_x = round(MARGIN + bend, 1)
        yield _curve(x, y, bend_x, top)
        yield f"V{top + HEIGHT + _STEM}"
        x, y = bend_x, top + HEIGHT + _STEM
    yield _curve(x, y, end, target.y)


def _curve(x1: float, y1: float, x2: float, y2: float) -> str:
    middle = (y1 + y2) / 2
    return f"C{x1} {middle} {x2} {middle} {x2} {y2}"


def _corners(points: Sequence[tuple[float, float]]) -> Iterator[str]:
    """Yield a line over points at right angles, with round corners."""
    for (before, (x, y)), (_, after) in pairwise(pairwise(points)):
        radius = min(_RADIUS, _length(before, (x, y)) / 2, _length((x, y), after) / 2)
        enter, leave = _towards((x, y), before, radius), _towards((x, y), after, radius)
        yield f"L{enter[0]} {enter[1]}Q{x} {y} {leave[0]} {leave[1]}"
    yield f"L{points[-1][0]} {points[-1][1]}"


def _length(one: tuple[float, float], other: tuple[float, float]) -> float:
    return abs(one[0] - other[0]) + abs(one[1] - other[1])


def _towards(one: tuple[float, float], other: tuple[float, float], distance: float) -> tuple[float, float]:
    """Return the point at a distance from one of two points towards the other, along an axis."""
    whole = _length(one, other) or 1
    return (
        round(one[0] + (other[0] - one[0]) * distance / whole, 1),
        round(one[1] + (other[1] - one[1]) * distance / whole, 1),
    )
