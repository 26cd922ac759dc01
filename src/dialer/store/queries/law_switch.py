"""The condition that rows of law hold for a campaign, by its gateway and the stored setting, and which of them do."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, NamedTuple

from sqlalchemy import Boolean, Connection, Row, String, bindparam, case, false, func, literal_column, select, true

from dialer.domain.calls.plans import SIMULATED, SMS
from dialer.domain.words.contact_words import OFF, ON
from dialer.store.queries.contact_law import LawRow, law_rows
from dialer.store.tables import Campaign, ContactRule, Gateway, ServiceState


class LawSwitch:
    """A switch: this process leaves rows of law aside, or not, where another one has switched them off. Commands do."""

    def __init__(self) -> None:
        self.follows_off = True

    @contextmanager
    def stated(self, setting: str) -> Iterator[None]:
        """Dial past rows of law only if this process itself was started with `off`, and so with its second setting."""
        before, self.follows_off = self.follows_off, setting == OFF
        try:
            yield
        finally:
            self.follows_off = before


LAW_SWITCH: Final = LawSwitch()
"""That of this process."""
_STORED: Final = func.coalesce(select(ServiceState.contact_rules).limit(1).scalar_subquery(), "")
_FOLLOWS_OFF: Final = bindparam("follows_off", callable_=lambda: LAW_SWITCH.follows_off, type_=Boolean())
_PROTOCOL: Final = (
    select(Gateway.protocol)
    .where(
        Gateway.medium == Campaign.medium,  # The two media are numbered separately.
        Gateway.id == case((Campaign.medium == SMS, Campaign.sms_gateway_id), else_=Campaign.aleg_gateway_id),
    )
    .scalar_subquery()
)
IS_REAL: Final = func.coalesce(_PROTOCOL, SIMULATED) != SIMULATED
"""True if the gateway of a campaign is not simulated."""
HAS_LAW: Final = case(
    ((_STORED == OFF) & (true() == _FOLLOWS_OFF), false()),
    (_STORED == ON, true()),
    else_=IS_REAL,
)
"""True if rows of law hold for a campaign."""
_SIGN: Final = case((ContactRule.enabled == true(), literal_column("'+'", String)), else_=literal_column("'-'", String))
_IS_LAW: Final = ContactRule.user_id.is_(None)
SWITCHED: Final = func.coalesce(
    select(func.aggregate_strings(_SIGN + ContactRule.row, " "))
    .where(_IS_LAW, ContactRule.switched_date.is_not(None))
    .scalar_subquery(),
    "",
)
"""The rows of law that an admin has switched, as `law_for` wants them."""


class LawState(NamedTuple):
    """A row of law as it holds now."""

    row: LawRow
    id: int | None = None
    """The id among the contact rules; None before the first start of the service."""
    is_on: bool = False
    switched_by: str = ""
    """The admin who last switched it; empty if it is as its file says."""
    switched_ms: int | None = None


def law_states(connection: Connection) -> list[LawState]:
    """Return all rows of law, in the order of their file, as they hold now."""
    columns = (ContactRule.row, ContactRule.id, ContactRule.enabled, ContactRule.switched_by, ContactRule.switched_date)
    found = {one.row: one for one in connection.execute(select(*columns).where(_IS_LAW))}
    return [_state(row, found.get(row.id)) for row in law_rows()]


def _state(row: LawRow, stored: Row[str, int, bool, str, int | None] | None) -> LawState:
    if stored is None:
        return LawState(row, is_on=row.is_on)
    return LawState(row, stored.id, bool(stored.enabled), stored.switched_by, stored.switched_date)
