"""The service's parts, put together from its settings: the same for every command."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from sqlalchemy.engine import make_url

from dialer.runtime.clock import Clock, RealClock, open_clock
from dialer.settings import Settings, load_settings
from dialer.store import migrate
from dialer.store.database import Database
from dialer.store.service_state import read_state


def settings_from_environment() -> Settings:
    """The settings of this process; raises SettingsError if one is wrong."""
    return load_settings(os.environ)


@contextlib.contextmanager
def open_database(settings: Settings) -> Iterator[Database]:
    """The database, migrated, until this is left.

    Raises:
        MigrationError: it cannot be opened, or not brought to this version.
    """
    migrate.upgrade(settings.database_url)
    with _opened(settings) as database:
        yield database


@contextlib.contextmanager
def open_database_to_read(settings: Settings) -> Iterator[Database]:
    """The same as it is: nothing is created, and nothing migrated.

    Raises:
        MigrationError: there is none, it is of another version, or it cannot be read.
    """
    migrate.check(settings.database_url)
    with _opened(settings) as database:
        yield database


def database_path(settings: Settings) -> Path:
    """The file of the database."""
    return Path(make_url(settings.database_url).database or "")


@contextlib.contextmanager
def _opened(settings: Settings) -> Iterator[Database]:
    database = Database(settings.database_url)
    try:
        yield database
    finally:
        database.close()


def open_service_clock(settings: Settings, database: Database) -> Clock:
    """The service's clock, which goes on from where it stood; on an empty database from where it is told to."""
    state = database.read_now(read_state)
    first_ms = RealClock().now_ms() if settings.clock_start is None else settings.clock_start
    return open_clock(settings.clock, first_ms if state is None else state.now_ms)
