"""Where a call can get to in a survey, and how."""

from collections.abc import Mapping
from typing import NamedTuple

from dialer.domain.survey.callflow import NODES_PER_CALL_MAX
from dialer.domain.survey.findings import Path
from dialer.domain.survey.sections.table import definition_of
from dialer.domain.survey.survey import Section


class _State(NamedTuple):
    """Where a call can be, as far as it decides where it can go: a section, the how many-th that asks nothing."""

    section_id: int
    in_a_row: int


def shortest_paths(first: Section, sections: Mapping[int, Section]) -> dict[int, Path]:
    """The way in the fewest branches to each section that a call can reach, the nearest first.

    A call reaches what `CallFlow` would come to with some inputs, leaving aside `SECTIONS_PER_CALL_MAX`. A section is
    visited again only if the call may go on for longer from there: with fewer sections behind it that asked nothing.
    """
    start = _State(first.id, 1)
    came_from: dict[_State, tuple[_State, str] | None] = {start: None}
    fewest = {first.id: 1}
    paths: dict[int, Path] = {first.id: ()}
    waiting = [start]
    for state in waiting:
        section = sections[state.section_id]
        definition = definition_of(section)
        in_a_row = 1 if definition.asks else state.in_a_row + 1
        for key in definition.ways_out(section):
            target = section.branches[key]
            if target is None or target not in sections or in_a_row >= fewest.get(target, NODES_PER_CALL_MAX + 1):
                continue
            reached = _State(target, in_a_row)
            fewest[target] = in_a_row
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
