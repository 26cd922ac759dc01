"""The journal's rows of gateways: how they have fared, and whose turn it is among the caller IDs shown over them."""

from typing import Any, Final

import msgspec
from sqlalchemy import BindParameter, Connection, Table, bindparam, update

from dialer.domain import effects
from dialer.domain.circuit_breaker import CircuitBreaker
from dialer.store.bulk import Bulk
from dialer.store.queries.progress import SMS_LINES_FROM
from dialer.store.tables import Campaign, Gateway, SmsGateway

_campaigns = Campaign.__table__


def _keep_rests(table: Table) -> Bulk:
    kept: dict[str, BindParameter[Any]] = {name: bindparam(f"new_{name}") for name in CircuitBreaker.__struct_fields__}
    return Bulk(
        update(table).where(table.c.id == bindparam("gateway")).values(kept),
        (*(f"new_{name}" for name in CircuitBreaker.__struct_fields__), "gateway"),
    )


_KEEP_RESTS: Final = _keep_rests(Gateway.__table__)
_KEEP_SMS_RESTS: Final = _keep_rests(SmsGateway.__table__)
_KEEP_TURNS: Final = Bulk(
    update(_campaigns).where(_campaigns.c.id == bindparam("campaign")).values(callerid_turns=bindparam("turns")),
    ("turns", "campaign"),
)


class GatewayRows:
    """What has changed in one step, each once, as it stands at the end of the step."""

    def __init__(self) -> None:
        self._rests: dict[int, CircuitBreaker] = {}
        self._turns: dict[int, dict[str, int]] = {}

    def keep_rest(self, effect: effects.KeepRest) -> None:
        """A gateway has failed, or does not fail any more."""
        self._rests[effect.gateway_id] = effect.rest

    def dialled(self, effect: effects.Dial) -> None:
        """A caller ID was shown."""
        if effect.callerid_turns:
            self._turns[effect.call.plan.id] = effect.callerid_turns

    def write(self, connection: Connection) -> None:
        """Write them all."""
        voice = [(*_columns(rest), line) for line, rest in self._rests.items() if line < SMS_LINES_FROM]
        texts = [
            (*_columns(rest), line - SMS_LINES_FROM) for line, rest in self._rests.items() if line >= SMS_LINES_FROM
        ]
        _KEEP_RESTS.run(connection, voice)
        _KEEP_SMS_RESTS.run(connection, texts)
        turns = [(msgspec.json.encode(counts).decode(), campaign_id) for campaign_id, counts in self._turns.items()]
        _KEEP_TURNS.run(connection, turns)


def _columns(rest: CircuitBreaker) -> tuple[int, ...]:
    return msgspec.structs.astuple(rest)
