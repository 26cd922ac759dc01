"""`/rest-api/agent/<id>/preview/`: the person whom an agent sees before the call, and orders about them."""

from http import HTTPStatus
from typing import Annotated, Any, Final

import msgspec
from litestar import Response, get, post
from litestar.params import FromPath

from dialer.api.actions.chosen_people import order_call
from dialer.api.http.body import read_if_any
from dialer.api.service import ApiRequest
from dialer.app.call_centre.chosen_people import Chosen, dial_chosen
from dialer.app.call_centre.previews import PreviewedPerson, call_previewed, read_preview, skip_previewed
from dialer.domain.words.described import described
from dialer.resources.crud import records
from dialer.resources.crud.declaration import writable
from dialer.resources.crud.fields import Boolean, Integer, Text
from dialer.resources.crud.moments import show_timestamp
from dialer.resources.crud.properties import describe_request
from dialer.resources.crud.resource import Unit
from dialer.resources.crud.shapes import parse_whole, request_shape
from dialer.resources.crud.urls import identity_in
from dialer.resources.records.previews import NUMBER_MAX, rules_of
from dialer.resources.records.queues import AGENTS
from dialer.resources.words.errors import InvalidError
from dialer.resources.words.ignored import ignored_header


class PersonRead(msgspec.Struct, frozen=True):
    """A person whom an agent sees before the call."""

    subscriber_id: Annotated[int, described("The subscriber.", 31)]
    campaign_id: Annotated[int, described("The campaign.", 4)]
    campaign: Annotated[str, described("The name of the campaign.", "Autumn reminders")]
    number: Annotated[str, described("The number, in normal form.", "+12025550100")]
    full_name: Annotated[str, described("The name of the contact.", "Ada Byron")]
    additional_vars: Annotated[dict[str, Any], described("The further columns of the contact.", {"plan": "basic"})]
    count_attempt: Annotated[int, described("Number of calls to this person so far.", 0)]
    skip_count: Annotated[int, described("Number of times an agent has skipped this person.", 0)]
    from_date: Annotated[str, described("Since when the agent sees the person.", "2026-11-18T11:06:40Z")]
    until_date: Annotated[str, described("The time until which the agent has to decide.", "2026-11-18T11:07:40Z")]
    calls_then: Annotated[bool, described("True if the person is called at that time by itself.", example=False)]
    is_wanted: Annotated[bool, described("True if the agent has ordered the call.", example=False)]
    callrequest_id: Annotated[int | None, described("The call, once it is placed.", 7)]


_EXAMPLE: Final = {
    "subscriber_id": 31,
    "campaign_id": 4,
    "campaign": "Autumn reminders",
    "number": "+12025550100",
    "full_name": "Ada Byron",
    "additional_vars": {"plan": "basic"},
    "count_attempt": 0,
    "skip_count": 0,
    "from_date": "2026-11-18T11:06:40Z",
    "until_date": "2026-11-18T11:07:40Z",
    "calls_then": False,
    "is_wanted": True,
    "callrequest_id": 7,
}


class PreviewRead(msgspec.Struct, frozen=True):
    """The person whom an agent sees at present."""

    agent_id: Annotated[int, described("The agent.", 2)]
    person: Annotated[PersonRead | None, described("The person; null for nobody.", _EXAMPLE)]


class PersonOrdered(msgspec.Struct, frozen=True):
    """An order about the person whom an agent sees."""

    agent_id: Annotated[int, described("The agent.", 2)]
    subscriber_id: Annotated[int, described("The person of the order.", 31)]


@get("/agent/{record_id:str}/preview", tags=[AGENTS.path])
async def read_preview_of(request: ApiRequest, record_id: FromPath[str]) -> PreviewRead:
    """Read the person whom an agent sees before the call: one of a campaign with `dial_method` 4.

    Nobody else sees or calls the person meanwhile. The agent gets no other calls.
    """
    agent_id = identity_in(record_id)

    def read(unit: Unit) -> PreviewedPerson | None:
        records.require_seen(unit, AGENTS, agent_id)
        return read_preview(unit.connection, agent_id)

    found = await request.service.read(request, read)
    return PreviewRead(agent_id, None if found is None else shown(found))


