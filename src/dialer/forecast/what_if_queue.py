"""Comparisons of settings that run in the background: one of each campaign and each user, and one at a time in all.

Accounts that wait take turns, so the many comparisons of one account do not go before the only one of another.

The newest comparison of a campaign is kept in memory, with its outcome, until another one begins or the service ends.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Final

import anyio
import msgspec
import structlog
from anyio.abc import TaskGroup

from dialer.app.work.errors import ErrorCode, InvalidFieldsError, RefusedError
from dialer.domain.words.enum_descriptions import DescribedText
from dialer.domain.words.sentences import Sentence
from dialer.domain.words.states import IllegalMoveError
from dialer.forecast.forecast import CampaignOverError, NoCampaignError
from dialer.forecast.parameters import Order
from dialer.forecast.processes import ForecastFailedError, Progress
from dialer.forecast.what_if import Comparison, NamedSetting, WhatIf
from dialer.shares import Shares
from dialer.store.database.database import Database, StorageUnavailableError

SECONDS_MAX: Final = 1_800
"""The longest time that one comparison may take."""
RUNNING_MAX: Final = 1
"""Comparisons that are computed at the same time, beside forecasts."""
WAITING_MAX: Final = 16
"""Comparisons that wait for their turn."""
OF_ACCOUNT_MAX: Final = 4
"""Comparisons of the users of one account that are under way."""
KEPT_MAX: Final = 64
"""Comparisons in memory, those that are over included: the oldest of these make room."""
_log: Final = structlog.get_logger(__name__)
_REASONS: Final = (
    *(InvalidFieldsError, RefusedError, IllegalMoveError),
    *(NoCampaignError, CampaignOverError, ForecastFailedError, StorageUnavailableError),
)

Comparing = Callable[[Database, Order, Sequence[NamedSetting], Progress], Awaitable[WhatIf]]
"""Computes a comparison: `what_if_in_subprocess`, or a function that raises the same errors."""


class QueueFullError(Exception):
    """Raised when too many comparisons are under way, of the account or in all."""


class WhatIfState(DescribedText):
    """The state of a comparison."""

    WAITING = "waiting", "It waits for its turn."
    RUNNING = "running", "Its runs are being computed."
    DONE = "done", "Its outcome is there."
    FAILED = "failed", "It could not be computed; `error` says why."
    STOPPED = "stopped", "A user stopped it."


_UNDER_WAY: Final = frozenset({WhatIfState.WAITING, WhatIfState.RUNNING})


class WhatIfRun(msgspec.Struct, eq=False):
    """A comparison that was asked for, and how far it is."""

    comparison: Comparison
    user_id: int
    account_id: int
    state: WhatIfState = WhatIfState.WAITING
    done: int = 0
    """Runs that are done, of `comparison.runs`."""
    outcome: WhatIf | None = None
    failure: Exception | None = None
    """The reason why it has failed."""
    scope: anyio.CancelScope = msgspec.field(default_factory=anyio.CancelScope)

    @property
    def begun_ms(self) -> int:
        """The moment at which it was asked for."""
        return self.comparison.order.now_ms

    @property
    def is_under_way(self) -> bool:
        """True while the comparison waits or runs."""
        return self.state in _UNDER_WAY


class WhatIfQueue:
    """The comparisons of all campaigns."""

    def __init__(self, comparing: Comparing, *, seconds_max: float = SECONDS_MAX) -> None:
        self._comparing: Final = comparing
        self._seconds_max: Final = seconds_max
        self._turns: Final = Shares(RUNNING_MAX, RUNNING_MAX)
        self._runs: Final[dict[int, WhatIfRun]] = {}
        """The newest comparison of each campaign, by its id, in the order of their beginnings."""
        self._tasks: TaskGroup | None = None

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Compute comparisons while the context is entered; those that are under way at its end are stopped."""
        async with anyio.create_task_group() as tasks:
            self._tasks = tasks
            yield
            self._tasks = None
            tasks.cancel_scope.cancel()

    def of_campaign(self, campaign_id: int) -> WhatIfRun | None:
        """Return the newest comparison of a campaign; None without one."""
        return self._runs.get(campaign_id)

    def begin(self, database: Database, comparison: Comparison, *, user_id: int, account_id: int) -> WhatIfRun:
        """Begin a comparison that a user asks for, in place of an older one of the campaign.

        Raises:
            RefusedError: another comparison of the campaign, or of the user, is under way.
            QueueFullError: too many are under way, of the account or in all.
        """
        campaign_id = comparison.order.campaign_id
        under_way = [run for run in self._runs.values() if run.is_under_way]
        if any(run.comparison.order.campaign_id == campaign_id for run in under_way):
            raise RefusedError(
                "Settings of this campaign are being compared. Wait for the end, or stop it.",
                code=ErrorCode.IN_PROGRESS,
            )
        for run in under_way:
            if run.user_id == user_id:
                other = run.comparison.order.campaign_id
                raise RefusedError(
                    Sentence(
                        "You are comparing settings of campaign %(campaign)s. Wait for the end, or stop it.",
                        campaign=other,
                    ),
                    code=ErrorCode.IN_PROGRESS,
                )
        of_account = sum(run.account_id == account_id for run in under_way)
        is_full = of_account >= OF_ACCOUNT_MAX or len(under_way) >= RUNNING_MAX + WAITING_MAX
        if is_full or self._tasks is None:
            raise QueueFullError
        self._runs.pop(campaign_id, None)
        run = self._runs[campaign_id] = WhatIfRun(comparison, user_id, account_id)
        over = [kept for kept, each in self._runs.items() if not each.is_under_way]
        for kept in over[: max(0, len(self._runs) - KEPT_MAX)]:
            del self._runs[kept]
        self._tasks.start_soon(self._compute, database, run)
        return run

    def stop(self, campaign_id: int) -> bool:
        """Stop the comparison of a campaign. Return whether one was waiting or running."""
        run = self._runs.get(campaign_id)
        if run is None or not run.is_under_way:
            return False
        run.state = WhatIfState.STOPPED
        run.scope.cancel()
        return True

    async def _compute(self, database: Database, run: WhatIfRun) -> None:
        with run.scope:
            async with self._turns.place(run.account_id):
                if not run.is_under_way:
                    return  # Somebody stopped it in the moment in which its turn came.
                run.state = WhatIfState.RUNNING
                try:
                    with anyio.fail_after(self._seconds_max):
                        run.outcome = await self._outcome(database, run)
                    run.state = WhatIfState.DONE
                except TimeoutError:
                    detail = Sentence(
                        "The comparison took over %(seconds)s s. Ask for fewer settings or seeds.",
                        seconds=self._seconds_max,
                    )
                    run.state, run.failure = WhatIfState.FAILED, RefusedError(detail)
                except _REASONS as error:
                    run.state, run.failure = WhatIfState.FAILED, error
                except Exception as error:  # noqa: BLE001 - it concerns this comparison, and not the service
                    _log.exception("what_if_failed", campaign_id=run.comparison.order.campaign_id)
                    run.state, run.failure = WhatIfState.FAILED, error

    async def _outcome(self, database: Database, run: WhatIfRun) -> WhatIf:
        def hear(done: int) -> None:
            run.done = done

        return await self._comparing(database, run.comparison.order, run.comparison.named, hear)
