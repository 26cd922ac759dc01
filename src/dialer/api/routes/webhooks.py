"""`/rest-api/webhook/<id>/`: what was sent, once more, a test, and a new secret."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Annotated, Any, Final
from urllib.parse import urlencode

import msgspec
from litestar import get, post
from litestar.di import NamedDependency
from litestar.params import FromPath
from sqlalchemy import select

from dialer.api.actions.webhook_sender import WebhookSender
from dialer.api.http.known_parameters import LISTS_OPTION, PARAMETERS_OPTION
from dialer.api.service import ApiRequest
from dialer.app.telling.webhooks import rotate_secret, send_again
from dialer.domain.words.described import described
from dialer.resources.crud import records
from dialer.resources.crud.moments import show_timestamp
from dialer.resources.crud.resource import Unit
from dialer.resources.crud.urls import ID_MAX, identity_in, parse_id
from dialer.resources.records.events import EVENT_ID, account_of
from dialer.resources.records.webhooks import WEBHOOKS
from dialer.resources.words.errors import Errors, InvalidError
from dialer.store.queries.webhook_deliveries import (
    DELIVERIES_PER_PAGE_MAX,
    DeliveriesWanted,
    read_deliveries,
    read_delivery,
)
from dialer.store.rows.webhooks import FAILED, RECEIVED, WAITING
from dialer.store.tables import Webhook
from dialer.webhooks.signing import new_secret

PER_PAGE: Final = 100
_STATES: Final = (RECEIVED, WAITING, FAILED)
_PARAMETERS: Final = ("status", "before", "limit")
_WHEN: Final = "2026-11-18T11:06:40Z"


class DeliveryRead(msgspec.Struct):
    """An event on its way to a webhook, or what came of it. Times are those of the machine's clock, in UTC."""

    id: Annotated[int, described("The number of the delivery.", 12)]
    event: Annotated[str, described("The event, which is also the header `webhook-id`.", "evt_42")]
    type: Annotated[str, described("The type of the event.", "call.ended")]
    subject: Annotated[str, described("The path and the id of the record of the event.", "callrequest/7")]
    status: Annotated[
        str, described("`received`, `waiting` for the next attempt, or `failed`: it is not sent again.", "received")
    ]
    attempts: Annotated[int, described("The attempts so far.", 1)]
    last_date: Annotated[str | None, described("The last attempt; null before the first.", _WHEN)]
    next_date: Annotated[str | None, described("The next attempt; null if there is none.", "2026-11-18T11:07:20Z")]
    answer_status: Annotated[int | None, described("The status of the last answer; null if there was none.", 204)]
    milliseconds: Annotated[int, described("The duration of the last attempt.", 35)]
    problem: Annotated[str, described("Why the last attempt failed; empty if it did not.", "")]


class DeliveriesRead(msgspec.Struct):
    """A page of deliveries, newest first."""

    results: Annotated[list[DeliveryRead], described("The deliveries.")]
    next: Annotated[
        str | None,
        described(
            "The URL of the deliveries before these. Null if there are none.",
            "https://dialer.example/rest-api/webhook/1/deliveries/?before=12",
        ),
    ]


class TestRead(msgspec.Struct):
    """The answer of a receiver to a test event."""

    answer_status: Annotated[int | None, described("The status of the answer; null if there was none.", 204)]
    milliseconds: Annotated[int, described("The time that it took.", 35)]
    problem: Annotated[str, described("Why the event was not received; empty if it was.", "")]


