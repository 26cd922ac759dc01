"""Inputs of forms, made from the declaration of a resource's fields, and what people fill into them."""

import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from datetime import UTC, datetime, tzinfo
from enum import Enum
from typing import Any, Final

import msgspec

from dialer.app.telling.account_events import EVENT_TYPES
from dialer.console.words.countries import countries_in_words, country_names
from dialer.console.words.currency import code_for
from dialer.console.words.field_hints import CHOICES, DURATIONS, SET_BY_PEOPLE, TIME_UNITS, UNITS, hint_of
from dialer.console.words.field_titles import title_of
from dialer.console.words.formats import DoubtfulNumberError
from dialer.console.words.language import gettext, gettext_noop, viewers_language
from dialer.console.words.record_names import Option
from dialer.console.words.state_words import word_of_choice, words_of
from dialer.domain.billing.money import format_money
from dialer.domain.words.roles import Scope
from dialer.resources.crud.fields import (
    Amount,
    Boolean,
    Choice,
    Integer,
    JsonObject,
    Kind,
    PhoneNumber,
    Stored,
    Text,
    TextChoice,
)
from dialer.resources.crud.forms import FormLayout
from dialer.resources.crud.moments import TimeOfDay, Timestamp
from dialer.resources.crud.references import Reference, ReferenceList
from dialer.resources.crud.shapes import Access, Field
from dialer.resources.crud.urls import Links
from dialer.resources.records.webhooks import TargetUrl
from dialer.resources.records.word_lists import WordList
from dialer.resources.words.errors import Errors

LINE_MAX: Final = 255
"""The longest text that has a single line."""
SCOPES: Final = "scopes"
TYPES: Final = "types"
"""Types of events, of which none stands for all."""
COUNTRIES: Final = "allowed_countries"
UNIT: Final = ".unit"
"""The end of the name of the input that says in which unit a duration is given: the seconds of the unit."""
BY_ID: Final = gettext_noop("The number of the record, from the address of its page.")
BY_IDS: Final = gettext_noop("The numbers of the records, with commas, from the addresses of their pages.")
_SEVERAL: Final[Mapping[str, Iterable[str]]] = {SCOPES: Scope, TYPES: EVENT_TYPES}
"""The words among which one chooses several, by the name of the field."""
_NEEDLESS_ZEROS: Final = re.compile(r"(\.\d\d\d*?)0+\Z")
_MINUTE: Final = len("HH:MM")
_WHOLE: Final = re.compile(r"[0-9]{1,12}", re.ASCII)
NO_LINKS: Final = Links(base="", hosts=frozenset())

Options = Callable[[str], list[Option] | None]
"""Returns the records of a resource among which one can choose; None if they are too many."""

NEEDED: Final = frozenset({("sms-campaigns", "text_message")})
"""Fields that the API lets be empty, and without which nothing can be started."""
MARKS: Final[Mapping[tuple[str, str], str]] = {
    ("report-schedule", "recipients"): gettext_noop("needed, unless webhooks are told")
}
"""Words beside the titles of fields that are neither needed always nor optional."""


class Input(msgspec.Struct, frozen=True):
    """An input of a form."""

    name: str
    title: str
    control: str
    """`text`, `area`, `code`, `number`, `decimal`, `duration`, `select`, `several`, `check`, `moment`, `time`, `tel` or
    `password`."""
    value: str = ""
    chosen: frozenset[str] = frozenset()
    """The values that are chosen in a `several`."""
    options: tuple[tuple[str, str], ...] = ()
    """The values of a `select` or a `several`, each with its words."""
    hint: str = ""
    required: bool = False
    mark: str = ""
    """The words beside its title as long as it is empty, if it is not required; empty: that it is optional."""
    least: int | None = None
    most: int | None = None
    """The bounds of a number, or the most characters of a text."""
    error: str = ""
    unit: str = ""
    """The unit that stands beside the input; of a duration, the seconds of the chosen unit."""
    units: tuple[tuple[str, str], ...] = ()
    """The units among which one chooses, by their seconds."""
    example: str = ""


