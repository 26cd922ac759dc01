"""Snapshots of a service's rows between two units of work. Of calls they hold those that may have changed."""

from typing import Any, Final, NamedTuple

from sqlalchemy import Connection

from dialer.store.tables import Campaign

FOREVER_MS: Final = 2**62
_CALLING: Final = 7

_COLUMNS: Final = tuple(Campaign.__table__.c.keys())
_CAMPAIGNS: Final = f"SELECT {', '.join(_COLUMNS)} FROM campaign ORDER BY id"  # noqa: S608 - names of our columns
_CALLS: Final = """
    SELECT id, campaign_id, subscriber_id, CAST(gateway_id AS TEXT), attempt, started_ms, ended_ms, status,
        phone_number, user_id, NULL, hangup_cause_q850,
        (SELECT post_dial_ms FROM cdr WHERE cdr.callrequest_id = callrequest.id AND leg_type = 1)
    FROM callrequest WHERE id >= ? ORDER BY id"""
_TEXTS: Final = """
    SELECT id, campaign_id, subscriber_id, 'sms:' || gateway_id, attempt, send_date, ended_ms, status, phone_number,
        user_id, callrequest_id
    FROM sms_message WHERE id >= ? ORDER BY id"""
_LEGS: Final = """
    SELECT t.id, c.campaign_id, CASE WHEN t.gateway_id > 0 THEN CAST(t.gateway_id AS TEXT) ELSE '' END, t.joined_ms,
        t.started_ms, t.ended_ms, t.answered_ms, t.reason, t.agent_id, t.offers, t.status, t.callrequest_id,
        t.from_agent_id, t.for_agent_id, t.on_hold_from_ms, t.consulted
    FROM transfer t JOIN callrequest c ON c.id = t.callrequest_id WHERE t.id >= ? ORDER BY t.id"""
_SUBSCRIBERS: Final = """
    SELECT id, campaign_id, status, status_reason, count_attempt, zone, number, due_ms, abandoned_count,
        promised_agent_id FROM subscriber"""
_PROMISED: Final = """
    SELECT d.callrequest_id, d.call_back_ms FROM call_disposition d JOIN callrequest c ON c.id = d.callrequest_id
    WHERE c.status = 7 AND c.attempt > 0 AND d.call_back_ms IS NOT NULL"""
_USERS: Final = "SELECT id, balance, held, call_rate, allowed_countries, allows_special FROM user_account"
_GATEWAYS: Final = """
    SELECT iif(medium = 'sms', 'sms:', '') || id, max_channels, max_cps, protocol FROM gateway"""
_LISTS: Final = """
    SELECT id, dnc_id FROM campaign WHERE dnc_id IS NOT NULL UNION SELECT campaign_id, dnc_id FROM campaign_dnc_list
    UNION SELECT campaign.id, dnc_list.id FROM campaign, dnc_list WHERE is_global
    UNION SELECT campaign.id, dnc_list.id FROM campaign JOIN dnc_list ON dnc_list.user_id = campaign.user_id
    WHERE keeps_wishes_of IN ('account', 'held')
    OR keeps_wishes_of = 'simulated' AND EXISTS (SELECT 1 FROM gateway g WHERE g.medium = campaign.medium
        AND g.id = iif(g.medium = 'sms', sms_gateway_id, aleg_gateway_id) AND protocol = 'sim')"""
_WISHES: Final = """
    SELECT heeding.id, COALESCE(s.number, r.callerid) FROM callrequest r JOIN campaign c ON c.id = r.campaign_id
    LEFT JOIN subscriber s ON s.id = r.subscriber_id
    JOIN gateway said ON said.medium = 'voice' AND said.id = r.gateway_id
    JOIN campaign heeding ON heeding.user_id = c.user_id
    LEFT JOIN gateway theirs ON theirs.medium = heeding.medium
        AND theirs.id = iif(theirs.medium = 'sms', heeding.sms_gateway_id, heeding.aleg_gateway_id)
    WHERE (said.protocol <> 'sim' OR theirs.protocol = 'sim')
    AND (EXISTS (SELECT 1 FROM survey_result a WHERE a.callrequest_id = r.id AND a.section_type = 9)
    OR EXISTS (SELECT 1 FROM call_disposition d WHERE d.callrequest_id = r.id AND d.disposition = 'do_not_call'))"""
_DESKS: Final = """
    SELECT id, parameters, preview, preview_order, is_talking, figures, hang_up_call_id, hold_call_id, transfer_call_id,
        status = 4 AND break_cause = 'desk_closed', consulted_call_id, consultation_mode FROM agent ORDER BY id"""
_DRAFTS: Final = "SELECT callrequest_id, agent_id, note FROM call_draft"
_ENTRIES: Final = "SELECT dnc_id, number, created_date FROM dnc_contact"


class Attempt(NamedTuple):
    """A call or a message."""

    id: int
    campaign_id: int
    subscriber_id: int
    gateway: str
    attempt: int
    started_ms: int
    ended_ms: int | None
    status: object
    number: str
    user_id: int
    parent_id: int | None = None
    cause: int | None = None
    """The Q.850 cause of a call that is over."""
    signal_ms: int | None = None
    """Milliseconds to the network's first signal; None if there was none, or nobody told of it."""

    @property
    def is_signalled_at_its_end(self) -> bool:
        """Return whether the first signal was that of the end, so that no telephone has rung."""
        return self.signal_ms is not None and self.started_ms + self.signal_ms == self.ended_ms

    @property
    def end_ms(self) -> int:
        """Return the moment when it ended, or `FOREVER_MS` if it has not."""
        return FOREVER_MS if self.ended_ms is None else self.ended_ms


