"""Calling again: the people of a campaign that is over, by what came of their calls, for a new campaign."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final, NamedTuple

from litestar import Response, get, post
from litestar.params import FromPath
from sqlalchemy import RowMapping, select

from dialer.api.actions.call_again import (
    Again,
    AgainAsked,
    copy_all,
    count_people,
    create_again,
    finish_orders,
    refuse_to_call,
)
from dialer.api.service import ApiRequest
from dialer.app.campaigns.call_again import OVER, name_of_again
from dialer.app.work.errors import InvalidFieldsError, RefusedError
from dialer.console.pages.campaign import check_seen, resource_of
from dialer.console.pages.campaigns import PLACE
from dialer.console.pages.dispositions import local_moment
from dialer.console.parts.inputs import with_offset
from dialer.console.parts.record_addresses import identity_in
from dialer.console.parts.zones import zone_of
from dialer.console.serving.errors import messages_of
from dialer.console.serving.forms import read_fields
from dialer.console.serving.services import go_to, page
from dialer.console.words.language import gettext, gettext_noop
from dialer.console.words.proposals import WEEK_MS
from dialer.domain.rules.call_again import USUAL, AgainOutcome, NotAgain
from dialer.resources.crud.resource import Unit
from dialer.resources.crud.shapes import Given, Shape, parse_given
from dialer.resources.crud.urls import parse_id
from dialer.resources.records.campaign_life import NAME_MAX
from dialer.resources.records.campaigns import CAMPAIGNS
from dialer.resources.words.errors import AnsweredError, InvalidError
from dialer.store.tables import Campaign, CampaignPhonebook

_OUTCOME: Final = "outcome."
NO_OUTCOME: Final = gettext_noop("Tick at least one outcome.")
OUTCOMES: Final[Mapping[AgainOutcome, str]] = {
    AgainOutcome.NOT_CALLED: gettext_noop("Not called yet"),
    AgainOutcome.BUSY: gettext_noop("Busy"),
    AgainOutcome.NO_ANSWER: gettext_noop("Nobody answered"),
    AgainOutcome.MACHINE: gettext_noop("An answering machine answered"),
    AgainOutcome.ABANDONED: gettext_noop("Waited for an agent in vain"),
    AgainOutcome.NOT_SERVED: gettext_noop("Transferred, and nobody took the call"),
    AgainOutcome.CALL_BACK: gettext_noop("To be called back"),
    AgainOutcome.CARRIER_FAILURE: gettext_noop("The carrier could not place the call"),
    AgainOutcome.NOT_DELIVERED: gettext_noop("Text message not delivered"),
    AgainOutcome.CONSENTED: gettext_noop("Had not agreed, and have since"),
    AgainOutcome.NOT_COMPLETED: gettext_noop("Hung up before the end of the survey"),
    AgainOutcome.NO_CONVERSATION: gettext_noop("Silence, or hung up at once"),
    AgainOutcome.REJECTED: gettext_noop("Rejected the call"),
    AgainOutcome.ABORTED: gettext_noop("Cut off when the campaign was aborted, or waiting for another call"),
    AgainOutcome.PAUSED: gettext_noop("Put on hold by a user"),
    AgainOutcome.NO_ROUTE: gettext_noop("The carrier has no route for text messages"),
    AgainOutcome.NO_TEXT: gettext_noop("The text message was empty"),
    AgainOutcome.INVALID_NUMBER: gettext_noop("The number does not exist"),
    AgainOutcome.NUMBER_CHANGED: gettext_noop("The number has changed"),
    AgainOutcome.DESTINATION: gettext_noop("The number or its country was not allowed"),
    AgainOutcome.TZ_UNKNOWN: gettext_noop("The time zone is unknown"),
}
"""The words for outcomes, which are also the order of the form."""
REASONS: Final[Mapping[NotAgain, str]] = {
    NotAgain.DONE: gettext_noop("Reached"),
    NotAgain.MESSAGE_LEFT: gettext_noop("Message left on a machine"),
    NotAgain.REFUSED: gettext_noop("Declined, or the number of somebody else"),
    NotAgain.DNC: gettext_noop("On a do-not-call list"),
    NotAgain.NO_CONSENT: gettext_noop("Have not agreed"),
    NotAgain.DELETED: gettext_noop("Contact deleted or erased, or with another number now"),
    NotAgain.EMERGENCY: gettext_noop("Emergency number"),
    NotAgain.STOPPED: gettext_noop("Taken out of the campaign by a user"),
    NotAgain.IN_PROGRESS: gettext_noop("In a call, or a message is on its way"),
    NotAgain.CALLED_AGAIN: gettext_noop("In another campaign that calls them again"),
    NotAgain.TOO_OLD: gettext_noop("Too old: records of their calls may have been removed"),
}
"""The words for the reasons why people are not called again."""


class AgainForm(NamedTuple):
    """The values of the form that calls people again."""

    outcomes: frozenset[AgainOutcome]
    name: str
    ends: str
    """A local time, as inputs have it."""
    late_contacts: bool = False
    confirm: int | None = None
    """The number of people that the page showed for these outcomes; None if it showed that of others."""


class _Choice(NamedTuple):
    """An outcome with its words and the number of its people."""

    value: str
    words: str
    people: int
    is_chosen: bool


@get("/campaigns/{record_id:str}/call-again", media_type="text/html")
async def show_call_again(request: ApiRequest, record_id: FromPath[str]) -> Response[Any]:
    """Show the people of a campaign by outcome. While a campaign is not over, its own people are recycled instead."""
    identity = identity_in(record_id)
    row = await _read(request, identity)
    if row["status"] not in OVER:
        return go_to(f"/console/campaigns/{identity}/recycle/")
    return await _show(request, row, _proposed(request, row))


@post("/campaigns/{record_id:str}/call-again", media_type="text/html")
async def call_again(request: ApiRequest, record_id: FromPath[str]) -> Response[Any]:
    """Count the people with the chosen outcomes, or make a new campaign for them."""
    identity, filled = identity_in(record_id), await read_fields(request)
    row = await _read(request, identity)
    form = _filled(filled)
    if not form.outcomes:
        return await _show(request, row, form, [gettext(NO_OUTCOME)])
    if filled.get("action") != "create":
        return await _show(request, row, form)
    settings = Given({"name": form.name, "expirationdate": with_offset(form.ends, zone_of(request))})
    parsed = parse_given(CAMPAIGNS.write or Shape, settings, request.service.conventions(request))
    asked = AgainAsked(tuple(sorted(form.outcomes)), parsed.values, form.late_contacts, form.confirm)
    if parsed.errors:
        return await _show(request, row, form, messages_of(InvalidError(parsed.errors)))
    try:
        created = await _create(request, identity, asked)
    except (InvalidError, InvalidFieldsError, RefusedError, AnsweredError) as error:
        return await _show(request, row, form, messages_of(error))
    return go_to(f"/console/campaigns/{created}/")


async def _create(request: ApiRequest, identity: int, asked: AgainAsked) -> int:
    await finish_orders(request, identity, lambda unit: check_seen(unit, identity))
    counted = await count_people(request, identity, lambda unit: check_seen(unit, identity))
    refuse_to_call(counted, asked)

    def create(unit: Unit) -> int:
        return create_again(unit, resource_of(unit, identity), identity, asked, counted)

    created = await request.service.write(request, create)
    await copy_all(request, created)
    return created


async def _read(request: ApiRequest, identity: int) -> RowMapping:
    """Return the campaign, with whether it names a phonebook."""

    def read(unit: Unit) -> RowMapping:
        check_seen(unit, identity)
        has_books = select(CampaignPhonebook.id).where(CampaignPhonebook.campaign_id == identity).exists()
        query = select(Campaign.__table__, has_books.label("has_books")).where(Campaign.id == identity)
        return unit.connection.execute(query).mappings().one()

    return await request.service.read(request, read)


def _proposed(request: ApiRequest, row: RowMapping) -> AgainForm:
    """Return the form as it is first shown: a campaign as long as the other one, but for a week at least."""
    length_ms = max(row["expirationdate"] - row["startingdate"], WEEK_MS)
    ends = local_moment(request.service.worker.clock.now_ms() + length_ms, zone_of(request))
    return AgainForm(USUAL, name_of_again(row["name"], NAME_MAX), ends)


def _filled(filled: Mapping[str, str]) -> AgainForm:
    outcomes = frozenset(one for one in AgainOutcome if f"{_OUTCOME}{one}" in filled)
    is_same = filled.get("counted_for", "") == _named(outcomes)
    confirm = parse_id(filled.get("counted", "")) if is_same else None
    name = filled.get("name", "").strip()
    return AgainForm(outcomes, name, filled.get("ends", ""), "late_contacts" in filled, confirm)


def _named(outcomes: frozenset[AgainOutcome]) -> str:
    return ",".join(sorted(outcomes))


async def _show(
    request: ApiRequest, row: RowMapping, form: AgainForm, messages: list[str] | None = None
) -> Response[Any]:
    identity = row["id"]
    try:
        counted = await count_people(request, identity, lambda unit: check_seen(unit, identity))
    except RefusedError:  # A campaign that is over stays so, but the address may be typed in.
        return go_to(f"/console/campaigns/{identity}/recycle/")
    chosen = frozenset(outcome for outcome in form.outcomes if counted.by_outcome[outcome])
    return page(
        request,
        "call_again.html",
        PLACE,
        HTTPStatus.BAD_REQUEST if messages else HTTPStatus.OK,
        identity=identity,
        source=row,
        form=form,
        choices=_choices(counted, form.outcomes),
        kept=[(gettext(words), counted.kept[reason]) for reason, words in REASONS.items() if counted.kept[reason]],
        people=counted.people(form.outcomes),
        counted_for=_named(chosen),
        messages=messages or [],
        name_max=NAME_MAX,
    )


def _choices(counted: Again, chosen: frozenset[AgainOutcome]) -> list[_Choice]:
    return [
        _Choice(outcome.value, gettext(words), counted.by_outcome[outcome], outcome in chosen)
        for outcome, words in OUTCOMES.items()
        if counted.by_outcome[outcome]
    ]
