"""The list of calls that are over, the newest first."""

from typing import Any, Final, NamedTuple

from litestar import Response, get
from sqlalchemy import select

from dialer.api.crud.resource import Unit
from dialer.api.crud.urls import parse_id
from dialer.api.crud.visibility import visible
from dialer.api.http.errors import RecordNotFoundError
from dialer.api.records.calls import CDRS
from dialer.api.service import ApiRequest
from dialer.console.pages.campaigns import seen_campaigns
from dialer.console.services import page
from dialer.domain.enums import LegType
from dialer.domain.roles import Permission
from dialer.store.tables import Campaign, Cdr

PLACE: Final = "calls"
CALLS_A_PAGE: Final = 50
_cdrs = Cdr.__table__
_campaigns = Campaign.__table__
_SHOWN: Final = (
    "id",
    "starting_date",
    "phone_number",
    "hangup_cause_q850",
    "leg_type",
    "billsec",
    "call_cost",
    "campaign_id",
)


class CallRow(NamedTuple):
    """A call that is over, with the name of its campaign, which is None if it was deleted."""

    id: int
    starting_ms: int
    phone_number: str
    cause: int
    leg_type: int
    billsec: int
    cost: int
    campaign_id: int | None
    campaign: str | None

    @property
    def is_transfer(self) -> bool:
        """Return whether it is the leg to the person to whom a callee was transferred."""
        return self.leg_type == LegType.B_LEG


class _Found(NamedTuple):
    rows: list[CallRow]
    campaign: str


@get("/calls", media_type="text/html")
async def show_calls(request: ApiRequest) -> Response[Any]:
    """Show a page of the list, of all campaigns or of one."""
    before = _number_in(request, "before")
    campaign_id = _number_in(request, "campaign")

    found = await request.service.read(request, lambda unit: _read(unit, before, campaign_id))
    rows = found.rows[:CALLS_A_PAGE]
    return page(
        request,
        "calls.html",
        PLACE,
        rows=rows,
        campaign_id=campaign_id,
        campaign=found.campaign,
        is_first=before is None,
        older=rows[-1].id if len(found.rows) > CALLS_A_PAGE else None,
        may_see_campaigns=request.user.may(Permission.READ),
    )


def _number_in(request: ApiRequest, name: str) -> int | None:
    """Return a number of the address; None if it is absent.

    Raises:
        RecordNotFoundError: it is no id.
    """
    text = request.query_params.get(name)
    if text is None:
        return None
    number = parse_id(text)
    if number is None:
        raise RecordNotFoundError("The list has no such page. Go back to its first page.")
    return number


def _read(unit: Unit, before: int | None, campaign_id: int | None) -> _Found:
    campaign = "" if campaign_id is None else _name(unit, campaign_id)
    query = (
        select(*(_cdrs.c[name] for name in _SHOWN), _campaigns.c.name)
        .outerjoin(_campaigns, _campaigns.c.id == _cdrs.c.campaign_id)
        .where(visible(CDRS, unit.actor, unit.resources))
        .order_by(_cdrs.c.id.desc())
        .limit(CALLS_A_PAGE + 1)
    )
    if before is not None:
        query = query.where(_cdrs.c.id < before)
    if campaign_id is not None:
        query = query.where(_cdrs.c.campaign_id == campaign_id)
    return _Found([CallRow._make(row) for row in map(tuple, unit.connection.execute(query))], campaign)


def _name(unit: Unit, campaign_id: int) -> str:
    query = select(_campaigns.c.name).where(_campaigns.c.id == campaign_id, seen_campaigns(unit))
    name = unit.connection.scalar(query)
    if name is None:
        raise RecordNotFoundError("There is no such campaign, or it is not yours.")
    return str(name)
