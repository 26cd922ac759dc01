"""The list of campaigns."""

from typing import Any, Final, NamedTuple

from litestar import Response, get
from sqlalchemy import ColumnElement, case, or_, select

from dialer.api.crud.resource import Unit
from dialer.api.crud.visibility import visible
from dialer.api.http.errors import RecordNotFoundError
from dialer.api.records.campaigns import CAMPAIGNS
from dialer.api.records.messages import SMS_CAMPAIGNS
from dialer.api.service import ApiRequest
from dialer.app.overview import People, people_of_campaigns
from dialer.console.charts.charts import Slice
from dialer.console.pages.overview import people_bar
from dialer.console.services import page
from dialer.console.state_words import campaign_state, reason_of_campaign
from dialer.domain.enums import CampaignStatus
from dialer.domain.statistics import percent
from dialer.store.tables import SMS, Campaign, User

PLACE: Final = "campaigns"
PAGE_SIZE: Final = 25
PAGES_MAX: Final = 10_000
_SHOWN: Final = (
    "id",
    "campaign_code",
    "name",
    "medium",
    "status",
    "status_reason",
    "calls",
    "answered",
    "cost",
    "created_date",
)


class ListedCampaign(NamedTuple):
    """A campaign in the list."""

    row: dict[str, Any]
    state: CampaignStatus | None
    reason: str
    people: People
    bar: list[Slice]
    answered: float | None


def seen_campaigns(unit: Unit) -> ColumnElement[bool]:
    """Return the condition that a row is a campaign, of calls or of text messages, that the viewer may see."""
    return or_(*(visible(resource, unit.actor, unit.resources) for resource in (CAMPAIGNS, SMS_CAMPAIGNS)))


@get("/campaigns", media_type="text/html")
async def show_campaigns(request: ApiRequest) -> Response[Any]:
    """Show a page of the list: campaigns in progress first, then the newest."""
    number = page_number(request.query_params.get("page", "1"))

    def read(unit: Unit) -> list[ListedCampaign]:
        columns = [Campaign.__table__.c[name] for name in _SHOWN]
        is_open = Campaign.status.in_((CampaignStatus.START, CampaignStatus.PAUSE))
        query = (
            select(*columns, User.username)
            .join(User, User.id == Campaign.user_id)
            .where(seen_campaigns(unit))
            .order_by(case((is_open, 0), else_=1), Campaign.id.desc())
            .limit(PAGE_SIZE + 1)
            .offset((number - 1) * PAGE_SIZE)
        )
        rows = unit.connection.execute(query).mappings().all()
        people = people_of_campaigns(unit.connection, [row["id"] for row in rows])
        return [_listed(dict(row), people[row["id"]]) for row in rows]

    found = await request.service.read(request, read)
    if number > 1 and not found:
        raise RecordNotFoundError("The list has no such page. Go back to its first page.")
    return page(
        request, "campaigns.html", PLACE, rows=found[:PAGE_SIZE], number=number, has_more=len(found) > PAGE_SIZE
    )


def page_number(text: str) -> int:
    """Return the number of a page, from 1.

    Raises:
        RecordNotFoundError: the text is no such number.
    """
    if not (text.isascii() and text.isdecimal() and len(text) <= len(str(PAGES_MAX)) and 0 < int(text) <= PAGES_MAX):
        raise RecordNotFoundError("The list has no such page. Go back to its first page.")
    return int(text)


def _listed(row: dict[str, Any], people: People) -> ListedCampaign:
    state, reason = campaign_state(row["status"]), reason_of_campaign(row["status_reason"])
    # A campaign of text messages has no answered calls.
    answered = None if row["medium"] == SMS else percent(row["answered"], row["calls"])
    return ListedCampaign(row, state, reason, people, people_bar(people), answered)
