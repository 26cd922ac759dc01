"""Money: the balance over the last days, and the cost of campaigns."""

from typing import Any, Final, NamedTuple

from litestar import Response, get
from sqlalchemy import Select, func, select

from dialer.api.service import ApiRequest
from dialer.console.charts.charts import line, share
from dialer.console.pages.campaigns import seen_campaigns
from dialer.console.parts.record_rights import may_read
from dialer.console.serving.services import page
from dialer.console.words.catalogue import tabs_of
from dialer.console.words.currency import is_of_several, page_currency
from dialer.domain.figures.statistics import HOUR_MS, Grouping, unit_cost
from dialer.resources.crud.resource import Unit
from dialer.resources.crud.visibility import query_for
from dialer.store.queries.balances import HOURS, balances_by_hour
from dialer.store.queries.rates import has_rate
from dialer.store.queries.statistics import Hours, WhoseCalls, count_calls, count_tests
from dialer.store.tables import Campaign, User

PLACE: Final = "money"
CAMPAIGNS_MAX: Final = 20
DAY_H: Final = 24
CENT: Final = 1_000
"""A cent in integers of 1e-5."""


class CampaignCost(NamedTuple):
    """A campaign with its cost, in integers of 1e-5, and its share of the dearest one's in per cent."""

    id: int
    name: str
    calls: int
    answered: int
    cost: int
    each: int | None
    """The cost of each answered call."""
    currency: str
    """The currency of its account; empty for that of the service."""
    width: float


class _Read(NamedTuple):
    balances: list[int]
    spent: int
    spent_on_tests: int
    """Of it, what tests of campaigns cost."""
    held: int
    campaigns: list[CampaignCost]
    has_rate: bool


@get("/money", media_type="text/html")
async def show_money(request: ApiRequest) -> Response[Any]:
    """Show the balance of the viewer's account; to admins, that of all accounts together."""
    found = await request.service.read(request, _read)
    now_ms = request.service.worker.clock.now_ms()
    days = [now_ms - hours * HOUR_MS for hours in range(HOURS - 1, -1, -DAY_H)]
    return page(
        request,
        "money.html",
        PLACE,
        **found._asdict(),
        chart=line([max(0, balance) // CENT for balance in found.balances]),
        days=days,
        hours=_hours(found.balances, now_ms),
        of_all=request.user.is_admin,
        is_of_several=is_of_several(),
        lacks_currency=request.user.is_admin and page_currency().code == "",
        tabs=[one for one in tabs_of(PLACE) if may_read(request, one)],
    )


def _hours(balances: list[int], now_ms: int) -> list[tuple[int, int]]:
    """Return some moments with the balance of each, for those who do not see the chart."""
    ends = [now_ms - hours * HOUR_MS for hours in range(HOURS - 1, -1, -1)]
    return list(zip(ends, balances, strict=True))[:: -DAY_H // 4][::-1]


def _read(unit: Unit) -> _Read:
    user_id = None if unit.actor.is_admin else unit.actor.sees_as
    held = select(func.sum(User.held))
    held = held if user_id is None else held.where(User.id == user_id)
    present = unit.now_ms // HOUR_MS
    day = Hours(present - DAY_H + 1, present + 1)
    scope = WhoseCalls(user_id=user_id)
    totals = count_calls(unit.connection, scope, Grouping.TOTAL, day, 1, by_hour=False)
    tests = count_tests(unit.connection, scope, day).cost
    return _Read(
        balances_by_hour(unit.connection, user_id, unit.now_ms),
        tests + (totals[0].figures.cost if totals else 0),
        tests,
        int(unit.connection.scalar(held) or 0),
        _dearest(unit),
        has_rate(unit.connection, user_id),
    )


def _dearest(unit: Unit) -> list[CampaignCost]:
    def query() -> Select[*tuple[Any, ...]]:
        columns = [Campaign.__table__.c[name] for name in ("id", "name", "calls", "answered", "cost")]
        dearest = select(*columns, User.currency).join(User, User.id == Campaign.user_id)
        dearest = dearest.where(seen_campaigns(unit), Campaign.cost > 0)
        return dearest.order_by(Campaign.cost.desc(), Campaign.id).limit(CAMPAIGNS_MAX)

    kept = query_for(unit.actor, "dearest campaigns", query)
    rows = unit.connection.execute(kept, {"actor_id": unit.actor.sees_as}).all()
    highest = rows[0].cost if rows else 0
    return [
        CampaignCost(
            row.id,
            row.name,
            row.calls,
            row.answered,
            row.cost,
            unit_cost(row.cost, row.answered),
            row.currency,
            share(row.cost, highest),
        )
        for row in rows
    ]
