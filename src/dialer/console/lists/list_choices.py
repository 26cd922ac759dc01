"""The choices of a viewer for an uploaded list: its target, its form, and the meaning of its columns."""

import hashlib
import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final
from urllib.parse import urlencode

import msgspec
from msgspec.structs import replace

from dialer.app.imports.charsets import CHARSETS
from dialer.app.imports.column_roles import NO_ROLES, ColumnRoles
from dialer.app.imports.csv_records import TableForm
from dialer.app.imports.guessed_columns import (
    ALL_NUMBERS,
    AREA,
    ASKED,
    COUNTRY,
    DO_NOT_CALL,
    DO_NOT_CALL_NOTES,
    FIRST_NAME,
    FULL_NAME,
    LAST_NAME,
    LEAVE_OUT,
    MAY_BE_CALLED,
    MEANINGS,
    NUMBER,
    REFUSALS,
    VARIABLE,
    guess_columns,
)
from dialer.app.imports.headers import COLUMNS_MAX, DELIMITERS
from dialer.app.imports.imports import ImportOptions
from dialer.app.imports.place_columns import COUNTRY as PERSON_COUNTRY
from dialer.app.imports.place_columns import PLACES, POSTAL_CODE, STATE, TIME_ZONE
from dialer.app.imports.preview import HEADER_LINE_MAX, FileView
from dialer.console.words.language import gettext_noop
from dialer.domain.calls.plans import SMS
from dialer.domain.numbers.destinations import read_region
from dialer.resources.crud.urls import parse_id
from dialer.time_zone_rules import read_table

LABEL_MAX: Final = 100
"""Characters of the name of a file that are shown."""
SHEET_MAX: Final = 255
NAME_MAX: Final = 255
PHONEBOOK: Final = "phonebook"
DNC_LIST: Final = "dnc-list"
CHARSET_WORDS: Final = {
    "utf-8": gettext_noop("UTF-8 (of today)"),
    "utf-16": gettext_noop("UTF-16 (Unicode text)"),
    "windows-1252": gettext_noop("Windows-1252 (western Europe, America)"),
    "iso-8859-1": gettext_noop("ISO 8859-1 (Latin-1)"),
    "iso-8859-15": gettext_noop("ISO 8859-15 (Latin-9)"),
    "windows-1250": gettext_noop("Windows-1250 (central Europe)"),
    "windows-1251": gettext_noop("Windows-1251 (Cyrillic)"),
    "windows-1253": gettext_noop("Windows-1253 (Greek)"),
    "windows-1254": gettext_noop("Windows-1254 (Turkish)"),
    "windows-1255": gettext_noop("Windows-1255 (Hebrew)"),
    "windows-1256": gettext_noop("Windows-1256 (Arabic)"),
    "windows-1257": gettext_noop("Windows-1257 (Baltic)"),
    "shift_jis": gettext_noop("Shift-JIS (Japanese)"),
    "gbk": gettext_noop("GBK, GB 18030 (simplified Chinese)"),
    "big5": gettext_noop("Big5 (traditional Chinese)"),
    "euc-kr": gettext_noop("EUC-KR (Korean)"),
    "tis-620": gettext_noop("TIS-620 (Thai)"),
    "macintosh": gettext_noop("Mac Roman (older Macs)"),
    "utf-16le": gettext_noop("UTF-16, little-endian"),
    "utf-16be": gettext_noop("UTF-16, big-endian"),
}
DELIMITER_WORDS: Final = {
    ",": gettext_noop("Comma"),
    ";": gettext_noop("Semicolon"),
    "\t": gettext_noop("Tab"),
    "|": gettext_noop("Vertical bar"),
}
REGION_ASKED: Final = "ask"
"""The value of the country while nobody has answered which one it is."""
MEANING_WORDS: Final = {
    ASKED: gettext_noop("Please choose"),
    NUMBER: gettext_noop("Phone number"),
    "number_2": gettext_noop("Second phone number"),
    "number_3": gettext_noop("Third phone number"),
    "number_4": gettext_noop("Fourth phone number"),
    COUNTRY: gettext_noop("Country of the number and the person"),
    AREA: gettext_noop("Area code, before the number"),
    FULL_NAME: gettext_noop("Name"),
    FIRST_NAME: gettext_noop("First name"),
    LAST_NAME: gettext_noop("Last name"),
    TIME_ZONE: gettext_noop("Time zone of the person"),
    STATE: gettext_noop("State or province"),
    POSTAL_CODE: gettext_noop("Postal code"),
    PERSON_COUNTRY: gettext_noop("Country of the person"),
    DO_NOT_CALL: gettext_noop("Must not be called: yes"),
    DO_NOT_CALL_NOTES: gettext_noop("Must not be called: if the words say so"),
    MAY_BE_CALLED: gettext_noop("May be called: yes"),
    VARIABLE: gettext_noop("A column for texts"),
    LEAVE_OUT: gettext_noop("Leave out"),
}
_READ_AS: Final = {FULL_NAME: "full_name", FIRST_NAME: "first_name", LAST_NAME: "last_name", LEAVE_OUT: ""}
_TAKEN: Final = frozenset({"contact", "phone_number", "full_name", "first_name", "last_name"})
"""Names of columns with a meaning of their own, which no variable may have by chance."""
_OF_LISTS: Final = (*ALL_NUMBERS, COUNTRY, AREA, LEAVE_OUT)
"""Meanings of columns of do-not-call lists, which have numbers only."""
LIST_REFUSED: Final = "list_refused"
MEND_ZEROS: Final = "mend_zeros"
_HAS_BOX: Final = "refused_box"
"""The field that says that `LIST_REFUSED` was shown, as a box without a tick is no field."""
_EXPORTED: Final = frozenset({"url", "contact", "additional_vars"})
"""Columns by which our own export is recognised: it is read as it was written."""


