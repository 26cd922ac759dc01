"""Many records in one request: each is judged by itself, and all good ones are inserted in one unit of work.

A record gets the answer that a POST of it alone would get, except that the records before it count as stored.
"""

from collections.abc import Callable, Collection, Sequence
from typing import Annotated, Final, NamedTuple

import msgspec

from dialer.app.imports.bulk import NewContact, NewEntry, add_contacts, add_entries, first_contacts
from dialer.domain.calling_times.own_zones import person_zone_key
from dialer.domain.calling_times.zones import zone_of_number
from dialer.domain.numbers.doubts import doubt_in_words, doubt_of
from dialer.domain.numbers.emergency import emergency_error, spells_emergency
from dialer.domain.numbers.entries import entries_in
from dialer.domain.numbers.normal_form import normalise
from dialer.domain.numbers.several_numbers import FoundNumber
from dialer.domain.words.described import described
from dialer.resources.crud.fields import Conventions
from dialer.resources.crud.references import NO_OBJECT
from dialer.resources.crud.resource import Resource, Unit, Values
from dialer.resources.crud.shapes import Given, Shape, fields_of, missing, parse_given
from dialer.resources.crud.visibility import seen_ids
from dialer.resources.records.contacts import CONTACTS, DNC_CONTACTS, already_on_list
from dialer.resources.records.own_zone import zone_errors
from dialer.resources.words.errors import Errors, InvalidError
from dialer.resources.words.strict_json import StrictJsonError, read_object
from dialer.store.queries.do_not_call import entries_on

PARENTS_MAX: Final = 100
"""The most phonebooks, or do-not-call lists, that the records of one request may name."""


class BulkResult(msgspec.Struct, omit_defaults=True):
    """The answer to one record: its status, and its id and URL, or its errors."""

    status: Annotated[
        int,
        described(
            "201: created. 200: a consent that says the same is there already. 400: wrong fields. 409: repeats another"
            " record, with `Prefer: handling=strict`.",
            201,
        ),
    ]
    id: Annotated[int | None, described("The id of the record.", 1)] = None
    url: Annotated[str | None, described("The URL of the record.", "https://dialer.example/rest-api/contact/1/")] = None
    duplicate_of: Annotated[
        str | None,
        described(
            "The URL of the earliest contact of the phonebook that has the same number.",
            "https://dialer.example/rest-api/contact/1/",
        ),
    ] = None
    warnings: Annotated[
        Errors | None,
        described(
            "Remarks on a number that is stored, by the name of the field: nobody can have it, or it was read kindly.",
            {"contact": ["…"]},
        ),
    ] = None
    errors: Annotated[
        Errors | None, described("Messages by the name of the field.", {"contact": ["This field is required."]})
    ] = None


class Draft(msgspec.Struct):
    """A record that was read: its values, the normal form of its number, its errors, and unknown fields."""

    values: Values
    number: str
    errors: Errors
    ignored: tuple[str, ...] = ()
    zone: str = ""
    entries: list[FoundNumber] = []
    """All numbers of an entry of a do-not-call list; nothing for a contact."""
    remarks: list[str] = []


class BulkKind(NamedTuple):
    """A resource that takes many records at once: the field with the number, and how good records are stored."""

    resource: Resource
    number: str
    repeated: Callable[[Unit, Sequence[Draft]], list[BulkResult | None]]
    """Returns the answers to records that repeat another and are refused; None for the others."""
    store: Callable[[Unit, Sequence[Draft]], list[BulkResult]]
    refuses_emergency: bool = False
    is_list: bool = False
    """True if numbers are read kindly, and each in a text counts."""

    @property
    def parent(self) -> str:
        """Return the field that names the phonebook or the list."""
        return str(self.resource.owner)


def read_drafts(kind: BulkKind, documents: Sequence[bytes], conventions: Conventions) -> list[Draft]:
    """Return the records of a bulk request. Call it outside of a unit of work, as it is slow."""
    return [_draft(kind, document, conventions) for document in documents]


