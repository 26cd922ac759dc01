"""Opening the database and the clock of the service, for every command."""

import contextlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

import rich_click as click
from click.globals import get_current_context
from msgspec.structs import replace
from sqlalchemy import Connection
from sqlalchemy.engine import make_url

from dialer.commands.key_file import KeyFile
from dialer.commands.output import say
from dialer.commands.taught_places import learn_places
from dialer.dev import FOLDER
from dialer.domain.words.contact_words import OFF, ON
from dialer.domain.words.voices import SpeechVoice
from dialer.runtime.steps.clock import NANOSECONDS, Clock, RealClock, open_clock
from dialer.settings import SETTINGS, Setting, Settings, SettingsError, SettingsFile, load_settings
from dialer.settings_file import is_exposed, read_settings_file
from dialer.settings_values import without_password
from dialer.store.backends.backend import ServingPlace, backend_for, backend_of
from dialer.store.database import migrate
from dialer.store.database.database import Database
from dialer.store.database.service_state import ServiceSettings, read_settings, read_state, save_settings, save_speech
from dialer.store.database.touched import Touched
from dialer.store.fleet.changes import announce
from dialer.store.moving.key_check import check_key
from dialer.store.moving.private_files import ALL_BUT_OWNER, OTHERS, files_beside, take_rights
from dialer.store.queries.currencies import currency_of_sums
from dialer.store.rows.law_rules import keep_law_rows
from dialer.store.tables.key_ring import RING

_SERVICE_VARIABLES: Final = {"DIALER_CLOCK", "DIALER_TIMEZONE", "DIALER_DEFAULT_REGION", "DIALER_CALLING_HOURS"}
"""Variables that decide what a command answers, and are the service's to set."""
_FILE: Final = "dialer.settings_file"
_SECOND_MS: Final = 1_000
_LAW_HOLDS: Final = {"": "on real gateways", ON: "on all gateways", OFF: "nowhere"}


def settings_from_environment() -> Settings:
    """Return the settings of this process's environment and settings file; raises SettingsError if one is wrong."""
    settings = load_settings(os.environ, settings_file())
    learn_places(settings)
    return settings


def settings_file() -> SettingsFile | None:
    """Return the settings file of this command, read once, or None.

    It is the one of `--config` or `DIALER_CONFIG`, or `dialer.toml` in the working directory.

    Raises:
        SettingsError: the file cannot be read.
    """
    context = get_current_context()
    if _FILE not in context.meta:
        file = context.meta[_FILE] = read_settings_file(context.find_root().params.get("config"))
        if file is not None and is_exposed(file):
            say(f"{file.path} holds a password, and every user of this machine can read it: chmod 600 {file.path}")
    given_file: SettingsFile | None = context.meta[_FILE]
    return given_file


def given_in(setting: Setting) -> str:
    """Return the place that gives a setting to this command: `environment`, `file`, or `default`."""
    file = settings_file()
    if os.environ.get(setting.variable):
        return "environment"
    return "file" if file is not None and file.texts.get(setting.key) else "default"


def place_of_database(settings: Settings) -> str:
    """Return the path of the database file, or the URL of another database without its password."""
    return str(_path(settings).absolute()) if _has_file(settings) else without_password(settings.database_url)


def is_there(settings: Settings) -> bool:
    """Return whether the database of the settings exists and has tables."""
    backend = backend_for(settings.database_url)
    return backend.has_tables(backend.synchronous_url(settings.database_url))


def database_file(settings: Settings, *, instead: str) -> Path:
    """Return the path of the database file, for a command that works on files.

    Raises:
        ClickException: the database is not a file; `instead` says what to do.
    """
    if not _has_file(settings):
        raise click.ClickException(f"this command works on the file of a SQLite database; on PostgreSQL, {instead}")
    return _path(settings)


