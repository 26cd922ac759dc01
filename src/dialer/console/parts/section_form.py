"""The form of one section: the fields of its type, its keys with where each leads, and what was filled in."""

from collections.abc import Mapping, Sequence
from datetime import tzinfo
from typing import Any, Final, NamedTuple

from msgspec.structs import replace

from dialer.console.parts.inputs import Input, Options, inputs_of, members_of, refilled
from dialer.console.parts.sentences import joined_words
from dialer.console.words.language import gettext
from dialer.console.words.section_words import hint_of, title_of
from dialer.console.words.state_words import words_of
from dialer.console.words.survey_keys import key_in_words, keys_of, stands_in
from dialer.domain.survey.editing import FALLBACKS
from dialer.domain.survey.sections.appearance import Appearance
from dialer.domain.survey.sections.table import SECTION_TYPES, definition_of
from dialer.domain.survey.survey import Section
from dialer.domain.words.enums import SectionType
from dialer.resources.crud.resource import Values
from dialer.resources.crud.shapes import Field, fields_of
from dialer.resources.records.surveys import SECTION_TEMPLATES
from dialer.resources.words.errors import InvalidError

END: Final = "end"
"""The choice that a key hangs up."""
GOTO: Final = "goto_"
"""The beginning of the fields with the section to which a key leads."""
NEW_KEY: Final = "new_key"
"""The field with digits that get a branch of their own."""
SOUND: Final = "sound"
DESTINATION: Final = "to"
NEW_QUEUE: Final = "new_queue"
"""The input with the name of a queue that is made when the section is saved."""
EMPTY_ROWS: Final = 2
"""Keys without an answer that a choice shows beside those with one. The others are further down."""
ROWS_MAX: Final = 100
"""Keys that the form shows."""
_EXCLUSIVE: Final[Mapping[tuple[str, str], str]] = {
    (SOUND, "text"): "audiofile",
    (DESTINATION, "number"): "queue",
    (DESTINATION, "queue"): "phonenumber",
}
"""The field that becomes empty with a choice between two of them."""
_PLACED: Final = ("question", "script", "audiofile", "queue", "phonenumber", *(f"key_{digit}" for digit in range(10)))
"""The fields that have a place of their own in the form."""


class KeyRow(NamedTuple):
    """A key of a section, and its branch: the id of a section, `end`, or nothing."""

    key: str
    words: str
    goto: str
    answer: Input | None
    """The answer for which the key stands, if the author chooses it."""
    unset: str = ""
    """Where a transfer without this branch goes on, as in “nobody answers”; empty if the call ends."""


class SectionForm(NamedTuple):
    """The form of a section."""

    section_id: int
    type: str
    appearance: Appearance
    sentence: str
    inputs: dict[str, Input]
    """The inputs by the names of their fields."""
    keys: list[KeyRow]
    """The keys that the form shows at once."""
    further: list[KeyRow]
    """Keys that lead nowhere of their own: those of a choice without an answer, and the marks of a rating."""
    takes_any: bool
    """True if a key without a branch of its own may take that for any other answer."""
    takes_digits: bool
    """True if further digits can get a branch of their own."""
    first: list[Input]
    more: list[Input]
    is_more_open: bool
    version: str
    sound: str
    """`text` or `recording`."""
    destination: str
    """`queue` or `number`; empty for a section that does not transfer calls."""
    sound_title: str = ""
    """The title of what callees hear, if they do not always hear it."""


