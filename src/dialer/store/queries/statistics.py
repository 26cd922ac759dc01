"""Queries of statistics. Their cost depends on hours and groups, and not on the number of calls.

It takes longer to build these queries than to run them, so each is built once for each kind of owner.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Connection,
    Select,
    Table,
    and_,
    bindparam,
    case,
    func,
    literal,
    select,
    true,
)

from dialer.domain.calls.plans import GatewayKey, gateway_named
from dialer.domain.figures.statistics import NO_FIGURES, Figures, Grouping, agent_and_outcome
from dialer.domain.queueing.activity import AgentClock
from dialer.domain.words.enums import LegType, TransferStatus
from dialer.store.backends.expressions import without_index
from dialer.store.queries.in_progress import IS_CALLING
from dialer.store.tables import (
    Agent,
    CallRequest,
    Campaign,
    CampaignHour,
    Cdr,
    Gateway,
    Phonebook,
    Transfer,
    UserHour,
)

MINUTE_MS: Final = 60_000
DAY_HOURS: Final = 24
QUERIES_KEPT_MAX: Final = 32
"""Limit of the queries of one shape that are kept: there are five kinds of owners, with two options at most."""
_OWNER: Final = "owner"
_PURPOSE: Final = "purpose"
PURPOSE_OF_USER: Final = "purpose_of_user"
"""In place of a column: the campaigns of a user with one purpose."""
PURPOSE_OF_ALL: Final = "purpose_of_all"
"""In place of a column: everybody's campaigns with one purpose."""
_BY_PURPOSE: Final = frozenset({PURPOSE_OF_USER, PURPOSE_OF_ALL})
_NAMED: Final = {Grouping.AGENT: Agent, Grouping.PHONEBOOK: Phonebook, Grouping.GATEWAY: Gateway}
COUNTERS: Final = Figures.__struct_fields__
"""The columns of counters."""


class WhoseCalls(NamedTuple):
    """The records of which statistics are asked: one campaign, all of one user, or all (None and None)."""

    campaign_id: int | None = None
    user_id: int | None = None
    purpose: str | None = None
    """Only those of campaigns with this purpose that are not deleted; None for all."""

    @property
    def owner(self) -> str | None:
        """The column by which tables know the owner; None for everybody's records.

        With a purpose it is `PURPOSE_OF_USER` or `PURPOSE_OF_ALL`.
        """
        if self.campaign_id is not None:
            return "campaign_id"
        if self.purpose is not None:
            return PURPOSE_OF_ALL if self.user_id is None else PURPOSE_OF_USER
        return None if self.user_id is None else "user_id"

    @property
    def values(self) -> dict[str, int | str | None]:
        """The value of the parameter in queries of this kind of owner."""
        owner = self.user_id if self.campaign_id is None else self.campaign_id
        return {_OWNER: owner} if self.purpose is None else {_OWNER: owner, _PURPOSE: self.purpose}


def _is_owned(table: Table, owner: str | None) -> ColumnElement[bool]:
    if owner not in _BY_PURPOSE:
        return true() if owner is None else table.c[owner] == bindparam(_OWNER)
    meant = select(Campaign.id).where(Campaign.purpose == bindparam(_PURPOSE))
    if owner == PURPOSE_OF_USER:
        meant = meant.where(Campaign.user_id == bindparam(_OWNER))
    return table.c["campaign_id"].in_(meant)


def _table_of_hours(owner: str | None) -> Table:
    """Return the table of the hours of an owner: that of campaigns where only some campaigns of a user are meant."""
    is_of_campaigns = owner == "campaign_id" or owner in _BY_PURPOSE
    return CampaignHour.__table__ if is_of_campaigns else UserHour.__table__


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
    """The calls and agents of an account at this moment."""

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
    values: dict[str, object] = {**scope.values, "grouping": int(grouping), "rows_max": rows_max}
    if hours is not None:
        values |= hours._asdict()
    query = _counted(scope.owner, by_hour=by_hour, in_hours=hours is not None)
    found = map(tuple, connection.execute(query, values))
    if by_hour:
        return [Counted(hour, member, Figures(*sums)) for hour, member, *sums in found]
    return [Counted(None, member, Figures(*sums)) for member, *sums in found]


def count_tests(connection: Connection, scope: WhoseCalls, hours: Hours | None) -> Figures:
    """Return the figures of the tests of campaigns in some hours, which no other figures have in them."""
    found = count_calls(connection, scope, Grouping.TESTS, hours, 1, by_hour=False)
    return found[0].figures if found else NO_FIGURES