class SecretRead(msgspec.Struct):
    """A new secret."""

    secret: Annotated[str, described("The secret that signs from now on.", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")]
    old_secret_until: Annotated[str, described("Until then, the old secret signs, too.", "2026-11-19T11:06:40Z")]


@get(
    "/webhook/{record_id:str}/deliveries",
    tags=[WEBHOOKS.path],
    opt={LISTS_OPTION: (), PARAMETERS_OPTION: _PARAMETERS},
)
async def list_webhook_deliveries(request: ApiRequest, record_id: FromPath[str]) -> DeliveriesRead:
    """List what was sent to a webhook, newest first. Deliveries are kept as long as their events."""
    identity, given = identity_in(record_id), request.query_params
    wanted = _parse(identity, given)

    def read(unit: Unit) -> DeliveriesRead:
        records.require_seen(unit, WEBHOOKS, identity)
        rows = read_deliveries(unit.connection, wanted)
        following = None
        if len(rows) == wanted.limit:
            names = {name: given[name] for name in _PARAMETERS if name in given}
            url = f"{unit.conventions.links.record(WEBHOOKS.path, identity)}deliveries/"
            following = f"{url}?{urlencode({**names, 'before': rows[-1].id})}"
        return DeliveriesRead([delivery_read(row) for row in rows], following)

    return await request.service.read(request, read)


@post("/webhook/{record_id:str}/deliveries/{delivery_id:str}/resend", tags=[WEBHOOKS.path], status_code=HTTPStatus.OK)
async def resend_event(request: ApiRequest, record_id: FromPath[str], delivery_id: FromPath[str]) -> DeliveryRead:
    """Send an event once more, whether it was received or not. The answer comes before it is sent."""
    identity, delivery = identity_in(record_id), identity_in(delivery_id)

    def write(unit: Unit) -> DeliveryRead:
        records.require_seen(unit, WEBHOOKS, identity)
        send_again(unit, identity, delivery)
        return delivery_read(read_delivery(unit.connection, delivery))

    return await request.service.write(request, write)


@post("/webhook/{record_id:str}/test", tags=[WEBHOOKS.path], status_code=HTTPStatus.OK)
async def send_test_event(
    request: ApiRequest, record_id: FromPath[str], webhook_sender: NamedDependency[WebhookSender]
) -> TestRead:
    """Post a test event at once, and answer with what the receiver answered.

    The event, of the type `webhook.test`, is sent once and is not kept. A webhook that is off can be tested, too.
    """
    identity = identity_in(record_id)

    def read(unit: Unit) -> Any:  # noqa: ANN401 - a row
        records.require_seen(unit, WEBHOOKS, identity)
        return unit.connection.execute(select(Webhook.__table__).where(Webhook.id == identity)).one()

    row, links = await request.service.read(request, read), request.service.links(request)
    outcome = await webhook_sender.send_test(row, links, account_of(request.user))
    return TestRead(outcome.status, outcome.duration_ms, outcome.problem)


@post("/webhook/{record_id:str}/rotate", tags=[WEBHOOKS.path], status_code=HTTPStatus.OK)
async def rotate_webhook_secret(
    request: ApiRequest, record_id: FromPath[str], webhook_sender: NamedDependency[WebhookSender]
) -> SecretRead:
    """Replace the secret. For 24 hours, each event has a signature by the new secret and one by the old one.

    While three older secrets sign, a further rotation is refused with 409.
    """
    identity, secret = identity_in(record_id), new_secret()

    def write(unit: Unit) -> int:
        records.require_seen(unit, WEBHOOKS, identity)
        return rotate_secret(unit, identity, secret, webhook_sender.machine_ms())

    return SecretRead(secret, show_timestamp(await request.service.write(request, write)))


def delivery_read(row: Any) -> DeliveryRead:  # noqa: ANN401 - a row of the driver
    """Return a delivery in the form of the API."""
    return DeliveryRead(
        id=row.id,
        event=f"{EVENT_ID}{row.event_id}",
        type=row.type,
        subject=row.subject,
        status=row.status,
        attempts=row.attempts,
        last_date=show_timestamp(row.last_ms) if row.attempts else None,
        next_date=None if row.next_ms is None else show_timestamp(max(row.next_ms, row.last_ms)),
        answer_status=row.answer_status,
        milliseconds=row.duration_ms,
        problem=row.problem,
    )


def _parse(webhook_id: int, given: Mapping[str, str]) -> DeliveriesWanted:
    errors: Errors = {}
    status = given.get("status", "")
    if status and status not in _STATES:
        errors["status"] = [f"{status[:20]!r} is not a status. Use {', '.join(_STATES)}."]
    before = parse_id(given["before"]) if "before" in given else None
    if "before" in given and before is None:
        errors["before"] = [f"{given['before'][:20]!r} is not a whole number from 1 to {ID_MAX}."]
    limit = parse_id(given.get("limit", str(PER_PAGE)))
    if limit is None or limit > DELIVERIES_PER_PAGE_MAX:
        errors["limit"] = [f"{given['limit'][:20]!r} is not a whole number from 1 to {DELIVERIES_PER_PAGE_MAX}."]
    if errors:
        raise InvalidError(errors)
    return DeliveriesWanted(webhook_id, status, before, limit or PER_PAGE)
