"""`POST /rest-api/campaigns/<id>/test-call/` lets the telephone of a user ring with the campaign.

A repeated request places another call, so the request takes no `Idempotency-Key`.
"""

from http import HTTPStatus
from typing import Annotated, Any, Final

import msgspec
from litestar import Response, delete, get, post
from litestar.params import FromPath

from dialer.api.actions.campaign_trials import OwnTestAsked, begin, look, stop
from dialer.api.http.body import read_if_any
from dialer.api.service import ApiRequest
from dialer.app.campaigns.trial_progress import TrialView
from dialer.domain.words.described import described
from dialer.resources.crud import records
from dialer.resources.crud.properties import describe_request
from dialer.resources.crud.resource import Resource, Unit
from dialer.resources.crud.urls import identity_in
from dialer.resources.crud.visibility import visible
from dialer.resources.records.campaigns import CAMPAIGNS
from dialer.resources.records.messages import SMS_CAMPAIGNS
from dialer.resources.words.errors import RecordNotFoundError
from dialer.resources.words.ignored import ignored_header
from dialer.store.queries.currencies import currency_of_sums

_BODY: Final = describe_request(OwnTestAsked, is_required=True)


class OwnTestRead(msgspec.Struct, frozen=True):
    """The newest test of a campaign with a telephone of one's own."""

    stage: Annotated[
        str,
        described(
            "What it does: `waiting`, `calling`, `ringing`, `answered`, `over`, or `not_placed`. Simulated calls, and"
            " text messages, are `calling` until they are over.",
            "answered",
        ),
    ]
    number: Annotated[str, described("The number of the telephone.", "+12025550123")]
    reason: Annotated[str, described("The reason why nothing was placed; else empty.", "")]
    attempt: Annotated[
        int | None, described("The id of the call request, or of the text message; null if there is none.", 7)
    ]
    cause: Annotated[int | None, described("The cause of the end of the call (Q.850).", 16)]
    keys: Annotated[list[str], described("What was pressed or recorded, in its order.", ["1"])]
    parts: Annotated[int, described("Parts of the text message; 0 for a call.", 0)]
    cost: Annotated[str, described("What it costs, once it is over.", "0.01200")]
    currency: Annotated[str, described("The currency of the account: an ISO 4217 code, or empty.", "EUR")]


@post("/campaigns/{record_id:str}/test-call", tags=[CAMPAIGNS.path], status_code=201, operation_class=_BODY)
async def test_call(request: ApiRequest, record_id: FromPath[str]) -> Response[OwnTestRead]:
    """Call your own telephone with a campaign: its survey, voice, caller ID and gateway, as the first of its people.

    The account pays for the call. The campaign's figures and people stay as they are. Do-not-call lists hold. Outside
    of the calling hours, set `any_hour`. Over a real carrier, the telephone must be confirmed: `send_code` has a code
    spoken there, and `code` confirms it. One test of an account at a time, and 20 an hour: else 409.
    """
    return await _begin(request, CAMPAIGNS, record_id)


@get("/campaigns/{record_id:str}/test-call", tags=[CAMPAIGNS.path])
async def read_test_call(request: ApiRequest, record_id: FromPath[str]) -> OwnTestRead:
    """Return the newest test call of a campaign; 404 if there was none."""
    return await _read(request, CAMPAIGNS, record_id)


@delete("/campaigns/{record_id:str}/test-call", tags=[CAMPAIGNS.path])
async def delete_test_call(request: ApiRequest, record_id: FromPath[str]) -> None:
    """Take back the newest test call of a campaign if it still waits, or hang it up; 404 if there was none."""
    await _stop(request, CAMPAIGNS, record_id)


@post("/sms-campaigns/{record_id:str}/test-text", tags=[SMS_CAMPAIGNS.path], status_code=201, operation_class=_BODY)
async def test_text(request: ApiRequest, record_id: FromPath[str]) -> Response[OwnTestRead]:
    """Send the text of a campaign to your own telephone, as the first of its people gets it. As a test call."""
    return await _begin(request, SMS_CAMPAIGNS, record_id)


@get("/sms-campaigns/{record_id:str}/test-text", tags=[SMS_CAMPAIGNS.path])
async def read_test_text(request: ApiRequest, record_id: FromPath[str]) -> OwnTestRead:
    """Return the newest test text of a campaign; 404 if there was none."""
    return await _read(request, SMS_CAMPAIGNS, record_id)


@delete("/sms-campaigns/{record_id:str}/test-text", tags=[SMS_CAMPAIGNS.path])
async def delete_test_text(request: ApiRequest, record_id: FromPath[str]) -> None:
    """Take back the newest test text of a campaign if it still waits; 404 if there was none."""
    await _stop(request, SMS_CAMPAIGNS, record_id)


async def _stop(request: ApiRequest, resource: Resource, record_id: str) -> None:
    await _read(request, resource, record_id)
    await stop(request, identity_in(record_id), _seen(resource))


async def _begin(request: ApiRequest, resource: Resource, record_id: str) -> Response[Any]:
    ignored = await begin(request, identity_in(record_id), _seen(resource), await read_if_any(request))
    told = await _read(request, resource, record_id)
    return Response(told, status_code=HTTPStatus.CREATED, headers=ignored_header(ignored))


async def _read(request: ApiRequest, resource: Resource, record_id: str) -> OwnTestRead:
    identity = identity_in(record_id)
    found = await look(request, identity, _seen(resource))
    if found is None:
        raise RecordNotFoundError("The campaign was not tested.")
    return _shown(found, await request.service.read(request, lambda unit: _currency(unit, resource, identity)))


def _currency(unit: Unit, resource: Resource, identity: int) -> str:
    account_id = records.load(unit, resource, identity)["user_id"]
    return currency_of_sums(unit.connection, account_id, unit.conventions.currency) or ""


def _seen(resource: Resource) -> Any:  # noqa: ANN401 - a function of a unit
    def condition(unit: Unit) -> Any:  # noqa: ANN401 - a condition
        return visible(resource, unit.actor, unit.resources)

    return condition


def _shown(found: TrialView, currency: str) -> OwnTestRead:
    attempt = found.attempt
    keys = [one.keys for one in found.pressed]
    if attempt is not None and attempt.answers:
        keys = [answer.response for answer in attempt.answers]
    return OwnTestRead(
        stage=found.stage.value,
        number=found.number,
        reason=found.reason,
        attempt=None if attempt is None else attempt.id,
        cause=None if attempt is None else attempt.hangup_cause_q850,
        keys=keys,
        parts=sum(message.parts for message in attempt.messages) if attempt is not None and found.is_sms else 0,
        cost="0.00000" if attempt is None else attempt.cost,
        currency=currency,
    )
