"""Events of accounts that follow from several effects of a step: a balance that gets low, and lines that fail."""

from collections.abc import Collection
from typing import Final

from sqlalchemy import Connection, select

from dialer.domain.calls import call_effects
from dialer.domain.calls.plans import SMS, GatewayKey
from dialer.domain.words.enums import CampaignStatus
from dialer.store.rows.account_events import EventRow, event_row, low_balance_events
from dialer.store.tables import Campaign

_OPEN: Final = (CampaignStatus.START, CampaignStatus.PAUSE)


class Charges:
    """The charges of a step, for the accounts that keep events."""

    def __init__(self) -> None:
        self._costs: Final[dict[int, int]] = {}
        self._at_ms = 0

    def note(self, user_id: int, cost: int, now_ms: int) -> None:
        """Add a charge, an integer of 1e-5."""
        if cost:
            self._costs[user_id] = self._costs.get(user_id, 0) + cost
            self._at_ms = now_ms

    def take(self, connection: Connection) -> list[EventRow]:
        """Return the events of balances that fell to their limit in this step, after the charges were written."""
        if not self._costs:
            return []
        found = low_balance_events(connection, self._costs, self._at_ms)
        self._costs.clear()
        return found


class LineChanges:
    """Lines of gateways that failed or work again. A gateway's state is known from its first failure on."""

    def __init__(self) -> None:
        self._is_down: Final[dict[GatewayKey, bool]] = {}
        self._changes: list[tuple[GatewayKey, bool, int]] = []

    def note(self, effect: call_effects.KeepLine, now_ms: int) -> None:
        """Note the state of a line."""
        is_down = bool(effect.why_down)
        if self._is_down.get(effect.gateway_id, False) != is_down:
            self._changes.append((effect.gateway_id, is_down, now_ms))
        self._is_down[effect.gateway_id] = is_down

    def take(self, connection: Connection, users: Collection[int]) -> list[EventRow]:
        """Return the events of the step, for those of some accounts that have an open campaign on the gateway."""
        changes, self._changes = self._changes, []
        return [
            event_row(
                user_id,
                "gateway.down" if is_down else "gateway.up",
                at_ms,
                _subject(key),
                gateway=key.id,
                state=_word(is_down),
            )
            for key, is_down, at_ms in changes
            for user_id in _concerned(connection, key)
            if user_id in users
        ]


def _subject(key: GatewayKey) -> str:
    return f"{'sms-gateway' if key.medium == SMS else 'gateway'}/{key.id}"


def _word(is_down: bool) -> str:  # noqa: FBT001 - private
    return "down" if is_down else "up"


def _concerned(connection: Connection, key: GatewayKey) -> list[int]:
    gateway_id = Campaign.sms_gateway_id if key.medium == SMS else Campaign.aleg_gateway_id
    query = select(Campaign.user_id).where(gateway_id == key.id, Campaign.status.in_(_OPEN))
    return list(connection.scalars(query.distinct().order_by(Campaign.user_id)))