class MemberHours(NamedTuple):
    """The first and the last hour in which a member of a grouping has figures."""

    member: str
    first: int
    last: int


def hours_of_members(
    connection: Connection, scope: WhoseCalls, grouping: Grouping, hours: Hours, rows_max: int
) -> list[MemberHours]:
    """Return the members that have figures in some hours, at most `rows_max` of them."""
    table, is_asked = _asked(scope.owner)
    hour, member = table.c.hour, table.c.member
    query = select(member, func.min(hour), func.max(hour)).where(is_asked).group_by(member).limit(rows_max)
    rows = connection.execute(query, {**scope.values, "grouping": int(grouping), **hours._asdict()})
    return [MemberHours(*row) for row in map(tuple, rows)]


def count_hours_of_day(
    connection: Connection, scope: WhoseCalls, grouping: Grouping, hours: Hours, changes: Sequence[int], rows_max: int
) -> list[Counted]:
    """Return the figures by member, hour of the day in UTC, and span of time, at most `rows_max` of them.

    Spans are those between `changes`, which are hours in order. The hour of a row is the first of its hours.
    """
    table, is_asked = _asked(scope.owner)
    hour, member = table.c.hour, table.c.member
    of_day = (hour % DAY_HOURS).label("of_day")  # PostgreSQL groups by a name, not by a calculation with values.
    ends = [(hour < change, place) for place, change in enumerate(changes)]
    span = (case(*ends, else_=len(ends)) if ends else literal(0)).label("span")
    sums = [func.sum(table.c[name]) for name in COUNTERS]
    query = select(member, of_day, span, func.min(hour), *sums).where(is_asked)
    query = query.group_by(member, of_day.name, span.name).limit(rows_max)
    rows = connection.execute(query, {**scope.values, "grouping": int(grouping), **hours._asdict()})
    return [Counted(first, name, Figures(*sums)) for name, _, _, first, *sums in map(tuple, rows)]


def _asked(owner: str | None) -> tuple[Table, ColumnElement[bool]]:
    """Return the table of an owner's hours, and the condition for those of a grouping and of some hours."""
    table = _table_of_hours(owner)
    in_hours = and_(table.c.hour >= bindparam("first"), table.c.hour < bindparam("end"))
    return table, and_(_is_owned(table, owner), table.c.grouping == bindparam("grouping"), in_hours)


@lru_cache(maxsize=QUERIES_KEPT_MAX)
def _counted(owner: str | None, *, by_hour: bool, in_hours: bool) -> Select[Any]:
    table = _table_of_hours(owner)
    keys: list[Any] = [table.c.hour, table.c.member] if by_hour else [table.c.member]
    sums = [func.sum(table.c[name]) for name in COUNTERS]
    query: Select[Any] = (
        select(*keys, *sums)
        .where(_is_owned(table, owner), table.c.grouping == bindparam("grouping"))
        .group_by(*keys)
        .order_by(*keys)
        .limit(bindparam("rows_max"))
    )
    if in_hours:
        query = query.where(table.c.hour >= bindparam("first"), table.c.hour < bindparam("end"))
    return query


def group_names(connection: Connection, grouping: Grouping, members: Iterable[str]) -> dict[str, str]:
    """Return the names of agents, phonebooks or gateways by member. Groups that are deleted or no record have none."""
    if grouping is Grouping.AGENT_DISPOSITION_WORD:
        agents = {member: agent_and_outcome(member)[0] for member in members}
        of_agents = group_names(connection, Grouping.AGENT, agents.values())
        return {member: of_agents[agent] for member, agent in agents.items() if agent in of_agents}
    model = _NAMED.get(grouping)
    if model is None:
        return {}
    table, wanted = model.__table__, set(members)
    if grouping is not Grouping.GATEWAY:
        rows = connection.execute(select(table.c.id, table.c.name).where(table.c.id.in_(set(map(int, wanted)))))
        return {str(record_id): name for record_id, name in map(tuple, rows)}
    keys = {gateway_named(member).id for member in wanted}
    rows = connection.execute(select(table.c.medium, table.c.id, table.c.name).where(table.c.id.in_(keys)))
    found = {str(GatewayKey(medium, number)): name for medium, number, name in map(tuple, rows)}
    return {member: name for member, name in found.items() if member in wanted}


