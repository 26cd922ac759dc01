"""The routes of the console."""

import time
from collections.abc import Callable, Sequence
from typing import Final

from litestar import Router, get
from litestar.di import Provide
from litestar.response import Redirect
from litestar.types import ASGIApp, ControllerRouterHandler, ExceptionHandlersMap

from dialer.api.http.auth import Authenticator
from dialer.api.http.permissions import CONSOLE, Permissions
from dialer.console.errors import HANDLERS, HANDLERS_BY_PATH
from dialer.console.live import Snapshots
from dialer.console.pages.account import (
    change_own_password,
    revoke_key,
    revoke_session,
    show_account,
    show_home,
    sign_out,
)
from dialer.console.pages.call import dispose_of_shown_call, play_answer, show_call
from dialer.console.pages.calls import export_calls, show_calls
from dialer.console.pages.campaign import change_state, show_campaign, stream_campaign
from dialer.console.pages.campaign_actions import copy_campaign, recycle, show_recycling
from dialer.console.pages.campaign_forecast import forecast_campaign
from dialer.console.pages.campaigns import show_campaigns
from dialer.console.pages.desk import change_own_status, dispose_on_desk, show_desk, stream_desk
from dialer.console.pages.imports import check_file, import_file, show_import
from dialer.console.pages.money import show_money
from dialer.console.pages.new_campaign import make_simulator, make_survey, show_people, show_survey, upload_people
from dialer.console.pages.number import erase, show_number
from dialer.console.pages.overview import show_overview, stream_overview
from dialer.console.pages.record import change_record, create_record, delete_record, show_new_record, show_record
from dialer.console.pages.recordings import delete_recording, play_recording, show_upload, upload_recording
from dialer.console.pages.records import show_records
from dialer.console.pages.second_factor import (
    reset_second_factor,
    set_second_factor,
    show_second_factor,
    unset_second_factor,
)
from dialer.console.pages.service import advance, show_service
from dialer.console.pages.sign_in import (
    make_first_admin,
    show_code,
    show_first_admin,
    show_sign_in,
    sign_in,
    sign_in_with_code,
)
from dialer.console.pages.static import show_asset, show_nothing
from dialer.console.pages.survey import show_survey_template, try_survey
from dialer.console.pages.survey_editor import order_sections, remove_branch, set_branch
from dialer.console.pages.trial_call import place_trial_call, show_trial_call
from dialer.console.pages.wall_board import change_agent, show_board, stream_board
from dialer.console.services import ConsoleServices
from dialer.console.sessions import Guarded, Sessions, SignedInOnly, machine_ms
from dialer.store.database import Database

OPEN: Final[tuple[ControllerRouterHandler, ...]] = (
    show_sign_in,
    sign_in,
    show_code,
    sign_in_with_code,
    show_first_admin,
    make_first_admin,
    show_asset,
    show_nothing,
)
"""The pages that need no sign-in."""
PAGES: Final[tuple[ControllerRouterHandler, ...]] = (
    show_home,
    show_account,
    sign_out,
    revoke_session,
    change_own_password,
    revoke_key,
    show_second_factor,
    set_second_factor,
    unset_second_factor,
    reset_second_factor,
    show_overview,
    stream_overview,
    show_campaigns,
    show_campaign,
    stream_campaign,
    change_state,
    forecast_campaign,
    show_calls,
    export_calls,
    show_call,
    play_answer,
    show_records,
    create_record,
    show_new_record,
    show_record,
    change_record,
    delete_record,
    show_import,
    import_file,
    check_file,
    copy_campaign,
    show_recycling,
    recycle,
    show_people,
    upload_people,
    show_survey,
    make_survey,
    make_simulator,
    show_number,
    erase,
    show_money,
    show_service,
    advance,
    show_board,
    stream_board,
    change_agent,
    show_desk,
    stream_desk,
    change_own_status,
    dispose_on_desk,
    dispose_of_shown_call,
    show_trial_call,
    place_trial_call,
    show_survey_template,
    try_survey,
    set_branch,
    remove_branch,
    order_sections,
    show_upload,
    upload_recording,
    play_recording,
    delete_recording,
)
"""The pages that need a sign-in."""


class Console:
    """The console of one service.

    `now_ms` is the time of the machine, by which sessions end. `now_s` is a steady one, by which live parts get old.
    """

    exception_handlers: ExceptionHandlersMap = HANDLERS_BY_PATH

    def __init__(
        self,
        database: Database,
        *,
        first_admin_token: str | None = None,
        now_ms: Callable[[], int] = machine_ms,
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._sessions: Final = Sessions(database, now_ms)
        self._snapshots: Final = Snapshots(now_s)
        self._first_admin_token: Final = first_admin_token

    def routes(self, authenticator: Authenticator, permissions: Permissions) -> Sequence[ControllerRouterHandler]:
        """Return the routes, `/` among them, for the application that also serves the API."""
        services = ConsoleServices(
            authenticator=authenticator,
            sessions=self._sessions,
            snapshots=self._snapshots,
            first_admin_token=self._first_admin_token,
        )

        def signed_in(app: ASGIApp) -> ASGIApp:
            return SignedInOnly(app, services.sessions, authenticator, permissions)

        def guarded(app: ASGIApp) -> ASGIApp:
            return Guarded(app)

        def router(handlers: Sequence[ControllerRouterHandler], *middleware: Callable[[ASGIApp], ASGIApp]) -> Router:
            return Router(
                CONSOLE,
                route_handlers=list(handlers),
                # The framework copies middleware for every route, but does not copy functions.
                middleware=[guarded, *middleware],
                dependencies={"console": Provide(lambda: services, sync_to_thread=False, use_cache=True)},
                exception_handlers=HANDLERS,
                include_in_schema=False,
            )

        return [redirect_to_console, router(OPEN), router(PAGES, signed_in)]

    def end(self) -> None:
        """End the streams of live parts, because the service ends."""
        self._snapshots.end()


@get("/", include_in_schema=False)
async def redirect_to_console() -> Redirect:
    """Redirect a browser to the console."""
    return Redirect(f"{CONSOLE}/")