class InputGroup(msgspec.Struct, frozen=True):
    """Inputs of a form under one heading, which may be empty."""

    title: str
    inputs: tuple[Input, ...]


def grouped(form: FormLayout, inputs: Iterable[Input]) -> tuple[list[InputGroup], list[InputGroup]]:
    """Return the inputs of a form in its groups: those at the top, and further ones."""
    left = {one.name: one for one in inputs if one.name not in form.hidden}
    if not form.groups:
        return [InputGroup("", tuple(left.values()))], []
    top, more = (
        [
            InputGroup(gettext(group.title) if group.title else "", taken)
            for group in groups
            if (taken := tuple(left.pop(name) for name in group.fields if name in left))
        ]
        for groups in (form.groups, form.more)
    )
    return top, [*more, InputGroup("", tuple(left.values()))] if left else more


def inputs_of(
    path: str, fields: Mapping[str, Field], stored: Mapping[str, Stored], options: Options, zone: tzinfo
) -> Iterator[Input]:
    """Yield the inputs for some fields of the resource at a path, with their stored values, or else their defaults."""
    for name, field in fields.items():
        value = stored.get(name, field.default)
        yield _with_value(path, _input(path, name, field, options), field, value, zone)


def refilled(field_input: Input, filled: Mapping[str, str], error: str) -> Input:
    """Return an input with the value that the user entered, and with its error."""
    name = field_input.name
    return msgspec.structs.replace(
        field_input,
        value="" if field_input.control == "password" else filled.get(name, field_input.value),
        chosen=frozenset(_chosen(name, filled)),
        unit=filled.get(f"{name}{UNIT}", field_input.unit),
        error=error,
    )


def _chosen(name: str, filled: Mapping[str, str]) -> list[str]:
    """Return the values that are ticked in a `several`."""
    return [key.removeprefix(f"{name}.") for key in filled if key.startswith(f"{name}.")]


def members_of(
    fields: Mapping[str, Field], filled: Mapping[str, str], zone: tzinfo, nullable: Container[str]
) -> dict[str, Any]:
    """Return the values of a form as members of an API request.

    An empty input is null if the record's field is `nullable`. Else it is left out, unless it is an empty text.
    """
    members: dict[str, Any] = {}
    for name, field in fields.items():
        if name not in filled:
            continue
        text = filled[name].replace("\r\n", "\n").strip() if not isinstance(field.kind, Text) else filled[name]
        if isinstance(field.kind, ReferenceList | WordList) or name in {SCOPES, TYPES}:
            members[name] = _chosen(name, filled) or text
        elif name == COUNTRIES:
            members[name] = ", ".join(_chosen(name, filled)) or text
        elif text == "" and name in nullable:
            members[name] = None
        elif text or not _is_left_out(field):
            text = _in_seconds(text, filled.get(f"{name}{UNIT}", ""))
            if isinstance(field.kind, Amount):
                text = _amount(text)
            members[name] = with_offset(text, zone) if isinstance(field.kind, Timestamp) else text
    return members


def _amount(text: str) -> str:
    """Return an amount that somebody typed as the API takes it; one that can be read in two ways as it is."""
    try:
        return viewers_language().formats.read_number(text)
    except DoubtfulNumberError:
        return text


def doubts_in(fields: Mapping[str, Field], filled: Mapping[str, str]) -> Errors:
    """Return an error for each amount of a form that can be read in two ways."""
    errors: Errors = {}
    for name, field in fields.items():
        if isinstance(field.kind, Amount) and name in filled:
            try:
                viewers_language().formats.read_number(filled[name].strip())
            except DoubtfulNumberError as doubt:
                errors[name] = [doubt_in_words(doubt)]
    return errors