class Leg(NamedTuple):
    """A transfer."""

    id: int
    campaign_id: int
    gateway: str
    """Empty for a leg to an agent."""
    joined_ms: int
    started_ms: int | None
    ended_ms: int | None
    answered_ms: int | None
    reason: str
    agent_id: int | None
    offers: str
    status: int
    call_id: int
    from_agent_id: int | None
    """The agent who has transferred the call."""
    for_agent_id: int | None
    on_hold_from_ms: int | None
    consulted: int
    """1 for the leg of a third person whom an agent consults, and 2 once the agent has handed the callee over."""

    @property
    def end_ms(self) -> int:
        """Return the moment when it ended, or `FOREVER_MS` if it has not."""
        return FOREVER_MS if self.ended_ms is None else self.ended_ms

    @property
    def is_ordered(self) -> bool:
        """Return whether an agent has ordered the transfer; a call that comes back to the agent has not been."""
        return self.from_agent_id is not None and self.for_agent_id != self.from_agent_id


class Person(NamedTuple):
    """A subscriber."""

    id: int
    campaign_id: int
    status: int
    reason: str
    attempts: int
    zone: str
    number: str
    due_ms: int
    abandoned: int
    promised_agent_id: int | None


class AccountRow(NamedTuple):
    """The balance of a user, the money that is held, and the numbers that the user may call."""

    id: int
    balance: int
    held: int
    call_rate: int
    allowed_countries: str
    allows_special: bool


class GatewayRow(NamedTuple):
    """The limits of a gateway."""

    key: str
    max_channels: int
    max_cps: int
    protocol: str


class DeskRow(NamedTuple):
    """An agent, whom the agent sees, and what the agent has ordered."""

    agent_id: int
    parameters: str
    preview: str
    preview_order: str
    is_talking: bool
    figures: str
    hang_up_call_id: int | None
    hold_call_id: int | None
    transfer_call_id: int | None
    has_left: bool
    """True if the agent is on a break because their desk was closed."""
    consulted_call_id: int | None
    consultation_mode: str


class Since(NamedTuple):
    """The ids of the oldest rows that may still change."""

    call_id: int = 0
    text_id: int = 0
    leg_id: int = 0


class Snapshot(NamedTuple):
    """The rows at one moment; `calls`, `texts` and `legs` begin with the oldest that was open in the last snapshot."""

    campaigns: dict[int, dict[str, Any]]
    accounts: list[AccountRow]
    people: dict[int, Person]
    calls: list[Attempt]
    texts: list[Attempt]
    legs: list[Leg]
    lines: dict[str, GatewayRow]
    entries: dict[tuple[int, str], int]
    """The moment at which a number was put on a do-not-call list."""

    wishes: set[tuple[int, str]]
    """The wishes not to be called that calls have on record: each campaign that must heed one, and the number.

    Those of simulated people bind simulated campaigns only.
    """

    lists: dict[int, set[int]]
    """The do-not-call lists that hold for each campaign."""

    desks: list[DeskRow]

    promised: dict[int, int]
    """The time of the call-back that an agent has promised in each call that goes on."""

    drafts: set[tuple[int, int, str]]
    """The notes that agents have typed and not saved: the call, the agent and the note."""

    distributor: Since
    """The ids with which this snapshot begins."""

    @property
    def since(self) -> Since:
        """Return the ids with which the next snapshot must begin."""
        return Since(
            _first_open([(one.id, one.ended_ms is None) for one in self.calls], self.distributor.call_id),
            _first_open([(one.id, one.ended_ms is None) for one in self.texts], self.distributor.text_id),
            _first_open([(one.id, one.ended_ms is None) for one in self.legs], self.distributor.leg_id),
        )


def take_snapshot(connection: Connection, since: Since) -> Snapshot:
    """Read the rows, calls and messages and transfers from `since` on."""

    def rows(query: str, *values: int) -> list[Any]:
        return ask(connection, query, *values)

    lists: dict[int, set[int]] = {}
    for campaign_id, dnc_id in rows(_LISTS):
        lists.setdefault(campaign_id, set()).add(dnc_id)
    return Snapshot(
        campaigns={row[0]: dict(zip(_COLUMNS, row, strict=True)) for row in rows(_CAMPAIGNS)},
        accounts=[AccountRow(*row) for row in rows(_USERS)],
        people={row[0]: Person(*row) for row in rows(_SUBSCRIBERS)},
        calls=[Attempt(*row) for row in rows(_CALLS, since.call_id)],
        texts=[Attempt(*row) for row in rows(_TEXTS, since.text_id)],
        legs=[Leg(*row) for row in rows(_LEGS, since.leg_id)],
        lines={row[0]: GatewayRow(*row) for row in rows(_GATEWAYS)},
        entries={(dnc_id, number): since_ms for dnc_id, number, since_ms in rows(_ENTRIES)},
        wishes={(campaign_id, number) for campaign_id, number in rows(_WISHES)},
        lists=lists,
        desks=[DeskRow(*row) for row in rows(_DESKS)],
        promised=dict(rows(_PROMISED)),
        drafts=set(rows(_DRAFTS)),
        distributor=since,
    )


def ask(connection: Connection, query: str, *values: int | str) -> list[Any]:
    """Run a query without SQLAlchemy, which would be slow for an observer, and return its rows."""
    cursor = connection.connection.cursor()
    cursor.execute(query, values)
    return list(cursor.fetchall())


def _first_open(rows: list[tuple[int, bool]], distributor: int) -> int:
    """Return the id of the first open row, else the id after the last row."""
    return next((row_id for row_id, is_open in rows if is_open), rows[-1][0] + 1 if rows else distributor)
