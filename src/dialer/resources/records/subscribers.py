"""Subscribers: the places of callees in campaigns."""

from collections.abc import Sequence
from typing import Final

from sqlalchemy import RowMapping, select

from dialer.app.campaigns.subscribers import add_subscriber, change_subscriber, delete_subscriber
from dialer.app.campaigns.why_waiting import waits_of
from dialer.app.work.errors import ErrorCode
from dialer.domain.calling_times.own_zones import OWN_ZONES_MAX, person_zone_key
from dialer.domain.calling_times.zones import zone_of_number, zone_of_offset
from dialer.domain.numbers.normal_form import normalise
from dialer.domain.numbers.spellings import ERASED
from dialer.domain.rules.why_waiting import Wait
from dialer.domain.words.enums import SubscriberStatus
from dialer.domain.words.reasons import SUBSCRIBER_REASONS, WaitsFor
from dialer.domain.words.sentences import Sentence
from dialer.resources.crud.declaration import STAMPS, derived, own, read_only, shapes, writable, write_once
from dialer.resources.crud.enumerations import listed
from dialer.resources.crud.fields import Choice, Integer, JsonObject, PhoneNumber, Text, TextChoice
from dialer.resources.crud.forms import form
from dialer.resources.crud.moments import Timestamp
from dialer.resources.crud.references import Reference
from dialer.resources.crud.resource import Change, FieldRule, Resource, Unit, Values
from dialer.resources.crud.shapes import REQUIRED
from dialer.resources.records.agent_views import own_subscribers
from dialer.resources.records.emergency import no_emergency_number
from dialer.resources.records.own_zone import KNOWN_ZONE, OWN_ZONE_WORDS
from dialer.resources.words.errors import ConflictError, Errors
from dialer.store.tables import Contact, Subscriber

OFFSET_MAX: Final = 8
AT_CREATION: Final = frozenset({SubscriberStatus.PENDING, SubscriberStatus.PAUSE, SubscriberStatus.ABORT})
"""The statuses that a client may give a new subscriber; a client may move a PENDING one to them, too."""
_FROM_CONTACT: Final = {
    "duplicate_contact": "contact",
    **{name: name for name in ("full_name", "additional_vars", "tz_code")},
}

_SUBSCRIBER: Final = shapes(
    "Subscriber",
    Subscriber,
    {
        **own("subscriber-list"),
        "contact": write_once(
            Reference("contact"),
            "The contact who is called, set at creation only. Null: a subscriber without a contact, with a number of"
            " its own.",
            default=None,
            nullable=True,
            hint="",
        ),
        "campaign": write_once(
            Reference("campaigns"),
            "The campaign, voice or SMS, to which the subscriber belongs. It is set at creation only.",
            hint="",
        ),
        "last_attempt": read_only(
            Timestamp(),
            "The moment of the last call or message, in UTC; null before the first.",
            nullable=True,
            title="Last call",
        ),
        "count_attempt": read_only(Integer(), "Number of calls or messages so far.", example=1, title="Attempts"),
        "status": writable(
            Choice(SubscriberStatus),
            "The state of the subscriber. A client may set three of them: waiting (1) for one that is paused or failed,"
            " paused (2) for one that waits, and aborted (3) for one that waits or is paused.",
            example=1,
            title="State",
            hint="People who wait are called. Pause or call off those who should not be.",
        ),
        "status_reason": read_only(
            Text(),
            "The reason why the last attempt reached nobody or was refused; empty if it went well, and "
            f"before the first. Further reasons may be added. {listed(SUBSCRIBER_REASONS)}.",
            example="no_answer",
            title="Reason",
        ),
        "waits_for": derived(
            TextChoice(("", *WaitsFor), {"": "The subscriber is not PENDING."}),
            "The first reason, in the order of the values, why a PENDING subscriber is not called now.",
            example=WaitsFor.WINDOW.value,
        ),
        "waits_until": derived(
            Timestamp(),
            "The first moment at which nothing that the calendar knows forbids the call, in UTC; null if it is unknown"
            " or not before the campaign expires.",
            nullable=True,
        ),
        "duplicate_contact": writable(
            PhoneNumber(),
            "The phone number of the subscriber; a campaign has each number once. Default: the number of `contact`.",
            default=None,
            example="+12025550100",
            title="Number",
            hint="A campaign has each number once.",
        ),
        "full_name": writable(
            Text(),
            "The name of the person, for scripts and texts. Default: the name of `contact`.",
            example="Ada Byron",
            title="Name",
            hint="It replaces {full_name} in texts; its first word replaces {first_name}.",
        ),
        "gmt_offset": writable(
            Text(OFFSET_MAX, pattern=r"^([+-]?[0-9]{1,2}(\.[0-9]{1,2})?)?$"),
            "The offset of the subscriber's time zone from UTC, in signed decimal hours. Used if `tz_code` is empty."
            " Default: empty.",
            example="-5",
            title="Hours from UTC",
            hint="Used if there is no time zone. Example: -5.",
        ),
        "tz_code": writable(
            Text(OWN_ZONES_MAX),
            f"The subscriber's time zone, {OWN_ZONE_WORDS}. Default: that of `contact`. Empty: `gmt_offset`, else the"
            " zone of the number, else the zone of the service.",
            example="America/New_York",
            title="Time zone",
            hint="Such as America/New_York. Empty: that of the number.",
        ),
        "additional_vars": writable(
            JsonObject(),
            "Variables for scripts and texts: a JSON object, or a string that holds one. Default: those of `contact`.",
            example={"city": "Boston"},
            title="Variables",
            hint="Further values for texts, such as {city}: a JSON object.",
        ),
        **STAMPS,
    },
    form=form(
        ("", "campaign contact duplicate_contact full_name status"),
        more=[("Where the person is", "tz_code gmt_offset"), ("For texts and surveys", "additional_vars")],
    ),
    write_doc="A subscriber: the place of a callee in a campaign, with or without a contact.",
    read_doc="A subscriber: the place of a callee in a campaign, with its status and its attempts.",
)


