"""The routes of the console."""

import time
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from types import ModuleType
from typing import Final

from litestar import get
from litestar.di import Provide
from litestar.response import Redirect
from litestar.types import ASGIApp, ControllerRouterHandler, ExceptionHandlersMap

from dialer.api.http.auth import Authenticator
from dialer.api.http.permissions import CONSOLE, Permissions
from dialer.api.service import Dialler, OwnRouter, handlers_in
from dialer.console.lists.list_tasks import ListTasks
from dialer.console.pages import (
    account,
    agent,
    agent_list,
    call,
    call_again,
    call_recordings,
    calls,
    campaign,
    campaign_actions,
    campaign_exports,
    campaign_forecast,
    campaign_report,
    campaign_summary,
    campaign_trial,
    campaign_what_if,
    campaigns,
    desk,
    desk_orders,
    desk_recording,
    desk_telephone,
    figures,
    help_pages,
    imports,
    list_import,
    list_task,
    money,
    new_campaign,
    new_survey,
    number,
    number_orders,
    overview,
    placeholders,
    queue_agents,
    record_form,
    record_list,
    recordings,
    search,
    second_factor,
    service,
    shared_report,
    sign_in,
    staffing_plan,
    static,
    survey,
    survey_editor,
    survey_trial,
    text_length,
    trial_call,
    wall_board,
    webhooks,
)
from dialer.console.serving.errors import HANDLERS, HANDLERS_BY_PATH
from dialer.console.serving.live_parts import Snapshots
from dialer.console.serving.presence import OpenDesks
from dialer.console.serving.services import ConsoleServices
from dialer.console.serving.sessions import Guarded, Sessions, SignedInOnly, machine_ms
from dialer.store.database.database import Database

OPEN: Final = (shared_report, sign_in, static)
"""The modules whose pages need no sign-in."""
PAGES: Final = (
    account,
    agent,
    agent_list,
    call,
    call_recordings,
    calls,
    campaign,
    call_again,
    campaign_actions,
    campaign_exports,
    campaign_forecast,
    campaign_report,
    campaign_summary,
    campaign_trial,
    campaign_what_if,
    campaigns,
    desk,
    desk_orders,
    desk_recording,
    desk_telephone,
    figures,
    help_pages,
    imports,
    list_import,
    list_task,
    money,
    new_campaign,
    new_survey,
    number,
    number_orders,
    overview,
    placeholders,
    queue_agents,
    record_form,
    record_list,
    recordings,
    search,
    second_factor,
    service,
    staffing_plan,
    survey,
    survey_editor,
    survey_trial,
    text_length,
    trial_call,
    wall_board,
    webhooks,
)
"""The modules whose pages need a sign-in."""


ReportSending = Callable[[Callable[[], int]], AbstractAsyncContextManager[None]]


def no_reports(_clock_ms: Callable[[], int]) -> AbstractAsyncContextManager[None]:
    """Send no reports."""
    return nullcontext()


class Console:
    """The console of one service.

    `now_ms` is the time of the machine, by which sessions end. `now_s` is a steady one, by which live parts get old.
    `report_sending` returns a context in which scheduled reports are sent, by the clock of the service.
    """

    exception_handlers: ExceptionHandlersMap = HANDLERS_BY_PATH

    def __init__(
        self,
        database: Database,
        *,
        first_admin_token: str | None = None,
        report_sending: ReportSending = no_reports,
        now_ms: Callable[[], int] = machine_ms,
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._sessions: Final = Sessions(database, now_ms)
        self._snapshots: Final = Snapshots(now_s)
        self._list_tasks: Final = ListTasks(now_s)
        self._presence: Final = OpenDesks(database, now_ms)
        self._first_admin_token: Final = first_admin_token
        self._report_sending: Final = report_sending

    def routes(self, authenticator: Authenticator, permissions: Permissions) -> Sequence[ControllerRouterHandler]:
        """Return the routes, `/` among them, for the application that also serves the API."""
        services = ConsoleServices(
            authenticator=authenticator,
            sessions=self._sessions,
            snapshots=self._snapshots,
            list_tasks=self._list_tasks,
            presence=self._presence,
            first_admin_token=self._first_admin_token,
        )

        def signed_in(app: ASGIApp) -> ASGIApp:
            return SignedInOnly(app, services.sessions, authenticator, permissions)

        def guarded(app: ASGIApp) -> ASGIApp:
            return Guarded(app)

        def router(modules: Iterable[ModuleType], *middleware: Callable[[ASGIApp], ASGIApp]) -> OwnRouter:
            return OwnRouter(
                CONSOLE,
                route_handlers=handlers_in(*modules),
                # The framework copies middleware for every route, but does not copy functions.
                middleware=[guarded, *middleware],
                dependencies={"console": Provide(lambda: services, sync_to_thread=False, use_cache=True)},
                exception_handlers=HANDLERS,
                include_in_schema=False,
            )

        return [redirect_to_console, router(OPEN), router(PAGES, signed_in)]

    @asynccontextmanager
    async def running(self, worker: Dialler) -> AsyncIterator[None]:
        """Run the tasks of the console while the context is entered."""
        clock_ms = worker.clock.now_ms
        watching = self._presence.watching(clock_ms, worker.settle)
        async with self._list_tasks.running(), watching, self._report_sending(clock_ms):
            yield

    def end(self) -> None:
        """End the streams of live parts, because the service ends."""
        self._snapshots.end()


@get("/", include_in_schema=False)
async def redirect_to_console() -> Redirect:
    """Redirect a browser to the console."""
    return Redirect(f"{CONSOLE}/")
