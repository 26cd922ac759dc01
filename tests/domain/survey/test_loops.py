"""Tests of loops in graphs of any shape, compared with a walk from every node."""

from hypothesis import given
from hypothesis import strategies as st

from dialer.domain.survey.loops import loops

NODES = range(6)
graphs = st.fixed_dictionaries({node: st.lists(st.sampled_from([*NODES, 77]), max_size=3) for node in NODES})


def after(graph: dict[int, list[int]], node: int) -> set[int]:
    """Return every node that can be reached from a node."""
    found: set[int] = set()
    waiting = list(graph[node])
    while waiting:
        target = waiting.pop()
        if target in graph and target not in found:
            found.add(target)
            waiting += graph[target]
    return found


@given(graphs)
def test_a_loop_is_a_set_of_nodes_that_lead_to_each_other(graph: dict[int, list[int]]) -> None:
    reached = {node: after(graph, node) for node in graph}
    expected = {
        frozenset(other for other in reached[node] if node in reached[other]) for node in graph if node in reached[node]
    }
    assert sorted(map(sorted, loops(graph))) == sorted(map(sorted, expected))
