"""Units of work of commands."""

from collections.abc import Callable
from typing import TypeVar

from sqlalchemy import Connection

from dialer.app.telling.audit_log import COMMAND_LINE
from dialer.app.telling.listeners import tell_listeners
from dialer.app.work.unit import UnitOfWork
from dialer.commands.open_service import (
    open_existing_database,
    open_service_clock,
    service_settings,
    settings_from_environment,
)
from dialer.settings import Settings
from dialer.store.database.database import Database

_Result = TypeVar("_Result")


def in_unit(settings: Settings, database: Database, work: Callable[[UnitOfWork], _Result]) -> _Result:
    """Run a use case at the service's time, and commit it with its entries in the audit log."""
    now_ms = open_service_clock(service_settings(settings, database), database).now_ms()

    def run(connection: Connection) -> _Result:
        unit = UnitOfWork(connection=connection, now_ms=now_ms)
        result = work(unit)
        tell_listeners(unit, COMMAND_LINE)
        return result

    return database.write_now(run)


def in_unit_of_service(work: Callable[[UnitOfWork], _Result]) -> _Result:
    """Run a use case on the existing database of the environment, as `in_unit` does."""
    settings = settings_from_environment()
    with open_existing_database(settings) as database:
        return in_unit(settings, database, work)