class ListChoices(msgspec.Struct, frozen=True):
    """The choices for one list. Choices that are None or empty are guessed."""

    into: str = PHONEBOOK
    """`PHONEBOOK` or `DNC_LIST`."""
    identity: int = 0
    """The id of the phonebook or the list; 0 for a phonebook that is yet to be made, for a new campaign."""
    name: str = ""
    """The name of a phonebook that is yet to be made."""
    label: str = ""
    """The name of the file."""
    form: TableForm = TableForm()
    region: str | None = None
    """An ISO 3166 code; empty for no country, None if nothing was chosen."""
    meanings: tuple[str, ...] = ()
    columns: str = ""
    """The mark of the columns to which `meanings` belong."""
    lists_refused: bool = True
    """True if people who must not be called are put on the account's do-not-call list."""

    mends_zeros: bool = False
    """True if numbers get a 0 back that a spreadsheet took."""
    medium: str = ""
    """The medium of the new campaign to which the list leads: `SMS`, or empty for calls."""

    def address(self, token: str, end: str = "") -> str:
        """Return the address of the page with these choices."""
        form = self.form
        pairs = {
            "into": self.into,
            "id": str(self.identity or ""),
            "name": self.name,
            "label": self.label,
            "charset": form.charset,
            "separator": form.delimiter,
            "header": None if form.header_line is None else str(form.header_line),
            "sheet": form.sheet,
            "hidden": None if form.hidden_rows is None else str(int(form.hidden_rows)),
            "columns": self.columns,
            "medium": self.medium,
        }
        query = {name: value for name, value in pairs.items() if value}
        query |= {} if self.region is None else {"region": self.region}
        query |= {f"m{place}": meaning for place, meaning in enumerate(self.meanings)}
        query |= {} if self.lists_refused else {_HAS_BOX: "1"}
        query |= {MEND_ZEROS: "1"} if self.mends_zeros else {}
        return f"/console/lists/{token}/{end}?{urlencode(query)}"

    @property
    def mark(self) -> str:
        """Return a short text that changes with every choice that affects an import."""
        form = replace(self.form, hidden_rows=takes_hidden(self))
        return mark_of([replace(self, name="", label="", form=form).address("")])


def read_choices(fields: Mapping[str, str]) -> ListChoices:
    """Return the choices in the fields of a form, or in an address. Values that are none are left out."""
    header, region = fields.get("header", ""), fields.get("region")
    charset, delimiter = fields.get("charset"), fields.get("separator")
    meanings = [fields.get(f"m{place}", "") for place in range(COLUMNS_MAX)]
    count = next((place for place, meaning in enumerate(meanings) if meaning not in MEANINGS), COLUMNS_MAX)
    return ListChoices(
        into=DNC_LIST if fields.get("into") == DNC_LIST else PHONEBOOK,
        identity=parse_id(fields.get("id", "")) or 0,
        name=fields.get("name", "").strip()[:NAME_MAX],
        label=shown_label(fields.get("label", "")),
        form=TableForm(
            charset=charset if charset in CHARSETS else None,
            delimiter=delimiter if delimiter and delimiter in DELIMITERS else None,
            header_line=int(header) if re.fullmatch("[0-9]{1,2}", header) else None,
            sheet=fields.get("sheet", "")[:SHEET_MAX] or None,
            hidden_rows={"0": False, "1": True}.get(fields.get("hidden", "")),
            pads_rows=True,
        ),
        region=None if region in {None, REGION_ASKED} else _region(region or ""),
        meanings=tuple(meanings[:count]),
        columns=fields.get("columns", ""),
        lists_refused=_HAS_BOX not in fields or LIST_REFUSED in fields,
        mends_zeros=fields.get(MEND_ZEROS) == "1",
        medium=SMS if fields.get("medium") == SMS else "",
    )


