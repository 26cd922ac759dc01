"""Text messages that came in. Clients read them, and say what they have decided about one."""

from typing import Final

from dialer.app.contacts.received_texts import Verdict, look_at
from dialer.domain.messages.understanding import Understood
from dialer.domain.words.proof import SAID_MAX
from dialer.resources.crud.declaration import STAMPS, own, read_only, shapes, writable
from dialer.resources.crud.fields import Boolean, Text, TextChoice
from dialer.resources.crud.moments import Timestamp
from dialer.resources.crud.references import Identity, Reference
from dialer.resources.crud.resource import Change, Resource, Values
from dialer.store.tables import SmsReceived

_SMS_RECEIVED: Final = shapes(
    "SmsReceived",
    SmsReceived,
    {
        **own("sms-received"),
        "user": read_only(Reference("users"), "The user to whose message the text message answers.", title="Owner"),
        "gateway_id": read_only(
            Identity(),
            "The id of the gateway over which it came. The gateway may have been deleted since.",
            title="Carrier",
        ),
        "campaign": read_only(
            Reference("campaigns"),
            "The campaign that wrote to the number last, which may have been deleted since; or null.",
            nullable=True,
        ),
        "sms_message": read_only(
            Reference("sms-message"),
            "The newest message to the number, which may have been removed since; or null.",
            nullable=True,
            title="Text message",
        ),
        "phone_number": read_only(
            Text(64), "The sender as the carrier gave it.", example="12025550100", title="Number"
        ),
        "number": read_only(
            Text(16), "The sender's number in normal form; empty if it is no number.", example="+12025550100"
        ),
        "said": read_only(Text(SAID_MAX), "The text.", example="Please don't call again", title="What was said"),
        "understood": read_only(
            TextChoice(tuple(Understood)),
            "The meaning, as far as it was understood.",
            example=Understood.STOP.value,
            title="Understood as",
        ),
        "needs_person": read_only(
            Boolean(),
            "True if it is perhaps a wish, and nobody has looked yet. `ordering=-needs_person` lists such texts first.",
            example=False,
            title="Needs a person",
        ),
        "verdict": writable(
            TextChoice(("", *Verdict), {"": "Nobody has looked at it yet."}),
            "The decision of a user about it. Empty until somebody has looked.",
            example=Verdict.DO_NOT_CALL.value,
            title="Decision",
        ),
        "looked_at": read_only(
            Timestamp(column="looked_at_ms"),
            "The moment at which somebody looked at it, in UTC; null if nobody has.",
            nullable=True,
        ),
        "looked_at_by_id": read_only(
            Identity(),
            "The id of the user who has looked at it, who may have been deleted since.",
            nullable=True,
            title="Looked at by",
        ),
        **STAMPS,
    },
    write_doc="The decision of a user about a text message that came in.",
    read_doc="A text message that came in, for one of the users who wrote to its sender.",
)


def _decide(change: Change, columns: Values) -> None:
    if verdict := columns.get("verdict"):
        look_at(change.unit, change.record_id, verdict, change.unit.actor.id)


SMS_RECEIVED = Resource(
    path="sms-received",
    is_personal=True,
    shapes=_SMS_RECEIVED,
    filters=("number", "understood", "needs_person", "verdict"),
    orderings=("created_date", "needs_person"),
    numbers=("number",),
    is_large=True,
    methods=frozenset({"PATCH"}),
    update=_decide,
    exported=True,
)