def check_there_is_one(settings: Settings, *, hint: str = "") -> None:
    """Raise ClickException if there is no database. `hint` ends the message."""
    if is_there(settings):
        return
    if not _has_file(settings):
        raise click.ClickException(
            f"the database {place_of_database(settings)} holds no tables: set DIALER_DATABASE_URL{hint}"
        )
    of_dev = f". That of `dialer dev` is in {FOLDER}" if (Path(FOLDER) / _path(settings).name).exists() else ""
    raise click.ClickException(
        f"there is no database at {place_of_database(settings)}: run the command in the folder of the database,"
        f" or set DIALER_DATABASE_URL{hint}{of_dev}"
    )


def _close_files_to_others(settings: Settings) -> None:
    """Take the rights of other users from files that an older version or another program made, with a warning.

    A group may have been let into the media folder: the switch on the same machine, for example.
    """
    if _has_file(settings):
        for path in files_beside(_path(settings)):
            _close(path, ALL_BUT_OWNER, "its owner")
    with contextlib.suppress(OSError):  # A folder that cannot be used at all is refused in other words.
        _close(settings.media_dir, OTHERS, "its owner and its group")


def _close(path: Path, rights: int, to_whom: str) -> None:
    try:
        was_open = take_rights(path, rights)
    except PermissionError as error:
        say(f"Warning: other users of this machine can read {path}, and this cannot be changed: {error.strerror}")
        return
    if was_open:
        say(f"Warning: other users of this machine could read {path} until now. Only {to_whom} can from now on.")


def existing_database_file(settings: Settings, *, instead: str) -> Path:
    """Return the path of an existing database file.

    Raises:
        ClickException: there is none, or the database is not a file; `instead` says what to do.
    """
    path = database_file(settings, instead=instead)
    check_there_is_one(settings)
    return path


def _has_file(settings: Settings) -> bool:
    return backend_for(settings.database_url).HAS_FILE


def _path(settings: Settings) -> Path:
    return Path(make_url(settings.database_url).database or "")


@contextlib.contextmanager
def open_database(settings: Settings, place: ServingPlace | None = None) -> Iterator[Database]:
    """Open the database: create it if it is not there, and migrate it. A process that serves it has a `place`.

    Raises:
        MigrationError: the database cannot be opened or migrated.
        SecretsKeyError: the key of its secrets is missing or wrong.
    """
    RING.hold(KeyFile(settings))
    migrate.upgrade(settings.database_url)
    with _opened(settings, place=place) as database:
        database.write_now(check_key)
        yield database


def check_is_there(settings: Settings, *, may_create: bool) -> None:
    """Raise ClickException if there is no database, unless the user allows the command to create it (`--create`)."""
    if not may_create:
        check_there_is_one(settings, hint=", or create a new one with --create")


@contextlib.contextmanager
def open_or_create_database(settings: Settings) -> Iterator[Database]:
    """Open the database without a migration; create it if it is not there.

    Raises:
        MigrationError: the database is of another version, or cannot be opened.
    """
    opening = open_existing_database if is_there(settings) else open_database
    with opening(settings) as database:
        yield database


@contextlib.contextmanager
def open_existing_database(settings: Settings, place: ServingPlace | None = None) -> Iterator[Database]:
    """Open the database, but neither create nor migrate it. A process that serves it has a `place`.

    Raises:
        ClickException: there is no database.
        MigrationError: the database is of another version, or cannot be read.
    """
    check_there_is_one(settings)
    RING.hold(KeyFile(settings))
    migrate.check(settings.database_url)
    with _opened(settings, announce, place) as database:
        yield database


class OpenService(NamedTuple):
    """The database of a service, with the settings of the service."""

    settings: Settings
    database: Database

    def now_ms(self) -> int:
        """Return the time of the service's clock."""
        return open_service_clock(self.settings, self.database).now_ms()

    def currency_of(self, user_id: int) -> str:
        """Return the currency of an account: an ISO 4217 code, or empty if nobody has said one."""
        default = self.settings.currency
        return self.database.read_now(lambda found: currency_of_sums(found, user_id, default)) or ""


