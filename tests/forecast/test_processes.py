"""Tests of work that children of this process share."""

import os
import signal
import time
from pathlib import Path
from typing import Final

import pytest

from dialer.forecast.processes import TASKS_MAX, ForecastFailedError, do_all, processes_of_machine

CHILDREN: Final = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children")
pytestmark = pytest.mark.skipif(not CHILDREN.exists(), reason="children are forked on Linux only")


def whose(task: int) -> tuple[int, int]:
    return task, os.getpid()


def ignore(_done: int) -> None:
    pass


def children() -> set[str]:
    return set(CHILDREN.read_text("ascii").split())


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def test_results_come_in_the_order_of_the_tasks_and_nothing_is_left() -> None:
    before = children(), open_files()
    told: list[int] = []
    found = do_all(range(40), whose, 3, told.append)
    assert [task for task, _ in found] == list(range(40))
    assert os.getpid() not in {process for _, process in found}
    assert told == list(range(1, 41))
    assert (children(), open_files()) == before


def test_one_process_or_one_task_needs_no_child() -> None:
    assert do_all([1, 2], whose, 1, ignore) == [(1, os.getpid()), (2, os.getpid())]
    assert do_all([1], whose, 9, ignore) == [(1, os.getpid())]
    assert do_all([], whose, 9, ignore) == []


def test_results_may_be_larger_than_a_pipe() -> None:
    assert do_all([1, 2], lambda task: "x" * 1_000_000 * task, 2, ignore) == ["x" * 1_000_000, "x" * 2_000_000]


def test_a_child_that_is_killed_fails_the_work_alone() -> None:
    before = children(), open_files()

    def die(task: int) -> int:
        if task == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        return task

    with pytest.raises(ForecastFailedError, match="a process ended with -9"):
        do_all(range(9), die, 2, ignore)
    assert (children(), open_files()) == before


def test_a_child_whose_work_raises_says_so_on_standard_error(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ForecastFailedError, match="a process ended with 1"):
        do_all([1, 0], lambda task: 1 // task, 2, ignore)
    assert "ZeroDivisionError" in capfd.readouterr().err


def test_children_that_hang_are_killed_when_the_work_is_given_up() -> None:
    before = children(), open_files()

    def hang(task: int) -> int:
        while task:
            signal.pause()
        return task

    def give_up(_done: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        do_all([0, 1, 1], hang, 3, give_up)
    assert (children(), open_files()) == before


def test_children_go_after_the_service() -> None:
    assert do_all([1, 2], lambda _: os.getpriority(os.PRIO_PROCESS, 0), 2, ignore) == [10, 10]


def test_children_end_with_a_parent_that_is_killed() -> None:
    """The parent is a child of this process, and its own children wait for ever."""
    reading, writing = os.pipe()

    def tell_and_wait(_task: int) -> None:
        os.write(writing, b".")
        while True:
            time.sleep(60)  # Interrupted by its end, which comes at once.

    parent = os.fork()
    if parent == 0:
        try:
            do_all([1, 2], tell_and_wait, 2, ignore)
        finally:
            os._exit(1)
    os.close(writing)
    assert os.read(reading, 1) + os.read(reading, 1) == b".."
    os.kill(parent, signal.SIGKILL)
    os.waitpid(parent, 0)
    assert os.read(reading, 1) == b""  # Nobody is left who could write.
    os.close(reading)


def test_the_number_of_tasks_and_of_processes_is_limited() -> None:
    with pytest.raises(ValueError, match=f"there are {TASKS_MAX + 1} tasks; at most {TASKS_MAX} can be done"):
        do_all(range(TASKS_MAX + 1), whose, 2, ignore)
    assert 1 <= processes_of_machine() <= 8
