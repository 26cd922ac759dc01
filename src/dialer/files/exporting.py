"""Records as documents: what `dialer apply` reads. Fields that have their default are left out."""

import json
from collections.abc import Iterator
from typing import Any, Final

from sqlalchemy import RowMapping, Select, func, select

from dialer.domain.numbers.spellings import ERASED
from dialer.domain.words.proof import PROOF_COLUMNS, WishSource
from dialer.files.exported_files import FilesBeside
from dialer.files.forms import is_same, show_value
from dialer.files.kinds import CONTACT, CONTACTS, KINDS, NUMBERS, RECORDINGS, SECTION, TIER, RecordKind, file_fields
from dialer.files.names import Names
from dialer.files.people import PEOPLE_MAX, spelling_of
from dialer.files.surveys import LENGTHS, numbers_of, rows_of
from dialer.resources.crud import records
from dialer.resources.crud.resource import Resource, Unit, Values
from dialer.resources.crud.shapes import Access, Field
from dialer.store.tables import Agent, AudioFile, BranchingTemplate, Contact, DncContact, DncList, Tier
from dialer.store.timeline.parts import moment

Document = dict[str, Any]
_BY_KEY: Final = {kind.key: kind for kind in KINDS}
_NOT_EXPORTED: Final = frozenset({"status"})
"""Fields that the life of a record changes."""
_OF_THE_SERVICE: Final = frozenset({"abandon_hours"})
"""Fields whose default is a setting of the service, which another service may not have: they are always said."""


_RECORDINGS_OF: Final = {
    SECTION.key: ("audiofile", "invalid_audiofile", "disclosure_audiofile"),
    "campaigns": ("voicemail_audiofile", "record_notice"),
}
"""The fields that name recordings."""
_ENTRY_COLUMNS: Final = ("id", "phone_number", "number", *PROOF_COLUMNS)
_SAID_SOURCES: Final = frozenset({WishSource.KEY, WishSource.AGENT, WishSource.TEXT, WishSource.CALLER})
"""The sources of entries whose person said something."""
CONTACT_COLUMNS: Final = ("url", "contact", "full_name", "tz_code", "additional_vars")
NUMBER_COLUMNS: Final = ("url", "dnc", "phone_number", *PROOF_COLUMNS)
PEOPLE_TOGETHER_MAX: Final = 10_000
"""People of all lists in one file that may have others beside it. Further lists are files of their own."""
LOADED_MAX: Final = 20_000
"""Records that an export over the API reads one by one."""


class ExportError(Exception):
    """Records cannot be written as a file that can be applied; the message says why."""


