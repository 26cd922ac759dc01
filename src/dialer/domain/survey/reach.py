"""The sections that a call can reach in a survey, and the shortest way to each."""

from collections.abc import Mapping
from typing import NamedTuple

from dialer.domain.survey.callflow import NODES_PER_CALL_MAX
from dialer.domain.survey.findings import Path
from dialer.domain.survey.sections.table import definition_of
from dialer.domain.survey.survey import Section


class _State(NamedTuple):
    """The position of a call, as far as it decides the ways out: a section, and a counter.

    `without_asking` is the number of consecutive sections, this one included, that do not ask for input.
    """

    section_id: int
    without_asking: int


def shortest_paths(first: Section, sections: Mapping[int, Section]) -> dict[int, Path]:
    """Return the way with the fewest branches to each section that a call can reach, nearest sections first.

    A call reaches every section that `CallFlow` reaches with some input; `SECTIONS_PER_CALL_MAX` is ignored. A section
    is visited again only with fewer consecutive sections without a question before it, because the call can then go
    further.
    """
    start = _State(first.id, 1)
    came_from: dict[_State, tuple[_State, str] | None] = {start: None}
    fewest = {first.id: 1}
    paths: dict[int, Path] = {first.id: ()}
    waiting = [start]
    for state in waiting:
        section = sections[state.section_id]
        definition = definition_of(section)
        without_asking = 1 if definition.asks else state.without_asking + 1
        for key in definition.ways_out(section):
            target = section.branches[key]
            if target is None or target not in sections or without_asking >= fewest.get(target, NODES_PER_CALL_MAX + 1):
                continue
            reached = _State(target, without_asking)
            fewest[target] = without_asking
            came_from[reached] = (state, key)
            waiting.append(reached)
            if target not in paths:
                paths[target] = _path_to(reached, came_from)
    return paths


def _path_to(state: _State, came_from: Mapping[_State, tuple[_State, str] | None]) -> Path:
    steps = []
    step = came_from[state]
    while step is not None:
        before, key = step
        steps.append((before.section_id, key))
        step = came_from[before]
    return tuple(reversed(steps))
