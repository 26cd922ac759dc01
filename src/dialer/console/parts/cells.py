"""The cells of lists of records: values in the words of people, and links to the records that they name."""

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, tzinfo
from decimal import Decimal
from typing import Any, Final, NamedTuple
from urllib.parse import quote

import msgspec

from dialer.console.parts.record_currencies import currencies_of_records
from dialer.console.parts.rendering import MINUS, UNKNOWN, decimal, grouped, moment_of, percentage, seconds
from dialer.console.parts.sound_words import stream_in_words
from dialer.console.words.catalogue import PAGES
from dialer.console.words.countries import countries_in_words
from dialer.console.words.currency import with_currency
from dialer.console.words.field_hints import DURATIONS, UNITS
from dialer.console.words.field_titles import title_of
from dialer.console.words.language import gettext, gettext_noop, viewers_language
from dialer.console.words.record_names import names_of
from dialer.console.words.state_words import capitalised, word_of_choice, words_of
from dialer.domain.numbers.spellings import ERASED
from dialer.domain.words.reasons import CAMPAIGN_REASONS, SUBSCRIBER_REASONS, WaitsFor
from dialer.resources.crud.fields import Amount, Boolean, Choice, Integer, JsonObject, Kind, TextChoice
from dialer.resources.crud.moments import Timestamp
from dialer.resources.crud.references import OwnUrl, Reference, ReferenceList
from dialer.resources.crud.resource import Resource, Unit
from dialer.resources.crud.shapes import Field, Shape, fields_of
from dialer.resources.records.received_texts import SMS_RECEIVED
from dialer.resources.records.sound_qualities import SoundObject

TEXT_MAX: Final = 120
"""Characters of a value that a cell shows."""
ASSIGNED: Final = gettext_noop("Assigned")
WAITS: Final = gettext_noop("Waits for an admin")
"""The state of a number for calls in that nobody has assigned."""
_REASONS: Final = {**SUBSCRIBER_REASONS, **CAMPAIGN_REASONS}
_SHORT_WAITS: Final[Mapping[str, str]] = {
    WaitsFor.NOT_STARTED: gettext_noop("The start of the campaign"),
    WaitsFor.PAUSED: gettext_noop("The end of the pause"),
    WaitsFor.NO_CREDIT: gettext_noop("Credit"),
    WaitsFor.EXPIRED: gettext_noop("Nothing: the campaign is over"),
    WaitsFor.OVER: gettext_noop("Nothing: the campaign was ended"),
    WaitsFor.EMERGENCY: gettext_noop("Nothing: it is an emergency number"),
    WaitsFor.INVALID_NUMBER: gettext_noop("Nothing: there is no such number"),
    WaitsFor.DESTINATION: gettext_noop("Nothing: such numbers may not be called"),
    WaitsFor.TZ_UNKNOWN: gettext_noop("Nothing: the time zone is unknown"),
    WaitsFor.DNC: gettext_noop("Nothing: it is on a do-not-call list"),
    WaitsFor.NO_CONSENT: gettext_noop("Nothing: the person has not agreed"),
    WaitsFor.STARTING: gettext_noop("The first day of the campaign"),
    WaitsFor.RETRY: gettext_noop("The next attempt"),
    WaitsFor.WINDOW: gettext_noop("Hours in which calls are allowed"),
    WaitsFor.NO_SKILL: gettext_noop("An agent with the skills"),
    WaitsFor.NO_AGENT: gettext_noop("A free agent"),
    WaitsFor.MAX_ALEG: gettext_noop("Room among the calls of the campaign"),
    WaitsFor.LINE_DOWN: gettext_noop("The line to the carrier"),
    WaitsFor.RESTING: gettext_noop("The end of the carrier's rest"),
    WaitsFor.ASKED_TO_REST: gettext_noop("The end of the carrier's rest"),
    WaitsFor.GATEWAY_FULL: gettext_noop("Room at the carrier"),
    WaitsFor.CREDIT_HELD: gettext_noop("The end of calls that hold the balance"),
    WaitsFor.TURN: gettext_noop("Its turn"),
}
_CENTS: Final = re.compile(r"(\.\d\d\d*?)0*\Z")
"""The digits after the point, of which two stay at least."""
_SECONDS: Final = (
    *DURATIONS,
    *(name for name, unit in UNITS.items() if unit == "seconds"),
    *("billed_duration", "billsec", "duration", "recording_duration"),
)
"""The fields in seconds."""
_ID_AT_END: Final = re.compile(r"(\d+)/?\Z")

Names = Mapping[str, Mapping[int, str]]
"""The names of records by the path of their resource and by id."""


class Cell(NamedTuple):
    """A value of a record on a page."""

    text: str
    url: str = ""
    is_number: bool = False
    tone: str = ""
    """`good`, `fair` or `bad` for a state that is shown as a badge."""
    code: str = ""
    """The code that the text stands for, where it helps those who know the API."""


def rows_of(
    unit: Unit, resource: Resource, names: Sequence[str], records: Sequence[Shape], zone: tzinfo
) -> list[list[Cell]]:
    """Return the cells of some fields for records as the API answers with them."""
    fields = {field.name: field for field in fields_of(resource.read)}
    shown = [fields[name] for name in names]
    named = _named(unit, shown, records)
    own = currencies_of_records(unit, resource.path, records)
    rows = [
        [cell_of(field, getattr(record, field.name), named, zone, currency) for field in shown]
        for record, currency in zip(records, own, strict=True)
    ]
    return [[*map(_linked, names, row)] for row in rows] if resource.path == SMS_RECEIVED.path else rows


