"""Orders from the page of a number: call the person again, put the number on a do-not-call list, note something."""

from collections.abc import Callable
from typing import Any, Final
from urllib.parse import urlencode

from litestar import Response, post
from sqlalchemy import select

from dialer.api.service import ApiRequest
from dialer.app.campaigns.recycle import recycle_one
from dialer.app.work.errors import InvalidFieldsError, RefusedError
from dialer.console.pages.campaigns import page_number, seen_campaigns
from dialer.console.pages.number import NOTE_MAX, NUMBER_MAX, NumberOrder, show
from dialer.console.parts.number_card import own_note, version_of_note
from dialer.console.parts.sentences import error_in_words
from dialer.console.serving.errors import messages_of, status_of
from dialer.console.serving.forms import read_fields
from dialer.console.serving.services import go_to
from dialer.console.words.language import gettext
from dialer.domain.numbers.normal_form import NumberError, normalise
from dialer.domain.words.sentences import message_of
from dialer.resources.crud import records
from dialer.resources.crud.fields import FieldError, Text
from dialer.resources.crud.resource import Unit
from dialer.resources.crud.shapes import Given, Shape, parse_given
from dialer.resources.crud.urls import parse_id
from dialer.resources.records.contacts import DNC_CONTACTS
from dialer.resources.words.errors import InvalidError, RecordNotFoundError
from dialer.store.database.touched import NOTHING
from dialer.store.rows.wishes import own_list
from dialer.store.tables import Campaign, Subscriber, User
from dialer.store.timeline.reading import spellings

OWN: Final = "own-"
"""Stands before the id of an account, and means its own list, which is made with its first number."""
_REFUSALS: Final = (InvalidError, InvalidFieldsError, RefusedError)


@post("/number/call-again", media_type="text/html")
async def call_again(request: ApiRequest) -> Response[Any]:
    """Let a campaign call a person again, who has been called, or who was not to be called."""
    filled = await read_fields(request)
    subscriber_id = _identity(filled.get("subscriber", ""))

    def work(unit: Unit) -> int:
        _require_seen(unit, subscriber_id)
        recycle_one(unit, subscriber_id)
        return subscriber_id

    return await _ordered(request, filled, work, NumberOrder.CALLED)


@post("/number/do-not-call", media_type="text/html")
async def put_on_list(request: ApiRequest) -> Response[Any]:
    """Put a number on a do-not-call list."""
    filled = await read_fields(request)

    def work(unit: Unit) -> int:
        dnc_id = _chosen_list(unit, filled.get("dnc", ""))
        given = Given({"dnc": str(dnc_id), "phone_number": filled.get("number", "")})
        parsed = parse_given(DNC_CONTACTS.write or Shape, given, unit.conventions)
        records.create_record(unit, DNC_CONTACTS, parsed)
        return dnc_id

    return await _ordered(request, filled, work, NumberOrder.LISTED)


@post("/number/allow", media_type="text/html")
async def take_off_list(request: ApiRequest) -> Response[Any]:
    """Take an entry off its do-not-call list."""
    filled = await read_fields(request)
    entry_id = _identity(filled.get("entry", ""))

    def work(unit: Unit) -> int:
        dnc_id = int(records.load(unit, DNC_CONTACTS, entry_id)["dnc_id"])
        records.delete_record(unit, DNC_CONTACTS, entry_id)
        return dnc_id

    return await _ordered(request, filled, work, NumberOrder.ALLOWED)


@post("/number/note", media_type="text/html")
async def keep_note(request: ApiRequest) -> Response[Any]:
    """Keep a note of the viewer's account on a number, in place of an earlier one; an empty text ends it.

    It is refused if the note is another by now than the one on the page of the form.
    """
    from dialer.store.rows.number_notes import write_note  # noqa: PLC0415 - few people note something

    filled = await read_fields(request)
    typed = filled.get("note", "").replace("\r\n", "\n").strip()

    def work(unit: Unit) -> int:
        number, text, known = filled.get("number", ""), _note_in(typed, unit), filled.get("known")
        try:
            normal = normalise(number, unit.conventions.region)
        except NumberError as error:
            raise InvalidError({"number": [error_in_words(error)]}) from None
        numbers = spellings(number, unit.conventions.region)
        if known is not None and known != version_of_note(own_note(unit, numbers)):
            raise RefusedError("Somebody has changed the note meanwhile. Yours is below, not kept yet.")
        for one in numbers:
            write_note(unit.connection, (unit.actor.id, one), text if one == normal else "", unit.actor.id, unit.now_ms)
        unit.note(NOTHING)
        return unit.actor.id

    return await _ordered(request, filled, work, NumberOrder.NOTED, typed=typed)


def _note_in(typed: str, unit: Unit) -> str:
    try:
        return str(Text(NOTE_MAX).parse(typed, unit.conventions))
    except FieldError as error:
        raise InvalidError({"note": [message_of(error)]}) from None


def _require_seen(unit: Unit, subscriber_id: int) -> None:
    """Check that a subscriber belongs to a campaign, of calls or of text messages, that the viewer may see."""
    query = select(Subscriber.id).join(Campaign, Campaign.id == Subscriber.campaign_id)
    if unit.connection.scalar(query.where(Subscriber.id == subscriber_id, seen_campaigns(unit))) is None:
        raise RecordNotFoundError("There is no such page.")


def _chosen_list(unit: Unit, chosen: str) -> int:
    """Return the id of the list that a form names. Make the own list of an account, if it has none."""
    if not chosen:
        raise InvalidError({"dnc": [gettext("Choose a do-not-call list.")]})
    if not chosen.startswith(OWN):
        return _identity(chosen)
    user_id = _identity(chosen.removeprefix(OWN))
    is_known = unit.actor.is_admin and unit.connection.scalar(select(User.id).where(User.id == user_id)) is not None
    if user_id != unit.actor.id and not is_known:
        raise RecordNotFoundError("There is no such page.")
    return own_list(unit.connection, user_id, unit.now_ms)


async def _ordered(
    request: ApiRequest,
    filled: dict[str, str],
    work: Callable[[Unit], int],
    done: NumberOrder,
    typed: str | None = None,
) -> Response[Any]:
    """Do some work, which returns the id of its subject. Lead to the page of the number, which says what was done."""
    number, place = filled.get("number", "").strip()[:NUMBER_MAX], page_number(filled.get("page", "1"))
    try:
        of = await request.service.write(request, work)
    except _REFUSALS as error:
        return await show(request, number, refusal=" ".join(messages_of(error)), typed=typed, status=status_of(error))
    told = {"number": number, "done": done.value, "of": of}
    return go_to(f"/console/number/?{urlencode(told | ({'page': place} if place > 1 else {}))}")


def _identity(text: str) -> int:
    found = parse_id(text)
    if found is None:
        raise RecordNotFoundError("There is no such page.")
    return found
