"""Inputs for the parameters of a carrier, made from their declaration, and what people fill into them."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

import msgspec

from dialer.carriers.parameters import ParameterField
from dialer.console.parts.inputs import Input, doubt_in_words
from dialer.console.words.formats import DoubtfulNumberError
from dialer.console.words.language import gettext, gettext_noop, viewers_language
from dialer.domain.credentials.gateway_secrets import SECRETS, with_kept_secrets, without_secrets
from dialer.resources.records.carriers import PARAMETER_FIELDS
from dialer.resources.words.errors import Errors
from dialer.resources.words.strict_json import StrictJsonError, read_object

PREFIX: Final = "parameters."
"""The beginning of the names of these inputs."""
OTHERS: Final = "parameters._others"
"""The input with the parameters that this version does not know."""
NUMBER_LENGTH_MAX: Final = 12
LINES_MAX: Final = 10_000
SHOWN_MAX: Final = 100_000
"""Characters of a value that a form shows. Longer ones, such as long lists of numbers, stay as they are."""
REQUIRED: Final = gettext_noop("This field is required.")
NOT_WHOLE: Final = gettext_noop("This is not a whole number.")
NOT_SHARE: Final = gettext_noop("This is not a number from 0 to 100.")
NOT_SPAN: Final = gettext_noop("This is neither a number of seconds nor a range such as 3-25.")
NOT_CHOICE: Final = gettext_noop("Choose one of the list.")
NOT_PAIR: Final = gettext_noop("Each line needs a name, a colon and a value.")
WRONG_CHARACTERS: Final = gettext_noop("This has characters that are not allowed here, such as blanks or accents.")
FILL_IN_AGAIN: Final = gettext_noop(
    "It was meant for the old address or user, so it is not sent to the new one. Fill it in again."
)
STORED: Final = gettext_noop("It is stored. Empty: as it is.")
OTHERS_TITLE: Final = gettext_noop("Other parameters")
OTHERS_HINT: Final = gettext_noop("They are stored, and this version does not know them.")
_RANGE: Final = re.compile(
    r"([0-9]{1,6}(?:\.[0-9]{1,3})?)(?: *(?:-|\N{EN DASH}) *([0-9]{1,6}(?:\.[0-9]{1,3})?))?", re.ASCII
)
_NUMBER: Final = re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,6})?", re.ASCII)
_PLACE: Final = re.compile(r"at `\$\.(\w+(?:\.\w+)?)|field `(\w+)`")
_WORD: Final = re.compile(r"[a-z_]{2,}")

Stored = dict[str, Any]


class WrongValueError(ValueError):
    """A value that a parameter cannot have. The message is for the person who gave it."""


def carrier_inputs(protocol: str, stored: str) -> tuple[list[Input], list[Input]]:
    """Return the form inputs for a protocol's parameters with their stored values: the main ones, and the others."""
    fields, secret_names = PARAMETER_FIELDS[protocol], frozenset(_read(stored))
    values = _read(without_secrets(stored))
    inputs = [(field, _input(field, values, is_stored=field.name in secret_names)) for field in fields]
    inputs = [(field, one) for field, one in inputs if len(one.value) <= SHOWN_MAX]
    main = [one for field, one in inputs if field.is_main]
    more = [one for field, one in inputs if not field.is_main]
    unknown = _unknown(fields, values)
    if unknown:
        text = json.dumps(unknown, ensure_ascii=False, indent=2)
        more.append(Input(OTHERS, gettext(OTHERS_TITLE), "code", value=text, hint=gettext(OTHERS_HINT)))
    return main, more


def parameters_given(protocol: str, filled: Mapping[str, str], stored: str) -> tuple[Stored | None, Errors]:
    """Return the parameters that a form gives, None if they are those that are stored; and the errors by input.

    Parameters without an input in the form stay as they are.
    """
    fields = PARAMETER_FIELDS[protocol]
    before = _read(without_secrets(stored))
    given: Stored = json.loads(json.dumps(before))
    errors: Errors = {}
    for field in fields:
        text = filled.get(f"{PREFIX}{field.name}")
        if text is None:
            continue
        if _is_odd_and_kept(field, text, before):
            errors[f"{PREFIX}{field.name}"] = [gettext(REQUIRED)]
            continue
        try:
            _put(given, field, text, is_stored=field.name in _read(stored))
        except WrongValueError as error:
            errors[f"{PREFIX}{field.name}"] = [str(error)]
    if OTHERS in filled:
        try:
            others = _object(filled[OTHERS])
        except WrongValueError as error:
            errors[OTHERS] = [str(error)]
        else:
            known = {field.name.partition(".")[0] for field in fields}
            given = {name: value for name, value in given.items() if name in known} | others
    if not errors and given == before:
        return None, {}
    return given, errors or _lost_secrets(fields, stored, given)