@post("/agent/{record_id:str}/preview/{subscriber_id:str}/call", tags=[AGENTS.path], status_code=HTTPStatus.OK)
async def call_person(request: ApiRequest, record_id: FromPath[str], subscriber_id: FromPath[str]) -> PersonOrdered:
    """Call the person whom an agent sees. Agents order this for themselves.

    The answer comes once the order is stored. The call is dialled as soon as the gateway has room, if the calling
    hours, the do-not-call lists and the balance still allow it. A repeated request does nothing more. If the agent sees
    somebody else by now, the answer is 409.
    """
    agent_id, person_id = identity_in(record_id), identity_in(subscriber_id)

    def order(unit: Unit) -> None:
        records.require_seen(unit, AGENTS, agent_id)
        call_previewed(unit, agent_id, person_id)

    await request.service.write(request, order)
    return PersonOrdered(agent_id, person_id)


@post("/agent/{record_id:str}/preview/{subscriber_id:str}/skip", tags=[AGENTS.path], status_code=HTTPStatus.OK)
async def skip_person(request: ApiRequest, record_id: FromPath[str], subscriber_id: FromPath[str]) -> PersonOrdered:
    """Skip the person whom an agent sees. The agent sees the next one a moment later.

    The person waits for `intervalretry` of the campaign. After the third skip, nobody calls the person: the status is 4
    (FAIL), and `status_reason` is `skipped`. If the agent sees somebody else by now, or calls the person already, the
    answer is 409.
    """
    agent_id, person_id = identity_in(record_id), identity_in(subscriber_id)

    def order(unit: Unit) -> None:
        records.require_seen(unit, AGENTS, agent_id)
        skip_previewed(unit, agent_id, person_id)

    await request.service.write(request, order)
    return PersonOrdered(agent_id, person_id)


DialAsked: Final = request_shape(
    "DialAsked",
    {
        "campaign_id": writable(Integer(1), "The campaign within whose rules the call is made.", example=4),
        "number": writable(Text(NUMBER_MAX), "The number. Not with `contact_id`.", default="", example="+12025550100"),
        "contact_id": writable(
            Integer(1), "A contact of a phonebook, in place of a number.", nullable=True, default=None, example=12
        ),
        "again": writable(
            Boolean(), "True to call a person who has completed the survey.", default=False, example=False
        ),
    },
    "A person whom an agent wants to call.",
)
_DIAL: Final = describe_request(DialAsked, is_required=True)


@post("/agent/{record_id:str}/dial", tags=[AGENTS.path], status_code=HTTPStatus.OK, operation_class=_DIAL)
async def dial_person(request: ApiRequest, record_id: FromPath[str]) -> Response[PersonOrdered]:
    """Let an agent call a number or a contact of their own choice, within the rules of a campaign.

    The campaign has `dial_method` 4 and `manual_dialling`, and the agent serves one of its queues. The person becomes a
    subscriber of the campaign, or is one, and is called again if need be. A person who has completed the survey is
    called again only with `again`: without it, the answer is 409 with the code `already_reached`, and the moment at
    which they were last reached. The call is also refused with 409 if the agent or the person is in a call already, and
    if the number is on a do-not-call list, an emergency number or one that the account may not call, outside of the
    calling hours, and without balance.
    """
    agent_id, given = identity_in(record_id), await read_if_any(request)

    def order(unit: Unit) -> tuple[int, tuple[str, ...]]:
        records.require_seen(unit, AGENTS, agent_id)
        parsed = parse_whole(DialAsked, given, unit.conventions)
        values: dict[str, Any] = parsed.values
        if not parsed.errors and bool(values["number"]) == (values["contact_id"] is not None):
            raise InvalidError({"number": ["Give a number or a contact_id."]})
        if parsed.errors:
            raise InvalidError(parsed.errors)
        chosen = Chosen(values["campaign_id"], values["number"], values["contact_id"], again=values["again"])
        return dial_chosen(unit, agent_id, chosen, rules_of(unit)), parsed.ignored

    subscriber_id, ignored = await order_call(request, order)
    return Response(PersonOrdered(agent_id, subscriber_id), headers=ignored_header(ignored))


def shown(person: PreviewedPerson) -> PersonRead:
    """Return a previewed person in the form of the API."""
    return PersonRead(
        person.subscriber_id,
        person.campaign_id,
        person.campaign,
        person.number,
        person.full_name,
        person.variables,
        person.attempts,
        person.skips,
        show_timestamp(person.from_ms),
        show_timestamp(person.until_ms),
        person.calls_then,
        person.is_wanted,
        person.call_id,
    )