class Exporter:
    """Writes records of one account as documents.

    With `beside`, sounds and long lists are files of their own. Without it, recordings are named only.
    """

    def __init__(
        self, unit: Unit, owner_id: int, beside: FilesBeside | None = None, loads_max: int | None = None
    ) -> None:
        self._unit: Final = unit
        self._owner_id: Final = owner_id
        self._names: Final = Names(unit, owner_id)
        self._beside: Final = beside
        self._loads_left = loads_max
        self._people = 0
        self._added: Final[set[tuple[str, int]]] = set()

    def record(self, key: str, record_id: int) -> Document:
        """Return the record of a kind as a document, with its parts."""
        kind = _BY_KEY[key]
        stored = self._load(kind.resource, record_id)
        shown = self._fields(kind, stored)
        if key == RECORDINGS and self._beside is not None:
            return {**shown, kind.file: self._beside.add_sound(record_id, stored["name"], stored["audio_file"])}
        if kind.part in {CONTACTS, NUMBERS} and not self._has_room(kind, record_id):
            return {**shown, kind.file: self._list_beside(kind, record_id, stored["name"])}
        parts = list(self._parts(kind, record_id))
        return {**shown, kind.part: parts} if parts else shown

    def account(self) -> Document:
        """Return a document with all records of the account, except the list that the service keeps of its wishes."""
        document: Document = {}
        for kind in KINDS if self._beside is not None else KINDS[1:]:
            table = kind.resource.table
            own = [table.c["user_id"] == self._owner_id]
            own += [table.c[name] == value for name, value in kind.resource.constants]
            if kind.key == "dnc_lists":
                own.append(DncList.keeps_wishes_of == "")
            ids = self._unit.connection.scalars(select(table.c["id"]).where(*own).order_by(table.c["id"]))
            for record_id in ids.all():
                self._add_one(document, kind.key, record_id, with_people=True)
        return document

    def with_its_parts(self, key: str, record_id: int) -> Document:
        """Return a document with a record, and with the records that it cannot do without.

        A queue comes with its agents, a survey with its queues, and a campaign with its survey, and with its lists
        without their people.
        """
        document: Document = {}
        self._add(document, key, record_id)
        return {kind.key: document[kind.key] for kind in KINDS if kind.key in document}

    def _add(self, document: Document, key: str, record_id: int, *, with_people: bool = True) -> None:
        stored = self._add_one(document, key, record_id, with_people=with_people)
        for other, other_id in () if stored is None else self._needed(key, stored):
            self._add(document, other, other_id, with_people=False)

    def _add_one(self, document: Document, key: str, record_id: int, *, with_people: bool) -> Values | None:
        """Add a record, and return it as it is stored; None if the document has it already."""
        if (key, record_id) in self._added:
            return None
        self._added.add((key, record_id))
        kind = _BY_KEY[key]
        stored = self._load(kind.resource, record_id)
        if len(self._names.ids(kind.path, stored[kind.called], kind.called)) > 1:
            raise ExportError(
                f"the account has several records of the kind {kind.one!r} called {stored[kind.called]!r}: rename all"
                " but one, because files know records by their names"
            )
        is_list = key in {"phonebooks", "dnc_lists"}
        shown = self._fields(kind, stored) if is_list and not with_people else self.record(key, record_id)
        document.setdefault(key, []).append(shown)
        return stored

    def _needed(self, key: str, stored: Values) -> Iterator[tuple[str, int]]:
        connection = self._unit.connection
        if self._beside is not None:
            rows = rows_of(connection, stored["id"]) if key == "surveys" else []
            named = [row[f"{name}_id"] for row in rows for name in _RECORDINGS_OF[SECTION.key]]
            named += [stored[name] for name in _RECORDINGS_OF.get(key, ())]
            yield from ((RECORDINGS, one) for one in dict.fromkeys(named) if one is not None)
        if key == "queues":
            query = select(Agent.id).join(Tier, Tier.agent_id == Agent.id).where(Tier.queue_id == stored["id"])
            yield from (("agents", one) for one in connection.scalars(query.order_by(Agent.id)))
        if key == "surveys":
            queues = [row["queue_id"] for row in rows_of(connection, stored["id"]) if row["queue_id"] is not None]
            yield from (("queues", one) for one in dict.fromkeys(queues))
        if key == "campaigns" and stored["object_id"]:
            yield "surveys", stored["object_id"]
        if key in {"campaigns", "sms_campaigns"}:
            yield from (("phonebooks", one) for one in stored["phonebook"])
            lists = [stored["dnc"], *stored["dnc_lists"]]
            yield from (("dnc_lists", one) for one in dict.fromkeys(lists) if one is not None)

    def _fields(self, kind: RecordKind, stored: Values) -> Document:
        defaults = kind.defaults(stored)
        return {
            name: show_value(field, stored[field.name], self._unit, self._names)
            for name, field in file_fields(kind).items()
            if name not in _NOT_EXPORTED
            and field.access is not Access.WRITE_ONLY
            and (field.required or field.name in _OF_THE_SERVICE or not _is_default(field, stored, defaults))
        }

    def _parts(self, kind: RecordKind, record_id: int) -> Iterator[Any]:
        match kind.key:
            case "surveys":
                return self._sections(record_id)
            case "queues":
                return self._tiers(record_id)
            case "phonebooks":
                return self._contacts(record_id)
            case "dnc_lists":
                return map(_entry_of, self._numbers(record_id))
            case _:
                return iter(())

    def _sections(self, survey_id: int) -> Iterator[Document]:
        connection = self._unit.connection
        rows = rows_of(connection, survey_id)
        numbers = numbers_of(rows)
        branches = select(BranchingTemplate.keys, BranchingTemplate.goto_id).order_by(BranchingTemplate.id)
        for row in rows:
            stored = self._load(SECTION.resource, row["id"])
            ways = connection.execute(branches.where(BranchingTemplate.section_id == row["id"]))
            found = {keys: None if goto is None else numbers.get(goto) for keys, goto in ways}
            shown = {"id": numbers[row["id"]], **self._fields(SECTION, stored), **self._lengths(row)}
            yield shown | ({"branches": found} if found else {})

    def _lengths(self, row: RowMapping) -> Document:
        """Return the seconds of the recordings of a section, which replays and simulations need."""
        found = {}
        for name, recording in LENGTHS.items():
            query = select(AudioFile.duration_ms).where(AudioFile.id == row[f"{recording}_id"])
            duration_ms = self._unit.connection.scalar(query)
            if duration_ms is not None:
                found[name] = duration_ms / 1_000
        return found

    def _tiers(self, queue_id: int) -> Iterator[Any]:
        query = select(Tier.id, Agent.name).join(Agent, Agent.id == Tier.agent_id).where(Tier.queue_id == queue_id)
        for tier_id, name in self._unit.connection.execute(query.order_by(Tier.id)).all():
            fields = self._fields(TIER, self._load(TIER.resource, tier_id))
            yield {"name": name, **fields} if fields else name

    def _contacts(self, phonebook_id: int) -> Iterator[Document]:
        """Yield the contacts of a phonebook; of those with the same number, the earliest one, as a file has it."""
        for contact_id in self._unit.connection.scalars(_contact_ids(phonebook_id)).all():
            stored = self._load(CONTACT.resource, contact_id)
            shown = spelling_of(stored["contact"], stored["number"], self._unit.conventions.region)
            yield {**self._fields(CONTACT, stored), CONTACT.called: shown}

    def _numbers(self, dnc_id: int) -> Iterator[tuple[str, ...]]:
        """Yield each number of a list with its proof, in the order of `PROOF_COLUMNS`."""
        region = self._unit.conventions.region
        for row in self._unit.connection.execute(_number_rows(dnc_id)).all():
            since = f"{moment(row.created_date):%Y-%m-%dT%H:%M:%SZ}"
            yield spelling_of(row.phone_number, row.number, region), row.source, since, row.said

    def _has_room(self, kind: RecordKind, record_id: int) -> bool:
        """Return whether the people of a list stand in the file itself, and count them.

        Raises:
            ExportError: there are too many, and nothing is written beside the file.
        """
        query = _contact_ids(record_id) if kind.part == CONTACTS else _number_rows(record_id)
        count = len(self._unit.connection.execute(query.limit(PEOPLE_MAX + 1)).all())
        if count > PEOPLE_MAX and self._beside is None:
            raise ExportError(
                f"a file holds at most {PEOPLE_MAX} people of a list: give --output, and a CSV file beside it has them"
            )
        self._people += count
        if self._beside is None or (count <= PEOPLE_MAX and self._people <= PEOPLE_TOGETHER_MAX):
            return True
        self._people -= count
        return False

    def _list_beside(self, kind: RecordKind, record_id: int, name: str) -> str:
        """Write people into a file of their own, and return its path."""
        if self._beside is None:
            raise AssertionError("long lists were refused")
        if kind.part == NUMBERS:
            numbers = (("", "", *number) for number in self._numbers(record_id))
            return self._beside.add_list(NUMBERS, record_id, name, NUMBER_COLUMNS, numbers)
        rows = (_row_of(contact) for contact in self._contacts(record_id))
        return self._beside.add_list(CONTACTS, record_id, name, CONTACT_COLUMNS, rows)

    def _load(self, resource: Resource, record_id: int) -> Values:
        """Return a record as it is stored.

        Raises:
            ExportError: so many were read before that an answer would take too long.
        """
        if self._loads_left is not None:
            if not self._loads_left:
                raise ExportError(
                    f"the account has more than {LOADED_MAX:,} records, sections and people: export it on the machine"
                    " of the service, without --url"
                )
            self._loads_left -= 1
        return records.load(self._unit, resource, record_id)


