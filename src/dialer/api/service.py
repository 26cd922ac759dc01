"""What every handler works with: the database, the worker, the settings and the resource table."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any, Final, Protocol, TypeVar
from zoneinfo import ZoneInfo

import structlog
from litestar import Request, Response
from sqlalchemy import Connection

from dialer.api.crud.fields import Conventions
from dialer.api.crud.resource import Actor, Resource, Unit
from dialer.api.crud.shapes import Columns
from dialer.api.crud.urls import Links, links_for
from dialer.api.http.idempotency import Attempts
from dialer.runtime.clock import Clock
from dialer.runtime.tally import Tally
from dialer.settings import Settings
from dialer.store.database import Database

SERVICE: Final = "service"
"""What the application keeps its service as."""

_Result = TypeVar("_Result")


class ApiRequest(Request[Actor, Any, Any]):
    """A request that knows what its handler works with.

    It is asked for them, as an injected dependency costs every request a stack and a clean-up, and a second one a group
    of tasks besides.
    """

    @property
    def service(self) -> "Service":
        """The collaborators of the handlers."""
        service: Service = self.app.state[SERVICE]
        return service


Encode = Callable[[Columns], bytes]
Chunks = Callable[[Encode], AsyncIterator[bytes]]
"""All that a request selects, encoded some records at a time, none of the pieces empty."""
Export = Callable[[ApiRequest, Resource, Chunks], Awaitable[Response[Any] | None]]
"""Answers a list in another format than JSON, if the request asks for one that it has."""


class Dialling(Protocol):
    """The worker, as far as requests have to do with it."""

    clock: Clock

    async def settle(self) -> None:
        """Do everything that is due now."""

    async def advance(self, to_ms: int) -> None:
        """Do everything that is due until then, and set the virtual clock there."""

    def problem(self) -> str | None:
        """Why dialling does not work, if it does not."""

    def figures(self) -> Tally:
        """What the dialling has come to so far."""

    def running(self) -> AbstractAsyncContextManager[None]:
        """While this is entered, what is due happens by itself."""


class Service:
    """The collaborators of the handlers, and how a request becomes a unit of work."""

    def __init__(
        self,
        settings: Settings,
        *,
        database: Database,
        worker: Dialling,
        resources: Mapping[str, Resource],
        export: Export,
    ) -> None:
        self.settings: Final = settings
        self.worker: Final = worker
        self.database: Final = database
        self.resources: Final = resources
        self.export: Final = export
        self.attempts: Final = Attempts()
        self._zone: Final = ZoneInfo(settings.timezone)

    def links(self, request: ApiRequest) -> Links:
        """The URLs of one request."""
        return links_for(request, self.settings.base_url)

    def conventions(self, request: ApiRequest) -> Conventions:
        """What the values of one request may leave unsaid."""
        return Conventions(self._zone, self.settings.default_region, self.links(request))

    def unit(self, connection: Connection, request: ApiRequest) -> Unit:
        """The unit of work of one request on one transaction."""
        return Unit(
            connection=connection,
            actor=request.user,
            now_ms=self.worker.clock.now_ms(),
            conventions=self.conventions(request),
            resources=self.resources,
        )

    async def read(self, request: ApiRequest, work: Callable[[Unit], _Result], *, is_long: bool = False) -> _Result:
        """What `work` returns from a consistent snapshot; see `Database.read`."""
        return await self.database.read(lambda connection: work(self.unit(connection, request)), is_long=is_long)

    async def write(self, request: ApiRequest, work: Callable[[Unit], _Result]) -> _Result:
        """Return what `work` returns, once it is committed, and the engine knows of it if it must."""

        def run(connection: Connection) -> tuple[_Result, bool]:
            unit = self.unit(connection, request)
            return work(unit), unit.concerns_engine

        result, concerns_engine = await self.database.write(run)
        if concerns_engine:
            await self._settle()
        return result

    async def _settle(self) -> None:
        """What was committed is answered as done; a worker in trouble says so itself, and goes on later."""
        try:
            await self.worker.settle()
        except Exception:  # noqa: BLE001 - the client's change is on disk, whatever the worker meets
            structlog.get_logger().exception("the worker could not settle")
