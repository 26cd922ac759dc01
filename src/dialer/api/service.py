"""The objects that every handler uses: the database, the worker, the settings and the resource table."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from types import ModuleType
from typing import Any, Final, Protocol, Self, TypeVar
from zoneinfo import ZoneInfo

import structlog
from litestar import Request, Response, Router
from litestar.handlers import BaseRouteHandler
from sqlalchemy import Connection

from dialer.api.http.account_turns import AccountTurns
from dialer.api.http.auth import origin_of
from dialer.api.http.event_streams import EventStreams
from dialer.api.http.idempotency import Attempts
from dialer.api.http.known_parameters import is_strict
from dialer.api.http.stream_places import StreamPlaces
from dialer.api.http.tried_voices import TryVoice, VoiceTrials, try_nothing
from dialer.app.telling.audit_log import REMOVED_AT_ONCE, Origin, remove_old_entries
from dialer.app.telling.listeners import tell_listeners
from dialer.domain.calling_times.calling_hours import read_calling_hours
from dialer.domain.words.sentences import Sentence
from dialer.resources.crud.fields import Conventions
from dialer.resources.crud.pagination import Encode
from dialer.resources.crud.resource import Actor, Resource, Unit
from dialer.resources.crud.urls import Links, links_for
from dialer.resources.records.advancing import ClockRun
from dialer.runtime.steps.clock import Clock
from dialer.runtime.steps.dial_counters import DialCounters
from dialer.runtime.steps.process_health import ProcessHealth
from dialer.settings import Settings
from dialer.store.database.database import Database
from dialer.store.media.folder import FolderMedia
from dialer.store.media.recording_files import recording_files

DAY_MS: Final = 86_400_000
APPLIED_AT_ONCE: Final = 2
"""Requests to apply files that are worked on at a time, one of an account."""
APPLIES_WAITING_MAX: Final = 16
"""Such requests of other accounts that wait for their turn."""
PROOFS_AT_ONCE: Final = 4
"""Archives that prove campaigns that are made at a time, one of an account."""
REMOVED_EVERY_MS: Final = 3_600_000
SERVICE: Final = "service"
"""The key of the service in the state of the application."""

_Result = TypeVar("_Result")


class OwnRouter(Router):
    """A router that one application registers, once.

    The framework would copy it with all of its handlers, which takes as long as everything else of its start.
    """

    def __deepcopy__(self, _memo: object) -> Self:
        """Return the router itself."""
        return self


class ApiRequest(Request[Actor, Any, Any]):
    """A request that gives its handler access to the service.

    An injected dependency would cost every request an exit stack, and a second one a task group as well.
    """

    @property
    def service(self) -> "Service":
        """Return the service of the application."""
        service: Service = self.app.state[SERVICE]
        return service


Chunks = Callable[[Encode], AsyncIterator[bytes]]
"""Encodes all records that a request selects, a few at a time, and yields chunks that are never empty."""
Export = Callable[[ApiRequest, Resource, Chunks], Awaitable[Response[Any] | None]]
"""Answers a list in a format other than JSON; returns None if the request asks for JSON."""


def _origin(request: ApiRequest) -> Origin:
    """Return the origin of a request for the audit log."""
    client = request.scope["client"]
    return origin_of(request.user, client[0] if client else "")


def handlers_in(*modules: ModuleType) -> list[BaseRouteHandler]:
    """Return the handlers that modules define, in their order."""
    found = [(module, value) for module in modules for value in vars(module).values()]
    return [
        value
        for module, value in found
        if isinstance(value, BaseRouteHandler) and value.fn.__module__ == module.__name__
    ]


class Dialler(Protocol):
    """The methods of the worker that handlers use."""

    clock: Clock

    async def settle(self) -> None:
        """Handle all events that are due now."""

    async def advance(self, to_ms: int) -> None:
        """Handle all events that are due until `to_ms`, and set the virtual clock to that time."""

    def next_ms(self) -> int | None:
        """Return the moment of the next event of the dialling; None if none is due."""

    def problem(self) -> str | None:
        """Return the reason why dialling does not work; None if it works."""

    def figures(self) -> DialCounters:
        """Return the figures of the dialling since the start of the process."""

    def process_health(self) -> ProcessHealth:
        """Return the state of the process."""

    def running(self) -> AbstractAsyncContextManager[None]:
        """Return a context in which the worker handles events as they become due."""


class Service:
    """The objects that handlers use, and the units of work of their requests."""

    def __init__(
        self,
        settings: Settings,
        *,
        database: Database,
        worker: Dialler,
        resources: Mapping[str, Resource],
        export: Export,
        event_streams: EventStreams | None = None,
        try_voice: TryVoice = try_nothing,
    ) -> None:
        self._trials: Final = VoiceTrials(try_voice, database, self._now_ms)
        self.event_streams: Final = event_streams or EventStreams()
        self.settings: Final = settings
        self.media: Final = FolderMedia(settings.media_dir)
        self.recordings: Final = recording_files(settings.recordings_dir, settings.recordings_bucket)
        self.worker: Final = worker
        self.database: Final = database
        self.resources: Final = resources
        self.export: Final = export
        self.attempts: Final = Attempts()
        self.apply_turns: Final = AccountTurns(
            APPLIED_AT_ONCE,
            1,
            APPLIES_WAITING_MAX,
            refusal="Another request of your account to apply files is under way. Try again when it has ended.",
            others="Requests of other accounts to apply files are waiting. Try again later.",
        )
        refusal = Sentence("An archive that proves a campaign is being made already. Try again when it has ended.")
        self.proof_places: Final = StreamPlaces(PROOFS_AT_ONCE, 1, 1, refusal)
        self.clock_run: Final = ClockRun()
        self._removed_ms = 0
        self._zone: Final = ZoneInfo(settings.timezone)
        self._hours: Final = read_calling_hours(settings.calling_hours)

    def _now_ms(self) -> int:
        return self.worker.clock.now_ms()

    def links(self, request: ApiRequest) -> Links:
        """Return the links for one request, which contain the address that the client used."""
        return links_for(request, self.settings.base_url)

    def conventions(self, request: ApiRequest) -> Conventions:
        """Return the defaults for the values of one request: zone, region, links and strictness."""
        links, strict = self.links(request), is_strict(request.scope)
        actor = request.scope.get("user")
        region = (actor.default_region if isinstance(actor, Actor) else "") or self.settings.default_region
        networks, currency = self.settings.webhook_networks, self.settings.currency
        hours = self.settings.abandon_hours
        return Conventions(self._zone, region, links, self._hours, networks, currency, hours, is_strict=strict)

    def unit(self, connection: Connection, request: ApiRequest) -> Unit:
        """Return the unit of work of one request on one transaction."""
        return Unit(
            connection=connection,
            actor=request.user,
            now_ms=self.worker.clock.now_ms(),
            conventions=self.conventions(request),
            resources=self.resources,
        )

    async def read(self, request: ApiRequest, work: Callable[[Unit], _Result], *, is_long: bool = False) -> _Result:
        """Run `work` on a consistent snapshot and return its result; see `Database.read`.

        It runs again after voices of surveys were tried of which it has to know.
        """
        read = lambda connection: work(self.unit(connection, request))  # noqa: E731 - both times the same
        return await self._trials.known(lambda: self.database.read(read, is_long=is_long))

    async def read_with_others(self, request: ApiRequest, work: Callable[[Unit], _Result]) -> _Result:
        """Run `work`, a small one, on a snapshot that others share; see `Database.read_with_others`."""
        return await self.database.read_with_others(lambda connection: work(self.unit(connection, request)))

    async def write(self, request: ApiRequest, work: Callable[[Unit], _Result], *, is_long: bool = False) -> _Result:
        """Run `work`, commit it, wake the worker if the engine is concerned, and return the result.

        Work that `is_long` lets others pass; see `Database.write`. It runs again as in `read`.
        """

        def run(connection: Connection) -> tuple[_Result, bool]:
            unit = self.unit(connection, request)
            done = work(unit)
            tell_listeners(unit, _origin(request))
            self._remove_old_entries(unit)
            return done, unit.concerns_engine

        result, concerns_engine = await self._trials.known(lambda: self.database.write(run, is_long=is_long))
        if concerns_engine:
            await self.settle()
        return result

    def _remove_old_entries(self, unit: Unit) -> None:
        """Remove old audit log entries with the first write of each hour; many, with further ones."""
        if unit.now_ms - self._removed_ms >= REMOVED_EVERY_MS:
            removed = remove_old_entries(unit.connection, unit.now_ms - self.settings.audit_log_days * DAY_MS)
            if removed < REMOVED_AT_ONCE:
                self._removed_ms = unit.now_ms

    async def settle(self) -> None:
        """Let the worker settle. A failure is logged only, because the change of the client is committed."""
        try:
            await self.worker.settle()
        except Exception:  # noqa: BLE001 - the change is committed, so the client must not see a failure of the worker
            structlog.get_logger().exception("the worker could not settle")
