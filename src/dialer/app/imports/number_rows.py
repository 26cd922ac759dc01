"""The rows that an import adds: contacts of a phonebook, and entries of a do-not-call list."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, ClassVar, Final, NamedTuple

from sqlalchemy import Column, Connection, Table, bindparam, func, select

from dialer.app.imports.column_roles import NO_ROLES, ColumnRoles, WishCells
from dialer.app.imports.footers import COUNT_DIGITS_MAX
from dialer.app.imports.number_cells import NumberCells, RowNumber
from dialer.app.imports.own_zone_cells import UNKNOWN_ZONE, ZoneCells
from dialer.app.imports.place_columns import CONTACT_EXPORT, OWN_COLUMN
from dialer.app.imports.refusals import Wish
from dialer.app.imports.report import RowError
from dialer.app.imports.variables import Variables
from dialer.app.work.errors import UnknownRecordError
from dialer.app.work.events import ContactsImported, NumbersCalledOff
from dialer.app.work.touched_records import touched_campaigns, users_of_dnc
from dialer.app.work.unit import UnitOfWork
from dialer.domain.calling_times.own_zones import person_zone_key
from dialer.domain.calling_times.zones import NUMBER_ZONES, zone_of_number
from dialer.domain.numbers.doubts import NumberDoubt, doubt_of, doubt_of_all
from dialer.domain.numbers.emergency import EMERGENCY_DIGITS_MAX, emergency_error, is_emergency
from dialer.domain.numbers.entries import NumberRemark, entry_doubt, mended_remark
from dialer.domain.numbers.lost_zeros import with_lost_zero
from dialer.domain.numbers.normal_form import NumberError
from dialer.domain.numbers.numbering_plans import PrefixTable
from dialer.domain.numbers.search_keys import name_key
from dialer.domain.words.proof import PROOF_COLUMNS, WishSource, earlier_proof, said_in
from dialer.domain.words.sentences import FieldName, Sentence, message_of
from dialer.store.database.bulk import Among, bulk_insert
from dialer.store.queries.do_not_call import entries_on
from dialer.store.queries.listed_people import ListedNumbers, listed_of_account
from dialer.store.rows.contact_names import count_added
from dialer.store.rows.joining.contact_collection import collect_phonebook
from dialer.store.rows.wishes import own_list, withdraw_listed
from dialer.store.tables import Row

FULL_NAME_MAX: Final = 255
NAME_PARTS: Final = ("first_name", "last_name")
READ_ONLY_COLUMNS: Final = frozenset({"id", "url", "phonebook", "created_date", "updated_date"})
"""Columns of an export of contacts that are not imported: the new contacts get their own values."""

_TABLES: Final = Row.metadata.tables
_USUAL_STARTS: Final = (6, 8, 11)
"""Characters of the starts of numbers by which those without doubts are looked up."""
_SHORT_MAX: Final = EMERGENCY_DIGITS_MAX + 1
"""Characters of numbers that may be emergency numbers, or counts of a table."""
UsualRow = tuple[str, tuple[Any, ...]]
"""The number of a row, and the values that are stored."""


class StoredRows(NamedTuple):
    """The counts of rows that an import added, and of added people on do-not-call lists."""

    added: int
    on_dnc: int = 0
    """Those on a list that holds for all campaigns of the account."""
    on_other_dnc: int = 0
    """Those on other lists only."""


class ImportTargetGoneError(UnknownRecordError):
    """An error for a phonebook or list that is deleted during an import. The imported rows are deleted with it."""


class NumberRows:
    """A parent record, and the rows of numbers that an import adds to it."""

    column: ClassVar[str]
    """The column with the number, in the header and in the table."""
    _table: ClassVar[Table]
    _parent: ClassVar[Column[int]]
    _parents: ClassVar[Table]
    _among: ClassVar[Among]
    _further: ClassVar[tuple[str, ...]] = ()
    _exported: ClassVar[frozenset[str]]
    """Columns by which an export of the records is recognised. Its cells are imported exactly as they are."""

    is_list: ClassVar = False
    """True for a do-not-call list, which is read kindly. The last value of its rows is the doubt about the entry."""
    counts_totals: ClassVar = False
    """True if a short number beside the word for a total is a count, and no number of a person."""

    def __init__(self, parent_id: int, *, region: str | None, user_id: int | None = None) -> None:
        """Take the parent, 0 for one that is yet to be made: the account `user_id` will own it."""
        self.parent_id: Final = parent_id
        self._user_id: Final = user_id
        self.region: Final = region
        self._place = 0
        self.is_export = False
        self.has_own_zones = self.has_wishes = False
        """True if rows may say where their people are, and that somebody must not be called."""
        self._numbers = self._cells_of((self.column,), NO_ROLES)
        self.remarks = self._numbers.remarks
        self.mends_zeros = False
        """True if numbers get a 0 back that they have lost, where that makes a number that somebody can have."""
        stamps = ("user_id", "created_date", "updated_date")
        names = (self._parent.name, self.column, "number", *self._further, *stamps)
        self._insert = bulk_insert(self._table, *names)

    def begin(self, columns: Sequence[str], *, joins_names: bool = False, roles: ColumnRoles = NO_ROLES) -> None:  # noqa: ARG002 - contacts have names
        """Prepare for rows with these columns; raise CsvError if a role is that of a column that is not there."""
        roles.check(columns)
        self._place = _place(columns, self.column)
        self.is_export = {name.lower() for name in columns} >= self._exported
        self._numbers = self._cells_of(columns, roles)
        self.remarks = self._numbers.remarks

    def rows_of(self, cells: Sequence[str]) -> tuple[list[tuple[str, tuple[Any, ...]]], RowError | None]:
        """Return the rows to store for a row of a file, by number, and the error of what is rejected."""
        try:
            found = self._numbers.first(cells)
            if self.mends_zeros:
                found = self._mended(found)
            values = (self.parent_id, found.text, found.number, *self._values(cells, found.number))
        except NumberError as error:
            return [], self._row_error(error, cells)
        except RowError as error:
            return [], error
        return [(found.number, values)], None

    def _mended(self, found: RowNumber) -> RowNumber:
        """Return a number with the 0 that it has lost, and remark on that; or unchanged."""
        if self.is_export or not (number := with_lost_zero(found.number)):
            return found
        self.remarks.append(mended_remark(found.written, number))
        return RowNumber(found.written, number, number)

    def counts_refusals(self, *, is_dry: bool) -> bool:  # noqa: ARG002 - texts of contacts may refuse calls
        """Return whether all texts are searched for words that refuse calls."""
        return False

    def look_at(self, rows: Sequence[Sequence[str]]) -> None:
        """Find, by the cells of the first rows, columns whose names do not tell what they are."""

    def usual_row(self, cells: Sequence[str]) -> UsualRow | None:  # noqa: ARG002 - contacts have usual rows
        """Return the number of a row that is stored without a remark, and its values; None if more is to be judged."""
        return None

    def wish_in(self, cells: Sequence[str]) -> Wish:  # noqa: ARG002 - contacts have wishes
        """Return whether a row says that the person must not be called."""
        return Wish.NONE

    def refusal_in(self, cells: Sequence[str]) -> str:  # noqa: ARG002 - contacts have wishes
        """Return the words of a row that say that the person must not be called."""
        return ""

    def cell_in(self, cells: Sequence[str]) -> str:
        """Return the number of a row as it is written in the file."""
        try:
            return self._numbers.first(cells).written
        except NumberError:
            return self._numbers.written(cells)

    def sampled_numbers(self) -> list[str]:
        """Return numbers from all parts of the file whose rows do not name their country."""
        return self._numbers.sample.numbers()

    def call_off(self, unit: UnitOfWork, refused: Mapping[str, tuple[str, str]]) -> None:
        """Put numbers on the do-not-call list of the account, each with its text and the words that refuse calls."""
        raise NotImplementedError

    def place_in(self, values: Sequence[Any]) -> str:  # noqa: ARG002 - contacts have zones
        """Return the zones of the person among the values of a row; empty for those of the number."""
        return ""

    def name_in(self, values: Sequence[Any]) -> str:  # noqa: ARG002 - contacts have names
        """Return the name among the values of a row; empty if such rows have none."""
        return ""

    def remark_on_zone(self, cells: Sequence[str], number: str) -> NumberRemark | None:  # noqa: ARG002 - contacts have zones
        """Return a remark on the zone in a row that is imported; None if it is fine."""
        return None

    def store(self, unit: UnitOfWork, rows: Mapping[str, tuple[Any, ...]]) -> StoredRows:
        """Insert the rows, by number, that are not there yet.

        Raises:
            ImportTargetGoneError: the parent has been deleted.
        """
        connection, now_ms = unit.connection, unit.now_ms
        stamps = (self._owner(connection), now_ms, now_ms)
        stored_numbers = self._known(connection, rows)
        added = [values + stamps for number, values in rows.items() if number not in stored_numbers]
        self._insert.run(connection, added)
        self._stored(unit, added)
        return StoredRows(len(added), *map(len, self.listed(connection, rows.keys() - stored_numbers)))

    def listed(self, connection: Connection, numbers: Collection[str]) -> ListedNumbers:  # noqa: ARG002 - people are called
        """Return which people with some numbers are on do-not-call lists."""
        return ListedNumbers()

    def last_id(self, connection: Connection) -> int:
        """Return the id of the newest row of all parents; 0 if there is none."""
        return connection.scalar(select(func.max(self._table.c.id))) or 0

    def count_since(self, connection: Connection, last_id: int) -> int:
        """Return the number of rows of the phonebook or list with a higher id than `last_id`."""
        newer = (self._parent == self.parent_id) & (self._table.c.id > last_id)
        return connection.scalar(select(func.count()).select_from(self._table).where(newer)) or 0

    def stored_numbers(self, connection: Connection, numbers: Collection[str]) -> set[str]:
        """Return the numbers that the phonebook or list has already; none if it does not exist yet.

        Raises:
            ImportTargetGoneError: the parent has been deleted.
        """
        if not self.parent_id:
            return set()
        self._owner(connection)
        return self._known(connection, numbers)

    def _owner(self, connection: Connection) -> int:
        """Return the account of the parent, or raise ImportTargetGoneError."""
        owner_id: int | None = connection.scalar(
            select(self._parents.c.user_id).where(self._parents.c.id == self.parent_id)
        )
        if owner_id is None:
            raise ImportTargetGoneError
        return owner_id

    def _known(self, connection: Connection, numbers: Collection[str]) -> set[str]:
        return self._among.run(connection, numbers, {"parent": self.parent_id})

    def _cells_of(self, columns: Sequence[str], roles: ColumnRoles) -> NumberCells:
        return NumberCells(
            columns,
            self._place,
            self.region,
            roles,
            check=self._check,
            is_exact=self.is_export,
            is_kind=self.is_list,
        )

    def _row_error(self, error: NumberError, cells: Sequence[str]) -> RowError:
        sentence = Sentence("%(column)s: %(error)s", column=self.column, error=message_of(error))
        return RowError(error.problem, sentence, self._numbers.written(cells))

    def _values_of(self, found: RowNumber, cells: Sequence[str]) -> tuple[Any, ...]:
        return (self.parent_id, found.text, found.number, *self._values(cells, found.number))

    def _check(self, cell: str, number: str) -> None:
        """Raise NumberError for a number that must not be stored."""

    def _values(self, _cells: Sequence[str], _number: str) -> tuple[Any, ...]:
        """Return the values of the `_further` columns; raises RowError."""
        return ()

    def _stored(self, unit: UnitOfWork, added: Sequence[tuple[Any, ...]]) -> None:
        """Do what follows in the same transaction, and note what was touched."""
        raise NotImplementedError


_TZ_PLACE: Final = 4
_NAME_PLACE: Final = 5
"""The place of the full name among the values of a contact, behind phonebook, contact, number, zone and tz_code."""


class ContactRows(NumberRows):
    """Contacts of a phonebook, which become subscribers of the started campaigns that call it."""

    counts_totals = True
    column = "contact"
    _exported = CONTACT_EXPORT
    _table = _TABLES["contact"]
    _parent = _table.c.phonebook_id
    _parents = _TABLES["phonebook"]
    _further = ("zone", "tz_code", "full_name", "full_name_key", "additional_vars")
    _among = Among(_table.c.number, _parent == bindparam("parent"))
    _name_at = 3 + _further.index("full_name")  # After the parent, the cell and the number.
    _variables_at = 3 + _further.index("additional_vars")

    def begin(self, columns: Sequence[str], *, joins_names: bool = False, roles: ColumnRoles = NO_ROLES) -> None:
        """Prepare for rows. Columns besides number and name are variables, except read-only columns of an export."""
        super().begin(columns, roles=roles)
        self._wishes = WishCells(columns, roles)
        self.has_wishes = self._wishes.is_used
        self._name_place = _place(columns, "full_name")
        parts = [_place(columns, name) for name in NAME_PARTS] if joins_names else []
        self._name_parts = [place for place in parts if place >= 0]
        self._own_zones = ZoneCells(columns, roles.places, is_export=self.is_export, country=roles.country)
        self.has_own_zones = self._own_zones.is_used
        others = {self._place, self._name_place}
        if self._own_zones.zone_place == _place(columns, OWN_COLUMN):
            others.add(self._own_zones.zone_place)
        skipped = READ_ONLY_COLUMNS if self.is_export else frozenset[str]()
        named = [(place, name) for place, name in enumerate(columns) if place not in others and name]
        self._variables = Variables(
            [(place, name) for place, name in named if name.lower() not in skipped], is_export=self.is_export
        )

        self._is_usual = self._numbers.is_plain and not self.has_wishes
        self._usual_zones = PrefixTable(_zone_without_doubts, _USUAL_STARTS)

    def usual_row(self, cells: Sequence[str]) -> UsualRow | None:
        """Return the number of a row that is stored without a remark, and its values; None if more is to be judged.

        It says nothing else than `rows_of` and `doubt_of`, in half the time. Most rows of most lists are such rows.
        """
        found = self._numbers.usual(cells) if self._is_usual else None
        if found is None:
            return None
        text, number = found
        zone = self._usual_zones.of(number)
        if (zone is None or len(number) <= _SHORT_MAX) and (len(text) <= COUNT_DIGITS_MAX or is_emergency(number)):
            return None
        if zone is None:
            if doubt_of(number):
                return None
            zone = zone_of_number(number)
        tz_code = ""
        if self.has_own_zones:
            tz_code, problem, _ = self._own_zones.of(cells, number)
            if problem is not None:
                return None
            zone = person_zone_key(tz_code, "", zone)
        try:
            full_name = self._full_name(cells)
            variables = self._variables.of(cells)
        except RowError:
            return None
        self._numbers.count(text)
        return number, (self.parent_id, text, number, zone, tz_code, full_name, name_key(full_name), variables)

    def counts_refusals(self, *, is_dry: bool) -> bool:
        """Return whether all texts are searched for words that refuse calls: those of a check, as it takes time."""
        return is_dry and not self.is_export

    def look_at(self, rows: Sequence[Sequence[str]]) -> None:
        """Find a column with time zones by the cells of the first rows."""
        self._own_zones.look_at(rows)
        self.has_own_zones = self._own_zones.is_used

    def remark_on_zone(self, cells: Sequence[str], number: str) -> NumberRemark | None:
        """Return the reason, kind and value of a remark on a cell that names no known time zone."""
        if not self.has_own_zones:
            return None
        found = self._own_zones.of(cells, number)
        return None if found.problem is None else NumberRemark(UNKNOWN_ZONE, found.problem, found.cell)

    def place_in(self, values: Sequence[Any]) -> str:
        """Return the zones of the person among the values of a row."""
        return str(values[_TZ_PLACE])

    def name_in(self, values: Sequence[Any]) -> str:
        """Return the full name among the values of a row."""
        return str(values[_NAME_PLACE])

    def wish_in(self, cells: Sequence[str]) -> Wish:
        """Return whether a row says that the person must not be called."""
        return self._wishes.of(cells) if self.has_wishes else Wish.NONE

    def refusal_in(self, cells: Sequence[str]) -> str:
        """Return the columns that refuse calls with their words, such as `Do Not Call: 1`."""
        return said_in(self._wishes.words(cells))

    def call_off(self, unit: UnitOfWork, refused: Mapping[str, tuple[str, str]]) -> None:
        """Put numbers on the account's own do-not-call list, which holds for all its campaigns."""
        own = own_list(unit.connection, self._owner(unit.connection), unit.now_ms)
        by = WishSource.IMPORT.value
        rows = {no: (own, text, no, by, said, entry_doubt(no).value) for no, (text, said) in refused.items()}
        DncRows(own, region=None).store(unit, rows)

    def listed(self, connection: Connection, numbers: Collection[str]) -> ListedNumbers:
        """Return which people with some numbers are on do-not-call lists of the account."""
        owner_id = self._owner(connection) if self.parent_id else self._user_id
        return ListedNumbers() if owner_id is None else listed_of_account(connection, owner_id, numbers)

    def _check(self, cell: str, number: str) -> None:
        if is_emergency(number):
            raise emergency_error(cell)

    def _full_name(self, cells: Sequence[str]) -> str:
        """Return the name of a person; raises RowError if it is too long."""
        full_name = cells[self._name_place] if self._name_place >= 0 else ""
        if not self.is_export:
            full_name = full_name.strip()
        if self._name_parts and not full_name:
            full_name = " ".join(filter(None, [cells[place].strip() for place in self._name_parts]))
        if len(full_name) > FULL_NAME_MAX:
            column = FieldName("full_name")
            raise RowError(
                "full_name",
                Sentence("%(column)s: more than %(most)s characters", column=column, most=FULL_NAME_MAX),
                full_name,
            )
        return full_name

    def _values(self, cells: Sequence[str], number: str) -> tuple[Any, ...]:
        full_name = self._full_name(cells)
        tz_code, number_zone = "", zone_of_number(number)
        if self.has_own_zones:
            tz_code = self._own_zones.of(cells, number).tz_code
        zone = person_zone_key(tz_code, "", number_zone) if tz_code else number_zone
        return zone, tz_code, full_name, name_key(full_name), self._variables.of(cells)

    def _stored(self, unit: UnitOfWork, added: Sequence[tuple[Any, ...]]) -> None:
        count_added(unit.connection, self.parent_id, [(row[self._name_at], row[self._variables_at]) for row in added])
        campaign_ids = collect_phonebook(unit.connection, self.parent_id, unit.now_ms)
        unit.note(touched_campaigns(*campaign_ids), ContactsImported(self.parent_id, len(added)))