def present(connection: Connection, scope: WhoseCalls, now_ms: int) -> Present:
    """Return the situation at this moment. Only calls in progress and those of the last minute are read."""
    owner = scope.owner
    values: dict[str, object] = {**scope.values, "since_ms": now_ms - MINUTE_MS}
    by_status = {row[0]: row[1] for row in connection.execute(_legs(owner), values)}
    calls, new_calls = connection.execute(_calls(owner), values).one()
    return Present(
        calls=calls,
        waiting=by_status.get(TransferStatus.WAITING, 0),
        talking=by_status.get(TransferStatus.CONNECTED, 0),
        calls_a_minute=new_calls + int(connection.scalar(_dialled(owner), values) or 0),
        agents=_agents_by_activity(connection, scope, now_ms),
    )


@lru_cache(maxsize=QUERIES_KEPT_MAX)
def _calls(owner: str | None) -> Select[int, int]:
    """Return a query of the number of calls in progress, and of those among them that were dialled since a moment."""
    is_new = and_(CallRequest.started_ms > bindparam("since_ms"), CallRequest.attempt > 0)
    query = select(func.count(), func.count().filter(is_new)).select_from(CallRequest)
    return query.where(IS_CALLING, _is_owned(CallRequest.__table__, owner))


@lru_cache(maxsize=QUERIES_KEPT_MAX)
def _legs(owner: str | None) -> Select[int, int]:
    """Return a query of the number of transfers to agents by status, of calls in progress."""
    return (
        select(Transfer.status, func.count())
        .join(CallRequest, CallRequest.id == Transfer.callrequest_id)
        .where(IS_CALLING, _is_owned(CallRequest.__table__, owner), Transfer.status != TransferStatus.OVER)
        .where(Transfer.score_from_ms > 0)
        .group_by(Transfer.status)
    )


@lru_cache(maxsize=QUERIES_KEPT_MAX)
def _dialled(owner: str | None) -> Select[Any]:
    """Return a query of the number of calls that were dialled since a moment and are over."""
    # By an index of the owner, all of the owner's CDRs would be read.
    is_one = without_index(_is_owned(Cdr.__table__, owner))
    is_late = Cdr.starting_date > bindparam("since_ms")
    return select(func.count()).where(is_late, Cdr.leg_type == LegType.A_LEG, Cdr.attempt > 0, is_one)


def dialled_by_minute(connection: Connection, scope: WhoseCalls, since_ms: int) -> dict[int, int]:
    """Return the number of calls dialled since a moment, by minutes since the epoch. Minutes without a call are absent.

    The cost grows with the number of calls since then.
    """
    found: dict[int, int] = {}
    for query in _by_minute(scope.owner):
        for minute, count in map(tuple, connection.execute(query, {**scope.values, "since_ms": since_ms})):
            found[minute] = found.get(minute, 0) + count
    return found


@lru_cache(maxsize=QUERIES_KEPT_MAX)
def _by_minute(owner: str | None) -> tuple[Select[int, int], Select[int, int]]:
    """Return queries of the calls that are over and in progress, which count them by the minute of the dial."""
    since_ms: BindParameter[int] = bindparam("since_ms")
    over = (Cdr.starting_date // MINUTE_MS).label(
        "minute"
    )  # PostgreSQL groups by a name, not by a calculation with values.
    calling = (CallRequest.started_ms // MINUTE_MS).label("minute")
    is_one = without_index(_is_owned(Cdr.__table__, owner))
    return (
        select(over, func.count())
        .where(Cdr.starting_date >= since_ms, Cdr.leg_type == LegType.A_LEG, Cdr.attempt > 0, is_one)
        .group_by(over.name),
        select(calling, func.count())
        .where(
            IS_CALLING,
            _is_owned(CallRequest.__table__, owner),
            CallRequest.started_ms >= since_ms,
            CallRequest.attempt > 0,
        )
        .group_by(calling.name),
    )


@lru_cache(maxsize=QUERIES_KEPT_MAX)
def _agents_of(owner: str | None) -> Select[int, str, bool, int, int]:
    query = select(Agent.status, Agent.break_reason, Agent.is_talking, Agent.counted_ms, Agent.wraps_until_ms)
    if owner == "campaign_id":
        of_campaign = select(Campaign.user_id).where(Campaign.id == bindparam(_OWNER))
        return query.where(Agent.user_id == of_campaign.scalar_subquery())
    whose = {PURPOSE_OF_USER: "user_id", PURPOSE_OF_ALL: None}.get(owner or "", owner)
    return query.where(_is_owned(Agent.__table__, whose))


def _agents_by_activity(connection: Connection, scope: WhoseCalls, now_ms: int) -> dict[str, int]:
    found: dict[str, int] = {}
    for row in connection.execute(_agents_of(scope.owner), scope.values):
        name = AgentClock(*row).activity(now_ms).name.lower()
        found[name] = found.get(name, 0) + 1
    return found
