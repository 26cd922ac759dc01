"""Queries of the situation on the floor: campaigns in progress, the use of gateways, and balances that run low."""

from collections.abc import Collection
from typing import Any, Final, NamedTuple

from sqlalchemy import (
    ColumnElement,
    CompoundSelect,
    Connection,
    CursorResult,
    and_,
    case,
    func,
    literal,
    literal_column,
    or_,
    select,
    union_all,
)

from dialer.domain.calls.plans import SIMULATED, SMS, VOICE, GatewayKey
from dialer.domain.figures.statistics import COSTING, HOUR_MS
from dialer.domain.words.enums import CampaignStatus, TransferStatus
from dialer.domain.words.reasons import CampaignReason, TransferReason
from dialer.store.queries.calls_in_progress import TAKES_CHANNEL
from dialer.store.queries.in_progress import IS_CALLING
from dialer.store.queries.selection import OwnedRows, Shards, is_of
from dialer.store.tables import (
    CallRequest,
    Campaign,
    Gateway,
    SmsMessage,
    Transfer,
    User,
    UserHour,
)

SPENDING_HOURS: Final = 2
"""Hours whose cost says how fast a balance is spent: the present one and those before it."""
UNPAID_MS: Final = 10 * 60 * 1_000
"""Time for which transfers that the balance did not pay for are shown."""
_IS_UNPAID: Final = Transfer.reason == literal_column(f"'{TransferReason.NO_CREDIT}'")
"""The condition of an index, as the index has it."""

_is_on_its_way = SmsMessage.ended_ms.is_(None)
_LIVE: Final = (CampaignStatus.START, CampaignStatus.PAUSE)


class CampaignInProgress(NamedTuple):
    """A started or paused campaign in the overview."""

    id: int
    campaign_code: str
    name: str
    medium: str
    status: int
    status_reason: str
    totalcontact: int
    abandon_rate_max: int
    """Highest share of abandoned calls in per cent, an integer of 1e-5."""
    username: str


class GatewayUse(NamedTuple):
    """The use of a gateway."""

    medium: str
    id: int
    name: str
    in_use: int
    """Calls and B-legs, or messages, in progress."""
    max_channels: int
    """0 for any number."""
    rests_until_ms: int
    rest_ms: int
    """Length of the rest if it follows failures in a row; 0 if the carrier asked for it."""
    line_down: str
    """Why its line is down, in the words of the line; empty if it is not, or the gateway is simulated."""


class SpentBalance(NamedTuple):
    """A user whose balance runs low; money in integers of 1e-5."""

    username: str
    free: int
    """The balance without what calls in progress hold."""
    spent: int
    """Cost of the calls of the last `SPENDING_HOURS`."""
    currency: str = ""
    """The currency of the account; empty for that of the service."""


def open_campaigns(connection: Connection, campaigns_max: int, user_id: int | None = None) -> list[CampaignInProgress]:
    """Return the campaigns of a user, or of all, that are started or paused: those that dial first, in id order."""
    columns = [Campaign.__table__.c[name] for name in CampaignInProgress._fields[:-1]]
    query = select(*columns, User.username).join(User, User.id == Campaign.user_id)
    query = query.where(_is_open(user_id)).order_by(Campaign.status, Campaign.id)
    return [CampaignInProgress._make(row) for row in map(tuple, connection.execute(query.limit(campaigns_max)))]


def count_open_campaigns(connection: Connection, user_id: int | None = None) -> int:
    """Return the number of campaigns of a user, or of all, that are started or paused."""
    query = select(func.count()).select_from(Campaign).where(_is_open(user_id))
    return int(connection.scalar(query) or 0)


def _is_open(user_id: int | None) -> ColumnElement[bool]:
    return and_(Campaign.status.in_(_LIVE), Campaign.trial_of_id.is_(None), is_of(Campaign.user_id, user_id))


def messages_on_their_way(connection: Connection) -> dict[int, int]:
    """Return the number of messages in progress by campaign."""
    query = select(SmsMessage.campaign_id, func.count()).where(_is_on_its_way).group_by(SmsMessage.campaign_id)
    return {row[0]: row[1] for row in map(tuple, connection.execute(query))}