def doubt_in_words(doubt: DoubtfulNumberError) -> str:
    """Return the question what somebody meant by a number."""
    ways = {"whole": doubt.whole, "decimals": doubt.with_decimals}
    return gettext("It could be %(whole)s or %(decimals)s. Write the one that you mean.") % ways


def _in_seconds(text: str, unit: str) -> str:
    """Return a number of units in seconds; without a unit, or if it is no number, the text as it is."""
    if unit not in {str(seconds) for seconds, _ in TIME_UNITS} or not _WHOLE.fullmatch(text):
        return text
    return str(int(text) * int(unit))


def _is_left_out(field: Field) -> bool:
    """Return whether an empty input means that the field is not given."""
    is_choice_of_nothing = isinstance(field.kind, TextChoice) and "" in field.kind.values
    return field.access is Access.WRITE_ONLY or not (isinstance(field.kind, (Text, JsonObject)) or is_choice_of_nothing)


def _input(path: str, name: str, field: Field, options: Options) -> Input:
    plain = Input(
        name,
        gettext(title_of(path, name)),
        "text",
        hint=_translated(hint_of(path, field)),
        required=field.required and not field.nullable,
        mark=_translated(MARKS.get((path, name), "")),
        unit=_translated(UNITS.get(name, code_for() if isinstance(field.kind, Amount) else "")),
    )
    kind = field.kind
    if isinstance(kind, Reference):
        return _choices(plain, options(kind.path), isinstance(kind, ReferenceList))
    if field.access is Access.WRITE_ONLY:
        return msgspec.structs.replace(plain, control="password")
    if name in _SEVERAL or isinstance(kind, WordList):
        words = kind.words if isinstance(kind, WordList) else _SEVERAL[name]
        options_of = _worded(name, ((one, "") for one in words))
        return msgspec.structs.replace(plain, control="several", options=options_of)
    if name == COUNTRIES:
        return msgspec.structs.replace(plain, control="several", options=tuple(country_names().items()))
    control = next((control for kind_class, control in _CONTROLS if isinstance(kind, kind_class)), None)
    found = plain if control is None else msgspec.structs.replace(plain, **control(kind))
    if name in DURATIONS:
        units = tuple((str(seconds), gettext(word)) for seconds, word in TIME_UNITS)
        return msgspec.structs.replace(found, control="duration", units=units)
    return msgspec.structs.replace(found, options=_worded(name, found.options))


_CONTROLS: Final[tuple[tuple[type[Kind], Callable[[Any], dict[str, Any]]], ...]] = (
    (Choice, lambda kind: _select((str(choice.value), words_of(choice)) for choice in kind.values)),
    (TextChoice, lambda kind: _select((choice, word_of_choice(choice)) for choice in kind.values if choice)),
    (Boolean, lambda _: {"control": "check", "required": False}),
    (Integer, lambda kind: {"control": "number", "least": kind.minimum, "most": kind.maximum}),
    (Timestamp, lambda _: {"control": "moment"}),
    (TimeOfDay, lambda _: {"control": "time"}),
    (PhoneNumber, lambda _: {"control": "tel"}),
    (JsonObject, lambda _: {"control": "code"}),
    (TargetUrl, lambda kind: {"control": "text", "most": kind.max_length}),
    (Text, lambda kind: {"control": "text" if kind.max_length <= LINE_MAX else "area", "most": kind.max_length}),
)
"""The properties of an input by the kind of its field; the first kind that fits counts."""


def _translated(text: str) -> str:
    return gettext(text) if text else ""  # The empty text stands for the header of a catalogue.


