"""Rows of the reports of lines that could not be handled."""

from collections.abc import Collection
from typing import Final, NamedTuple

import msgspec
from sqlalchemy import Connection, delete, false, or_, select, update

from dialer.domain.calls.identity import leg_key
from dialer.domain.calls.plans import GatewayKey
from dialer.store.backends.expressions import insert_or
from dialer.store.rows.live_legs import service_leg_key
from dialer.store.tables import SetAsideReport

ROWS_MAX: Final = 1_000
"""Reports that are kept: the latest."""
KEPT_MS: Final = 7 * 86_400_000
"""Time for which a report is kept."""
TEXT_MAX: Final = 2_000
"""Characters of a report and of its reason that are kept."""


class SetAside(NamedTuple):
    """A report that could not be handled, as it is stored."""

    name: str
    """The report without its age, as text: equal names are the same report."""
    gateway_id: GatewayKey
    key: str
    number: str
    kind: str
    report: str
    reason: str


class KnownReports(NamedTuple):
    """The reports that are set aside, as an engine remembers them."""

    service_key: bytes
    ends_leg: dict[str, bool]
    """True for a report in whose place its leg is ended; false for one that is left out. By identity."""
    lost_keys: set[str]
    """Legs that could not be ended either: nothing of them is heard any more."""

    def identity(self, name: str) -> str:
        """Return the identity of a report, by its name."""
        return leg_key(self.service_key, name)


class ToldOf(msgspec.Struct, frozen=True):
    """A report that was set aside, as it is shown."""

    at_ms: int
    medium: str
    gateway_id: int
    kind: str
    report: str
    reason: str


def known_reports(connection: Connection, now_ms: int) -> KnownReports:
    """Return the reports that are set aside, and delete those that are too old."""
    _forget(connection, now_ms)
    rows = connection.execute(select(SetAsideReport.identity, SetAsideReport.key, SetAsideReport.ends_leg)).all()
    lost_keys = {key for _, key, ends_leg in rows if key and not ends_leg}
    service_key = service_leg_key(connection) if rows else b""
    return KnownReports(service_key, {identity: ends_leg for identity, _, ends_leg in rows}, lost_keys)


def set_aside(connection: Connection, one: SetAside, now_ms: int, *, ends_leg: bool = True) -> bool:
    """Store a report that could not be handled, once. `ends_leg` is false if its leg could not be ended either.

    Return False if all of that is stored already.
    """
    identity = leg_key(service_leg_key(connection), one.name)
    values = {
        **one.gateway_id.columns(),
        "key": one.key,
        "number": one.number,
        "kind": one.kind,
        "report": one.report[:TEXT_MAX],
        "reason": one.reason[:TEXT_MAX],
    }
    new = insert_or(SetAsideReport.__table__).values(identity=identity, ends_leg=ends_leg, at_ms=now_ms, **values)
    is_new = connection.execute(new.on_conflict_do_nothing()).rowcount > 0
    if not is_new and not ends_leg:
        is_other = (SetAsideReport.identity == identity) & SetAsideReport.ends_leg
        is_new = connection.execute(update(SetAsideReport).where(is_other).values(ends_leg=False)).rowcount > 0
    _forget(connection, now_ms)
    return is_new


def set_aside_of(connection: Connection, keys: Collection[str], numbers: Collection[str]) -> list[ToldOf]:
    """Return the reports that were set aside of some legs, and of calls and texts from some numbers, oldest first."""
    columns = [SetAsideReport.__table__.c[name] for name in ToldOf.__struct_fields__]
    concerns = or_(SetAsideReport.key.in_(sorted(keys)), SetAsideReport.number.in_(sorted(numbers)))
    rows = connection.execute(select(*columns).where(concerns).order_by(SetAsideReport.id).limit(ROWS_MAX))
    return [ToldOf(*row) for row in rows]


def _forget(connection: Connection, now_ms: int) -> None:
    """Delete reports that are too old, and the oldest of too many."""
    kept = select(SetAsideReport.id).order_by(SetAsideReport.id.desc()).limit(ROWS_MAX)
    last_of_too_many = connection.scalar(kept.offset(ROWS_MAX).limit(1))
    is_beyond = false() if last_of_too_many is None else SetAsideReport.id <= last_of_too_many
    connection.execute(delete(SetAsideReport).where(or_(SetAsideReport.at_ms < now_ms - KEPT_MS, is_beyond)))
