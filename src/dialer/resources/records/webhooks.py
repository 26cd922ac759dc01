"""Webhooks: addresses of programs to which the events of an account are sent."""

from collections.abc import Sequence
from typing import Any, Final

import msgspec
from litestar.openapi.spec import Schema
from litestar.openapi.spec.enums import OpenAPIType
from sqlalchemy import Row, RowMapping

from dialer.app.telling.account_events import EVENT_TYPES
from dialer.app.telling.webhooks import change_webhook, create_webhook
from dialer.domain.words.roles import Permission
from dialer.domain.words.sentences import Listed, Sentence
from dialer.resources.crud.declaration import NAME, OWNER, STAMPS, derived, own, read_only, shapes, writable
from dialer.resources.crud.fields import Boolean, Conventions, FieldError, Json, Kind, Stored, Text, TextChoice, echo
from dialer.resources.crud.forms import form
from dialer.resources.crud.moments import Timestamp
from dialer.resources.crud.resource import Change, Resource, Unit, Values, touches_nothing
from dialer.resources.crud.shapes import Parsed
from dialer.resources.crud.urls import Links
from dialer.store.tables import Webhook
from dialer.webhooks.addresses import URL_MAX, AddressError, AddressGuard, parse_url
from dialer.webhooks.signing import new_secret

ON: Final = "on"
FAILING: Final = "failing"
OFF: Final = "off"
_SECRET_MAX: Final = 64
_STATES: Final = {
    ON: "Events are sent.",
    FAILING: "The last events were not received. They are sent again.",
    OFF: "Nothing is sent.",
}
_PROBLEMS: Final = {
    "": "It was not switched off, or by a user.",
    "gone": "The receiver answered with status 410.",
    "failing": "Nothing was received for 24 hours.",
}


class EventTypes(Kind, frozen=True):
    """Types of events, given as a list or as a text with commas; stored with blanks between them."""

    def parse(self, value: Json, conventions: Conventions) -> str:  # noqa: ARG002 - a type is a type anywhere
        """Return the types in alphabetical order."""
        items = value if isinstance(value, list) else str(value).replace(",", " ").split()
        unknown = [item for item in items if item not in EVENT_TYPES]
        if unknown:
            raise FieldError(
                Sentence(
                    '"%(unknown)s" is not a type of events. Known: %(types)s.',
                    unknown=echo(unknown[0]),
                    types=Listed(EVENT_TYPES),
                )
            )
        return " ".join(kind for kind in EVENT_TYPES if kind in items)

    def show(self, value: Stored, links: Links) -> Json:  # noqa: ARG002 - has no URL
        """Return the types as a list."""
        return value.split()

    def schema(self) -> Schema:
        """Return the schema of a list of types."""
        return Schema(type=OpenAPIType.ARRAY, items=Schema(type=OpenAPIType.STRING))


class TargetUrl(Text, frozen=True):
    """The http or https URL of a program."""

    def parse(self, value: Json, conventions: Conventions) -> str:
        """Return the URL, if webhooks may be sent to it."""
        text = super().parse(value, conventions).strip()
        try:
            parse_url(text)
        except AddressError as error:
            raise FieldError(error.sentence) from None
        return text


_WEBHOOK: Final = shapes(
    "Webhook",
    Webhook,
    {
        **own("webhook"),
        "name": msgspec.structs.replace(
            NAME,
            description="Your name for the webhook.",
            example="CRM",
            hint="What receives the events, so that you know it again.",
        ),
        "target_url": writable(
            TargetUrl(URL_MAX, min_length=1),
            "The address to which events are posted. It must be on the public internet, or in a network that the"
            " service's admin has listed (DIALER_WEBHOOK_NETWORKS).",
            example="https://crm.example/dialer-events",
            title="Address of the program",
            hint="An https address on the public internet. Each event is posted there, signed.",
        ),
        "types": writable(
            EventTypes(),
            f"The types of events that are sent. An empty list: all types. Known: {', '.join(EVENT_TYPES)}.",
            example=["call.ended", "campaign.ended"],
            title="Types of events",
            hint="None chosen: all types.",
        ),
        "enabled": writable(
            Boolean(),
            "False pauses the webhook; it goes on where it was. The service sets it to false after 24 hours in which"
            " nothing was received, and when a receiver answers with status 410.",
            example=True,
            title="Events are sent",
            hint="Off: events wait, and are sent once it is on again.",
        ),
        "state": derived(TextChoice((ON, FAILING, OFF), _STATES, "WebhookState"), "The state.", example=ON),
        "problem": read_only(
            TextChoice(tuple(_PROBLEMS), _PROBLEMS, "WebhookProblem"),
            "The reason for which the service switched the webhook off; empty if it did not.",
            example="",
        ),
        "failing_since": read_only(
            Timestamp(column="failing_since_ms"),
            "The first failure after the last event that was received, by the machine's clock. Null: none.",
            nullable=True,
            example=None,
            title="Fails since",
        ),
        "secret": derived(
            Text(_SECRET_MAX),
            "The secret that signs. Only the first answer to the creation has it; elsewhere it is null.",
            nullable=True,
            example="whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        ),
        **STAMPS,
        "user": OWNER,
    },
    form=form(("", "name target_url"), ("Events", "types"), more=[("", "enabled user")]),
    write_doc="A webhook: the address of a program that gets the events of the account.",
    read_doc="A webhook, as it is stored.",
)


def _derived(_unit: Unit, rows: Sequence[RowMapping]) -> list[Values]:
    return [{"secret": None, "state": state_of(row)} for row in rows]


def state_of(row: RowMapping) -> str:
    """Return the state of a webhook's row."""
    if not row["enabled"]:
        return OFF
    return ON if row["failing_since_ms"] is None else FAILING


def _checked(parsed: Parsed, conventions: Conventions) -> Parsed:
    """Check that the name leads to an address to which events may be sent. It can take seconds."""
    text = parsed.values.get("target_url")
    if text is None or "target_url" in parsed.errors:
        return parsed
    try:
        AddressGuard(conventions.webhook_networks).check(text)
    except AddressError as error:
        return msgspec.structs.replace(parsed, errors={**parsed.errors, "target_url": [error.sentence]})
    return parsed


def _insert(change: Change, columns: Values) -> Row[Any]:
    secret = new_secret()
    change.revealed["secret"] = secret
    base = change.unit.conventions.links.base
    return create_webhook(change.unit, {**columns, "secret": secret, "base": base})


def _update(change: Change, columns: Values) -> None:
    base = change.unit.conventions.links.base
    change_webhook(change.unit, change.record_id, {**columns, "base": base})


WEBHOOKS = Resource(
    path="webhook",
    shapes=_WEBHOOK,
    writes=Permission.KEYS,
    filters=("name", "enabled"),
    orderings=("name", "created_date", "updated_date"),
    derived=_derived,
    prepare=_checked,
    insert=_insert,
    update=_update,
    touches=touches_nothing,
)