class DncRows(NumberRows):
    """Numbers of a do-not-call list."""

    column = "phone_number"
    _exported = frozenset({"url", "dnc"})
    _table = _TABLES["dnc_contact"]
    _parent = _table.c.dnc_id
    _parents = _TABLES["dnc_list"]
    is_list = True
    _further = ("source", "said", "doubt")

    def begin(self, columns: Sequence[str], *, joins_names: bool = False, roles: ColumnRoles = NO_ROLES) -> None:
        """Prepare for rows. An export has the proof of each entry, which stays as words."""
        super().begin(columns, joins_names=joins_names, roles=roles)
        self._proof = [_place(columns, name) for name in PROOF_COLUMNS] if self.is_export else []

    def _values(self, cells: Sequence[str], number: str) -> tuple[Any, ...]:
        proof = earlier_proof([cells[place] for place in self._proof if place >= 0])
        return WishSource.IMPORT.value, proof, entry_doubt(number)

    def rows_of(self, cells: Sequence[str]) -> tuple[list[tuple[str, tuple[Any, ...]]], RowError | None]:
        """Return the entries for all numbers of a row, and the reason why one of its numbers is rejected."""
        found, problems = self._numbers.all(cells)
        entries = []
        for one in found:
            entries.append((one.number, self._values_of(one, cells)))
            if (mended := self._mended(one)) is not one:  # Both are on the list: nobody knows which one is meant.
                entries.append((mended.number, self._values_of(mended, cells)))
        return entries, self._row_error(problems[0], cells) if problems else None

    def _known(self, connection: Connection, numbers: Collection[str]) -> set[str]:
        return {number for _, number in entries_on(connection, [self.parent_id], numbers)}

    def _stored(self, unit: UnitOfWork, added: Sequence[tuple[Any, ...]]) -> None:
        withdraw_listed(unit.connection, self.parent_id, [row[2] for row in added], WishSource.IMPORT, unit.now_ms)
        unit.note(users_of_dnc(unit.connection, self.parent_id), NumbersCalledOff(self.parent_id, len(added)))


def _zone_without_doubts(start: str, length: int) -> str | None:
    """Return the zone key of all numbers of a length that begin with a start; None if some need a second look."""
    return NUMBER_ZONES.keys.work_out(start, length) if doubt_of_all(start, length) is NumberDoubt.NONE else None


def _place(columns: Sequence[str], wanted: str) -> int:
    """Return the place of a column, its name in upper or lower case; -1 if there is none."""
    return next((place for place, name in enumerate(columns) if name.lower() == wanted), -1)