def shown_label(name: str) -> str:
    """Return the name of a file without folders and characters that cannot be shown."""
    last = name.replace("\\", "/").rpartition("/")[2]
    return "".join(mark for mark in last if mark.isprintable())[:LABEL_MAX].strip()


def mark_of(columns: Sequence[str]) -> str:
    """Return a short text that other columns do not have."""
    return hashlib.sha256("\0".join(columns).encode(errors="replace")).hexdigest()[:12]


def with_view(chosen: ListChoices, view: FileView, region: str | None) -> ListChoices:
    """Return the choices with all that was open, as the file tells it."""
    mark = mark_of(view.columns)
    meanings = chosen.meanings if chosen.columns == mark and len(chosen.meanings) == len(view.columns) else ()
    return replace(
        chosen,
        form=view.form,
        region=chosen.region if chosen.region is not None else region or "",
        meanings=meanings or tuple(_guessed(chosen, view, region)),
        columns=mark,
    )


def _guessed(chosen: ListChoices, view: FileView, region: str | None) -> list[str]:
    guessed = guess_columns(view.columns, [cells for _, cells in view.rows], region)
    if chosen.into == DNC_LIST:
        return [meaning if meaning in _OF_LISTS else LEAVE_OUT for meaning in guessed]
    return guessed


def options_of(chosen: ListChoices, columns: Sequence[str], number: str, *, is_dry: bool) -> ImportOptions:
    """Return the options of an import with these choices. `number` is the column that the numbers are read as."""
    targets = []
    is_own = {name.lower() for name in columns} >= _EXPORTED
    # Beside a whole name, its halves are variables of their own names.
    taken = _TAKEN - {"first_name", "last_name"} if FULL_NAME in chosen.meanings else _TAKEN
    for name, meaning in zip(columns, chosen.meanings, strict=False):
        target = number if meaning == NUMBER else _READ_AS.get(meaning, name)
        if meaning != NUMBER and meaning not in _READ_AS and not is_own and name.lower() in taken:
            target = f"{name} (2)"
        targets.append(target)
    return ImportOptions(
        columns={name.lower(): target for name, target in zip(columns, targets, strict=False)},
        roles=roles_of(chosen, targets),
        form=chosen.form,
        region=chosen.region,
        is_dry=is_dry,
        lists_refused=chosen.lists_refused,
        mends_zeros=chosen.mends_zeros,
        joins_names=True,
    )


def number_place(chosen: ListChoices) -> int | None:
    """Return the place of the column with the numbers; None if there is none."""
    return chosen.meanings.index(NUMBER) if NUMBER in chosen.meanings else None


def roles_of(chosen: ListChoices, columns: Sequence[str]) -> ColumnRoles:
    """Return the roles of columns besides that of the number, by the names under which they are read."""
    roles = replace(NO_ROLES, places={})
    named = list(zip(columns, chosen.meanings, strict=False))
    for wanted in (*ALL_NUMBERS[1:], COUNTRY, AREA, *PLACES, *REFUSALS):
        for name, meaning in named:
            if meaning == wanted:
                roles = roles.with_role(name, "contact" if meaning in ALL_NUMBERS else meaning)
    return roles


def meanings_for(into: str) -> tuple[str, ...]:
    """Return the meanings that a column of a list may have."""
    return _OF_LISTS if into == DNC_LIST else MEANINGS


def takes_hidden(chosen: ListChoices) -> bool:
    """Return whether rows that a workbook hides are imported: those of do-not-call lists, unless it is chosen."""
    return chosen.into == DNC_LIST if chosen.form.hidden_rows is None else chosen.form.hidden_rows


def header_lines(chosen: ListChoices, view: FileView) -> list[int]:
    """Return the lines that may be chosen as that with the names of the columns."""
    first = [line for line, _ in view.top if line <= HEADER_LINE_MAX]
    return sorted({*first, *([chosen.form.header_line] if chosen.form.header_line else [])})


def _region(text: str) -> str:
    try:
        return read_region(text)
    except ValueError:
        return ""


@cache
def country_of_zone(zone: str) -> str:
    """Return the country of a time zone; empty if it has none."""
    return _region(next((row[0] for row in read_table("zone.tab") if row[2] == zone), ""))
