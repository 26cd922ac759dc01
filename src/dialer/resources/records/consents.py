"""Consents: what the people of an account have agreed to, with proof."""

import re
from collections.abc import Sequence
from datetime import time
from typing import Final

from dialer.app.contacts.consents import (
    Columns,
    add_consent,
    change_consent,
    delete_consent,
    same_consent,
    stored_consents,
    too_many_consents,
    withdrawn_since,
)
from dialer.domain.numbers.normal_form import NumberError, normalise
from dialer.domain.numbers.spellings import ERASED
from dialer.domain.words.consent_words import NO_CONSENT, ConsentKind, ConsentWay
from dialer.domain.words.purposes import Purpose
from dialer.domain.words.sentences import FieldName, Sentence, message_of
from dialer.resources.crud.declaration import OWNER, STAMPS, optional, own, read_only, shapes, writable, write_once
from dialer.resources.crud.fields import TEXT_MAX, PhoneNumber, Text, TextChoice
from dialer.resources.crud.forms import form
from dialer.resources.crud.moments import Timestamp
from dialer.resources.crud.references import Reference
from dialer.resources.crud.resource import Change, FieldRule, Resource, Values, columns_of
from dialer.resources.crud.shapes import Shape
from dialer.resources.records.purposes import SELLER_MAX
from dialer.resources.records.word_lists import DayText, WordList
from dialer.resources.words.errors import Errors
from dialer.store.queries.regions import region_of
from dialer.store.tables import Consent

HASH_LENGTH: Final = 64
HOURS_LENGTH: Final = 11
HOW_MAX: Final = 255
URL_MAX: Final = 2_000
_HASH: Final = re.compile(r"[0-9a-f]{64}")
_HOURS: Final = re.compile(r"(\d\d:\d\d)-(\d\d:\d\d)")
_WITHDRAWN_SINCE: Final = Sentence(
    "The person has withdrawn this at that moment or later. If they have agreed again since, say when they did."
)
_WEB: Final = ("https://", "http://")
_CONSENT: Final = shapes(
    "Consent",
    Consent,
    {
        **own("consent"),
        "user": OWNER,
        "phone_number": write_once(
            PhoneNumber(),
            "The number of the person, in any usual spelling. Without `+` and country code, it counts as one of the"
            " account's country. It cannot be changed.",
            example="+33142345601",
            title="Number",
            hint="In any usual spelling.",
        ),
        "kind": writable(
            TextChoice(tuple(ConsentKind)),
            "The kind of the consent. A campaign that needs one takes it, or a stronger one.",
            example=ConsentKind.EXPRESS.value,
            title="Kind",
            hint="",
        ),
        "purposes": writable(
            WordList(tuple(Purpose)),
            "The purposes of the campaigns that it covers. An empty list, the default: all. A campaign whose purpose is"
            " not said is covered by an empty list only.",
            example=["sales"],
            title="For these purposes",
            hint="None ticked: for all.",
        ),
        "seller": writable(
            Text(SELLER_MAX),
            "The firm that it covers, as campaigns name it in `seller`. Empty, the default: all.",
            example="Example Energy",
            title="For which firm",
            hint="As campaigns name it. Empty: for all.",
        ),
        "given_date": writable(
            Timestamp(),
            "The moment at which it was given, and from which on it is good. It may lie ahead. Default: now.",
            default=None,
            example="2027-01-10T09:00:00Z",
            title="Given",
            hint="Empty: now.",
        ),
        "expiration_date": optional(
            Timestamp(),
            "The moment from which on it is good no more. Null, the default: it has no end. In Spain it is good for two"
            " years in any case.",
            example="2029-01-10T09:00:00Z",
            title="Good until",
            hint="Empty: without end.",
        ),
        "hours": writable(
            Text(HOURS_LENGTH),
            "The hours in which the person wants calls, by their own clock. Empty, the default: none were named.",
            example="18:00-20:30",
            title="Hours",
            hint="Such as 18:00-20:30. Empty: none were named.",
        ),
        "hours_date": optional(
            DayText(),
            "The day to which these hours belong. Null, the default: every day.",
            example="2027-02-01",
            title="Day of the hours",
            hint="Such as 2027-02-01. Empty: every day.",
        ),
        "how": writable(
            TextChoice((NO_CONSENT, *ConsentWay), {NO_CONSENT: "It is not said."}, "ConsentHow"),
            "The way by which it was given. Default: empty, not said.",
            example=ConsentWay.WEB_FORM.value,
            title="How it was given",
            hint="",
        ),
        "evidence": writable(
            Text(TEXT_MAX),
            "The proof in words: what the person read, ticked, wrote or said. Default: empty.",
            example="Box ticked: yes, call me",
            title="Proof",
            hint="What the person read, ticked, wrote or said.",
        ),
        "evidence_url": writable(
            Text(URL_MAX),
            "The address of a proof that is kept elsewhere, with http:// or https://. The service does not open it."
            " Default: empty.",
            example="https://shop.example/form/77",
            title="Address of a proof",
            hint="Where it is kept. The service does not open it.",
        ),
        "evidence_sha256": writable(
            Text(HASH_LENGTH),
            "The SHA-256 of the proof at that address, as 64 hexadecimal digits in small letters. Default: empty.",
            example="9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
            title="SHA-256 of the proof",
            hint="64 digits, 0 to 9 and a to f.",
        ),
        "audio_file": optional(
            Reference("audio-files"),
            "A recording of the consent, or null.",
            title="Recording",
            hint="",
        ),
        "callrequest": optional(
            Reference("callrequest"),
            "The call in which it was given, which may have been removed since; or null.",
            title="Call",
            hint="",
        ),
        "withdrawn_date": optional(
            Timestamp(),
            "The moment at which the person withdrew it, and from which on it is good no more. A withdrawal of the"
            " past stays. Null, the default: it was not withdrawn.",
            example="2027-03-01T15:00:00Z",
            title="Withdrawn",
            hint="Empty: it was not.",
        ),
        "withdrawn_how": writable(
            Text(HOW_MAX),
            "How the person withdrew it, in your words; for a wish not to be called, the `source` of the wish. Default:"
            " empty.",
            example="key",
            title="How it was withdrawn",
            hint="In your words.",
        ),
        "last_used_date": read_only(
            Timestamp(),
            "The moment of the newest dial that it allowed; or null.",
            nullable=True,
            example="2027-02-01T15:00:00Z",
            title="Last used",
        ),
        **STAMPS,
    },
    form=form(
        ("", "phone_number kind"),
        ("What it is for", "purposes seller"),
        ("When", "given_date expiration_date"),
        ("Proof", "how evidence evidence_url evidence_sha256"),
        more=[
            ("Withdrawal", "withdrawn_date withdrawn_how"),
            ("Hours", "hours hours_date"),
            ("", "audio_file callrequest user"),
        ],
    ),
    write_doc="A consent of the person who has a number to be called and texted.",
)


