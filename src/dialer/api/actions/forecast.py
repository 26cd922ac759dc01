"""Forecasts for clients: one at a time for each user, within limits, and ended if the client goes away."""

from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from functools import partial
from http import HTTPStatus
from typing import Final, NamedTuple

import anyio
import structlog

from dialer.api.service import ApiRequest
from dialer.domain.words.sentences import Sentence, message_of
from dialer.forecast.campaign_copy import people_of
from dialer.forecast.forecast import NoCampaignError, check_not_over
from dialer.forecast.parameters import Order
from dialer.forecast.processes import ForecastFailedError, Progress, processes_of_machine
from dialer.forecast.summary import Forecast
from dialer.resources.crud import records
from dialer.resources.crud.declaration import writable
from dialer.resources.crud.fields import Boolean
from dialer.resources.crud.resource import Actor, Resource, Unit
from dialer.resources.words.errors import AnsweredError, InvalidError, MalformedError, RecordNotFoundError
from dialer.settings import Settings
from dialer.shares import Shares
from dialer.store.database.database import Database
from dialer.store.queries.currencies import currency_of_sums

FORECAST_WORK_MAX: Final = 100_000
"""The largest product of seeds and people for one request; the command line has no such limit."""
FORECAST_SECONDS_MAX: Final = 120
"""The longest time that one forecast may take."""
RUNNING_MAX: Final = 2
"""Forecasts that are computed at the same time. Their processes share the processors that the service leaves free."""
RUNNING_OF_ACCOUNT_MAX: Final = 1
"""Those of the users of one account."""
WAITING_MAX: Final = 16
"""Users whose forecasts wait for their turn."""
OF_ACCOUNT_MAX: Final = 4
"""Users of one account whose forecasts are computed or wait."""
WAIT_SECONDS_MAX: Final = 50
"""The longest wait for a turn: proxies give up after 60 s without an answer."""
BUSY_RETRY_AFTER_S: Final = 10
"""The time after which a client may try again if there is no place for its forecast."""
OBEY_CALLING_HOURS: Final = writable(
    Boolean(),
    "True to obey the calling hours of the service and of countries although the gateway is simulated, as a real"
    " gateway does; false not to. Without it, as the service does.",
    default=None,
    example=True,
)
"""The field that says whether a rehearsal obeys the calling hours."""
OBEY_CONTACT_RULES: Final = writable(
    Boolean(),
    "True to obey the rows of law about how often people are contacted although the gateway is simulated, as a real"
    " gateway does; false not to. Without it, as the service does. Contact rules of the account always hold.",
    default=None,
    example=True,
)
"""The field that says whether a rehearsal obeys rows of law."""
_log: Final = structlog.get_logger(__name__)
_LATER: Final = {"Retry-After": str(BUSY_RETRY_AFTER_S)}

Forecasting = Callable[[Database, Order, Progress], Awaitable[Forecast]]
"""Computes a forecast: `forecast_in_subprocess`, or a function that raises the same errors."""


class ForecastUnderWay(NamedTuple):
    """A forecast that is being computed: its campaign, and the seeds that are done, of all."""

    campaign_id: int
    done: int
    seeds: int


class Forecaster:
    """The computation of forecasts: one for each user, a few at a time, and of each account one.

    So an account with large forecasts, and many users, keeps nobody out, and delays nobody alone.
    """

    def __init__(
        self,
        forecasting: Forecasting,
        *,
        seconds_max: float = FORECAST_SECONDS_MAX,
        wait_seconds_max: float = WAIT_SECONDS_MAX,
    ) -> None:
        self._forecasting: Final = forecasting
        self._seconds_max: Final = seconds_max
        self._wait_seconds_max: Final = wait_seconds_max
        self._turns: Final = Shares(RUNNING_MAX, RUNNING_OF_ACCOUNT_MAX)
        self._of_accounts: Final[Counter[int]] = Counter()
        self._under_way: Final[dict[int, ForecastUnderWay]] = {}
        """The forecasts that are computed or wait, by the id of their user."""

    def progress_of(self, campaign_id: int) -> ForecastUnderWay | None:
        """Return the forecast of a campaign that is furthest; None if there is none."""
        found = [one for one in self._under_way.values() if one.campaign_id == campaign_id]
        return max(found, key=lambda one: one.done, default=None)

    async def forecast(self, database: Database, order: Order, user: Actor) -> Forecast:
        """Return the forecast that a user has asked for, after its turn has come.

        Raises:
            AnsweredError: another forecast of the user is under way, too many wait, or this one fails or is slow.
            InvalidError: the campaign lacks something that a start needs.
            RecordNotFoundError: the campaign has been deleted.
        """
        account_id = user.manager_id or user.id
        with self._place(order, user.id, account_id):
            async with self._turn(account_id):
                try:
                    with anyio.fail_after(self._seconds_max):
                        return await self._forecasting(database, order, partial(self._tell, user.id))
                except TimeoutError:
                    detail = Sentence(
                        "The forecast took over %(seconds)s s. Ask for fewer seeds. %(remedy)s",
                        seconds=self._seconds_max,
                        remedy=_elsewhere(order),
                    )
                    raise AnsweredError(HTTPStatus.SERVICE_UNAVAILABLE, detail, _LATER) from None
                except NoCampaignError:
                    raise RecordNotFoundError from None
                except ForecastFailedError as error:
                    _log.error("forecast_failed", campaign_id=order.campaign_id, why=str(error))
                    detail = Sentence(
                        "The forecast failed: %(reason)s. Ask for it again. %(remedy)s",
                        reason=message_of(error),
                        remedy=_elsewhere(order),
                    )
                    raise AnsweredError(HTTPStatus.SERVICE_UNAVAILABLE, detail, _LATER) from None

    @contextmanager
    def _place(self, order: Order, user_id: int, account_id: int) -> Iterator[None]:
        """Hold the one place of a user, of the few of the account."""
        if user_id in self._under_way:
            raise _busy("Another forecast of yours is running.")
        if self._of_accounts[account_id] >= OF_ACCOUNT_MAX:
            raise _busy("Other forecasts of your account are running or waiting.")
        if len(self._under_way) >= RUNNING_MAX + WAITING_MAX:
            raise _busy(
                Sentence("%(count)s forecasts of other users are running or waiting.", count=len(self._under_way))
            )
        self._under_way[user_id] = ForecastUnderWay(order.campaign_id, 0, order.seeds)
        self._of_accounts[account_id] += 1
        try:
            yield
        finally:
            del self._under_way[user_id]
            self._of_accounts[account_id] -= 1
            if not self._of_accounts[account_id]:
                del self._of_accounts[account_id]

    @asynccontextmanager
    async def _turn(self, account_id: int) -> AsyncIterator[None]:
        """Wait for a turn of an account, and hold it."""
        async with AsyncExitStack() as held:
            try:
                with anyio.fail_after(self._wait_seconds_max):
                    await held.enter_async_context(self._turns.place(account_id))
            except TimeoutError:
                raise _busy("Forecasts of other users are running.") from None
            yield

    def _tell(self, user_id: int, done: int) -> None:
        self._under_way[user_id] = self._under_way[user_id]._replace(done=done)