def _defaults(unit: Unit, given: Values) -> Values:
    """Return the contact's values for fields that are not given. A later check refuses a contact of another user."""
    contact = _contact(unit, given.get("contact"))
    if contact is None:
        return {}
    return {name: given.get(name) or contact[column] for name, column in _FROM_CONTACT.items()}


def _contact(unit: Unit, contact_id: int | None) -> RowMapping | None:
    return unit.connection.execute(select(Contact.__table__).where(Contact.id == contact_id)).mappings().first()


def _has_number(change: Change) -> Errors:
    return {} if change.values["duplicate_contact"] else {"duplicate_contact": [REQUIRED]}


def _number(change: Change) -> str:
    if change.values["duplicate_contact"] == ERASED:
        raise ConflictError(
            "The number of this subscriber was erased. Add a new subscriber instead.", code=ErrorCode.ERASED
        )
    return normalise(change.values["duplicate_contact"], change.unit.conventions.region)


def _number_once(change: Change) -> Errors:
    if not change.values["duplicate_contact"]:
        return {}
    query = select(Subscriber.id).where(
        Subscriber.campaign_id == change.values["campaign"],
        Subscriber.number == _number(change),
        Subscriber.id != change.record_id,
    )
    if change.unit.connection.execute(query).first() is None:
        return {}
    number = change.values["duplicate_contact"]
    return {
        "duplicate_contact": [
            Sentence("The campaign has a subscriber with the number %(number)r already.", number=number)
        ]
    }


def _known_offset(change: Change) -> Errors:
    offset = change.values["gmt_offset"]
    if not offset or zone_of_offset(offset) is not None:
        return {}
    return {
        "gmt_offset": [
            Sentence("%(offset)r is not an offset. Use signed decimal hours, such as -5 or +5.5.", offset=offset)
        ]
    }


def _first_status(change: Change) -> Errors:
    if not change.is_new or change.values["status"] in AT_CREATION:
        return {}
    message = Sentence(
        "A new subscriber cannot have status %(status)s. Use 1 (PENDING), 2 (PAUSE) or 3 (ABORT).",
        status=change.values["status"],
    )
    return {"status": [message]}


def _columns(change: Change) -> Values:
    number = _number(change)
    zone = person_zone_key(change.values["tz_code"], change.values["gmt_offset"], zone_of_number(number))
    contact = _contact(change.unit, change.values["contact"]) if change.is_new else None
    # The phonebook tells later that there was a contact, when that is deleted.
    came_from = {} if contact is None else {"phonebook_id": contact["phonebook_id"]}
    return {"number": number, "zone": zone, **came_from}


def _waits(unit: Unit, rows: Sequence[RowMapping]) -> list[Values]:
    """Return the reason and the end of each PENDING subscriber's wait."""
    pending = [row for row in rows if row["status"] == SubscriberStatus.PENDING]
    zone, hours = str(unit.conventions.zone), unit.conventions.hours
    waits = waits_of(unit.connection, pending, unit.now_ms, zone, hours)
    return [_shown_wait(waits.get(row["id"])) for row in rows]


def _shown_wait(wait: Wait | None) -> Values:
    if wait is None:
        return {"waits_for": "", "waits_until": None}
    return {"waits_for": wait.reason.value, "waits_until": wait.until_ms}


SUBSCRIBERS = Resource(
    path="subscriber-list",
    is_personal=True,
    shapes=_SUBSCRIBER,
    owner="campaign",
    agents_see=own_subscribers,
    filters=("status", "duplicate_contact", "full_name"),
    orderings=("duplicate_contact", "last_attempt"),
    names=("full_name",),
    numbers=("duplicate_contact",),
    is_large=True,
    rules=(
        FieldRule(("contact", "duplicate_contact"), _has_number),
        FieldRule(("campaign", "contact", "duplicate_contact"), _number_once),
        KNOWN_ZONE,
        FieldRule(("gmt_offset",), _known_offset),
        FieldRule(("status",), _first_status),
        no_emergency_number("duplicate_contact"),
    ),
    derived=_waits,
    defaults=_defaults,
    columns=_columns,
    insert=lambda change, columns: add_subscriber(change.unit, columns),
    update=lambda change, columns: change_subscriber(change.unit, change.record_id, columns),
    remove=delete_subscriber,
    deleted="subscriber deleted",
    plain_array=True,
    exported=True,
)