def _legs_under_way() -> CompoundSelect[Any]:
    """Return a query of the gateway and the owner of each call, B-leg and message in progress."""
    calls = select(literal(VOICE).label("medium"), CallRequest.gateway_id, CallRequest.user_id).where(
        IS_CALLING, TAKES_CHANNEL
    )
    legs = select(literal(VOICE), Transfer.gateway_id, CallRequest.user_id)
    legs = legs.join(CallRequest, CallRequest.id == Transfer.callrequest_id)
    legs = legs.where(IS_CALLING, Transfer.gateway_id > 0, Transfer.status != TransferStatus.OVER)
    texts = select(literal(SMS), SmsMessage.gateway_id, SmsMessage.user_id).where(_is_on_its_way)
    return union_all(calls, legs, texts)


_under_way = _legs_under_way().subquery()
_key = (_under_way.c.medium, _under_way.c.gateway_id)
_COUNT: Final = select(*_key, func.count()).group_by(*_key)
_USE: Final = OwnedRows(_COUNT, _under_way.c.user_id)


def use_of_gateways(connection: Connection, shards: Shards) -> dict[GatewayKey, int]:
    """Return the calls, B-legs and messages in progress of the accounts in `shards`, by gateway."""
    return _by_gateway(_USE.run(connection, shards))


def _by_gateway(rows: CursorResult[Any]) -> dict[GatewayKey, int]:
    return {GatewayKey(medium, number): count for medium, number, count in map(tuple, rows)}


def gateways_in_use(connection: Connection, gateways_max: int, user_id: int | None = None) -> list[GatewayUse]:
    """Return the use of all gateways, at most `gateways_max` of them: those for calls first, in id order.

    With a user, only the calls and messages of this user count.
    """
    query = _COUNT if user_id is None else _COUNT.where(_under_way.c.user_id == user_id)
    in_use = _by_gateway(connection.execute(query))
    names = ("medium", "id", "name", "max_channels", "rests_until_ms", "rest_ms")
    columns = [Gateway.__table__.c[name] for name in names]
    line_down = case((Gateway.protocol == SIMULATED, ""), else_=Gateway.line_down)
    rows = connection.execute(
        select(*columns, line_down).order_by(Gateway.medium.desc(), Gateway.id).limit(gateways_max)
    )
    return [
        GatewayUse(medium, number, name, in_use.get(GatewayKey(medium, number), 0), *rest)
        for medium, number, name, *rest in map(tuple, rows)
    ]


def low_balances(
    connection: Connection, now_ms: int, balances_max: int, user_id: int | None = None
) -> list[SpentBalance]:
    """Return the balances that run low, the lowest first; with a user, only the balance of this user.

    The free balance does not pay once more for the calls of the last `SPENDING_HOURS`, or a campaign of the user waits
    for credit.
    """
    first = now_ms // HOUR_MS - SPENDING_HOURS + 1
    spent = (
        select(UserHour.user_id, func.sum(UserHour.cost).label("cost"))
        .where(UserHour.grouping.in_([*map(int, COSTING)]), UserHour.hour >= first)
        .group_by(UserHour.user_id)
        .subquery()
    )
    free = User.balance - User.held
    cost = case((spent.c.cost.is_(None), 0), else_=spent.c.cost)
    broke = select(Campaign.user_id).where(
        Campaign.status.in_(_LIVE), Campaign.status_reason == CampaignReason.NO_CREDIT
    )
    query = (
        select(User.username, free, cost, User.currency)
        .outerjoin(spent, spent.c.user_id == User.id)
        .where(or_(free < cost, User.id.in_(broke)), is_of(User.id, user_id))
        .order_by(free, User.id)
    )
    return [SpentBalance._make(row) for row in map(tuple, connection.execute(query.limit(balances_max)))]


def unpaid_transfers(connection: Connection, campaign_ids: Collection[int], now_ms: int) -> dict[int, int]:
    """Return the transfers of the last `UNPAID_MS` for which the balance could not pay, by campaign."""
    query = (
        select(CallRequest.campaign_id, func.count())
        .join_from(Transfer, CallRequest, CallRequest.id == Transfer.callrequest_id)
        .where(Transfer.joined_ms > now_ms - UNPAID_MS, _IS_UNPAID)
        # The sum keeps SQLite from reading all calls of the campaigns.
        .where((CallRequest.campaign_id + 0).in_(campaign_ids))
        .group_by(CallRequest.campaign_id)
    )
    return {int(campaign_id): int(count) for campaign_id, count in connection.execute(query)}
