"""What can be seen of a service between two units of work: its rows, of calls only those that may have changed."""

from typing import Any, Final, NamedTuple

from sqlalchemy import Connection

from dialer.store.tables import Campaign

FOREVER_MS: Final = 2**62
_CALLING: Final = 7

_COLUMNS: Final = tuple(Campaign.__table__.c.keys())
_CAMPAIGNS: Final = f"SELECT {', '.join(_COLUMNS)} FROM campaign ORDER BY id"  # noqa: S608 - names of our columns
_CALLS: Final = """
    SELECT id, campaign_id, subscriber_id, gateway_id, attempt, started_ms, ended_ms, status, phone_number, user_id
    FROM callrequest WHERE id >= ? ORDER BY id"""
_TEXTS: Final = """
    SELECT id, campaign_id, subscriber_id, gateway_id, attempt, send_date, ended_ms, status, phone_number, user_id,
        callrequest_id
    FROM sms_message WHERE id >= ? ORDER BY id"""
_LEGS: Final = """
    SELECT t.id, c.campaign_id, t.gateway_id, t.joined_ms, t.started_ms, t.ended_ms, t.answered_ms, t.reason,
        t.agent_id, t.offers, t.status
    FROM transfer t JOIN callrequest c ON c.id = t.callrequest_id WHERE t.id >= ? ORDER BY t.id"""
_SUBSCRIBERS: Final = "SELECT id, campaign_id, status, status_reason, count_attempt, zone, number FROM subscriber"
_USERS: Final = "SELECT id, balance, held FROM user_account"
_GATEWAYS: Final = """
    SELECT id, max_channels, max_cps FROM gateway UNION ALL SELECT id + (1 << 40), 0, max_cps FROM sms_gateway"""
_ENTRIES: Final = "SELECT dnc_id, number, created_date FROM dnc_contact"


class Attempt(NamedTuple):
    """A call request, or a message."""

    id: int
    campaign_id: int
    subscriber_id: int
    gateway_id: int
    attempt: int
    started_ms: int
    ended_ms: int | None
    status: object
    number: str
    user_id: int
    parent_id: int | None = None

    @property
    def end_ms(self) -> int:
        """When it ended, or a time that never comes."""
        return FOREVER_MS if self.ended_ms is None else self.ended_ms


class Leg(NamedTuple):
    """A transfer."""

    id: int
    campaign_id: int
    gateway_id: int
    joined_ms: int
    started_ms: int | None
    ended_ms: int | None
    answered_ms: int | None
    reason: str
    agent_id: int | None
    offers: str
    status: int

    @property
    def end_ms(self) -> int:
        """When it ended, or a time that never comes."""
        return FOREVER_MS if self.ended_ms is None else self.ended_ms


class Person(NamedTuple):
    """A subscriber."""

    id: int
    campaign_id: int
    status: int
    reason: str
    attempts: int
    zone: str
    number: str


class AccountRow(NamedTuple):
    """A user's money."""

    id: int
    balance: int
    held: int


class GatewayRow(NamedTuple):
    """What a gateway may carry."""

    id: int
    max_channels: int
    max_cps: int


class Since(NamedTuple):
    """The oldest rows that may still change."""

    call_id: int = 0
    text_id: int = 0
    leg_id: int = 0


class Look(NamedTuple):
    """How things stand; `calls`, `texts` and `legs` from the oldest on that was open at the look before."""

    campaigns: dict[int, dict[str, Any]]
    accounts: list[AccountRow]
    people: dict[int, Person]
    calls: list[Attempt]
    texts: list[Attempt]
    legs: list[Leg]
    lines: dict[int, GatewayRow]
    entries: dict[tuple[int, str], int]
    """Since when a number stands on a do-not-call list."""

    floor: Since
    """From where on this look has read."""

    @property
    def since(self) -> Since:
        """From where on the next look has to read."""
        return Since(
            _first_open([(one.id, one.ended_ms is None) for one in self.calls], self.floor.call_id),
            _first_open([(one.id, one.ended_ms is None) for one in self.texts], self.floor.text_id),
            _first_open([(one.id, one.ended_ms is None) for one in self.legs], self.floor.leg_id),
        )


def look(connection: Connection, since: Since) -> Look:
    """Look at the rows."""

    def rows(query: str, *values: int) -> list[Any]:
        return ask(connection, query, *values)

    return Look(
        campaigns={row[0]: dict(zip(_COLUMNS, row, strict=True)) for row in rows(_CAMPAIGNS)},
        accounts=[AccountRow(*row) for row in rows(_USERS)],
        people={row[0]: Person(*row) for row in rows(_SUBSCRIBERS)},
        calls=[Attempt(*row) for row in rows(_CALLS, since.call_id)],
        texts=[Attempt(*row) for row in rows(_TEXTS, since.text_id)],
        legs=[Leg(*row) for row in rows(_LEGS, since.leg_id)],
        lines={row[0]: GatewayRow(*row) for row in rows(_GATEWAYS)},
        entries={(dnc_id, number): since_ms for dnc_id, number, since_ms in rows(_ENTRIES)},
        floor=since,
    )


def ask(connection: Connection, query: str, *values: int) -> list[Any]:
    """What a query finds: past SQLAlchemy, as an observer looks often and should not take long."""
    cursor = connection.connection.cursor()
    cursor.execute(query, values)
    return list(cursor.fetchall())


def _first_open(rows: list[tuple[int, bool]], floor: int) -> int:
    """The first that is open; else the one after the last."""
    return next((row_id for row_id, is_open in rows if is_open), rows[-1][0] + 1 if rows else floor)
