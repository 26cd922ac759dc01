"""Phonebooks, contacts and do-not-call lists."""

from collections.abc import Sequence
from typing import Any, Final

from msgspec import structs
from sqlalchemy import bindparam, func, select

from dialer.app.contacts.contacts import add_contact, change_contact, delete_contact, delete_phonebook
from dialer.app.contacts.do_not_call import (
    add_dnc_list,
    add_to_dnc,
    change_dnc_entry,
    change_dnc_list,
    delete_dnc_list,
    remove_from_dnc,
)
from dialer.app.imports.bulk import NewEntry, add_entries
from dialer.domain.calling_times.own_zones import OWN_ZONES_MAX, person_zone_key
from dialer.domain.calling_times.zones import zone_of_number
from dialer.domain.numbers.doubts import NumberDoubt, doubt_of
from dialer.domain.numbers.entries import EntryDoubt, entries_in
from dialer.domain.numbers.normal_form import normalise
from dialer.domain.numbers.several_numbers import FoundNumber
from dialer.domain.numbers.spellings import ERASED
from dialer.domain.words.proof import Proof, WishSource
from dialer.domain.words.roles import Role
from dialer.domain.words.sentences import Sentence
from dialer.resources.crud.declaration import NAME, OWNER, STAMPS, own, read_only, shapes, writable
from dialer.resources.crud.fields import (
    TEXT_MAX,
    Boolean,
    Conventions,
    JsonText,
    ListedNumber,
    PhoneNumber,
    Text,
    TextChoice,
)
from dialer.resources.crud.forms import form
from dialer.resources.crud.references import Identity, Reference
from dialer.resources.crud.resource import Change, FieldRule, Resource, Unit, Values, touches_nothing
from dialer.resources.records.emergency import no_emergency_number
from dialer.resources.records.own_zone import KNOWN_ZONE, OWN_ZONE_WORDS
from dialer.resources.words.errors import Errors
from dialer.store.database.bulk import PreparedStatement
from dialer.store.queries.do_not_call import forms_of
from dialer.store.tables import ACCOUNT, HELD, OF_SIMULATED, SERVICE, Contact, DncContact, DncList, Phonebook, User

GLOBAL_LISTS_MAX: Final = 20
"""The most lists that hold for every campaign. Each costs a lookup for every number that is dialled."""

_WITH_NUMBER: Final = PreparedStatement(
    select(Contact.id)
    .where(Contact.phonebook_id == bindparam("phonebook_id"), Contact.number == bindparam("number"))
    .order_by(Contact.id)
    .limit(1)
)
"""The earliest contact of a phonebook that has a number."""

_PHONEBOOK: Final = shapes(
    "Phonebook",
    Phonebook,
    {
        **own("phonebook"),
        "name": NAME,
        "description": writable(
            Text(TEXT_MAX), "A note for people. Default: empty.", example="Customers in Boston", hint=""
        ),
        "user": OWNER,
        **STAMPS,
    },
    form=form(("", "name description")),
    write_doc="A named list of contacts.",
)

_CONTACT: Final = shapes(
    "Contact",
    Contact,
    {
        **own("contact"),
        "phonebook": writable(Reference("phonebook"), "The phonebook to which the contact belongs.", hint=""),
        "contact": writable(
            PhoneNumber(),
            "The phone number, in any usual spelling. Numbers without `+` and country code belong to the service's"
            " default region.",
            example="+12025550100",
            title="Number",
            hint="In any usual spelling. Without + and country code, it counts as one of the service's own region.",
        ),
        "full_name": writable(
            Text(),
            "The name of the person, for `{full_name}` in scripts and texts; its first word is `{first_name}`."
            " Default: empty.",
            example="Ada Byron",
            title="Name",
            hint="It replaces {full_name} in texts; its first word replaces {first_name}.",
        ),
        "additional_vars": writable(
            JsonText(),
            "Variables for scripts and texts, such as `{city}`: a JSON object, as text in answers. Requests may send"
            " an object. Default: {}.",
            example='{"city":"Boston"}',
            title="Variables",
            hint="Further values for texts, such as {city}: a JSON object.",
        ),
        "tz_code": writable(
            Text(OWN_ZONES_MAX),
            f"The person's own time zone, {OWN_ZONE_WORDS}. It decides when they are called. Default: empty, for the"
            " zone of the number.",
            example="America/New_York",
            title="Time zone",
            hint="Such as America/New_York. Empty: that of the number.",
        ),
        **STAMPS,
    },
    form=form(
        ("", "phonebook contact full_name"),
        more=[("Where the person is", "tz_code"), ("For texts and surveys", "additional_vars")],
    ),
    write_doc="A contact: a person to call.",
    read_doc="A contact: a person to call, as it is stored.",
)

