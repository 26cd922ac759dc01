"""`dialer api`: the API alone, beside workers in other processes."""

import contextlib

from dialer.api.http.auth import Authenticator
from dialer.api.http.limits import SharedLimits
from dialer.commands.open_service import (
    database_clock,
    database_ms,
    open_existing_database,
    served_together,
    settings_from_environment,
    store_settings,
)
from dialer.commands.output import VOICE
from dialer.commands.serve import address_of, announcer, check_media_folder, create_first_admin
from dialer.commands.serve_requests import serve_requests
from dialer.commands.taught_places import let_stored_numbers_follow
from dialer.logs import configure_logs, log_unhandled
from dialer.runtime.fleet.remote_workers import RemoteWorkers
from dialer.runtime.steps.clock import RealClock
from dialer.server import bind, ending_on_signals
from dialer.settings import Settings
from dialer.store.database.database import Database
from dialer.store.moving.key_check import check_key
from dialer.store.queries.law_switch import LAW_SWITCH


def api(host: str, port: int) -> None:
    """Serve the API without dialling, until SIGTERM or Ctrl+C. `dialer worker` dials."""
    VOICE.begin_log()
    settings = settings_from_environment()
    with (
        ending_on_signals(),
        contextlib.closing(bind(host, port)) as bound,
        served_together(settings) as place,
        open_existing_database(settings, place) as database,
        LAW_SWITCH.stated(settings.contact_rules),
    ):
        check_media_folder(settings.media_dir)
        database.write_now(check_key)
        clock = database_clock(database)
        store_settings(settings, database, clock.now_ms())
        let_stored_numbers_follow(database)
        token = create_first_admin(settings, database, address_of(host, bound))
        configure_logs()
        log_unhandled()
        workers = RemoteWorkers(database, clock, database_ms=database_ms)
        authenticator = shared_authenticator(settings, database, clock)
        serve_requests(settings, database, workers, bound, announcer(host, bound), token, authenticator)


def shared_authenticator(settings: Settings, database: Database, clock: RealClock) -> Authenticator:
    """Return the check of credentials of a process whose limits hold for all processes of the service."""
    limits = SharedLimits(database, settings.rate_limit, clock.now_ms)
    return Authenticator(database, limits=limits, clock_ms=clock.now_ms, second_factor=settings.second_factor)
