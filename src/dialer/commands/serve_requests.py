"""The API, the console, the webhooks and the reports of a process, whether it dials or leaves that to workers."""

import socket
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from functools import partial
from zoneinfo import ZoneInfo

from dialer.api.actions.trial_calls import TrialCallRead
from dialer.api.app import create_app
from dialer.api.http.auth import Authenticator
from dialer.api.http.event_streams import EventStreams
from dialer.api.service import Dialler
from dialer.app.campaigns.report_schedules import DeliveryOutcome, TakenDelivery
from dialer.app.campaigns.trial_calls import TrialCall
from dialer.commands.speaking import tried_voice, voice_of
from dialer.commands.telephones import telephones_of
from dialer.console.app import Console, ReportSending
from dialer.console.reports.sender import NO_SERVER, OTHER_CLOCK, ReportSender, Shared
from dialer.garbage import making_what_stays
from dialer.runtime.steps.clock import RealClock
from dialer.server import serve as run_server
from dialer.settings import Settings
from dialer.settings_values import REAL
from dialer.store.database.database import Database


def serve_requests(
    settings: Settings,
    database: Database,
    worker: Dialler,
    bound: socket.socket,
    ready: Callable[[], None],
    first_admin_token: str | None,
    authenticator: Authenticator | None = None,
) -> None:
    """Serve until the process is told to end, or loses its place in the database. Call `ready` once it answers."""
    sending, streams = sending_reports(settings, database), EventStreams()
    console = Console(database, first_admin_token=first_admin_token, report_sending=sending)
    with making_what_stays():
        app = create_app(
            settings,
            database=database,
            worker=worker,
            authenticator=authenticator,
            console=console,
            event_streams=streams,
            sends_webhooks=True,
            trial_call=_place_trial_call,
            speak=voice_of(settings),
            try_voice=partial(tried_voice, settings.voice),
            telephone=telephones_of(settings),
        )
    run_server(app, bound, ready=ready, ending=(console.end, streams.end), displaced=lambda: database.displaced)


async def _place_trial_call(call: TrialCall) -> TrialCallRead:
    # It imports all that plays calls, which this process leaves to others otherwise.
    from dialer.commands.trial_calls import place_for_api  # noqa: PLC0415

    return await place_for_api(call)


def sending_reports(settings: Settings, database: Database) -> ReportSending:
    """Return a function that sends reports by the clock of the service."""
    machine_ms = RealClock().now_ms

    def running(clock_ms: Callable[[], int]) -> AbstractAsyncContextManager[None]:
        deliver = partial(_deliver, settings, database, clock_ms)
        zone, base = ZoneInfo(settings.timezone), _base_of(settings)
        sender = ReportSender(database, deliver, zone=zone, clock_ms=clock_ms, machine_ms=machine_ms, base=base)
        return sender.running()

    return running


async def _deliver(
    settings: Settings, database: Database, clock_ms: Callable[[], int], taken: TakenDelivery, shared: Shared
) -> DeliveryOutcome:
    if settings.mail_url is None or settings.mail_from is None:
        return DeliveryOutcome(NO_SERVER)
    if settings.clock != REAL and settings.mail_clock == REAL:
        return DeliveryOutcome(OTHER_CLOCK)
    # The first report imports what a start does without.
    from dialer.console.reports.making import ReportMaker  # noqa: PLC0415
    from dialer.mail.server import MailServer  # noqa: PLC0415

    server, zone = MailServer(settings.mail_url), ZoneInfo(settings.timezone)
    maker = ReportMaker(database, server, settings.mail_from, zone, _base_of(settings), clock_ms, RealClock().now_ms)
    return await maker.deliver(taken, shared)


def _base_of(settings: Settings) -> str:
    """Return the address with which links in reports begin; empty if no admin has set it."""
    return (settings.base_url or "").rstrip("/")