def normal_number(change: Change) -> str:
    """Return the number of a consent in normal form, by the country of its account."""
    return normalise(change.values["phone_number"], region_of(change.unit.connection, change.values["user"]))


def _beside_others(change: Change) -> Errors:
    """Return an error if the consent was withdrawn before, or if the account has too many of the number."""
    if not any(map(change.moves, ("user", "given_date", "purposes", "seller"))):
        return {}
    try:
        number = normal_number(change) if change.is_new else change.stored["number"]
    except NumberError as error:
        return {"phone_number": [message_of(error)]}
    names = ("seller", "purposes", "given_date", "expiration_date", "withdrawn_date")
    columns = {name: change.values[name] for name in names}
    key = change.values["user"], number
    others = [one for one in stored_consents(change.unit.connection, [key])[key] if one["id"] != change.record_id]
    if change.is_new and same_consent(others, {**columns_said(change), "number": number}) is not None:
        return {}
    return errors_among(others, columns, change.unit.now_ms, is_added=change.moves("user"))


def columns_said(change: Change) -> Values:
    """Return the columns of the fields of a consent that a user writes."""
    return {column.name: change.values[name] for name, column in columns_of(Consent.__table__, _CONSENT.write or Shape)}


def errors_among(stored: Sequence[Columns], columns: Values, now_ms: int, *, is_added: bool = True) -> Errors:
    """Return why a consent may not stand beside the others of its number, to which it may be added."""
    if withdrawn_since(stored, columns):
        return {"given_date": [_WITHDRAWN_SINCE]}
    most = too_many_consents(stored, columns, now_ms) if is_added else 0
    return {"phone_number": [Sentence("A number has at most %(most)s consents.", most=most)]} if most else {}


def _dates_in_order(change: Change) -> Errors:
    given_ms, expires_ms = change.values["given_date"], change.values["expiration_date"]
    if expires_ms is None or given_ms is None or given_ms < expires_ms:
        return {}
    return {"expiration_date": [Sentence("It is not after %(field)s.", field=FieldName("given_date"))]}


def hours_in_order(hours: str) -> bool:
    """Return whether a text has hours of a day, such as `18:00-20:30`, or is empty."""
    found = _HOURS.fullmatch(hours)
    if found is None:
        return not hours
    try:
        first, last = map(time.fromisoformat, found.groups())
    except ValueError:
        return False
    return first < last


def _named_hours(change: Change) -> Errors:
    if not hours_in_order(change.values["hours"]):
        return {"hours": ["Write hours of a day as 18:00-20:30, the earlier one first."]}
    if change.values["hours_date"] is not None and not change.values["hours"]:
        return {"hours_date": [Sentence("A day needs %(field)s.", field=FieldName("hours"))]}
    return {}


def _proof(change: Change) -> Errors:
    url, digest = change.values["evidence_url"], change.values["evidence_sha256"]
    if url and not url.casefold().startswith(_WEB):
        return {"evidence_url": ["An address begins with https:// or http://."]}
    if digest and not _HASH.fullmatch(digest):
        return {"evidence_sha256": ["Write 64 hexadecimal digits: 0 to 9, and a to f in small letters."]}
    return {}


RULES_OF_ONE: Final = (
    FieldRule(("given_date", "expiration_date"), _dates_in_order),
    FieldRule(("hours", "hours_date"), _named_hours),
    FieldRule(("evidence_url", "evidence_sha256"), _proof),
)
"""The rules of a consent by itself. Those beside the others of its number come last."""
_COMPARED: Final = ("phone_number", "user", "given_date", "expiration_date", "withdrawn_date", "purposes", "seller")


def _columns(change: Change) -> Values:
    """Return the number in normal form, for a new consent: that of an erased person is a hash."""
    return {"number": normal_number(change)} if change.is_new else {}


CONSENTS = Resource(
    path="consent",
    is_personal=True,
    shapes=_CONSENT,
    filters=("phone_number", "kind", "how"),
    orderings=("created_date", "given_date"),
    numbers=("phone_number",),
    is_large=True,
    defaults=lambda unit, given: {"given_date": given.get("given_date") or unit.now_ms},
    rules=(*RULES_OF_ONE, FieldRule(_COMPARED, _beside_others)),
    columns=_columns,
    insert=lambda change, columns: add_consent(change.unit, columns),
    update=lambda change, columns: change_consent(change.unit, change.record_id, columns),
    remove=delete_consent,
    exported=True,
    is_left_out=lambda row: bool(row.phone_number == ERASED),
)
