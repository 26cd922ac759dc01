"""A machine whose time stands still while it computes: work takes the time that a table states, and nothing else does.

The loop's clock goes on only when everybody waits. Threads are greenlets of the loop: a thread that waits lets others
go on. All of them share one interpreter, a few milliseconds at a time each, as threads of Python do.
"""

import asyncio
import selectors
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from queue import Empty
from typing import Any, Final, Self, TypeVar

import anyio
import anyio.from_thread
import anyio.to_thread
import pytest
from sqlalchemy.util import await_only, greenlet_spawn

Result = TypeVar("Result")

MILLISECONDS: Final = 1_000
SLICE_MS: Final = 5.0
"""The time for which a thread keeps the interpreter while others want it, as in CPython."""
DEFAULT_MS: Final = 0.5
"""The work of a function in a thread that the table of costs does not name."""
_REAL_S: Final = 5.0
"""The real time for which a loop that nothing wakes waits for the operating system."""


class VirtualSelector(selectors.SelectSelector):
    """A selector that does not wait: the time passes at once."""

    def __init__(self) -> None:
        super().__init__()
        self.now_s = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """Let the time of a wait pass."""
        if timeout is None:
            return super().select(_REAL_S)
        self.now_s += max(0.0, timeout)
        return super().select(0)


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop with the clock of its selector."""

    def __init__(self) -> None:
        self._virtual: Final = VirtualSelector()
        super().__init__(self._virtual)

    def time(self) -> float:
        """Return the seconds since the beginning."""
        return self._virtual.now_s


class Machine:
    """The interpreter of a process, with the costs of what runs in its threads."""

    def __init__(self, costs: dict[str, Callable[..., float]]) -> None:
        """`costs` has a function for the names of others; it takes the same arguments and returns milliseconds."""
        self._costs: Final = costs
        self._interpreter: Final = anyio.Lock()
        self.worked_ms = 0.0

    async def work(self, cost_ms: float) -> None:
        """Compute for a time, in turns with all others that compute."""
        self.worked_ms += cost_ms
        while cost_ms > 0:
            piece_ms = min(cost_ms, SLICE_MS)
            async with self._interpreter:
                await anyio.sleep(piece_ms / MILLISECONDS)
            cost_ms -= piece_ms

    async def run_in_thread(
        self,
        work: Callable[..., Result],
        *arguments: Any,  # noqa: ANN401 - as the library's
        abandon_on_cancel: bool = False,
        limiter: anyio.CapacityLimiter | None = None,
    ) -> Result:
        """Run a function as in a thread, in place of `anyio.to_thread.run_sync`."""
        threads = anyio.to_thread.current_default_thread_limiter() if limiter is None else limiter
        async with _held(threads):
            # Without the shield, a caller who is cancelled stops waiting, and here the thread ends, too.
            with anyio.CancelScope(shield=not abandon_on_cancel):
                await self.work(self._cost_ms(work, arguments))
                return await greenlet_spawn(work, *arguments)
        raise AssertionError("nobody cancels this scope itself")

    def _cost_ms(self, work: Callable[..., object], arguments: Sequence[object]) -> float:
        inner: Any = work
        given = list(arguments)
        while isinstance(inner, partial):
            inner, given = inner.func, [*inner.args, *given]
        cost = self._costs.get(getattr(inner, "__qualname__", ""))
        return DEFAULT_MS if cost is None else cost(*given)

    @contextmanager
    def in_place(self) -> Iterator[pytest.MonkeyPatch]:
        """Let threads of all code be those of this machine while the context is entered."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(anyio.to_thread, "run_sync", self.run_in_thread)
            patch.setattr(anyio.from_thread, "run", run_from_thread)
            yield patch


@asynccontextmanager
async def _held(limiter: anyio.CapacityLimiter) -> AsyncIterator[None]:
    """Hold a place of a limiter, on behalf of nobody who may hold another."""
    borrower = object()
    await limiter.acquire_on_behalf_of(borrower)
    try:
        yield
    finally:
        limiter.release_on_behalf_of(borrower)


def run_from_thread(work: Callable[..., Awaitable[Result]], *arguments: Any) -> Result:  # noqa: ANN401 - as the library's
    """Run an asynchronous function from a thread, in place of `anyio.from_thread.run`."""
    return await_only(work(*arguments))


class VirtualThread:
    """A thread of its own, in place of `threading.Thread`."""

    def __init__(self, target: Callable[[], None], *, daemon: bool) -> None:
        self._target: Final = target
        self._is_daemon: Final = daemon
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to run."""
        self._task = asyncio.get_running_loop().create_task(greenlet_spawn(self._target))


class VirtualQueue:
    """A queue between threads, in place of `queue.SimpleQueue`."""

    def __init__(self) -> None:
        self._things: Final[list[Any]] = []
        self._filled: Final = anyio.Event()

    def put(self, thing: object) -> None:
        """Add a thing."""
        self._things.append(thing)
        self._filled.set()

    def get(self, timeout: float) -> Any:  # noqa: ANN401 - as the library's
        """Wait for a thing for some seconds, and take it.

        Raises:
            Empty: none came.
        """
        await_only(self._wait(timeout))
        if not self._things:
            raise Empty
        return self._things.pop(0)

    async def _wait(self, timeout_s: float) -> None:
        with anyio.move_on_after(timeout_s):
            await self._filled.wait()


class VirtualCondition:
    """A condition of threads, in place of `threading.Condition`. Threads here change hands only where they wait."""

    def __init__(self) -> None:
        self._changed = anyio.Event()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def wait_for(self, is_so: Callable[[], bool]) -> None:
        """Wait until something is so."""
        while not is_so():
            await_only(self._changed.wait())

    def notify_all(self) -> None:
        """Wake all who wait."""
        self._changed.set()
        self._changed = anyio.Event()