_DNC_LIST: Final = shapes(
    "DncList",
    DncList,
    {
        **own("dnc-list"),
        "name": NAME,
        "user": OWNER,
        "is_global": writable(
            Boolean(),
            "True if the list holds for every campaign of every user. Only admins set it, on their lists.",
            title="For all accounts",
            hint="Tick it if nobody in this service may call these numbers.",
        ),
        "keeps_wishes_of": read_only(
            Text(),
            "`account` for the user's own list, which takes the number of everybody who asks not to be called, and"
            " holds for all campaigns of the user. `held` for the user's list of numbers that are held until"
            " somebody has looked at a text message. `simulated` for the user's list of the wishes of simulated people,"
            " which holds only for campaigns over simulated gateways. `service` for the one list of wishes that no user"
            " is known to concern. Else empty.",
            example="account",
        ),
        **STAMPS,
    },
    form=form(("", "name is_global")),
    write_doc="A do-not-call list: numbers that must not be called.",
)

_DNC_CONTACT: Final = shapes(
    "DncContact",
    DncContact,
    {
        **own("dnc-contact"),
        "dnc": writable(
            Reference("dnc-list"),
            "The do-not-call list to which the entry belongs.",
            title="Do-not-call list",
            hint="Numbers on it are not called. Whoever asks not to be called again is put on it.",
        ),
        "phone_number": writable(
            ListedNumber(),
            (
                "The phone number that must not be called, in any usual spelling. A list has it once. An extension and"
                " remarks are ignored. Of several numbers, each gets an entry, and the answer has the first new one."
            ),
            example="+12025550100",
            title="Number",
            hint="In any usual spelling.",
        ),
        "source": read_only(
            TextChoice(tuple(WishSource)),
            "Where the wish comes from.",
            example=WishSource.TEXT.value,
            title="How it came",
        ),
        "campaign": read_only(
            Reference("campaigns"),
            "The campaign that called or wrote to the person, or that they called. It may have been deleted since."
            " Null if the wish was not said to a campaign.",
            nullable=True,
        ),
        "callrequest": read_only(
            Reference("callrequest"),
            "The call in which the person said it, which may have been removed since; or null.",
            nullable=True,
            title="Call",
        ),
        "sms_message": read_only(
            Reference("sms-message"),
            "The text message that the person answered, which may have been removed since; or null.",
            nullable=True,
            title="Text message",
        ),
        "section_id": read_only(
            Identity(),
            "The id of the section in which the person pressed the keys, which may have been deleted since; or null.",
            nullable=True,
            example=7,
            title="Section",
        ),
        "doubt": read_only(
            TextChoice(tuple(EntryDoubt)),
            "Why the entry may stop no calls. Empty if there is no doubt, and for wishes of people who were reached.",
            example=EntryDoubt.NO_COUNTRY.value,
        ),
        "said": read_only(
            Text(),
            "The keys that were pressed, the text message, the agent's note, or the proof that an imported file has."
            " Empty if nothing is known, and once the person is erased.",
            example="STOP",
            title="What was said",
        ),
        **STAMPS,
    },
    write_doc="An entry of a do-not-call list: a number that must not be called.",
)


def normal_form(change: Change, name: str) -> str:
    """Return the normal form of the number in a field."""
    return normalise(change.values[name], change.unit.conventions.region)


def _contact_remarks(values: Values, conventions: Conventions) -> list[str]:
    """Return the doubt about the number of a contact, if the request gives one."""
    doubt = doubt_of(normalise(values["contact"], conventions.region)) if "contact" in values else NumberDoubt.NONE
    return [doubt.value] if doubt else []


def _entry_remarks(values: Values, conventions: Conventions) -> list[str]:
    """Return the kinds of remarks on the number of an entry, if the request gives one."""
    text = values.get("phone_number", ERASED)
    return [] if text == ERASED else [remark.kind for remark in entries_in(text, conventions.region)[1]]


def _contact_columns(change: Change) -> Values:
    number = normal_form(change, "contact")
    zone = person_zone_key(change.values["tz_code"], "", zone_of_number(number))
    return {"number": number, "zone": zone}


def _first_with_number(unit: Unit, columns: Values) -> int | None:
    found = _WITH_NUMBER.run(unit.connection, columns)
    return found[0] if found else None


def _entries(change: Change) -> Sequence[FoundNumber]:
    """Return the numbers that an entry names, or the stored hash if the number was erased."""
    text = change.values["phone_number"]
    if not change.is_new and text == ERASED:
        return [FoundNumber(text, str(change.stored["number"]))]
    return entries_in(text, change.unit.conventions.region)[0]


def _new_entries(change: Change) -> list[FoundNumber]:
    """Return the numbers that an entry names and its list does not have in other entries."""
    entries, connection = _entries(change), change.unit.connection
    forms = forms_of(connection, [entry.number for entry in entries])
    query = select(DncContact.number).where(
        DncContact.dnc_id == change.values["dnc"], DncContact.number.in_(forms), DncContact.id != change.record_id
    )
    listed = {forms[form] for form in connection.scalars(query)}
    return [entry for entry in entries if entry.number not in listed]


def _entry_columns(change: Change) -> Values:
    """Return the normal form of the number of an entry; of several, the first that is new."""
    entries = _entries(change)
    if len(entries) > 1:
        entries = _new_entries(change) or entries
    return {"number": entries[0].number}