def _contact_ids(phonebook_id: int) -> Select[int]:
    earliest = select(func.min(Contact.id)).where(Contact.phonebook_id == phonebook_id).group_by(Contact.number)
    return select(Contact.id).where(Contact.id.in_(earliest)).order_by(Contact.id)


def _number_rows(dnc_id: int) -> Select[Any]:
    query = select(*(getattr(DncContact, name) for name in _ENTRY_COLUMNS))
    return query.where(DncContact.dnc_id == dnc_id, DncContact.phone_number != ERASED).order_by(DncContact.id)


def _entry_of(number: tuple[str, ...]) -> str | Document:
    """Return a number as a file has it: with its proof if somebody said something, else alone."""
    phone_number, *proof = number
    source, _, said = proof
    if not said and source not in _SAID_SOURCES:
        return phone_number
    return {
        "phone_number": phone_number,
        **{name: text for name, text in zip(PROOF_COLUMNS, proof, strict=True) if text},
    }


def _row_of(contact: Document) -> tuple[str, ...]:
    variables = json.dumps(contact.get("additional_vars", {}), ensure_ascii=False)
    return ("", contact["contact"], contact.get("full_name", ""), contact.get("tz_code", ""), variables)


def _is_default(field: Field, stored: Values, defaults: Values) -> bool:
    """Return whether a record has the default of a field, be it that nobody has said anything."""
    value = stored[field.name]
    return value is field.default or is_same(field, value, defaults[field.name])
