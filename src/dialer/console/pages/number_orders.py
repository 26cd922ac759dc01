"""Orders from the page of a number: call the person again, put the number on a do-not-call list, take it off again."""

from collections.abc import Callable
from typing import Any, Final
from urllib.parse import urlencode

from litestar import Response, post

from dialer.api.service import ApiRequest
from dialer.app.campaigns.recycle import recycle_one
from dialer.app.work.errors import InvalidFieldsError, RefusedError
from dialer.console.pages.number import NUMBER_MAX, NumberOrder, show
from dialer.console.serving.errors import messages_of, status_of
from dialer.console.serving.forms import read_fields
from dialer.console.serving.services import go_to
from dialer.resources.crud import records
from dialer.resources.crud.resource import Unit
from dialer.resources.crud.shapes import Given, Shape, parse_given
from dialer.resources.crud.urls import parse_id
from dialer.resources.records.contacts import DNC_CONTACTS
from dialer.resources.records.subscribers import SUBSCRIBERS
from dialer.resources.words.errors import InvalidError, RecordNotFoundError
from dialer.store.rows.wishes import own_list

OWN: Final = "own"
"""The value that stands for the viewer's own list, which is made with its first number."""
_REFUSALS: Final = (InvalidError, InvalidFieldsError, RefusedError)


@post("/number/call-again", media_type="text/html")
async def call_again(request: ApiRequest) -> Response[Any]:
    """Let a campaign call a person again, who has been called, or who was not to be called."""
    filled = await read_fields(request)
    subscriber_id = _identity(filled.get("subscriber", ""))

    def work(unit: Unit) -> None:
        records.load(unit, SUBSCRIBERS, subscriber_id)
        recycle_one(unit, subscriber_id)

    return await _ordered(request, filled, work, NumberOrder.CALLED)


@post("/number/do-not-call", media_type="text/html")
async def put_on_list(request: ApiRequest) -> Response[Any]:
    """Put a number on a do-not-call list, by default the viewer's own one."""
    filled = await read_fields(request)

    def work(unit: Unit) -> None:
        chosen = filled.get("dnc", OWN)
        dnc_id = own_list(unit.connection, unit.actor.id, unit.now_ms) if chosen == OWN else _identity(chosen)
        given = Given({"dnc": str(dnc_id), "phone_number": filled.get("number", "")})
        parsed = parse_given(DNC_CONTACTS.write or Shape, given, unit.conventions)
        records.create_record(unit, DNC_CONTACTS, parsed)

    return await _ordered(request, filled, work, NumberOrder.LISTED)


@post("/number/allow", media_type="text/html")
async def take_off_list(request: ApiRequest) -> Response[Any]:
    """Take an entry off its do-not-call list."""
    filled = await read_fields(request)
    entry_id = _identity(filled.get("entry", ""))
    return await _ordered(
        request, filled, lambda unit: records.delete_record(unit, DNC_CONTACTS, entry_id), NumberOrder.ALLOWED
    )


async def _ordered(
    request: ApiRequest, filled: dict[str, str], work: Callable[[Unit], None], done: NumberOrder
) -> Response[Any]:
    """Do some work, and lead to the page of the number, which says that it is done or why not."""
    number = filled.get("number", "").strip()[:NUMBER_MAX]
    try:
        await request.service.write(request, work)
    except _REFUSALS as error:
        return await show(request, number, refusal=" ".join(messages_of(error)), status=status_of(error))
    return go_to(f"/console/number/?{urlencode({'number': number, 'done': done.value})}")


def _identity(text: str) -> int:
    found = parse_id(text)
    if found is None:
        raise RecordNotFoundError("There is no such page.")
    return found
