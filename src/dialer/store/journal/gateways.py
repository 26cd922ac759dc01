"""The journal's rows of gateways: circuit breakers, and the turns of caller IDs."""

from typing import Final, NamedTuple

import msgspec
from sqlalchemy import Connection, Table, bindparam, update

from dialer.domain import effects
from dialer.domain.circuit_breaker import CircuitBreaker
from dialer.domain.plans import SMS_LINES_FROM
from dialer.store.bulk import Bulk
from dialer.store.tables import Campaign, Gateway, SmsGateway


class BreakerRow(NamedTuple):
    """The columns of a gateway's circuit breaker."""

    failures: int
    open_ms: int
    open_until_ms: int
    gateway_id: int


def _keep_breakers(table: Table) -> Bulk:
    kept = {"failures": "failures", "rest_ms": "open_ms", "rests_until_ms": "open_until_ms"}
    changed = update(table).where(table.c.id == bindparam("gateway_id"))
    return Bulk(changed.values({column: bindparam(name) for column, name in kept.items()}), BreakerRow._fields)


_KEEP_BREAKERS: Final = _keep_breakers(Gateway.__table__)
_KEEP_SMS_BREAKERS: Final = _keep_breakers(SmsGateway.__table__)


def _keep_lines(table: Table) -> Bulk:
    changed = update(table).where(table.c.id == bindparam("gateway_id"))
    return Bulk(changed.values(line_down=bindparam("why_down")), ("why_down", "gateway_id"))


_KEEP_LINES: Final = _keep_lines(Gateway.__table__)
_KEEP_SMS_LINES: Final = _keep_lines(SmsGateway.__table__)
_KEEP_TURNS: Final = Bulk(
    update(Campaign).where(Campaign.id == bindparam("campaign")).values(callerid_turns=bindparam("turns")),
    ("turns", "campaign"),
)


class GatewayRows:
    """Circuit breakers and caller ID turns that wait to be written, each once, in its latest state."""

    def __init__(self) -> None:
        self._breakers: dict[int, CircuitBreaker] = {}
        self._turns: dict[int, dict[str, int]] = {}
        self._lines: dict[int, str] = {}

    def keep_breaker(self, effect: effects.KeepBreaker) -> None:
        """Record the circuit breaker of a gateway."""
        self._breakers[effect.gateway_id] = effect.breaker

    def keep_line(self, effect: effects.KeepLine) -> None:
        """Record why the line of a gateway does not work."""
        self._lines[effect.gateway_id] = effect.why_down

    def dialled(self, effect: effects.Dial) -> None:
        """Record the turns of a campaign's caller IDs."""
        if effect.callerid_turns:
            self._turns[effect.call.plan.id] = effect.callerid_turns

    def write(self, connection: Connection) -> None:
        """Write the recorded changes."""
        # All workers write these rows in one order, so that none waits for another in a circle.
        kept = [
            BreakerRow(one.failures, one.open_ms, one.open_until_ms, key) for key, one in sorted(self._breakers.items())
        ]
        _KEEP_BREAKERS.run(connection, [row for row in kept if row.gateway_id < SMS_LINES_FROM])
        sms = [row for row in kept if row.gateway_id >= SMS_LINES_FROM]
        _KEEP_SMS_BREAKERS.run(connection, [row._replace(gateway_id=row.gateway_id - SMS_LINES_FROM) for row in sms])
        down = sorted(self._lines.items())
        _KEEP_LINES.run(connection, [(why, key) for key, why in down if key < SMS_LINES_FROM])
        _KEEP_SMS_LINES.run(connection, [(why, key - SMS_LINES_FROM) for key, why in down if key >= SMS_LINES_FROM])
        turns = [(msgspec.json.encode(counts).decode(), campaign_id) for campaign_id, counts in self._turns.items()]
        _KEEP_TURNS.run(connection, turns)