def _busy(why: str) -> AnsweredError:
    detail = Sentence("%(why)s Try again in %(seconds)s s.", why=why, seconds=BUSY_RETRY_AFTER_S)
    return AnsweredError(HTTPStatus.SERVICE_UNAVAILABLE, detail, _LATER)


def order_of(
    unit: Unit,
    resource: Resource,
    identity: int,
    settings: Settings,
    *,
    seeds: int,
    first_seed: int = 0,
    work_max: int = FORECAST_WORK_MAX,
) -> Order:
    """Return the forecast to compute; `work_max` is the largest product of its seeds and people.

    Raises:
        RecordNotFoundError: the campaign does not exist, or the caller may not see it.
        InvalidError: the forecast is too large.
        CampaignOverError: the campaign has ended.
    """
    campaign = records.load(unit, resource, identity)
    check_not_over(campaign)
    people = people_of(unit.connection, identity)
    order = Order(
        identity,
        unit.now_ms,
        settings.timezone,
        seeds,
        first_seed,
        settings.calling_hours,
        processes=settings.forecast_processes or processes_of_machine(),
        service_seed=settings.seed,
        currency=currency_of_sums(unit.connection, campaign["user_id"], settings.currency) or "",
    )
    _refuse_too_much(order, people, work_max)
    return order


def seeds_within(unit: Unit, identity: int, most: int) -> int:
    """Return the number of seeds that a forecast of a campaign may have, at most `most` and at least one."""
    return max(1, min(most, FORECAST_WORK_MAX // max(1, people_of(unit.connection, identity))))


async def compute_forecast(request: ApiRequest, forecaster: Forecaster, order: Order) -> Forecast:
    """Return a computed forecast; stop the computation if the client disconnects.

    Raises:
        AnsweredError: another forecast of the user is under way, too many wait, or this one takes too long.
        InvalidError: the campaign lacks something that a start needs.
        RecordNotFoundError: the campaign has been deleted.
    """
    return await _unless_gone(request, partial(forecaster.forecast, request.service.database, order, request.user))


def _refuse_too_much(order: Order, people: int, work_max: int) -> None:
    most = work_max // max(1, people)
    if order.seeds > most:
        found = Sentence(
            "The campaign has %(people)s subscribers and contacts. Ask for at most %(most)s seeds. %(remedy)s",
            people=people,
            most=most,
            remedy=_elsewhere(order),
        )
        raise InvalidError({"seeds": [found]})


def _elsewhere(order: Order) -> str:
    return Sentence(
        "Without this limit, on the machine of the service: dialer forecast %(campaign_id)s --seeds %(seeds)s",
        campaign_id=order.campaign_id,
        seeds=order.seeds,
    )


async def _unless_gone(request: ApiRequest, compute: Callable[[], Awaitable[Forecast]]) -> Forecast:
    """Return the computed forecast; stop the computation if the client disconnects."""
    computed: Forecast | None = None
    failure: Exception | None = None
    async with anyio.create_task_group() as tasks:

        async def watch() -> None:
            while (await request.receive())["type"] != "http.disconnect":
                pass
            tasks.cancel_scope.cancel()

        tasks.start_soon(watch)
        try:
            computed = await compute()
        except Exception as error:  # noqa: BLE001 - raised after the task group, which would wrap it
            failure = error
        tasks.cancel_scope.cancel()
    if failure is not None:
        raise failure
    if computed is None:
        raise MalformedError("The client has disconnected.")
    return computed