def form_of(
    section: Section,
    stored: Values,
    version: str,
    filled: Mapping[str, str],
    errors: Mapping[str, Sequence[str]],
    options: Options,
    zone: tzinfo,
) -> SectionForm:
    """Return the form of a stored section; `filled` and `errors` are those of a form that was refused."""
    kind = SectionType(section.type)
    inputs = {
        one.name: _worded(kind, one) for one in inputs_of(SECTION_TEMPLATES.path, _fields(kind), stored, options, zone)
    }
    inputs = {
        name: refilled(one, filled, joined_words(errors.get(name, ()))) if name in filled else one
        for name, one in inputs.items()
    }
    rows = [_row(section, key, filled, inputs.get(f"key_{key}")) for key in _keys(section)]
    definition = definition_of(section)
    shown = [row for row in rows if row.goto or row.key in FALLBACKS or not definition.asks or _is_named(row)]
    empty = [row for row in rows if row not in shown]
    further = empty[EMPTY_ROWS:] if definition.names_answers else empty
    main = {field.name for field in definition.fields if field.is_main}
    more = [one for name, one in inputs.items() if name not in (*_PLACED, *main)]
    queue = stored.get("queue")
    return SectionForm(
        section.id,
        words_of(kind),
        definition.appearance,
        gettext(definition.appearance.sentence),
        inputs,
        [row for row in rows if row not in further],
        further,
        definition.asks,
        definition.converses
        or (definition.asks and (not definition.has_chosen_answers or definition.digits_max(section) > 1)),
        [one for name, one in inputs.items() if name in main],
        more,
        any(one.error for one in more),
        version,
        filled.get(SOUND, "text" if stored.get("audiofile") is None else "recording"),
        filled.get(DESTINATION, "number" if queue is None and stored.get("phonenumber") else "queue")
        if definition.transfers
        else "",
        gettext(definition.sound_title) if definition.sound_title else "",
    )


def members_in(kind: SectionType, filled: Mapping[str, str], zone: tzinfo) -> dict[str, Any]:
    """Return the fields of a section that a form gives, as members of a request of the API."""
    fields = _fields(kind)
    emptied = {name for (choice, value), name in _EXCLUSIVE.items() if filled.get(choice) == value and name in fields}
    nullable = {field.name for field in fields_of(SECTION_TEMPLATES.read) if field.nullable}
    return {**members_of(fields, filled, zone, nullable), **dict.fromkeys(emptied)}


def branches_in(section: Section, filled: Mapping[str, str]) -> dict[str, str]:
    """Return the branches in a form by key: the id of a section, `end`, or an empty text without a branch."""
    chosen = {key: filled[GOTO + key] for key in _keys(section) if GOTO + key in filled}
    without = [key for key in chosen if f"key_{key}" in filled and not filled[f"key_{key}"].strip()]
    chosen |= dict.fromkeys(without, "") if definition_of(section).names_answers else {}
    new = filled.get(NEW_KEY, "").strip()
    if new in section.branches:
        raise InvalidError({NEW_KEY: [gettext("%(digits)s has a line already.") % {"digits": new}]})
    return {**chosen, new: filled.get(GOTO + NEW_KEY, "") or END} if new else chosen


def _fields(kind: SectionType) -> dict[str, Field]:
    """Return the fields of a type, in the order of the form."""
    wanted = ["question", *(field.name for field in SECTION_TYPES[kind].fields), "type"]
    fields = {field.name: field for field in fields_of(SECTION_TEMPLATES.write or SECTION_TEMPLATES.read)}
    return {name: fields[name] for name in wanted}


def _worded(kind: SectionType, one: Input) -> Input:
    title, hint = title_of(SECTION_TYPES[kind], one.name), hint_of(SECTION_TYPES[kind], one.name)
    control = "text" if one.name == "question" and "\n" not in one.value else one.control
    return replace(
        one, title=gettext(title) if title else one.title, hint=gettext(hint) if hint else "", control=control
    )


def _keys(section: Section) -> list[str]:
    """Return the keys that the form of a section shows: those that it may have, and those with a branch."""
    offered = keys_of(section)
    if definition_of(section).names_answers:
        offered = [*"1234567890", *FALLBACKS]
    others = [key for key in section.branches if key not in offered]
    place = next((place for place, key in enumerate(offered) if key in FALLBACKS), len(offered))
    return [*offered[:place], *others[:ROWS_MAX], *offered[place:]]


def _is_named(row: KeyRow) -> bool:
    return row.answer is not None and row.answer.value != ""


def _row(section: Section, key: str, filled: Mapping[str, str], answer: Input | None) -> KeyRow:
    goto = ""
    if key in section.branches:
        target = section.branches[key]
        goto = END if target is None else str(target)
    words = key if answer is not None else key_in_words(section, key)
    other = stands_in(section, key)
    unset = key_in_words(section, other) if other else ""
    return KeyRow(key, words, filled.get(GOTO + key, goto), answer, unset)
