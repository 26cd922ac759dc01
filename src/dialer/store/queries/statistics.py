"""Queries of statistics. Their cost depends on hours and groups, and not on the number of calls."""

from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

from sqlalchemy import ColumnElement, Connection, Select, Table, func, literal_column, select, true

from dialer.domain.enums import CallRequestStatus, LegType, TransferStatus
from dialer.domain.queueing.activity import AgentClock
from dialer.domain.statistics import Figures, Grouping, SubscriberState
from dialer.store.queries.progress import SMS_LINES_FROM
from dialer.store.subscriber_counts import subscribers_by_state
from dialer.store.tables import (
    Agent,
    CallRequest,
    Campaign,
    CampaignHour,
    Cdr,
    Gateway,
    Phonebook,
    SmsGateway,
    Transfer,
    UserHour,
)

MINUTE_MS: Final = 60_000
_campaigns = Campaign.__table__
_requests = CallRequest.__table__
_transfers = Transfer.__table__
_agents = Agent.__table__
_cdrs = Cdr.__table__
_NAMED: Final = {Grouping.AGENT: Agent, Grouping.PHONEBOOK: Phonebook, Grouping.GATEWAY: Gateway}
_COUNTERS: Final = Figures.__struct_fields__
# A literal, because SQLite uses the partial index over calls in progress only for a constant status.
_is_calling = _requests.c.status == literal_column(str(int(CallRequestStatus.CALLING)))


class WhoseCalls(NamedTuple):
    """The records of which statistics are asked: one campaign, all of one user, or all (None and None)."""

    campaign_id: int | None = None
    user_id: int | None = None

    def of(self, table: Table) -> ColumnElement[bool]:
        """Return the condition for rows of a table with both columns."""
        if self.campaign_id is not None:
            return table.c["campaign_id"] == self.campaign_id
        return true() if self.user_id is None else table.c["user_id"] == self.user_id


class Hours(NamedTuple):
    """A range of hours since the epoch: from `first`, and before `end`."""

    first: int
    end: int


class Counted(NamedTuple):
    """The figures of one hour (None: of all hours together) and one member of a grouping."""

    hour: int | None
    member: str
    figures: Figures


class Present(NamedTuple):
    """The situation at this moment."""

    calls: int
    waiting: int
    talking: int
    calls_a_minute: int
    """Calls dialled within the last minute."""
    agents: dict[str, int]
    """Agents by activity."""


def count_calls(
    connection: Connection,
    scope: WhoseCalls,
    grouping: Grouping,
    hours: Hours | None,
    rows_max: int,
    *,
    by_hour: bool,
) -> list[Counted]:
    """Return the figures by member, and by hour if wanted, at most `rows_max` of them, in order."""
    model = UserHour if scope.campaign_id is None else CampaignHour
    table = model.__table__
    is_owned: ColumnElement[bool] = true()
    if scope.campaign_id is not None:
        is_owned = table.c.campaign_id == scope.campaign_id
    elif scope.user_id is not None:
        is_owned = table.c.user_id == scope.user_id
    keys: list[Any] = [table.c.hour, table.c.member] if by_hour else [table.c.member]
    sums = [func.sum(table.c[name]) for name in _COUNTERS]
    query: Select[Any] = select(*keys, *sums).where(is_owned, table.c.grouping == int(grouping)).group_by(*keys)
    if hours is not None:
        query = query.where(table.c.hour >= hours.first, table.c.hour < hours.end)
    found = connection.execute(query.order_by(*keys).limit(rows_max)).all()
    return [
        Counted(row[0] if by_hour else None, row[len(keys) - 1], Figures(*row[len(keys) :]))
        for row in map(tuple, found)
    ]


def group_names(connection: Connection, grouping: Grouping, members: Iterable[str]) -> dict[str, str]:
    """Return the names of agents, phonebooks or gateways by member. Groups that are deleted or no record have none."""
    model = _NAMED.get(grouping)
    if model is None:
        return {}
    ids = set(map(int, members))
    texting = {one for one in ids if grouping is Grouping.GATEWAY and one >= SMS_LINES_FROM}
    names = _names(connection, model.__table__, ids - texting, 0)
    texts = _names(connection, SmsGateway.__table__, {one - SMS_LINES_FROM for one in texting}, SMS_LINES_FROM)
    return names | texts


def _names(connection: Connection, table: Table, ids: set[int], ids_from: int) -> dict[str, str]:
    query = select(table.c.id, table.c.name).where(table.c.id.in_(ids))
    return {str(row[0] + ids_from): row[1] for row in map(tuple, connection.execute(query))} if ids else {}


def count_subscribers(connection: Connection, scope: WhoseCalls) -> list[SubscriberState]:
    """Return the number of subscribers by status and reason."""
    is_owned: ColumnElement[bool] = true()
    if scope.campaign_id is not None:
        is_owned = _campaigns.c.id == scope.campaign_id
    elif scope.user_id is not None:
        is_owned = _campaigns.c.user_id == scope.user_id
    found: dict[tuple[int, str], list[int]] = {}
    for row in subscribers_by_state(connection, is_owned):
        sums = found.setdefault((row["status"], row["status_reason"]), [0, 0])
        sums[0] += row["subscribers"]
        sums[1] += row["attempted"]
    return [SubscriberState(status, reason, *sums) for (status, reason), sums in found.items()]


def present(connection: Connection, scope: WhoseCalls, now_ms: int) -> Present:
    """Return the situation at this moment. Only calls in progress and those of the last minute are read."""
    calls = select(func.count()).select_from(_requests).where(_is_calling, scope.of(_requests))
    legs = (
        select(_transfers.c.status, func.count())
        .join(_requests, _requests.c.id == _transfers.c.callrequest_id)
        .where(_is_calling, scope.of(_requests), _transfers.c.status != TransferStatus.OVER)
        .where(_transfers.c.score_from_ms > 0)
        .group_by(_transfers.c.status)
    )
    since_ms = now_ms - MINUTE_MS
    dialling = calls.where(_requests.c.started_ms > since_ms, _requests.c.attempt > 0)
    dialled = select(func.count()).where(
        _cdrs.c.starting_date > since_ms, _cdrs.c.leg_type == LegType.A_LEG, _cdrs.c.attempt > 0, scope.of(_cdrs)
    )
    by_status = dict(tuple(row) for row in connection.execute(legs))
    return Present(
        calls=int(connection.scalar(calls) or 0),
        waiting=by_status.get(TransferStatus.WAITING, 0),
        talking=by_status.get(TransferStatus.CONNECTED, 0),
        calls_a_minute=int(connection.scalar(dialling) or 0) + int(connection.scalar(dialled) or 0),
        agents=_agents_by_activity(connection, scope, now_ms),
    )


def _agents_by_activity(connection: Connection, scope: WhoseCalls, now_ms: int) -> dict[str, int]:
    query: Select[Any] = select(
        _agents.c.status, _agents.c.break_reason, _agents.c.is_talking, _agents.c.counted_ms, _agents.c.wraps_until_ms
    )
    user = scope.user_id
    if scope.campaign_id is not None:
        user = connection.scalar(select(_campaigns.c.user_id).where(_campaigns.c.id == scope.campaign_id))
    if user is not None:
        query = query.where(_agents.c.user_id == user)
    found: dict[str, int] = {}
    rows: Sequence[Any] = connection.execute(query).all()
    for row in rows:
        name = AgentClock(*row).activity(now_ms).name.lower()
        found[name] = found.get(name, 0) + 1
    return found
