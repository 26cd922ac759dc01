"""Loops in a directed graph."""

from collections.abc import Iterable, Mapping


def loops(successors: Mapping[int, Iterable[int]]) -> list[frozenset[int]]:
    """Return the largest groups of nodes in which every node can reach every other; a single node must reach itself.

    `successors` has every node as a key; targets that are not keys are ignored. Uses Kosaraju's algorithm for strongly
    connected components: a forward walk orders the nodes by when it finished them. Backward walks from the last
    finished node on then collect the groups.
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
    """Return the reachable nodes that are not in `seen`, each after its descendants, and add them to `seen`."""
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