def _worded(name: str, options: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Return options with the words that forms have for them."""
    words = CHOICES.get(name, {})
    return tuple((value, gettext(words[value]) if value in words else word or value) for value, word in options)


def _select(options: Iterable[tuple[str, str]]) -> dict[str, Any]:
    return {"control": "select", "options": tuple(options)}


def _choices(plain: Input, records: list[Option] | None, is_list: bool) -> Input:  # noqa: FBT001 - private
    if records is None:
        hint = gettext(BY_IDS if is_list else BY_ID)
        return msgspec.structs.replace(plain, hint=f"{plain.hint} {hint}".strip())
    options = tuple((str(record.id), record.name) for record in records)
    return msgspec.structs.replace(plain, control="several" if is_list else "select", options=options)


def _with_duration(plain: Input, text: str) -> Input:
    """Return an input with a number of seconds, in the largest unit of which it is a whole number."""
    seconds = int(text or "0")
    unit = max(size for size, _ in TIME_UNITS if size == 1 or (seconds and seconds % size == 0))
    return msgspec.structs.replace(plain, value=str(seconds // unit) if text else "", unit=str(unit))


def _with_value(path: str, plain: Input, field: Field, value: Stored, zone: tzinfo) -> Input:
    if isinstance(value, tuple):
        return msgspec.structs.replace(plain, chosen=frozenset(map(str, value)), value=", ".join(map(str, value)))
    if plain.name == SCOPES:
        return msgspec.structs.replace(plain, chosen=frozenset((value or " ".join(Scope)).split()))
    if plain.name == TYPES or isinstance(field.kind, WordList):
        return msgspec.structs.replace(plain, chosen=frozenset((value or "").split()))
    if plain.name == COUNTRIES:
        return _with_countries(plain, value or "")
    text = _text(field, value, zone)
    if plain.control == "duration":
        return _with_duration(plain, text)
    if (path, plain.name) in SET_BY_PEOPLE:
        settable = {*SET_BY_PEOPLE[path, plain.name], text}
        plain = msgspec.structs.replace(plain, options=tuple(one for one in plain.options if one[0] in settable))
    if (path, plain.name) in NEEDED or (plain.control == "select" and text and not field.nullable):
        plain = msgspec.structs.replace(plain, required=True)
    is_only = plain.required and plain.control == "select" and len(plain.options) == 1
    return msgspec.structs.replace(plain, value=plain.options[0][0] if is_only and not text else text)


def _with_countries(plain: Input, codes: str) -> Input:
    """Return an input with the countries that are chosen. An unknown one stays, because none at all would allow all."""
    chosen = codes.replace(",", " ").split()
    unknown = tuple((code, code) for code in chosen if code not in country_names())
    now = gettext("Now: %(countries)s.") % {"countries": countries_in_words(codes)}
    hint = f"{now} {plain.hint}"
    return msgspec.structs.replace(plain, chosen=frozenset(chosen), options=(*unknown, *plain.options), hint=hint)


def _text(field: Field, value: Stored, zone: tzinfo) -> str:
    if value is None or field.access is Access.WRITE_ONLY:
        return ""
    match field.kind:
        case Boolean():
            return "1" if value else ""
        case Amount():
            return viewers_language().formats.number(_NEEDLESS_ZEROS.sub(r"\1", format_money(value)))
        case Timestamp():
            moment = datetime.fromtimestamp(value / 1_000, UTC).astimezone(zone)
            return moment.strftime("%Y-%m-%dT%H:%M:%S" if moment.second else "%Y-%m-%dT%H:%M")
        case JsonObject():  # As answers show it: without secrets, which stay as they are if they are not given.
            shown = field.kind.show(value, NO_LINKS)
            return msgspec.json.format(shown if isinstance(shown, str) else bytes(shown).decode(), indent=2)
        case kind:
            is_viewer = isinstance(kind, Reference) and value == 0  # The default of an owner.
            text = "" if is_viewer else str(value.value if isinstance(value, Enum) else value)
            return text[:_MINUTE] if isinstance(kind, TimeOfDay) and text[_MINUTE:] == ":00" else text


def with_offset(text: str, zone: tzinfo) -> str:
    """Return a moment of the viewer's zone with its offset, or the text as it is if it is no such moment."""
    try:
        moment = datetime.fromisoformat(text)
        return moment.isoformat() if moment.tzinfo else moment.replace(tzinfo=zone).isoformat()
    except ValueError:
        return text
