"""The runs of a forecast in several processes: children that are forked, and so have in memory what they need.

The children take the next task from one pipe, so none is idle while tasks are left, and each sends its results over a
pipe of its own. They end with their parent, whatever ends it. On systems other than Linux, and for a single process,
the tasks are done one after the other.
"""

import gc
import os
import pickle
import selectors
import signal
import sys
import threading
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, Final, NoReturn, TypeVar

from dialer.domain.forecast.process_limits import PROCESSES_DEFAULT_MAX, PROCESSES_MAX
from dialer.domain.words.sentences import Sentence

NICENESS: Final = 10
"""The niceness of forecasts: the service goes first."""
TASKS_MAX: Final = 2_000
"""Tasks whose numbers fit into the smallest buffer of a pipe, of 4,096 bytes."""
_PLACE_BYTES: Final = 2
_LENGTH_BYTES: Final = 8
_READ_BYTES: Final = 65_536
_STDERR: Final = 2

Task = TypeVar("Task")
Result = TypeVar("Result")
Progress = Callable[[int], None]
"""Hears how many tasks are done."""


class ForecastFailedError(Exception):
    """Raised when a process of a forecast ends before its work is done; its standard error may say why."""


def processes_of_machine() -> int:
    """Return the number of processes where no setting says how many: one a core that this process may use."""
    cores = len(os.sched_getaffinity(0)) if sys.platform == "linux" else 1
    return min(PROCESSES_DEFAULT_MAX, cores)


def do_all(tasks: Sequence[Task], work: Callable[[Task], Result], processes: int, progress: Progress) -> list[Result]:
    """Return the results of all tasks, in their order. After each, `progress` is called with the number of those done.

    Raises:
        ForecastFailedError: a process was killed, or has failed.
        ValueError: there are more than `TASKS_MAX` tasks.
    """
    processes = min(processes, PROCESSES_MAX, len(tasks))
    if processes <= 1 or sys.platform != "linux":
        return _one_by_one(tasks, work, progress)
    if len(tasks) > TASKS_MAX:
        raise ValueError(f"there are {len(tasks)} tasks; at most {TASKS_MAX} can be done")
    results: dict[int, Result] = {}
    with _children(tasks, work, processes) as children:
        for place, result in _received(children):
            results[place] = result
            progress(len(results))
    return [results[place] for place in range(len(tasks))]


def _one_by_one(tasks: Sequence[Task], work: Callable[[Task], Result], progress: Progress) -> list[Result]:
    results = []
    for task in tasks:
        results.append(work(task))
        progress(len(results))
    return results


@contextmanager
def _children(tasks: Sequence[Task], work: Callable[[Task], Result], processes: int) -> Iterator[dict[int, int]]:
    """Start the children, and yield their ids by the pipes of their results. Those left at the end are killed.

    Raises:
        ForecastFailedError: the system does not allow as many processes.
    """
    places, life = _filled_pipe(len(tasks)), os.pipe()
    children: dict[int, int] = {}
    try:
        for _ in range(processes):
            output, theirs = os.pipe()
            child = _fork()
            if child == 0:
                os.close(life[1])
                _be_child(life[0], partial(_serve, places, theirs, tasks, work))
            os.close(theirs)
            children[output] = child
        yield children
    finally:
        for output, child in children.items():
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            os.close(output)
        for end in (places, *life):
            os.close(end)


def _fork() -> int:
    """Fork this process, and return the id of the child; 0 in the child."""
    with warnings.catch_warnings():
        # Other threads may hold locks at a fork. The work takes none of them: it computes, and writes to its pipe.
        warnings.simplefilter("ignore", DeprecationWarning)
        try:
            return os.fork()
        except OSError as error:
            raise ForecastFailedError(Sentence("no further process can be started: %(why)s", why=str(error))) from None


def _filled_pipe(count: int) -> int:
    """Return the end to read from of a pipe with the places of all tasks, which ends after them."""
    places, filling = os.pipe()
    os.write(filling, b"".join(place.to_bytes(_PLACE_BYTES, "big") for place in range(count)))
    os.close(filling)
    return places


def _received(children: dict[int, int]) -> Iterator[tuple[int, Any]]:
    """Yield the places and the results of tasks as they are done, and forget children that have ended.

    Raises:
        ForecastFailedError: a child has ended otherwise than by running out of tasks.
    """
    pieces = {output: bytearray() for output in children}
    with selectors.DefaultSelector() as selector:
        for output in children:
            selector.register(output, selectors.EVENT_READ)
        while selector.get_map():
            for key, _ in selector.select():
                piece = os.read(key.fd, _READ_BYTES)
                pieces[key.fd] += piece
                yield from _whole(pieces[key.fd])
                if not piece:
                    selector.unregister(key.fd)
                    _, status = os.waitpid(children.pop(key.fd), 0)
                    os.close(key.fd)
                    if status:
                        raise ForecastFailedError(
                            Sentence("a process ended with %(code)s", code=os.waitstatus_to_exitcode(status))
                        )


def _whole(buffer: bytearray) -> Iterator[tuple[int, Any]]:
    """Take whole results out of a buffer."""
    while len(buffer) >= _LENGTH_BYTES:
        end = _LENGTH_BYTES + int.from_bytes(buffer[:_LENGTH_BYTES], "big")
        if len(buffer) < end:
            return
        yield pickle.loads(bytes(buffer[_LENGTH_BYTES:end]))  # noqa: S301 - of a child of this process
        del buffer[:end]


def _be_child(life: int, serve: Callable[[], None]) -> NoReturn:
    """Work, and end with the parent. Nothing of the parent's own is cleaned up here."""
    code = 1
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is for the parent, which then kills the child.
        os.setpriority(os.PRIO_PROCESS, 0, max(NICENESS, os.getpriority(os.PRIO_PROCESS, 0)))
        gc.freeze()  # A search for garbage would copy what the children share.
        threading.Thread(target=_end_with_parent, args=(life,), daemon=True).start()
        serve()
        code = 0
    except BaseException:  # noqa: BLE001 - it must not return into the code of the parent
        os.write(_STDERR, traceback.format_exc().encode(errors="replace"))
    finally:
        os._exit(code)


def _end_with_parent(life: int) -> None:
    """Exit when the pipe ends, which only the parent can write to: the parent is gone."""
    os.read(life, 1)
    os._exit(1)


def _serve(places: int, output: int, tasks: Sequence[Task], work: Callable[[Task], Result]) -> None:
    """Do tasks until none is left."""
    while place := os.read(places, _PLACE_BYTES):
        task = int.from_bytes(place, "big")
        result = pickle.dumps((task, work(tasks[task])))
        with os.fdopen(os.dup(output), "wb") as file:
            file.write(len(result).to_bytes(_LENGTH_BYTES, "big") + result)
