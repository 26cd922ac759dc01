"""Figures of several campaigns at once. The number of queries does not grow with the campaigns."""

from collections.abc import Collection
from typing import Any, Final, NamedTuple

from sqlalchemy import ColumnElement, Connection, Select, SQLColumnExpression, and_, bindparam, func, select

from dialer.domain.figures.statistics import Figures, Grouping
from dialer.domain.words.enums import LegType, TransferStatus
from dialer.store.backends.expressions import without_index
from dialer.store.queries.in_progress import IS_CALLING
from dialer.store.queries.statistics import COUNTERS, MINUTE_MS
from dialer.store.tables import CallRequest, CampaignHour, Cdr, Transfer


class CallsNow(NamedTuple):
    """The calls in progress of a campaign: all, those that wait for an agent, and conversations."""

    calls: int = 0
    waiting: int = 0
    talking: int = 0
    calls_a_minute: int = 0
    """Calls dialled within the last minute."""


def calls_now(connection: Connection, campaign_ids: Collection[int], now_ms: int) -> dict[int, CallsNow]:
    """Return the calls of campaigns at this moment. Only calls in progress and those of the last minute are read."""
    values = {"ids": list(campaign_ids), "since_ms": now_ms - MINUTE_MS}
    legs = {(row[0], row[1]): row[2] for row in connection.execute(_LEGS, values)}
    over = {row[0]: row[1] for row in connection.execute(_DIALLED, values)}
    calls = {row[0]: (row[1], row[2]) for row in connection.execute(_CALLS, values)}
    return {
        one: CallsNow(
            calls.get(one, (0, 0))[0],
            legs.get((one, TransferStatus.WAITING), 0),
            legs.get((one, TransferStatus.CONNECTED), 0),
            calls.get(one, (0, 0))[1] + over.get(one, 0),
        )
        for one in campaign_ids
    }


def totals_of_campaigns(connection: Connection, campaign_ids: Collection[int]) -> dict[int, Figures]:
    """Return the figures of all calls of campaigns; campaigns without a call are left out."""
    rows = connection.execute(_TOTALS, {"ids": list(campaign_ids)})
    return {campaign_id: Figures(*sums) for campaign_id, *sums in map(tuple, rows)}


def machines_of_campaigns(connection: Connection, campaign_ids: Collection[int]) -> dict[int, int]:
    """Return the number of calls that machines answered, by campaign. Campaigns without calls are left out."""
    return {
        campaign_id: int(count) for campaign_id, count in connection.execute(_MACHINES, {"ids": list(campaign_ids)})
    }


def abandoned_since(
    connection: Connection, campaign_ids: Collection[int], first_hour: int
) -> dict[int, tuple[int, int]]:
    """Return the abandoned calls of campaigns from an hour on, and the calls for agents among which they are."""
    rows = connection.execute(_ABANDONED, {"ids": list(campaign_ids), "first_hour": first_hour})
    return {campaign_id: (int(abandoned), int(of)) for campaign_id, abandoned, of in rows}


def _is_among(column: SQLColumnExpression[int | None]) -> ColumnElement[bool]:
    return column.in_(bindparam("ids", expanding=True))


def _calls() -> Select[int, int, int]:
    is_new = and_(CallRequest.started_ms > bindparam("since_ms"), CallRequest.attempt > 0)
    query = select(CallRequest.campaign_id, func.count(), func.count().filter(is_new))
    return query.where(IS_CALLING, _is_among(CallRequest.campaign_id)).group_by(CallRequest.campaign_id)


def _legs() -> Select[int, int, int]:
    return (
        select(CallRequest.campaign_id, Transfer.status, func.count())
        .join_from(CallRequest, Transfer, CallRequest.id == Transfer.callrequest_id)
        .where(IS_CALLING, _is_among(CallRequest.campaign_id))
        .where(Transfer.status != TransferStatus.OVER, Transfer.score_from_ms > 0)
        .group_by(CallRequest.campaign_id, Transfer.status)
    )


def _dialled() -> Select[int | None, int]:
    is_late = Cdr.starting_date > bindparam("since_ms")
    # By an index of the campaigns, all of their CDRs would be read.
    return (
        select(Cdr.campaign_id, func.count())
        .where(is_late, Cdr.leg_type == LegType.A_LEG, Cdr.attempt > 0)
        .where(without_index(_is_among(Cdr.campaign_id)))
        .group_by(Cdr.campaign_id)
    )


def _totals() -> Select[*tuple[Any, ...]]:
    sums = [func.sum(CampaignHour.__table__.c[name]) for name in COUNTERS]
    is_total = CampaignHour.grouping == int(Grouping.TOTAL)
    query = select(CampaignHour.campaign_id, *sums).where(_is_among(CampaignHour.campaign_id), is_total)
    return query.group_by(CampaignHour.campaign_id)


def _machines() -> Select[int, int]:
    is_total = CampaignHour.grouping == int(Grouping.TOTAL)
    query = select(CampaignHour.campaign_id, func.sum(CampaignHour.answered - CampaignHour.live))
    return query.where(_is_among(CampaignHour.campaign_id), is_total).group_by(CampaignHour.campaign_id)


def _abandoned() -> Select[int, int, int]:
    is_late = CampaignHour.hour >= bindparam("first_hour")
    query = select(CampaignHour.campaign_id, func.sum(CampaignHour.abandoned), func.sum(CampaignHour.for_agents))
    is_total = CampaignHour.grouping == int(Grouping.TOTAL)
    return query.where(_is_among(CampaignHour.campaign_id), is_total, is_late).group_by(CampaignHour.campaign_id)


_ABANDONED: Final = _abandoned()
_CALLS: Final = _calls()
_LEGS: Final = _legs()
_MACHINES: Final = _machines()
_DIALLED: Final = _dialled()
_TOTALS: Final = _totals()
