"""A number: what happened with it in each campaign, the lists it is on, and its contacts."""

from collections.abc import Collection, Mapping, Sequence
from enum import StrEnum
from functools import partial
from http import HTTPStatus
from typing import Any, Final, NamedTuple

import anyio.to_thread
from litestar import Response, get, post
from sqlalchemy import select

from dialer.api.http.auth import origin_of
from dialer.api.service import ApiRequest
from dialer.app.campaigns.call_again import OVER
from dialer.app.campaigns.recycle import why_not_again_of
from dialer.app.erasure.erasure import Erased, erase_number
from dialer.app.work.errors import RefusedError
from dialer.console.pages.campaigns import page_number, seen_with_tests
from dialer.console.parts.number_card import NumberCard, read_card
from dialer.console.parts.sentences import error_in_words, in_viewers_words
from dialer.console.parts.wait_words import QUEUE_REASONS
from dialer.console.serving.forms import read_fields
from dialer.console.serving.services import page
from dialer.console.words.language import gettext
from dialer.console.words.state_words import person_words, word_of_choice, words_of
from dialer.domain.calls.plans import SMS
from dialer.domain.numbers.normal_form import NumberError, normalise
from dialer.domain.words.enums import SubscriberStatus
from dialer.domain.words.reasons import SUBSCRIBER_REASONS, TRANSFER_REASONS, WAITS
from dialer.domain.words.roles import Permission
from dialer.resources.crud.resource import Unit
from dialer.resources.crud.urls import parse_id
from dialer.resources.crud.visibility import visible
from dialer.resources.records.received_texts import SMS_RECEIVED
from dialer.store.database.database import StorageUnavailableError
from dialer.store.media.recordings import delete_recording, delete_speech
from dialer.store.queries.why_waiting import circumstances_of
from dialer.store.tables import Campaign
from dialer.store.timeline.happenings import happenings_of
from dialer.store.timeline.parts import ReceivedPart, Story, SubscriberPart
from dialer.store.timeline.reading import KnownStories, UnknownNumberError, calls_of_people, read_story, spellings
from dialer.store.timeline.received import texts_from

PLACE: Final = "people"
CAMPAIGNS_A_PAGE: Final = 5
"""Campaigns whose story of a number a page shows, the newest first."""
NOTE_MAX: Final = 2_000
"""Characters of a note on a number."""
NUMBER_MAX: Final = 64
"""Characters of a number that are read."""


_OVER: Final = frozenset(status.name for status in OVER)


class NumberOrder(StrEnum):
    """The orders from the page of a number, which says afterwards what is so, if its rows agree."""

    CALLED = "called"
    LISTED = "listed"
    ALLOWED = "allowed"
    NOTED = "noted"


class _Found(NamedTuple):
    """Facts about a number: its stories and texts."""

    card: NumberCard | None = None
    refusals: Mapping[int, str] = {}
    """Why people are not called again, by the ids of those subscribers for whom there is a reason."""
    stories: Sequence[Story] = ()
    tests: Collection[int] = ()
    """The ids of those campaigns that are tests of other ones, which nobody orders to call again."""
    has_more: bool = False
    """True if more campaigns follow."""
    texts: Sequence[ReceivedPart] = ()
    """The newest texts that came in from it, oldest first."""


@get("/number", media_type="text/html")
async def show_number(request: ApiRequest) -> Response[Any]:
    """Show the history of a number; without a number, the form that asks for one."""
    return await show(request, request.query_params.get("number", "").strip()[:NUMBER_MAX])


@post("/number/erase", media_type="text/html")
async def erase(request: ApiRequest) -> Response[Any]:
    """Erase all personal data of a number, of all accounts."""
    filled, service = await read_fields(request), request.service
    number = filled.get("number", "").strip()[:NUMBER_MAX]
    client = request.scope["client"]
    origin = origin_of(request.user, client[0] if client else "")
    delete_file = partial(delete_recording, service.media)
    now_ms = service.worker.clock.now_ms()
    try:
        normal = normalise(number, service.conventions(request).region)
        work = partial(erase_number, service.database, normal, delete_file, now_ms, origin)
        erased = await anyio.to_thread.run_sync(work)
    except (NumberError, RefusedError) as error:
        return await show(
            request, number, message=gettext("Nothing was erased: %(why)s") % {"why": error_in_words(error)}
        )
    try:
        await anyio.to_thread.run_sync(delete_speech, service.media)
    except StorageUnavailableError as error:
        message = gettext("The records are erased, but %(why)s. Erase the person once more when that is repaired.") % {
            "why": error_in_words(error)
        }
        return await show(request, number, message=message, erased=erased)
    return await show(request, number, erased=erased)