def _add_further(change: Change, first: str) -> None:
    """Put the numbers of an entry behind the first one on its list, too."""
    if len(_entries(change)) > 1:
        dnc_id = change.values["dnc"]
        further = [NewEntry(dnc_id, *entry) for entry in _new_entries(change) if entry.number != first]
        if further:
            add_entries(change.unit, further, _source(change))


def _insert_entry(change: Change, columns: Values) -> Any:  # noqa: ANN401 - a row
    row = add_to_dnc(change.unit, {**columns, "source": _source(change)})
    _add_further(change, columns["number"])
    return row


def _once_on_a_list(change: Change) -> Errors:
    return {} if _new_entries(change) else already_on_list(change.values["phone_number"])


def _source(change: Change) -> str:
    """Return where an entry comes from that a user adds: the console, or a program."""
    return WishSource.API if change.unit.actor.session_id is None else WishSource.CONSOLE


def _change_entry(change: Change, columns: Values) -> None:
    """Change an entry. Another number has not been said by the person of the earlier one."""
    is_other = change.stored["number"] != columns.get("number", change.stored["number"])
    proof = {**structs.asdict(Proof(WishSource(_source(change)))), "source": _source(change)} if is_other else {}
    change_dnc_entry(change.unit, change.record_id, {**columns, **proof})
    if "phone_number" in columns:
        _add_further(change, columns["number"])


def already_on_list(phone_number: str) -> Errors:
    """Return the error of a number that is on the do-not-call list already."""
    return {"phone_number": [Sentence("%(phone_number)r is on the list already.", phone_number=phone_number)]}


def _who_may_stop_everybody(change: Change) -> Errors:
    """Return an error if a list begins to hold for every campaign, and the caller or its owner is no admin."""
    if not change.values["is_global"] or not (change.moves("is_global") or change.moves("user")):
        return {}
    connection = change.unit.connection
    role = connection.scalar(select(User.role).where(User.id == change.values["user"]))
    if not (change.unit.actor.is_admin and role == Role.ADMIN):
        return {"is_global": ["Only an admin can make a list hold for every campaign, and only a list of an admin."]}
    others = select(func.count()).where(DncList.is_global, DncList.id != change.record_id)
    if (connection.scalar(others) or 0) < GLOBAL_LISTS_MAX:
        return {}
    return {
        "is_global": [
            Sentence(
                "%(most)s lists hold for every campaign already. Put the numbers on one of them.", most=GLOBAL_LISTS_MAX
            )
        ]
    }


def _wishes_stay(change: Change) -> Errors:
    """Return an error if a list that keeps wishes would hold for others than before."""
    if change.is_new or not change.stored["keeps_wishes_of"]:
        return {}
    if change.moves("user") and change.stored["keeps_wishes_of"] in {ACCOUNT, HELD, OF_SIMULATED}:
        return {"user": ["The list keeps the wishes of people not to be called by this user. It stays with the user."]}
    if change.moves("is_global") and change.stored["keeps_wishes_of"] == SERVICE:
        return {"is_global": ["The list keeps wishes that no user is known to concern, so it holds for everybody."]}
    return {}


PHONEBOOKS = Resource(
    path="phonebook",
    shapes=_PHONEBOOK,
    filters=("name",),
    orderings=("name", "created_date", "updated_date"),
    names=("name",),
    remove=delete_phonebook,
    touches=touches_nothing,
)
CONTACTS = Resource(
    path="contact",
    is_personal=True,
    shapes=_CONTACT,
    owner="phonebook",
    filters=("contact", "full_name"),
    orderings=("full_name", "contact", "created_date"),
    names=("full_name",),
    numbers=("contact",),
    is_large=True,
    users_alone_change_it=True,
    rules=(no_emergency_number("contact"), KNOWN_ZONE),
    columns=_contact_columns,
    first_like=_first_with_number,
    remarks=_contact_remarks,
    insert=lambda change, columns: add_contact(change.unit, columns),
    update=lambda change, columns: change_contact(change.unit, change.record_id, columns),
    remove=delete_contact,
    exported=True,
)
DNC_LISTS = Resource(
    path="dnc-list",
    shapes=_DNC_LIST,
    filters=("name", "is_global"),
    orderings=("name", "created_date", "updated_date"),
    names=("name",),
    rules=(FieldRule(("is_global", "user"), _who_may_stop_everybody), FieldRule(("user", "is_global"), _wishes_stay)),
    insert=lambda change, columns: add_dnc_list(change.unit, columns),
    update=lambda change, columns: change_dnc_list(change.unit, change.record_id, columns),
    remove=delete_dnc_list,
)
DNC_CONTACTS = Resource(
    path="dnc-contact",
    shapes=_DNC_CONTACT,
    owner="dnc",
    filters=("phone_number", "source", "campaign", "doubt"),
    orderings=("phone_number", "created_date"),
    numbers=("phone_number",),
    is_large=True,
    columns=_entry_columns,
    remarks=_entry_remarks,
    rules=(FieldRule(("phone_number", "dnc"), _once_on_a_list),),
    insert=_insert_entry,
    update=_change_entry,
    remove=remove_from_dnc,
    exported=True,
)