def _linked(name: str, cell: Cell) -> Cell:
    """Return the cell of a received text: its number leads to the page of the number, and a need stands out."""
    if name == "needs_person":
        return cell._replace(tone="bad" if cell.text == gettext("Yes") else "")
    is_number = name == "number" and cell.text not in {UNKNOWN, ERASED}
    return cell._replace(url=f"/console/number/?number={quote(cell.text)}") if is_number else cell


def cell_of(
    field: Field,
    value: Any,  # noqa: ANN401 - of the kind of the field
    named: Names,
    zone: tzinfo,
    own: str | None = None,
) -> Cell:
    """Return the cell for a value as the API answers with it; `own` is the currency of the record's account."""
    kind = field.kind
    if field.name in _WORDS_OF_FIELDS:
        return Cell(_WORDS_OF_FIELDS[field.name](value)[:TEXT_MAX])
    if value is None or value == "":
        return Cell(UNKNOWN)
    if isinstance(kind, Reference) and not isinstance(kind, ReferenceList):
        identity = id_in(str(value))
        name = named.get(kind.path, {}).get(identity) or number_of(identity)
        return Cell(name, f"{PAGES[kind.path].record_url}{identity}/" if kind.path in PAGES else "")
    words = next((words for kind_class, words in _WORDS if isinstance(kind, kind_class)), None)
    text = _text(value) if words is None else words(kind, value, zone)
    if isinstance(kind, Amount):
        text = _amount(_text(value), own)
    return Cell(text[:TEXT_MAX], is_number=isinstance(kind, (Amount, Integer, ReferenceList)))


_WORDS_OF_FIELDS: Final[Mapping[str, Callable[[Any], str]]] = {
    **dict.fromkeys(_SECONDS, seconds),
    "abandon_rate_max": lambda value: UNKNOWN if value is None else percentage(float(_text(value))),
    "agent_dial_rate": lambda value: UNKNOWN if value is None else decimal(float(_text(value)), 2),
    "after": lambda value: _members(value, lambda name: gettext(title_of("", name))),
    "allowed_countries": countries_in_words,
    "before": lambda value: _members(value, lambda name: gettext(title_of("", name))),
    "is_assigned": lambda value: gettext(ASSIGNED if value else WAITS),
    "problem": lambda value: gettext(word_of_choice(value)) if value else UNKNOWN,
    "status_reason": lambda value: capitalised(gettext(_REASONS[value])) if value in _REASONS else value or UNKNOWN,
    "subscriber_id": lambda value: UNKNOWN if value is None else str(value),
    "waits_for": lambda value: gettext(_SHORT_WAITS.get(value, value)) if value else UNKNOWN,
}
"""The words for the values of fields that say more than those of their kind."""
_WORDS: Final[tuple[tuple[type[Kind], Callable[[Any, Any, tzinfo], str]], ...]] = (
    (ReferenceList, lambda _kind, value, _zone: str(len(value))),
    (Choice, lambda kind, value, _zone: words_of(kind.values(value))),
    (TextChoice, lambda _kind, value, _zone: word_of_choice(value)),
    (Boolean, lambda _kind, value, _zone: gettext("Yes") if value else gettext("No")),
    (Timestamp, lambda _kind, value, zone: moment_of(datetime.fromisoformat(value).astimezone(zone))),
    (Integer, lambda _kind, value, _zone: grouped(value)),
    (JsonObject, lambda _kind, value, _zone: _members(value, str)),
    (SoundObject, lambda _kind, value, _zone: stream_in_words(value["heard"]) or UNKNOWN),
)
"""The words for a value by the kind of its field."""


def number_of(identity: int) -> str:
    """Return the text for a record without a name."""
    return gettext("No. %(id)s") % {"id": identity}


def id_in(url: str) -> int:
    """Return the id at the end of a record's URL; 0 if there is none."""
    match = _ID_AT_END.search(url)
    return int(match[1]) if match else 0


def _amount(text: str, own: str | None) -> str:
    """Return an amount in the viewer's language, with all decimals that it has and two at least, and its currency."""
    amount = Decimal(_CENTS.sub(r"\1", text))
    sign = MINUS if amount < 0 else ""
    return sign + with_currency(viewers_language().formats.number(f"{abs(amount):,}"), own)


def _members(value: Any, name_of: Callable[[str], str]) -> str:  # noqa: ANN401 - JSON, as text or raw
    """Return the members of a JSON object, as `Name: value, Name: value`."""
    text = _text(value)
    try:
        members = msgspec.json.decode(text, type=dict[str, Any]) if text else {}
    except msgspec.MsgspecError:
        return text
    shown = (f"{name_of(name)}: {_member(member)}" for name, member in members.items())
    return ", ".join(shown) or UNKNOWN


def _member(value: Any) -> str:  # noqa: ANN401 - of JSON
    if isinstance(value, bool):
        return gettext("Yes") if value else gettext("No")
    if value is None or value == "":
        return UNKNOWN
    return msgspec.json.encode(value).decode() if isinstance(value, (dict, list)) else str(value)


def _text(value: Any) -> str:  # noqa: ANN401 - of JSON
    if isinstance(value, msgspec.Raw):
        return bytes(value).decode()
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _named(unit: Unit, fields: Sequence[Field], records: Sequence[Shape]) -> Names:
    """Return the names of all records to which the shown fields refer."""
    ids: defaultdict[str, set[int]] = defaultdict(set)
    for field in fields:
        if isinstance(field.kind, Reference) and not isinstance(field.kind, (ReferenceList, OwnUrl)):
            values = (getattr(record, field.name) for record in records)
            ids[field.kind.path] |= {id_in(str(value)) for value in values if value is not None}
    return {path: names_of(unit, path, wanted) for path, wanted in ids.items()}
