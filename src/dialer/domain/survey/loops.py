"""Loops in a directed graph."""

from collections.abc import Iterable, Mapping


def loops(successors: Mapping[int, Iterable[int]]) -> list[frozenset[int]]:
    """The greatest groups of nodes in which each leads back to itself through the others, or by itself.

    `successors` has every node as a key; what they name beyond that does not count. Kosaraju's algorithm: the groups
    are what can be reached backwards, taking the nodes by when a walk forwards was done with them, the last one first.
    """
    forwards = {node: [target for target in targets if target in successors] for node, targets in successors.items()}
    backwards: dict[int, list[int]] = {node: [] for node in forwards}
    for node, targets in forwards.items():
        for target in targets:
            backwards[target].append(node)
    finished: list[int] = []
    seen: set[int] = set()
    for node in forwards:
        finished += _walk(forwards, node, seen)
    grouped: set[int] = set()
    groups = [frozenset(_walk(backwards, node, grouped)) for node in reversed(finished)]
    return [group for group in groups if len(group) > 1 or any(node in forwards[node] for node in group)]


def _walk(edges: Mapping[int, list[int]], start: int, seen: set[int]) -> list[int]:
    """The nodes that are not `seen` and can be reached, each after all that only it leads to; they are seen then."""
    if start in seen:
        return []
    seen.add(start)
    finished: list[int] = []
    open_nodes = [(start, iter(edges[start]))]
    while open_nodes:
        node, targets = open_nodes[-1]
        target = next((target for target in targets if target not in seen), None)
        if target is None:
            finished.append(node)
            open_nodes.pop()
        else:
            seen.add(target)
            open_nodes.append((target, iter(edges[target])))
    return finished