@contextlib.contextmanager
def open_service() -> Iterator[OpenService]:
    """Open the existing database of the environment, with the settings that its service was last started with.

    Raises:
        ClickException: there is no database.
        MigrationError: the database is of another version, or cannot be read.
    """
    environment = settings_from_environment()
    with open_existing_database(environment) as database:
        yield OpenService(service_settings(environment, database), database)


@contextlib.contextmanager
def served_together(settings: Settings) -> Iterator[ServingPlace]:
    """Hold the right to serve the database together with other processes.

    Raises:
        ServedError: `dialer serve` uses the database.
        SettingsError: the clock is not the real one.
    """
    if settings.clock != "real":
        raise SettingsError(f"DIALER_CLOCK is {settings.clock!r}: several processes need 'real'")
    check_there_is_one(settings)
    backend = backend_for(settings.database_url)
    with backend.serving_together(backend.synchronous_url(settings.database_url)) as place:
        _close_files_to_others(settings)
        yield place


def database_ms(connection: Connection) -> int:
    """Return the time of the database's clock, in milliseconds since the epoch."""
    return backend_of(connection).now_ms(connection)


def database_clock(database: Database) -> RealClock:
    """Return a clock that begins at the time of the database's clock."""
    return RealClock(lambda: database.read_now(database_ms) * NANOSECONDS)


@contextlib.contextmanager
def _opened(
    settings: Settings,
    announce: Callable[[Connection, Touched], None] | None = None,
    place: ServingPlace | None = None,
) -> Iterator[Database]:
    database = Database(
        settings.database_url,
        busy_timeout_ms=settings.database_lock_timeout * _SECOND_MS,
        statement_timeout_ms=settings.database_statement_timeout * _SECOND_MS,
        readers=settings.database_readers,
        announce=announce,
        place=place,
    )
    try:
        yield database
    finally:
        database.close()


def open_service_clock(settings: Settings, database: Database) -> Clock:
    """Return the service's clock at its stored position, or on an empty database at its configured start."""
    state = database.read_now(read_state)
    first_ms = RealClock().now_ms() if settings.clock_start is None else settings.clock_start
    return open_clock(settings.clock, first_ms if state is None else state.now_ms)


@contextlib.contextmanager
def serving_alone(settings: Settings) -> Iterator[ServingPlace]:
    """Reserve the database for this process until the context ends, and yield the reservation.

    Give it to `Database` as `place`. Other users lose access to the files of the service.

    Raises:
        ServedError: another process serves it.
    """
    backend = backend_for(settings.database_url)
    with backend.serving_alone(backend.synchronous_url(settings.database_url)) as place:
        _close_files_to_others(settings)
        yield place


def store_settings(settings: Settings, database: Database, first_now_ms: int) -> None:
    """Store the settings of a service that starts, for `service_settings`, and its rows of law.

    All its workers read their campaigns anew.

    Where rows of law hold otherwise from now on, a warning says so.
    """
    stored = ServiceSettings(
        settings.clock,
        settings.timezone,
        settings.default_region,
        _kept_media_dir(settings, settings.media_dir),
        settings.calling_hours,
        settings.contact_rules,
    )
    before = database.read_now(read_settings)
    database.write_now(lambda unit: _store(unit, stored, first_now_ms))
    if before is not None and before.contact_rules != stored.contact_rules:
        say(
            f"Warning: rows of law hold {_LAW_HOLDS[stored.contact_rules]} now (DIALER_CONTACT_RULES), and held"
            f" {_LAW_HOLDS[before.contact_rules]} before this start. That is so for all processes of the service."
        )


def _store(connection: Connection, stored: ServiceSettings, first_now_ms: int) -> None:
    """Store settings, and then the rows of law: another process that starts waits before it looks at these."""
    save_settings(connection, stored, first_now_ms)
    state = read_state(connection)
    keep_law_rows(connection, first_now_ms if state is None else state.now_ms)


