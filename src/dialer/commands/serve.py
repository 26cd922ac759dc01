"""`dialer serve`: the API and the dialling, in one process."""

import contextlib
import secrets
import socket
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Final

from dialer.app.accounts.users import NewUser, create_user
from dialer.commands.lines import new_worker
from dialer.commands.open_service import (
    given_in,
    open_database,
    open_service_clock,
    serving_alone,
    settings_from_environment,
    store_settings,
    store_speech,
)
from dialer.commands.output import VOICE, announce, say
from dialer.commands.serve_requests import serve_requests
from dialer.commands.taught_places import let_stored_numbers_follow
from dialer.commands.units import in_unit
from dialer.domain.words.roles import Role
from dialer.logs import configure_logs, log_unhandled
from dialer.passwords import PasswordError, check_characters, check_password, hash_password
from dialer.runtime.steps.clock import RealClock
from dialer.server import bind, ending_on_signals
from dialer.service_manager import report_ready
from dialer.settings import SETTINGS, Settings, SettingsError
from dialer.store.database.database import Database
from dialer.store.database.service_state import read_settings
from dialer.store.fleet.shards import disband
from dialer.store.queries.accounts import has_accounts
from dialer.store.queries.law_switch import LAW_SWITCH

TOKEN_BYTES: Final = 16
"""Random bytes of the token that creates the first admin."""


def serve(host: str, port: int) -> None:
    """Serve the API and dial, until SIGTERM or Ctrl+C."""
    VOICE.begin_log()
    settings = settings_from_environment()
    with (
        ending_on_signals(),
        contextlib.closing(bind(host, port)) as bound,
        serving_alone(settings) as place,
        open_database(settings, place) as database,
        LAW_SWITCH.stated(settings.contact_rules),
    ):
        check_media_folder(settings.media_dir)
        _warn_of_a_real_clock(settings, database)
        database.write_now(partial(disband, now_ms=RealClock().now_ms()))
        clock = open_service_clock(settings, database)
        store_settings(settings, database, clock.now_ms())
        let_stored_numbers_follow(database)
        store_speech(settings, database)
        token = create_first_admin(settings, database, address_of(host, bound))
        configure_logs()
        log_unhandled()
        worker = new_worker(settings, database, clock)
        serve_requests(settings, database, worker, bound, announcer(host, bound), token)


def _warn_of_a_real_clock(settings: Settings, database: Database) -> None:
    """Print a warning if the clock was virtual or fast at the last start, and is real now only by default."""
    stored = database.read_now(read_settings)
    (setting,) = (setting for setting in SETTINGS if setting.field == "clock")
    if stored is None or stored.clock == settings.clock or given_in(setting) != "default":
        return
    say(
        f"Warning: the clock is {settings.clock} now, and was {stored.clock} at the last start. To keep that one, set"
        f" {setting.variable}={stored.clock}."
    )


def create_first_admin(settings: Settings, database: Database, address: str) -> str | None:
    """Create the admin of the settings if there are no users.

    Without such settings, print how to create one, and return the token for the console's page that does it.
    """
    has_users = database.read_now(has_accounts)
    _check_admin_password(settings, is_needed=not has_users)
    if has_users:
        return None
    if settings.admin_username is None or settings.admin_password is None:
        token = secrets.token_urlsafe(TOKEN_BYTES)
        say("There are no users yet. To create the first: dialer users create NAME --admin")
        say(f"Or open this page in a browser: {settings.base_url or address}/console/first-admin/?token={token}")
        return token
    password_hash = hash_password(settings.admin_password)
    account = NewUser(username=settings.admin_username, password_hash=password_hash, role=Role.ADMIN)
    # Another process may start at the same time.
    in_unit(settings, database, lambda unit: has_accounts(unit.connection) or create_user(unit, account))
    return None


def _check_admin_password(settings: Settings, *, is_needed: bool) -> None:
    """Raise SettingsError for a wrong password. Only one that is needed is judged, as that takes 12 MB of memory."""
    if settings.admin_password is None:
        return
    check = check_password if is_needed else check_characters
    try:
        check(settings.admin_password)
    except PasswordError as error:
        raise SettingsError(f"DIALER_ADMIN_PASSWORD is ***: {error}") from None


def check_media_folder(folder: Path) -> None:
    """Create the folder of uploads if it is missing, then write and remove a file there.

    Permission bits say nothing about a read-only disk, and do not bind root.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with NamedTemporaryFile(dir=folder, prefix=".probe-") as probe:
            probe.write(b"probe")
            probe.flush()
    except OSError as error:
        problem = (
            "it is not a folder" if isinstance(error, FileExistsError) else f"cannot write there: {error.strerror}"
        )
        raise SettingsError(
            f"DIALER_MEDIA_DIR is {str(folder)!r}: {problem}; set it to a folder that the service may write"
        ) from None


def address_of(host: str, bound: socket.socket) -> str:
    """Return the address of the server, without a slash at the end."""
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{bound.getsockname()[1]}"


def announcer(host: str, bound: socket.socket) -> Callable[[], None]:
    """Return a function that prints the address of the API once it answers."""
    line = f"dialer is ready at {address_of(host, bound)}/rest-api/"

    def tell() -> None:
        announce(line)
        report_ready()

    return tell