def _is_odd_and_kept(field: ParameterField, text: str, before: Stored) -> bool:
    """Return whether a text parameter that is stored as another type was left as the form showed it."""
    stored = _value_at(before, field.name, None)
    return field.kind == "text" and not isinstance(stored, str | None) and text == _text(field, stored)


def place_of(protocol: str, message: str) -> str:
    """Return the name of the input to which an error of the API about parameters belongs."""
    names = [field.name for field in PARAMETER_FIELDS[protocol]]
    match = _PLACE.search(message)
    told = [match[1] or match[2], (match[1] or "").partition(".")[0]] if match else _WORD.findall(message)
    name = next((one for one in told if one in names), "")
    return f"{PREFIX}{name}" if name else OTHERS


def _input(field: ParameterField, values: Stored, *, is_stored: bool) -> Input:
    stored = _value_at(values, field.name, field.default)
    hint = gettext(field.description) if field.description else ""
    plain = Input(
        f"{PREFIX}{field.name}",
        gettext(field.title),
        "text",
        value=_text(field, stored),
        hint=hint,
        required=field.required,
        most=field.most,
        unit=gettext(field.unit) if field.unit else "",
        example=field.example,
    )
    if field.kind == "secret":
        hint = f"{hint} {gettext(STORED)}".strip() if is_stored else hint
        needed = field.required and not is_stored
        return msgspec.structs.replace(plain, control="password", value="", hint=hint, required=needed)
    if field.choices:
        options = tuple((value, gettext(word)) for value, word in field.choices)
        here = () if plain.value in dict(options) else ((plain.value, plain.value),)
        is_needed = "" not in dict(options)
        return msgspec.structs.replace(plain, control="select", options=(*options, *here), required=is_needed)
    return msgspec.structs.replace(plain, **_CONTROLS[field.kind](field)) if field.kind in _CONTROLS else plain


_CONTROLS: Final[Mapping[str, Callable[[ParameterField], dict[str, Any]]]] = {
    "check": lambda _: {"control": "check", "required": False},
    "number": lambda field: {"control": "number", "least": field.least},
    "share": lambda _: {"control": "decimal", "least": 0, "most": 100, "unit": "%"},
    "lines": lambda _: {"control": "area", "most": None},
    "pairs": lambda _: {"control": "area", "most": None},
    "json": lambda _: {"control": "code", "most": None},
}
"""The differences from a line of text, by the kind of the parameter."""


def _text(field: ParameterField, value: Any) -> str:  # noqa: ANN401 - JSON
    """Return a value as people write it; as JSON, if it could not be read again."""
    if value is None:
        return ""
    try:
        text = _WRITERS.get(field.kind, str)(value)
        if _READERS[field.kind](field, text) == _plain(value):
            return text
    except (AttributeError, TypeError, WrongValueError):  # It is of another type than the field.
        pass
    return value if isinstance(value, str) else json.dumps(_plain(value), ensure_ascii=False)


def _plain(value: Any) -> Any:  # noqa: ANN401 - JSON
    return json.loads(msgspec.json.encode(value))


def _share_text(value: Any) -> str:  # noqa: ANN401 - JSON
    try:
        return f"{(Decimal(str(value)) * 100).normalize():f}"
    except ArithmeticError:
        return str(value)


_WRITERS: Final[Mapping[str, Callable[[Any], str]]] = {
    "check": lambda value: "1" if value else "",
    "several": lambda value: ", ".join(map(str, value)),
    "lines": lambda value: "\n".join(map(str, value)),
    "pairs": lambda value: "\n".join(f"{name}: {text}" for name, text in value.items()),
    "json": lambda value: json.dumps(value, ensure_ascii=False, indent=2) if value else "",
    "share": _share_text,
    "span": lambda value: "-".join(map(str, value)) if isinstance(value, list) else str(value),
}


def _put(given: Stored, field: ParameterField, text: str, *, is_stored: bool) -> None:
    """Put the value of an input among the parameters. An empty one, and a default that was not given, are left out."""
    text = text.replace("\r\n", "\n").strip()
    *folders, last = field.name.split(".")
    if not text and field.kind != "check":
        if field.required and not (field.kind == "secret" and is_stored):
            raise WrongValueError(gettext(REQUIRED))
        value = None
    else:
        value = _READERS[field.kind](field, text)
    place = given
    for folder in folders:
        inner = place.get(folder)
        place[folder] = place = inner if isinstance(inner, dict) else {}
    is_default = not field.required and value == _plain(field.default)
    if value is None or (is_default and last not in place):
        place.pop(last, None)
    else:
        place[last] = value
    if folders and not place:
        given.pop(folders[0], None)