async def show(
    request: ApiRequest,
    number: str,
    *,
    message: str = "",
    erased: Erased | None = None,
    refusal: str = "",
    typed: str | None = None,
    status: HTTPStatus | None = None,
) -> Response[Any]:
    """Return the page of a number. `refusal` says why an order from the page was not followed.

    `typed` is the note that was not kept for that reason.
    """
    found = _Found()
    place = page_number(request.query_params.get("page", "1"))
    if number and erased is None:
        try:
            found = await request.service.read(
                request, lambda unit: _stories(request, unit, number, place), is_long=True
            )
        except UnknownNumberError as error:
            message = message or error_in_words(error)
    return page(
        request,
        "number.html",
        PLACE,
        status or _status(message, erased),
        number=number,
        message=message,
        refusal=refusal,
        done=_done(request.query_params, found),
        typed=typed,
        note_max=NOTE_MAX,
        **found._asdict(),
        erased=erased,
        place=place,
        word_of_choice=word_of_choice,
        words={"subscriber": SUBSCRIBER_REASONS, "transfer": TRANSFER_REASONS, "waits": WAITS, "queue": QUEUE_REASONS},
        happenings_of=happenings_of,
        in_viewers_words=in_viewers_words,
        state_of=_state,
        over=_OVER,
    )


def _done(query: Mapping[str, str], found: _Found) -> str:
    """Return the sentence about the order that an address names; empty if the rows do not agree with it."""
    order, which = query.get("done", ""), parse_id(query.get("of", ""))
    if found.card is None or which is None:
        return ""
    if order == NumberOrder.NOTED:
        return gettext("There is no note.") if found.card.note is None else gettext("The note is kept.")
    if order == NumberOrder.CALLED:
        return next((_turn(story) for story in found.stories if _waits(story, which)), "")
    names = [entry.list_name for entry in found.card.entries if entry.list_id == which]
    if order == NumberOrder.ALLOWED:
        return "" if names else gettext("The number is off that list.")
    return _listed(names[0], found.stories) if order == NumberOrder.LISTED and names else ""


def _waits(story: Story, subscriber_id: int) -> bool:
    person = story.subscriber
    return person is not None and person.id == subscriber_id and person.status == SubscriberStatus.PENDING.name


def _state(person: SubscriberPart) -> str:
    """Return the words for what the campaign has come to; the reason, which follows them, tells the rest."""
    status = SubscriberStatus[person.status]
    return person_words(status, person.status_reason) if status is SubscriberStatus.SENT else words_of(status)


def _turn(story: Story) -> str:
    if story.campaign.medium == SMS:
        return gettext("The person gets a text again when it is their turn.")
    return gettext("The person is called again when it is their turn.")


def _listed(name: str, stories: Sequence[Story]) -> str:
    """Return the list on which the number is now, and the campaigns shown that may call it nevertheless, if any."""
    said = gettext("The number is on the list “%(name)s”.") % {"name": name}
    if not stories:
        return said
    going_on = [
        story.campaign.name
        for story in stories
        if story.campaign.status not in _OVER and all(one.since is None for one in story.dnc_lists)
    ]
    if going_on:
        that = gettext("These campaigns do not use that list: %(names)s") % {"names": ", ".join(going_on)}
    else:
        that = gettext("No campaign on this page calls it or writes to it from now on.")
    return f"{said} {that}"


def _status(message: str, erased: Erased | None) -> HTTPStatus:
    if not message:
        return HTTPStatus.OK
    return HTTPStatus.BAD_REQUEST if erased is None else HTTPStatus.SERVICE_UNAVAILABLE


def _stories(request: ApiRequest, unit: Unit, number: str, place: int) -> _Found:
    """Return the stories of a page of campaigns, and the texts that came in from the number."""
    from dialer.store.timeline.campaigns_of import campaigns_with  # noqa: PLC0415 - few people ask for a number

    settings = request.service.settings
    seen, skipped = seen_with_tests(unit), (place - 1) * CAMPAIGNS_A_PAGE
    most = CAMPAIGNS_A_PAGE + 1
    every = campaigns_with(unit.connection, number, unit.conventions.region, seen, most, skipped)
    found, hours = every[:CAMPAIGNS_A_PAGE], unit.conventions.hours
    numbers = spellings(number, unit.conventions.region)
    known = KnownStories(
        circumstances_of(unit.connection, found, unit.now_ms, settings.timezone, hours),
        calls_of_people(unit.connection, found, numbers),
    )
    stories = [
        read_story(
            unit.connection,
            str(campaign_id),
            number,
            now_ms=unit.now_ms,
            region=unit.conventions.region,
            service_zone=settings.timezone,
            hours=hours,
            known=known,
        )
        for campaign_id in found
    ]
    may_see = visible(SMS_RECEIVED, unit.actor, unit.resources)
    texts = texts_from(unit.connection, numbers, may_see)
    card = read_card(unit, numbers, found)
    is_test = Campaign.id.in_(found) & Campaign.trial_of_id.is_not(None)
    tests = unit.connection.scalars(select(Campaign.id).where(is_test)).all()
    return _Found(card, _refusals(unit, stories, tests), stories, tests, len(every) > len(found), texts)


def _refusals(unit: Unit, stories: Sequence[Story], tests: Collection[int]) -> dict[int, str]:
    """Return why people are not called again, in the viewer's language, by the ids of subscribers.

    Those who wait already, and those of campaigns that are over, are left out, and all for viewers who order nothing.
    """
    if not unit.actor.may(Permission.CAMPAIGNS):
        return {}
    ids = [
        story.subscriber.id
        for story in stories
        if story.subscriber is not None
        and story.subscriber.status != SubscriberStatus.PENDING.name
        and story.campaign.status not in _OVER
        and story.campaign.id not in tests
    ]
    errors = why_not_again_of(unit.connection, ids, unit.now_ms)
    return {identity: error_in_words(error) for identity, error in errors.items() if error is not None}
