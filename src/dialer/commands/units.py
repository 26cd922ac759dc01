"""Units of work of commands."""

from collections.abc import Callable
from typing import TypeVar

from dialer.app.unit import UnitOfWork
from dialer.commands.opening import open_service_clock, service_settings
from dialer.settings import Settings
from dialer.store.database import Database

_Result = TypeVar("_Result")


def in_unit(settings: Settings, database: Database, work: Callable[[UnitOfWork], _Result]) -> _Result:
    """Run a use case at the service's time, and commit it."""
    now_ms = open_service_clock(service_settings(settings, database), database).now_ms()
    return database.write_now(lambda connection: work(UnitOfWork(connection=connection, now_ms=now_ms)))
