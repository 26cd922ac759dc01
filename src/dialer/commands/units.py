"""Units of work of commands."""

from collections.abc import Callable
from typing import TypeVar

from sqlalchemy import Connection

from dialer.app.audit_log import COMMAND_LINE, write_audit_log
from dialer.app.unit import UnitOfWork
from dialer.commands.open_service import open_service_clock, service_settings
from dialer.settings import Settings
from dialer.store.database import Database

_Result = TypeVar("_Result")


def in_unit(settings: Settings, database: Database, work: Callable[[UnitOfWork], _Result]) -> _Result:
    """Run a use case at the service's time, and commit it with its entries in the audit log."""
    now_ms = open_service_clock(service_settings(settings, database), database).now_ms()

    def run(connection: Connection) -> _Result:
        unit = UnitOfWork(connection=connection, now_ms=now_ms)
        result = work(unit)
        write_audit_log(unit, COMMAND_LINE)
        return result

    return database.write_now(run)
