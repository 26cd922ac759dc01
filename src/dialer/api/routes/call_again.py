"""`POST /rest-api/campaigns/<id>/call-again/`: a new campaign for those whom one that is over did not reach."""

from http import HTTPStatus
from typing import Annotated, Any, Final

import msgspec
from litestar import Response, post
from litestar.params import FromPath

from dialer.api.actions.call_again import (
    Again,
    AgainAsked,
    copy_all,
    count_people,
    create_again,
    finish_orders,
    refuse_to_call,
)
from dialer.api.http.idempotency import StoredAnswer, remember
from dialer.api.routes.dry_runs import DRY_RUN, KNOWN_PARAMETERS, PeopleOrder, carry_out
from dialer.api.routes.recycle import Several
from dialer.api.service import ApiRequest
from dialer.domain.rules.call_again import AgainOutcome
from dialer.domain.words.described import described
from dialer.resources.crud.declaration import writable
from dialer.resources.crud.fields import Boolean, Integer, Text, TextChoice
from dialer.resources.crud.moments import Timestamp
from dialer.resources.crud.properties import describe_request
from dialer.resources.crud.resource import Resource, Unit
from dialer.resources.crud.shapes import request_shape
from dialer.resources.records.campaign_life import NAME_MAX
from dialer.resources.records.campaigns import CAMPAIGNS
from dialer.resources.records.messages import SMS_CAMPAIGNS
from dialer.resources.words.errors import InvalidError

PEOPLE_MAX: Final = 1_000_000_000
NO_OUTCOME: Final = "Give at least one outcome."

CallAgainAsked: Final = request_shape(
    "CallAgainAsked",
    {
        "outcomes": writable(
            Several(TextChoice(tuple(AgainOutcome))),
            "The outcomes of the people to call again. A dry run may leave them out.",
            default=(),
            example=["busy", "no_answer"],
        ),
        "name": writable(
            Text(NAME_MAX, min_length=1),
            "The name of the new campaign. Default: that of the other one, ending in `again`.",
            default=None,
            example="Spring reminders, again",
        ),
        "expirationdate": writable(
            Timestamp(),
            "The moment at which the new campaign ends. Default: it is as long as the other one.",
            default=None,
            example="2026-11-25T11:06:40Z",
        ),
        "late_contacts": writable(
            Boolean(),
            "If true, contacts that are added later to the phonebooks of the other campaign join the new one. Numbers"
            " that were in the other campaign never do.",
            default=False,
        ),
        "confirm": writable(
            Integer(0, PEOPLE_MAX),
            "The number of people that you expect to be called again. If it is another number, the request is refused"
            " with 409. Default: any number.",
            default=None,
            example=2,
        ),
        DRY_RUN: writable(Boolean(), "If true, people are counted, and no campaign is created.", default=False),
    },
    "The people of a campaign that is over whom a new campaign calls again.",
)
_BODY: Final = describe_request(CallAgainAsked, is_required=False)


class CalledAgainRead(msgspec.Struct):
    """The result of calling again: the new campaign, and the people of the other one, by the outcomes of their calls.

    Reasons not to call people again, whatever the request says: `done`, they were reached; `refused`, an agent noted
    that they declined, or that somebody else has the number; `dnc`, the number is on a do-not-call list; `deleted`, the
    contact was deleted or erased, or has another number now; `emergency`, the number is never called; `stopped`, a user
    has taken them out of the campaign; `in_progress`, a call or a message is in progress; `called_again`, another
    campaign calls them again already; `too_old`, the records of calls to them may have been removed.
    """

    dry_run: Annotated[bool, described("True if people were only counted.", example=False)]
    campaign: Annotated[
        str | None,
        described("The URL of the new campaign; null in a dry run.", "https://dialer.example/rest-api/campaigns/2/"),
    ]
    people: Annotated[int, described("Number of people with the given outcomes, who are called again.", 2)]
    by_outcome: Annotated[
        dict[str, int],
        described("Number of people who can be called again, by outcome, whatever the request says.", {"busy": 2}),
    ]
    kept: Annotated[dict[str, int], described("Number of people who are not called again, by reason.", {"done": 1})]


@post(
    "/campaigns/{record_id:str}/call-again",
    tags=[CAMPAIGNS.path],
    status_code=HTTPStatus.CREATED,
    operation_class=_BODY,
    opt=KNOWN_PARAMETERS,
)
async def call_again(request: ApiRequest, record_id: FromPath[str]) -> Response[CalledAgainRead]:
    """Call people of a voice campaign that is over again, in a new campaign with its settings.

    The new campaign has status 0 (NEW) and `source_campaign`. Its subscribers are the people with the given outcomes,
    and nobody joins them later, unless `late_contacts` is true. A campaign that is not over is refused with 409;
    recycle its subscribers instead. A dry run answers with 200.
    """
    return await _call_again(request, CAMPAIGNS, record_id)


@post(
    "/sms-campaigns/{record_id:str}/call-again",
    tags=[SMS_CAMPAIGNS.path],
    status_code=HTTPStatus.CREATED,
    operation_class=_BODY,
    opt=KNOWN_PARAMETERS,
)
async def text_again(request: ApiRequest, record_id: FromPath[str]) -> Response[CalledAgainRead]:
    """Send text messages to people of an SMS campaign that is over again, in a new campaign with its settings.

    The new campaign has status 0 (NEW) and `source_campaign`. Its subscribers are the people with the given outcomes,
    and nobody joins them later, unless `late_contacts` is true. A campaign that is not over is refused with 409;
    recycle its subscribers instead. A dry run answers with 200.
    """
    return await _call_again(request, SMS_CAMPAIGNS, record_id)


async def _call_again(request: ApiRequest, resource: Resource, record_id: str) -> Response[Any]:
    return await carry_out(request, resource, record_id, "call-again", CallAgainAsked, _answer)


async def _answer(request: ApiRequest, order: PeopleOrder) -> StoredAnswer:
    """Count the people, and call them again unless it is a dry run."""
    values = order.values
    if not (order.is_dry or values["outcomes"]):
        raise InvalidError({"outcomes": [NO_OUTCOME]})
    fields = {name: values[name] for name in ("name", "expirationdate") if values[name] is not None}
    asked = AgainAsked(values["outcomes"], fields, values["late_contacts"], values["confirm"])
    if not order.is_dry:
        await finish_orders(request, order.campaign_id, lambda _: None)
    counted = await count_people(request, order.campaign_id, lambda _: None)
    if order.is_dry:
        return StoredAnswer(HTTPStatus.OK, {}, _content(counted, asked, None))
    refuse_to_call(counted, asked)

    def create(unit: Unit) -> tuple[int, StoredAnswer]:
        created = create_again(unit, order.resource, order.campaign_id, asked, counted)
        url = unit.conventions.links.record(order.resource.path, created)
        answer = StoredAnswer(HTTPStatus.CREATED, {"Location": url}, _content(counted, asked, url))
        if order.attempt is not None:
            remember(unit, order.attempt, answer)
        return created, answer

    created, answer = await request.service.write(request, create)
    await copy_all(request, created)
    return answer


def _content(counted: Again, asked: AgainAsked, url: str | None) -> bytes:
    by_outcome = {outcome.value: counted.by_outcome[outcome] for outcome in AgainOutcome if counted.by_outcome[outcome]}
    kept = {reason.value: count for reason, count in sorted(counted.kept.items())}
    return msgspec.json.encode(CalledAgainRead(url is None, url, counted.people(asked.outcomes), by_outcome, kept))
