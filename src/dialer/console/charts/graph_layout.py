"""The places of boxes in rows: lines lead down where they can, cross little, and loops are known as such.

The steps are those of layered drawing (Sugiyama): find the lines that lead back, give each box a row, let long lines
pass through the rows between, order each row by its neighbours, and move boxes towards them.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Final, NamedTuple

SWEEPS: Final = 8
"""Times that rows are ordered, and moved, by their neighbours above and below."""
LANE: Final = 26
"""The width of a place where a long line passes a row."""

Edge = tuple[int, int]
"""A line, by the ids of its boxes."""
Item = int | tuple[int, int, int]
"""A box by its id, or the place where a line passes a row: the two boxes of the line, and the row."""


class Link(NamedTuple):
    """The part of a line between two rows; `offset` is where it begins, from the middle of the upper item."""

    upper: Item
    lower: Item
    offset: float


class GraphLayout(NamedTuple):
    """The row of each box, the middle of each box, and the middles of long lines in the rows that they pass."""

    rows: dict[int, int]
    middles: dict[int, float]
    bends: dict[Edge, list[float]]
    back: frozenset[Edge]
    """The lines that lead back up, or to their own box."""
    width: float


def lay_out(widths: Mapping[int, float], offsets: Mapping[Edge, float], gap: float) -> GraphLayout:
    """Return the places of boxes, given by id with their widths. The first one is at the top.

    `offsets` has the lines, each with the distance of its beginning from the middle of its box. `gap` is the room
    between two boxes of a row.
    """
    rows, back = _rows(list(widths), list(offsets))
    chains = {edge: _chain(edge, rows) for edge in offsets if edge not in back}
    links = [
        Link(upper, lower, offsets[edge] if upper == edge[0] else 0)
        for edge, chain in chains.items()
        for upper, lower in pairwise(chain)
    ]
    table: list[list[Item]] = [[] for _ in range(max(rows.values()) + 1)]
    for one, row in rows.items():
        table[row].append(one)
    for edge, chain in chains.items():
        for row, item in enumerate(chain[1:-1], rows[edge[0]] + 1):
            table[row].append(item)
    _order(table, links, widths)
    middles = _middles(table, links, widths, gap)
    left = min(middle - _width(widths, item) / 2 for item, middle in middles.items())
    right = max(middle + _width(widths, item) / 2 for item, middle in middles.items())
    return GraphLayout(
        rows,
        {one: middles[one] - left for one in widths},
        {edge: [middles[item] - left for item in chain[1:-1]] for edge, chain in chains.items()},
        back,
        right - left,
    )


def _chain(edge: Edge, rows: Mapping[int, int]) -> list[Item]:
    """Return the items that a line touches, from top to bottom."""
    source, target = edge
    return [source, *((source, target, row) for row in range(rows[source] + 1, rows[target])), target]


def _rows(ids: Sequence[int], edges: Sequence[Edge]) -> tuple[dict[int, int], frozenset[Edge]]:
    """Return the row of each box, below all that lead to it, and the lines that lead back.

    Boxes that cannot be reached from the first one come below all others.
    """
    targets: dict[int, list[int]] = {one: [] for one in ids}
    for source, target in edges:
        targets[source].append(target)
    rows: dict[int, int] = {}
    back: set[Edge] = set()
    for start in ids:
        if start in rows:
            continue
        order = _finished(start, targets, rows, back)
        least = max(rows.values(), default=-1) + 1
        fresh = dict.fromkeys(reversed(order), least)
        for source in fresh:
            for target in targets[source]:
                if target in rows:
                    back.add((source, target))
                elif (source, target) not in back:
                    fresh[target] = max(fresh[target], fresh[source] + 1)
        rows |= fresh
    return rows, frozenset(back)


def _finished(start: int, targets: Mapping[int, list[int]], known: Mapping[int, int], back: set[Edge]) -> list[int]:
    """Return the boxes that can be reached, each after its targets, and add the lines that close loops to `back`."""
    finished: list[int] = []
    seen, is_open = {start}, {start}
    stack = [(start, iter(targets[start]))]
    while stack:
        box, rest = stack[-1]
        target = next(rest, None)
        if target is None:
            stack.pop()
            is_open.discard(box)
            finished.append(box)
        elif target in is_open:
            back.add((box, target))
        elif target not in seen and target not in known:
            seen.add(target)
            is_open.add(target)
            stack.append((target, iter(targets[target])))
    return finished


def _order(table: list[list[Item]], links: Sequence[Link], widths: Mapping[int, float]) -> None:
    """Order each row by the places of the neighbours above, and then of those below, several times."""
    places: dict[Item, float] = {}

    def number(row: list[Item]) -> None:
        places.update((item, place) for place, item in enumerate(row))

    def wanted(item: Item, pulls: Iterable[float]) -> float:
        pulling = list(pulls)
        return sum(pulling) / len(pulling) if pulling else places[item]

    above, below = _neighbours(links)
    for row in table:
        number(row)
    for sweep in range(SWEEPS):
        is_down = sweep % 2 == 0
        for row in table if is_down else reversed(table):
            if is_down:
                keys = {
                    item: wanted(
                        item, (places[one.upper] + one.offset / _width(widths, one.upper) for one in above[item])
                    )
                    for item in row
                }
            else:
                keys = {
                    item: wanted(item, (places[one.lower] - one.offset / 1_000 for one in below[item])) for item in row
                }
            row.sort(key=keys.__getitem__)
            number(row)


def _neighbours(links: Iterable[Link]) -> tuple[dict[Item, list[Link]], dict[Item, list[Link]]]:
    """Return the links to the row above and to the row below, by item."""
    above: dict[Item, list[Link]] = defaultdict(list)
    below: dict[Item, list[Link]] = defaultdict(list)
    for link in links:
        above[link.lower].append(link)
        below[link.upper].append(link)
    return above, below


def _width(widths: Mapping[int, float], item: Item) -> float:
    return widths[item] if isinstance(item, int) else LANE


def _middles(
    table: Sequence[Sequence[Item]], links: Sequence[Link], widths: Mapping[int, float], gap: float
) -> dict[Item, float]:
    """Return the middle of each item: as near to its neighbours as the row allows."""
    above, below = _neighbours(links)
    middles: dict[Item, float] = {}
    for row in table:
        middles |= zip(row, _spread([0.0] * len(row), row, widths, gap), strict=True)
    for sweep in range(SWEEPS):
        is_down = sweep % 2 == 0
        for row in table if is_down else reversed(table):
            wanted = []
            for item in row:
                if is_down:
                    pulls = [middles[one.upper] + one.offset for one in above[item]]
                else:
                    pulls = [middles[one.lower] - one.offset for one in below[item]]
                wanted.append(sum(pulls) / len(pulls) if pulls else middles[item])
            middles |= zip(row, _spread(wanted, row, widths, gap), strict=True)
    return middles


def _spread(wanted: Sequence[float], row: Sequence[Item], widths: Mapping[int, float], gap: float) -> Iterator[float]:
    """Yield the middles of a row that are nearest to those wanted, without items that overlap."""
    starts = list(accumulate((_width(widths, item) + gap for item in row), initial=0.0))
    shifts = [start + _width(widths, item) / 2 for start, item in zip(starts, row, strict=False)]
    # Pool adjacent violators: items that want to be too close form a group, which moves as a whole.
    groups: list[tuple[float, int]] = []
    for want, shift in zip(wanted, shifts, strict=True):
        total, size = want - shift, 1
        while groups and groups[-1][0] / groups[-1][1] > total / size:
            before = groups.pop()
            total, size = total + before[0], size + before[1]
        groups.append((total, size))
    free = (total / size for total, size in groups for _ in range(size))
    for shift, place in zip(shifts, free, strict=True):
        yield shift + place
