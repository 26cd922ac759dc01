"""The journal's rows of gateways: circuit breakers, and the turns of caller IDs."""

from typing import Final

import msgspec
from sqlalchemy import Connection, Integer, String, and_, bindparam, case, literal_column, or_, update

from dialer.domain.calls import call_effects, campaign_effects
from dialer.domain.calls.circuit_breaker import CircuitBreaker
from dialer.domain.calls.plans import GatewayKey
from dialer.store.database.bulk import Bulk
from dialer.store.tables import Campaign, Gateway

_is_it = (Gateway.id == bindparam("number"), Gateway.medium == bindparam("kind"))
_KEEP_BREAKERS: Final = Bulk(
    update(Gateway)
    .where(*_is_it)
    .values(failures=bindparam("failed"), rest_ms=bindparam("open_ms"), rests_until_ms=bindparam("open_until_ms")),
    ("failed", "open_ms", "open_until_ms", "kind", "number"),
)
_none: Final = literal_column("''", String())
_zero, _one = (literal_column(text, Integer()) for text in ("0", "1"))
_stays = or_(
    and_(Gateway.line_down != _none, bindparam("is_down") == _one),
    and_(Gateway.line_down == _none, Gateway.line_since_ms > _zero, bindparam("is_down") == _zero),
)
_KEEP_LINES: Final = Bulk(
    update(Gateway)
    .where(*_is_it)
    .values(
        line_down=bindparam("why_down"),
        line_since_ms=case((_stays, Gateway.line_since_ms), else_=bindparam("at_ms")),
    ),
    ("why_down", "is_down", "at_ms", "kind", "number"),
)
_KEEP_TURNS: Final = Bulk(
    update(Campaign).where(Campaign.id == bindparam("campaign")).values(callerid_turns=bindparam("turns")),
    ("turns", "campaign"),
)


class GatewayRows:
    """Circuit breakers and caller ID turns that wait to be written, each once, in its latest state."""

    def __init__(self) -> None:
        self._breakers: dict[GatewayKey, CircuitBreaker] = {}
        self._turns: dict[int, dict[str, int]] = {}
        self._lines: dict[GatewayKey, tuple[str, int]] = {}

    def keep_breaker(self, effect: campaign_effects.KeepBreaker) -> None:
        """Record the circuit breaker of a gateway."""
        self._breakers[effect.gateway_id] = effect.breaker

    def keep_line(self, now_ms: int, effect: call_effects.KeepLine) -> None:
        """Record the state of a gateway's line: since when it works, or why it does not."""
        self._lines[effect.gateway_id] = effect.why_down, now_ms

    def keep_turns(self, campaign_id: int, turns: dict[str, int]) -> None:
        """Record the turns of a campaign's caller IDs."""
        self._turns[campaign_id] = turns

    def write(self, connection: Connection) -> None:
        """Write the recorded changes of gateways."""
        # All workers write these rows in one order, so that none waits for another in a circle.
        breakers = sorted(self._breakers.items())
        _KEEP_BREAKERS.run(connection, [(one.failures, one.open_ms, one.open_until_ms, *key) for key, one in breakers])
        lines = sorted(self._lines.items())
        _KEEP_LINES.run(connection, [(why, int(bool(why)), now_ms, *key) for key, (why, now_ms) in lines])
        turns = [(msgspec.json.encode(counts).decode(), campaign_id) for campaign_id, counts in self._turns.items()]
        _KEEP_TURNS.run(connection, turns)