def store_speech(settings: Settings, database: Database) -> None:
    """Store whether texts can be spoken in calls by the process that starts, and print a warning if not."""
    why_not = _why_silent(settings.voice) if settings.voice else None
    if why_not:
        say(f"Warning: DIALER_SPEECH is {settings.speech}, but no text can be spoken: {why_not}")
    database.write_now(lambda unit: save_speech(unit, why_not))


def _why_silent(voice: SpeechVoice) -> str:
    from dialer.carriers.voice.speech import why_silent  # noqa: PLC0415 - most services have no voice

    return why_silent(voice)


def move_media_dir(settings: Settings, source: Connection, new_settings: Settings, target: Connection) -> Path | None:
    """Let a moved service keep its media folder, whose stored path may be relative to the folder of the database file.

    Return the folder; None if the service never ran.
    """
    stored, state = read_settings(source), read_state(source)
    if stored is None or state is None:
        return None
    media_dir = _folder(settings) / stored.media_dir
    save_settings(target, stored._replace(media_dir=_kept_media_dir(new_settings, media_dir)), state.now_ms)
    return media_dir


def _kept_media_dir(settings: Settings, media_dir: Path) -> str:
    """Return the path of a media folder as the database keeps it: relative to the folder of its file, if it is in it.

    So a folder that holds both can be moved or copied as a whole.
    """
    folder, media_dir = _folder(settings), media_dir.resolve()
    is_beside = _has_file(settings) and media_dir.is_relative_to(folder)
    return str(media_dir.relative_to(folder) if is_beside else media_dir)


def service_settings(settings: Settings, database: Database) -> Settings:
    """Return settings with the stored ones of the service in place of the environment's.

    They are the settings that the service was last started with. On a database that was never served they are the
    environment's. Given settings that differ are named on standard error.
    """
    stored = database.read_now(read_settings)
    if stored is None:
        return settings
    service = replace(
        settings,
        clock=stored.clock,
        timezone=stored.timezone,
        default_region=stored.default_region,
        calling_hours=stored.calling_hours,
        media_dir=_folder(settings) / stored.media_dir,
    )
    _name_ignored(settings, service)
    return service


def check_media_dir(settings: Settings, service: Settings) -> None:
    """Check, before files are deleted, that the settings name the same media folder as the service.

    It is unknown which of two folders is meant, and a wrong guess would delete recordings.

    Raises:
        SettingsError: `settings`, those of the environment and the file, name another folder than `service` does.
    """
    (setting,) = (setting for setting in SETTINGS if setting.field == "media_dir")
    file, place = settings_file(), given_in(setting)
    if place != "default" and settings.media_dir.resolve() != service.media_dir.resolve():
        name = setting.variable if file is None or place != "file" else file.name(setting)
        raise SettingsError(
            f"{name} is {str(settings.media_dir)!r}, but the service keeps its files in {service.media_dir}:"
            " unset it to use that folder, or start the service with it"
        )


def _folder(settings: Settings) -> Path:
    """Return the folder of the database file; the root folder if the database is not a file."""
    return _path(settings).resolve().parent if _has_file(settings) else Path("/")


def _name_ignored(settings: Settings, service: Settings) -> None:
    differing = [
        setting
        for setting in SETTINGS
        if setting.variable in _SERVICE_VARIABLES
        and given_in(setting) != "default"
        and getattr(settings, setting.field) != getattr(service, setting.field)
    ]
    if differing:
        file = settings_file()
        places = {"environment": "this terminal", "file": "" if file is None else str(file.path)}
        ignored = [
            f"{_assignments([setting for setting in differing if given_in(setting) == source], settings)} of {place}"
            for source, place in places.items()
            if any(given_in(setting) == source for setting in differing)
        ]
        used = _assignments(differing, service)
        say(f"Ignored {' and '.join(ignored)}: the service was last started with {used}.")


def _assignments(of: list[Setting], values: Settings) -> str:
    assigned = ((setting.variable, getattr(values, setting.field)) for setting in of)
    return " and ".join(f"{name} unset" if value is None else f"{name}={value!r}" for name, value in assigned)