def _draft(kind: BulkKind, document: bytes, conventions: Conventions) -> Draft:
    shape = _shape(kind)
    try:
        given = Given(read_object(document))
    except StrictJsonError as error:
        return Draft({}, "", {"non_field_errors": [str(error)]})
    parsed = parse_given(shape, given, conventions)
    values = {field.name: field.default for field in fields_of(shape) if not field.required} | parsed.values
    errors = {**missing(shape, (*parsed.errors, *values)), **parsed.errors}
    draft = Draft(values, "", errors, parsed.ignored)
    if kind.number not in errors:
        spelling = values[kind.number]
        _read_number(kind, draft, spelling, conventions)
        if kind.refuses_emergency:
            draft.zone = person_zone_key(values["tz_code"], "", zone_of_number(draft.number))
            errors |= zone_errors(values["tz_code"])
        if kind.refuses_emergency and spells_emergency(spelling, conventions.region):
            errors[kind.number] = [str(emergency_error(spelling))]
    return draft


def _read_number(kind: BulkKind, draft: Draft, spelling: str, conventions: Conventions) -> None:
    if kind.is_list:
        entries, remarks = entries_in(spelling, conventions.region)
        draft.entries, draft.number = list(entries), entries[0].number
        draft.remarks = [str(remark.message) for remark in remarks]
        return
    draft.number = normalise(spelling, conventions.region)
    doubt = doubt_of(draft.number)
    if doubt:
        draft.remarks = [str(doubt_in_words(doubt, draft.number))]


def create_all(unit: Unit, kind: BulkKind, drafts: Sequence[Draft]) -> list[BulkResult]:
    """Store the good records, and return one answer for each record, in order.

    Raises:
        InvalidError: the records name more than `PARENTS_MAX` phonebooks or lists.
    """
    _check_parents(unit, kind, drafts)
    answers = [BulkResult(400, errors=draft.errors) if draft.errors else None for draft in drafts]
    good = [place for place, draft in enumerate(drafts) if not draft.errors]
    refused = dict(zip(good, kind.repeated(unit, [drafts[place] for place in good]), strict=True))
    kept = [place for place in good if refused[place] is None]
    stored = dict(zip(kept, kind.store(unit, [drafts[place] for place in kept]), strict=True))
    for place, result in stored.items():
        if drafts[place].remarks:
            result.warnings = {kind.number: drafts[place].remarks}
    found = [answer or refused.get(place) or stored.get(place) for place, answer in enumerate(answers)]
    return [one for one in found if one is not None]


def _check_parents(unit: Unit, kind: BulkKind, drafts: Sequence[Draft]) -> None:
    """Add an error to records whose phonebook or list the caller may not see."""
    wanted = {draft.values[kind.parent] for draft in drafts if kind.parent in draft.values}
    if len(wanted) > PARENTS_MAX:
        what = f"The records name {len(wanted)} of them. Send at most {PARENTS_MAX} in one request."
        raise InvalidError({kind.parent: [what]})
    path: str = next(field.kind.path for field in fields_of(_shape(kind)) if field.name == kind.parent)  # type: ignore[attr-defined]
    seen = seen_ids(unit, path, wanted, unit.actor) if wanted else set()
    for draft in drafts:
        if kind.parent in draft.values and draft.values[kind.parent] not in seen:
            draft.errors.setdefault(kind.parent, [NO_OBJECT])


def _shape(kind: BulkKind) -> type[Shape]:
    if kind.resource.write is None:
        raise TypeError(f"{kind.resource.path} is only read")
    return kind.resource.write


def _by_parent(drafts: Sequence[Draft], parent: str) -> dict[int, list[str]]:
    found: dict[int, list[str]] = {}
    for draft in drafts:
        numbers = [entry.number for entry in draft.entries] or [draft.number]
        found.setdefault(draft.values[parent], []).extend(numbers)
    return found


# --- contacts -------------------------------------------------------------------------------------------------------


