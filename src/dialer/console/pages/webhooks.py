"""One webhook: its state, what was sent, a test, a new secret, and events that are sent once more."""

from http import HTTPStatus
from typing import Any, Final, NamedTuple

from litestar import Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath
from sqlalchemy import select

from dialer.api.actions.webhook_sender import WebhookSender
from dialer.api.service import ApiRequest
from dialer.app.telling.webhooks import rotate_secret, send_again
from dialer.app.work.errors import RefusedError, UnknownRecordError
from dialer.console.parts.record_fields import shape_of
from dialer.console.parts.record_rights import may
from dialer.console.serving.errors import messages_of
from dialer.console.serving.forms import read_fields
from dialer.console.serving.services import go_to, page
from dialer.console.words.catalogue import PAGES
from dialer.console.words.language import gettext_noop
from dialer.domain.words.roles import Permission
from dialer.resources.crud import records
from dialer.resources.crud.resource import Unit
from dialer.resources.crud.shapes import Given, parse_given
from dialer.resources.crud.urls import identity_in, parse_id
from dialer.resources.records.events import account_of
from dialer.resources.records.webhooks import FAILING, OFF, ON, WEBHOOKS, state_of
from dialer.resources.words.errors import RecordNotFoundError
from dialer.store.queries.webhook_deliveries import DeliveriesWanted, read_deliveries
from dialer.store.rows.webhooks import FAILED, RECEIVED, WAITING
from dialer.store.tables import Webhook
from dialer.webhooks.retries import PostOutcome
from dialer.webhooks.signing import new_secret

PLACE: Final = "administration"
SHOWN_MAX: Final = 100
"""Deliveries that a page shows."""
STATES: Final = {
    ON: (gettext_noop("On"), "good", gettext_noop("Events are sent.")),
    FAILING: (gettext_noop("Fails"), "bad", gettext_noop("The last events were not received. They are sent again.")),
    OFF: (gettext_noop("Off"), "", gettext_noop("Events wait, and are sent once it is on again.")),
}
PROBLEMS: Final = {
    "gone": gettext_noop("The service switched it off, as the program answered with status 410."),
    "failing": gettext_noop("The service switched it off, as nothing was received for 24 hours."),
}
DELIVERED: Final = {
    RECEIVED: (gettext_noop("Received"), "good"),
    WAITING: (gettext_noop("Waits for the next attempt"), "fair"),
    FAILED: (gettext_noop("Not received"), "bad"),
}


_COLUMNS: Final = [column for column in Webhook.__table__.c if column.name not in {"secret", "old_secrets"}]


class _Shown(NamedTuple):
    row: Any
    deliveries: Any


@get("/webhooks/{record_id:str}", media_type="text/html")
async def show_webhook(request: ApiRequest, record_id: FromPath[str]) -> Response[Any]:
    """Show a webhook, and what was sent to it."""
    return await _show(request, identity_in(record_id))


@post("/webhooks/{record_id:str}/state", media_type="text/html")
async def switch_webhook(request: ApiRequest, record_id: FromPath[str]) -> Response[Any]:
    """Switch a webhook on or off."""
    identity, filled = identity_in(record_id), await read_fields(request)
    conventions = request.service.conventions(request)
    given = Given({"enabled": filled.get("enabled") == "1"})
    parsed = parse_given(shape_of(WEBHOOKS), given, conventions)
    await request.service.write(request, lambda unit: records.change_record(unit, WEBHOOKS, identity, parsed))
    return go_to(_url(identity))


@post("/webhooks/{record_id:str}/test", media_type="text/html")
async def test_webhook(
    request: ApiRequest, record_id: FromPath[str], webhook_sender: NamedDependency[WebhookSender]
) -> Response[Any]:
    """Send a test event, and show what the program answered."""
    identity = identity_in(record_id)
    await read_fields(request)

    def read(unit: Unit) -> Any:  # noqa: ANN401 - a row
        records.require_seen(unit, WEBHOOKS, identity)
        return unit.connection.execute(select(Webhook.__table__).where(Webhook.id == identity)).one()

    row = await request.service.read(request, read)
    outcome = await webhook_sender.send_test(row, request.service.links(request), account_of(request.user))
    return await _show(request, identity, outcome=outcome)


@post("/webhooks/{record_id:str}/rotate", media_type="text/html")
async def rotate_webhook(
    request: ApiRequest, record_id: FromPath[str], webhook_sender: NamedDependency[WebhookSender]
) -> Response[Any]:
    """Replace the secret, and show the new one once."""
    identity, secret = identity_in(record_id), new_secret()
    await read_fields(request)

    def write(unit: Unit) -> None:
        records.require_seen(unit, WEBHOOKS, identity)
        rotate_secret(unit, identity, secret, webhook_sender.machine_ms())

    await request.service.write(request, write)
    shown = PAGES[WEBHOOKS.path]
    return page(request, "revealed.html", PLACE, shown=shown, revealed={"secret": secret}, url=_url(identity))


@post("/webhooks/{record_id:str}/resend", media_type="text/html")
async def resend_event(request: ApiRequest, record_id: FromPath[str]) -> Response[Any]:
    """Send an event once more."""
    identity, filled = identity_in(record_id), await read_fields(request)
    delivery = parse_id(filled.get("delivery", ""))
    if delivery is None:
        raise RecordNotFoundError

    def write(unit: Unit) -> None:
        records.require_seen(unit, WEBHOOKS, identity)
        send_again(unit, identity, delivery)

    try:
        await request.service.write(request, write)
    except UnknownRecordError:
        raise RecordNotFoundError from None
    except RefusedError as error:
        return await _show(request, identity, messages=messages_of(error))
    return go_to(_url(identity))


def _url(identity: int) -> str:
    return f"{PAGES[WEBHOOKS.path].record_url}{identity}/"


def _read(unit: Unit, identity: int) -> _Shown:
    records.require_seen(unit, WEBHOOKS, identity)
    row = unit.connection.execute(select(*_COLUMNS).where(Webhook.id == identity)).mappings().one()
    return _Shown(row, read_deliveries(unit.connection, DeliveriesWanted(identity, limit=SHOWN_MAX)))


async def _show(
    request: ApiRequest, identity: int, *, outcome: PostOutcome | None = None, messages: list[str] | None = None
) -> Response[Any]:
    shown = await request.service.read(request, lambda unit: _read(unit, identity))
    word, tone, meaning = STATES[state_of(shown.row)]
    return page(
        request,
        "webhook.html",
        PLACE,
        HTTPStatus.CONFLICT if messages else HTTPStatus.OK,
        shown=PAGES[WEBHOOKS.path],
        webhook=shown.row,
        word=word,
        tone=tone,
        meaning=PROBLEMS.get(shown.row["problem"], meaning) if not shown.row["enabled"] else meaning,
        deliveries=shown.deliveries,
        delivered=DELIVERED,
        outcome=outcome,
        messages=messages or [],
        may_change=may(request, WEBHOOKS, "PATCH") and request.user.may(Permission.KEYS),
        url=_url(identity),
    )
