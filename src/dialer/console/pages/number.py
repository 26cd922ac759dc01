"""A number: what happened with it in each campaign, the lists it is on, and its contacts."""

from http import HTTPStatus
from typing import Any, Final

from litestar import Response, get

from dialer.api.crud.resource import Unit
from dialer.api.service import ApiRequest
from dialer.console.pages.campaigns import seen_campaigns
from dialer.console.services import page
from dialer.domain.enums import SubscriberStatus
from dialer.domain.reasons import SUBSCRIBER_REASONS, TRANSFER_REASONS, WAITS
from dialer.store.timeline.campaigns_of import campaigns_with
from dialer.store.timeline.parts import Story
from dialer.store.timeline.reading import UnknownNumberError, cause_in_words, read_story

PLACE: Final = "people"
CAMPAIGNS_MAX: Final = 20
"""Campaigns whose story of a number is shown: the newest ones."""
NUMBER_MAX: Final = 64
"""Characters of a number that are read."""


@get("/number", media_type="text/html")
async def show_number(request: ApiRequest) -> Response[Any]:
    """Show what happened with a number; without one, the form that asks for it."""
    number = request.query_params.get("number", "").strip()[:NUMBER_MAX]
    message, stories = "", list[Story]()
    if number:
        try:
            stories = await request.service.read(request, lambda unit: _stories(request, unit, number), is_long=True)
        except UnknownNumberError as error:
            message = str(error)
    return page(
        request,
        "number.html",
        PLACE,
        HTTPStatus.BAD_REQUEST if message else HTTPStatus.OK,
        number=number,
        message=message,
        stories=stories,
        words={"subscriber": SUBSCRIBER_REASONS, "transfer": TRANSFER_REASONS, "waits": WAITS},
        cause_in_words=cause_in_words,
        states=SubscriberStatus.__members__,
    )


def _stories(request: ApiRequest, unit: Unit, number: str) -> list[Story]:
    settings = request.service.settings
    found = campaigns_with(unit.connection, number, settings.default_region, seen_campaigns(unit), CAMPAIGNS_MAX)
    return [
        read_story(
            unit.connection,
            str(campaign_id),
            number,
            now_ms=unit.now_ms,
            region=settings.default_region,
            service_zone=settings.timezone,
            hours=unit.conventions.hours,
        )
        for campaign_id in found
    ]