def _strict_repeats(unit: Unit, drafts: Sequence[Draft]) -> list[BulkResult | None]:
    """Refuse contacts that repeat another, in the database or before them, if the client prefers strict handling."""
    if not unit.conventions.is_strict:
        return [None] * len(drafts)
    known = _known_contacts(unit, drafts)
    answers: list[BulkResult | None] = []
    for draft in drafts:
        key = (draft.values["phonebook"], draft.number)
        answers.append(_repeats(unit, known[key]) if key in known else None)
        known.setdefault(key, 0)
    return answers


def _repeats(unit: Unit, contact_id: int) -> BulkResult:
    first = unit.conventions.links.record(CONTACTS.path, contact_id) if contact_id else None
    message = "This record repeats another one. Change that record, or send this without handling=strict."
    return BulkResult(409, duplicate_of=first, errors={"non_field_errors": [message]})


def _known_contacts(unit: Unit, drafts: Sequence[Draft]) -> dict[tuple[int, str], int]:
    return {
        (phonebook_id, number): contact_id
        for phonebook_id, numbers in _by_parent(drafts, "phonebook").items()
        for number, contact_id in first_contacts(unit.connection, phonebook_id, set(numbers)).items()
    }


def _new_contact(draft: Draft) -> NewContact:
    values = draft.values
    texts = (values["full_name"], values["additional_vars"], values["tz_code"])
    return NewContact(values["phonebook"], values["contact"], draft.number, draft.zone, *texts)


def _store_contacts(unit: Unit, drafts: Sequence[Draft]) -> list[BulkResult]:
    first = _known_contacts(unit, drafts)
    rows = [_new_contact(draft) for draft in drafts]
    links, answers = unit.conventions.links, []
    for row, contact_id in zip(rows, add_contacts(unit, rows), strict=True):
        earlier = first.setdefault((row.phonebook_id, row.number), contact_id)
        repeated = None if earlier == contact_id else links.record(CONTACTS.path, earlier)
        answers.append(BulkResult(201, contact_id, links.record(CONTACTS.path, contact_id), repeated))
    return answers


# --- do-not-call lists ----------------------------------------------------------------------------------------------


def _listed_already(unit: Unit, drafts: Sequence[Draft]) -> list[BulkResult | None]:
    """Refuse numbers that are on their list already, in the database or before them."""
    known: set[tuple[int, str]] = set()
    for dnc_id, numbers in _by_parent(drafts, "dnc").items():
        known.update(entries_on(unit.connection, [dnc_id], set(numbers)))
    answers: list[BulkResult | None] = []
    for draft in drafts:
        dnc_id = draft.values["dnc"]
        draft.entries = [entry for entry in draft.entries if (dnc_id, entry.number) not in known]
        is_known = not draft.entries
        answers.append(BulkResult(400, errors=already_on_list(draft.values["phone_number"])) if is_known else None)
        known.update((dnc_id, entry.number) for entry in draft.entries)
    return answers


def _store_entries(unit: Unit, drafts: Sequence[Draft]) -> list[BulkResult]:
    rows, firsts = list[NewEntry](), list[int]()
    for draft in drafts:
        firsts.append(len(rows))
        first, *further = draft.entries
        rows.append(NewEntry(draft.values["dnc"], draft.values["phone_number"], first.number))
        rows += [NewEntry(draft.values["dnc"], *entry) for entry in further]
    links, ids = unit.conventions.links, add_entries(unit, rows)
    return [BulkResult(201, ids[place], links.record(DNC_CONTACTS.path, ids[place])) for place in firsts]


CONTACTS_IN_BULK: Final = BulkKind(CONTACTS, "contact", _strict_repeats, _store_contacts, refuses_emergency=True)
DNC_CONTACTS_IN_BULK: Final = BulkKind(DNC_CONTACTS, "phone_number", _listed_already, _store_entries, is_list=True)


def ignored_in(drafts: Collection[Draft]) -> list[str]:
    """Return the names of unknown fields of all records, each once."""
    return list(dict.fromkeys(name for draft in drafts for name in draft.ignored))
