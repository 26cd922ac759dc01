"""Checks and imports of large lists, which run in the background while their pages show the progress.

The newest task of each list is kept in memory, with its outcome, until another one begins or the service ends.
"""

import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from enum import StrEnum
from http import HTTPStatus
from typing import Any, Final

import anyio
import msgspec
import structlog
from anyio.abc import TaskGroup

from dialer.app.imports.headers import CsvError
from dialer.app.imports.imports import ImportStoppedError
from dialer.app.work.errors import InvalidFieldsError, RefusedError
from dialer.console.lists.list_choices import ListChoices
from dialer.console.lists.list_reading import NobodyImportedError
from dialer.domain.words.sentences import Sentence
from dialer.resources.words.errors import AnsweredError, InvalidError
from dialer.store.database.database import StorageUnavailableError

TASKS_MAX: Final = 16
"""Checks and imports of all users that are under way."""
TASKS_OF_A_USER_MAX: Final = 2
KEPT_MAX: Final = 64
"""Tasks in memory, those that are over included: the oldest of these make room."""
UNWATCHED_S_MAX: Final = 60
"""Seconds after which a check ends whose progress nobody asks for."""
WAIT_S: Final = 1.0
"""The time for which the request that begins a task waits for its end."""
RETRY_AFTER_S: Final = 30
_SHOWN_SHARE_MIN: Final = 0.05
"""The share of a file from which on its number of rows can be told."""
_REASONS: Final = (
    *(AnsweredError, CsvError, InvalidError, InvalidFieldsError),
    *(NobodyImportedError, RefusedError, StorageUnavailableError),
)
_FAILED: Final = "The service has noted what happened. Try again, or tell your admin."
_log: Final = structlog.get_logger(__name__)


class ListTaskState(StrEnum):
    """The state of a task."""

    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    STOPPED = "stopped"
    UNWATCHED = "unwatched"
    """It has ended because nobody asked for its progress."""


class ListTask(msgspec.Struct, eq=False):
    """A check or an import of a list, with its progress."""

    user_id: int
    token: str
    choices: ListChoices
    """The choices by which the list is read."""
    is_import: bool
    asked_s: float
    """The moment when somebody asked for its progress."""
    state: ListTaskState = ListTaskState.RUNNING
    rows: int = 0
    """Rows that were read."""
    share: float = 0.0
    """The share of the file that was read."""
    outcome: Any = None
    """The result of the work, once it is done."""
    failure: Exception | None = None
    """The reason why it has failed."""
    is_stopping: bool = False
    over: anyio.Event = msgspec.field(default_factory=anyio.Event)

    @property
    def is_under_way(self) -> bool:
        """True while the check or import runs."""
        return self.state is ListTaskState.RUNNING

    @property
    def was_stopped(self) -> bool:
        """True if the check or import was stopped by a user."""
        return self.state in {ListTaskState.STOPPED, ListTaskState.UNWATCHED}

    @property
    def rows_in_all(self) -> int:
        """About how many rows the file has, with three digits that count; 0 while that is not known."""
        if self.share < _SHOWN_SHARE_MIN:
            return 0
        rows = round(self.rows / self.share)
        return round(rows, min(0, 3 - len(str(rows))))


Work = Callable[[ListTask, Callable[[int, float], None]], Awaitable[Any]]
"""Does the work of a task. It tells its progress, by a function that raises ImportStoppedError to stop it."""


class ListTasks:
    """The tasks of all lists. `now_s` is a steady time."""

    def __init__(self, now_s: Callable[[], float] = time.monotonic) -> None:
        self._now_s: Final = now_s
        self._kept: Final[dict[tuple[int, str], ListTask]] = {}
        """The newest task of each list, by its user and its token, in the order of their beginnings."""
        self._under_way: Final[list[ListTask]] = []
        self._tasks: TaskGroup | None = None

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Do tasks while the context is entered; those that are under way at its end are stopped."""
        async with anyio.create_task_group() as tasks:
            self._tasks = tasks
            yield
            self._tasks = None
            for task in self._under_way:
                task.is_stopping = True
            tasks.cancel_scope.cancel()

    def find(self, user_id: int, token: str) -> ListTask | None:
        """Return the newest check or import of a list, for a page that shows it; None without one."""
        task = self._kept.get((user_id, token))
        if task is not None:
            task.asked_s = self._now_s()
        return task

    def forget(self, user_id: int, token: str) -> None:
        """Remove the finished task of a list, so that another one can begin."""
        task = self._kept.get((user_id, token))
        if task is not None and not task.is_under_way:
            del self._kept[user_id, token]

    async def stop(self, user_id: int, token: str) -> None:
        """Stop the task of a list after the rows that it reads just now, and wait a moment for its end."""
        task = self._kept.get((user_id, token))
        if task is not None and task.is_under_way:
            task.is_stopping = True
            with anyio.move_on_after(WAIT_S):
                await task.over.wait()

    async def begin(self, user_id: int, token: str, choices: ListChoices, work: Work, *, is_import: bool) -> ListTask:
        """Begin a task in place of an older one of the list, and wait a moment for its end.

        Raises:
            AnsweredError: too many are under way.
        """
        await self.stop(user_id, token)
        own = [one for one in self._under_way if one.user_id == user_id and not one.is_stopping]
        if len(own) >= TASKS_OF_A_USER_MAX:
            detail = Sentence(
                "You have %(most)s large lists under way. Wait for the end of one, or stop it.",
                most=TASKS_OF_A_USER_MAX,
            )
            raise AnsweredError(HTTPStatus.TOO_MANY_REQUESTS, detail, {"Retry-After": str(RETRY_AFTER_S)})
        if len(self._under_way) >= TASKS_MAX or self._tasks is None:
            detail = Sentence("Large lists of other users are being read. Try again in %(s)s s.", s=RETRY_AFTER_S)
            raise AnsweredError(HTTPStatus.SERVICE_UNAVAILABLE, detail, {"Retry-After": str(RETRY_AFTER_S)})
        self._kept.pop((user_id, token), None)
        task = self._kept[user_id, token] = ListTask(user_id, token, choices, is_import, self._now_s())
        over = [key for key, each in self._kept.items() if not each.is_under_way]
        for key in over[: max(0, len(self._kept) - KEPT_MAX)]:
            del self._kept[key]
        self._under_way.append(task)
        self._tasks.start_soon(self._do, task, work)
        with anyio.move_on_after(WAIT_S):
            await task.over.wait()
        return task

    async def _do(self, task: ListTask, work: Work) -> None:
        try:
            task.outcome = await work(task, lambda rows, share: self._hear(task, rows, share))
            task.state = ListTaskState.DONE
        except ImportStoppedError:
            task.state = ListTaskState.STOPPED if task.is_stopping else ListTaskState.UNWATCHED
        except _REASONS as error:
            task.state, task.failure = ListTaskState.FAILED, error
        except Exception:  # noqa: BLE001 - it concerns this list, and not the service
            _log.exception("list_task_failed", is_import=task.is_import)
            task.state, task.failure = ListTaskState.FAILED, RefusedError(_FAILED)
        finally:
            task.is_stopping = True  # The thread of a task that was cancelled ends, too.
            self._under_way.remove(task)
            task.over.set()

    def _hear(self, task: ListTask, rows: int, share: float) -> None:
        """Note the progress of a task, in its thread; raise ImportStoppedError if it is to end."""
        task.rows, task.share = rows, share
        is_unwatched = self._now_s() - task.asked_s > UNWATCHED_S_MAX
        if task.is_stopping or (is_unwatched and not task.is_import):
            raise ImportStoppedError
