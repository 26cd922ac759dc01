"""The places of boxes in rows: lines lead down where they can, cross little, and loops are known as such.

The steps are those of layered drawing (Sugiyama): find the lines that lead back, give each box a row, let long lines
pass through the rows between, order each row by its neighbours, and move boxes towards them.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Final, NamedTuple

SWEEPS: Final = 6
"""Times that rows are ordered, and moved, by their neighbours above and below."""
LANE: Final = 26.0
"""The width of a place where a long line passes a row."""

Edge = tuple[int, int]
"""A line, by the ids of its boxes."""
Item = int | tuple[int, int, int]
"""A box by its id, or the place where a line passes a row: the two boxes of the line, and the row."""

_Neighbours = dict[Item, list[tuple[Item, float]]]
"""The linked items by item, each with its distance."""
_TIE: Final = 0.001
"""The part of a place that a distance counts, so that items with one neighbour keep the order of its lines."""


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
    above, below = _neighbours(links)
    _order(table, above, below)
    all_widths = {item: widths[item] if isinstance(item, int) else LANE for row in table for item in row}
    middles = _middles(table, above, below, all_widths, gap)
    left = min(middle - all_widths[item] / 2 for item, middle in middles.items())
    right = max(middle + all_widths[item] / 2 for item, middle in middles.items())
    return GraphLayout(
        rows,
        {one: middles[one] - left for one in widths},
        {edge: [middles[item] - left for item in chain[1:-1]] for edge, chain in chains.items()},
        back,
        round(right - left, 1),
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


def _order(table: Sequence[list[Item]], above: _Neighbours, below: _Neighbours) -> None:
    """Order each row by the places of the neighbours above, and then of those below, several times."""
    places: dict[Item, float] = {item: place for row in table for place, item in enumerate(row)}
    for sweep in range(SWEEPS):
        is_down = sweep % 2 == 0
        for row in table if is_down else reversed(table):
            wanted = dict(zip(row, _pulled(row, above if is_down else below, places, _TIE), strict=True))
            row.sort(key=wanted.__getitem__)
            places.update((item, place) for place, item in enumerate(row))


def _neighbours(links: Iterable[Link]) -> tuple[_Neighbours, _Neighbours]:
    """Return the items of the row above and of the row below that an item is linked with, each with its distance."""
    above: _Neighbours = defaultdict(list)
    below: _Neighbours = defaultdict(list)
    for link in links:
        above[link.lower].append((link.upper, link.offset))
        below[link.upper].append((link.lower, -link.offset))
    return above, below


def _pulled(
    row: Sequence[Item], neighbours: _Neighbours, places: Mapping[Item, float], scale: float = 1
) -> Iterator[float]:
    """Yield the place to which the neighbours pull each item of a row; an item without neighbours stays."""
    for item in row:
        pulling = neighbours.get(item)
        if pulling is None:
            yield places[item]
        else:
            yield sum(places[other] + scale * offset for other, offset in pulling) / len(pulling)


def _middles(
    table: Sequence[Sequence[Item]],
    above: _Neighbours,
    below: _Neighbours,
    widths: Mapping[Item, float],
    gap: float,
) -> dict[Item, float]:
    """Return the middle of each item: as near to its neighbours as the row allows."""
    packed = []
    for row in table:
        ends = accumulate(widths[item] + gap for item in row)
        packed.append([end - gap - widths[item] / 2 for item, end in zip(row, ends, strict=True)])
    middles = {
        item: middle
        for row, places in zip(table, packed, strict=True)
        for item, middle in zip(row, places, strict=True)
    }
    rows = list(zip(table, packed, strict=True))
    for sweep in range(SWEEPS):
        is_down = sweep % 2 == 0
        for row, least in rows if is_down else reversed(rows):
            wanted = _pulled(row, above if is_down else below, middles)
            middles.update(zip(row, _spread(list(wanted), least), strict=True))
    return middles


def _spread(wanted: Sequence[float], packed: Sequence[float]) -> Iterator[float]:
    """Yield the middles of a row that are nearest to those wanted; none are closer than in the `packed` row."""
    # Pool adjacent violators: items that want to be too close form a group, which moves as a whole.
    groups: list[tuple[float, int]] = []
    for want, place in zip(wanted, packed, strict=True):
        total, size = want - place, 1
        while groups and groups[-1][0] / groups[-1][1] > total / size:
            before = groups.pop()
            total, size = total + before[0], size + before[1]
        groups.append((total, size))
    moves = (total / size for total, size in groups for _ in range(size))
    for place, move in zip(packed, moves, strict=True):
        yield place + move
