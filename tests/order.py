"""The order of tests: those that take long are the first of each process, so no process ends long after the others."""

import os
from collections.abc import Sequence
from itertools import islice
from typing import Final, TypeVar

import pytest

from tests.kinds import is_long

PROCESSES: Final = "PYTEST_XDIST_WORKER_COUNT"
_Item = TypeVar("_Item")


def begun_with(long: Sequence[_Item], others: Sequence[_Item], processes: int) -> list[_Item]:
    """Return all items, so that equal parts of them for each process begin with a share of the long ones.

    `--dist worksteal` gives each process such a part, and a process without work takes the end of another one's.
    """
    ordered: list[_Item] = []
    left, whole = iter(others), len(long) + len(others)
    for process in range(processes):
        share = long[process::processes]
        part = (whole - len(ordered)) // (processes - process)
        ordered += share
        ordered += islice(left, max(part - len(share), 0))
    return ordered + list(left)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    processes = int(os.environ.get(PROCESSES, "1"))
    if processes > 1:
        long = [item for item in items if is_long(item.path)]
        others = [item for item in items if not is_long(item.path)]
        items[:] = begun_with(long, others, processes)
