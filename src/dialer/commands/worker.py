"""`dialer worker`: one of several processes that dial."""

import os
import socket
import time
from functools import partial

import rich_click as click

from dialer.api.app import create_worker_app
from dialer.commands.lines import new_worker
from dialer.commands.open_service import (
    database_clock,
    database_ms,
    open_existing_database,
    served_together,
    settings_from_environment,
    store_settings,
    store_speech,
)
from dialer.commands.output import VOICE, announce
from dialer.commands.taught_places import let_stored_numbers_follow
from dialer.logs import configure_logs, log_unhandled
from dialer.runtime.fleet.fleet_coordinator import FleetCoordinator
from dialer.runtime.fleet.fleet_member import FleetMember
from dialer.runtime.steps.clock import NANOSECONDS
from dialer.server import bind, ending_on_signals
from dialer.server import serve as run_server
from dialer.service_manager import report_ready
from dialer.store.moving.key_check import check_key
from dialer.store.queries.law_switch import LAW_SWITCH


def worker(name: str | None, listen: str) -> None:
    """Dial, beside other workers and `dialer api`, until SIGTERM or Ctrl+C."""
    VOICE.begin_log()
    settings = settings_from_environment()
    host, port = _address(listen)
    with (
        ending_on_signals(),
        served_together(settings) as place,
        open_existing_database(settings, place) as database,
        LAW_SWITCH.stated(settings.contact_rules),
    ):
        database.write_now(check_key)
        clock = database_clock(database)
        store_settings(settings, database, clock.now_ms())
        let_stored_numbers_follow(database)
        store_speech(settings, database)
        configure_logs()
        log_unhandled()
        fleet = FleetCoordinator(
            name or f"{socket.gethostname()}-{os.getpid()}",
            clock,
            database_ms=database_ms,
            steady_ms=lambda: time.monotonic_ns() // NANOSECONDS,
        )
        dialling = new_worker(settings, database, clock, fleet)
        member = FleetMember(database, dialling, fleet, show=database.open_presence)
        bound = bind(host, port)
        app = create_worker_app(settings, database=database, worker=dialling, running=member.running)
        ready = partial(_announce, fleet, host, bound)
        run_server(app, bound, ready=ready, displaced=lambda: database.displaced)


def _announce(fleet: FleetCoordinator, host: str, bound: socket.socket) -> None:
    announce(f"dialer worker {fleet.name} is ready at http://{host}:{bound.getsockname()[1]}/health/ready")
    report_ready()


def _address(listen: str) -> tuple[str, int]:
    host, _, port = listen.rpartition(":")
    if not host or not port.isascii() or not port.isdigit():
        raise click.BadParameter(f"{listen!r} is not HOST:PORT, such as 127.0.0.1:8001", param_hint="--listen")
    return host, int(port)