def _read_text(field: ParameterField, text: str) -> str:
    if field.most is not None and len(text) > field.most:
        raise WrongValueError(gettext("This has more than %(most)s characters.") % {"most": field.most})
    if field.pattern and re.search(field.pattern, text) is None:
        raise WrongValueError(gettext(WRONG_CHARACTERS))
    return text


def _read_number(field: ParameterField, text: str) -> int:
    if len(text) > NUMBER_LENGTH_MAX or not (text.isascii() and text.isdigit()):
        raise WrongValueError(gettext(NOT_WHOLE))
    number = int(text)
    if not (field.least or 0) <= number <= (number if field.most is None else field.most):
        bounds = {"least": field.least or 0, "most": field.most}
        raise WrongValueError(gettext("Give a number from %(least)s to %(most)s.") % bounds)
    return number


def _read_share(_: ParameterField, typed: str) -> float:
    try:
        text = viewers_language().formats.read_number(typed)
    except DoubtfulNumberError as doubt:
        raise WrongValueError(doubt_in_words(doubt)) from None
    if _NUMBER.fullmatch(text) is None or float(text) > 100:  # noqa: PLR2004 - per cent
        raise WrongValueError(gettext(NOT_SHARE))
    return float(Decimal(text) / 100)


def _read_span(_: ParameterField, text: str) -> Any:  # noqa: ANN401 - JSON
    if text.startswith(("{", "[")):
        return _json(text)
    match = _RANGE.fullmatch(text)
    if match is None:
        raise WrongValueError(gettext(NOT_SPAN))
    ends = [float(end) if "." in end else int(end) for end in match.groups() if end is not None]
    return ends[0] if len(ends) == 1 else ends


def _read_choice(field: ParameterField, text: str) -> str:
    if text not in {value for value, _ in field.choices}:
        raise WrongValueError(gettext(NOT_CHOICE))
    return text


def _read_lines(_: ParameterField, text: str) -> Any:  # noqa: ANN401 - JSON
    if text.startswith("["):
        return _json(text)
    return [line.strip() for line in text.split("\n", LINES_MAX) if line.strip()]


def _read_pairs(_: ParameterField, text: str) -> Stored:
    if text.startswith("{"):
        return _object(text)
    lines = [line.partition(":") for line in text.split("\n", LINES_MAX) if line.strip()]
    if not all(name.strip() and colon for name, colon, _ in lines):
        raise WrongValueError(gettext(NOT_PAIR))
    return {name.strip(): value.strip() for name, _, value in lines}


def _object(text: str) -> Stored:
    try:
        return read_object(text.encode("utf-8", "surrogatepass")) if text.strip() else {}
    except StrictJsonError as error:
        raise WrongValueError(str(error)) from None


def _json(text: str) -> Any:  # noqa: ANN401 - JSON
    return _object(f'{{"value": {text}}}').get("value")


_READERS: Final[Mapping[str, Callable[[ParameterField, str], Any]]] = {
    "text": _read_text,
    "secret": _read_text,
    "number": _read_number,
    "share": _read_share,
    "span": _read_span,
    "check": lambda _, text: text == "1",
    "choice": _read_choice,
    "several": lambda field, text: _read_choice(field, text).split(", "),
    "lines": _read_lines,
    "pairs": _read_pairs,
    "json": lambda _, text: _object(text),
}


def _lost_secrets(fields: Sequence[ParameterField], stored: str, given: Stored) -> Errors:
    """Return errors for stored secrets that would be dropped, because the carrier or the user is another one.

    Without a user, no password is needed.
    """
    kept = _read(with_kept_secrets(stored, json.dumps(given)))
    lost = (SECRETS & _read(stored).keys()) - kept.keys()
    if not (given.get("username") or given.get("system_id") or "dial_string" in given):
        lost -= {"password"}
    names = {field.name for field in fields}
    return {f"{PREFIX}{name}": [gettext(FILL_IN_AGAIN)] for name in lost & names}


def _unknown(fields: Sequence[ParameterField], values: Stored) -> Stored:
    known = {field.name.partition(".")[0] for field in fields}
    return {name: value for name, value in values.items() if name not in known}


def _value_at(values: Stored, name: str, default: Any) -> Any:  # noqa: ANN401 - JSON
    found: Any = values
    for step in name.split("."):
        if not isinstance(found, dict) or step not in found:
            return default
        found = found[step]
    return found


def _read(parameters: str) -> Stored:
    try:
        found = json.loads(parameters or "{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
