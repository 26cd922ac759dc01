"""One record of a file, written as a request of the API would write it, with the same checks."""

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple, TypeVar

import msgspec

from dialer.app.work.errors import AppError, InvalidFieldsError
from dialer.domain.words.sentences import message_of
from dialer.files.forms import is_same, read_value, show_value
from dialer.files.kinds import RecordKind, file_fields
from dialer.files.names import Names
from dialer.files.nodes import FileError, FilePlace, Members
from dialer.resources.crud import records
from dialer.resources.crud.resource import Unit, Values
from dialer.resources.crud.shapes import REQUIRED, Access, Field, Parsed
from dialer.resources.words.errors import AnsweredError, InvalidError

_TEXT_MAX: Final = 60
"""Characters of a value that a line of the plan shows."""
_Result = TypeVar("_Result")
_NOTHING: Final[Values] = {}


class Written(NamedTuple):
    """A record that was written, or that is as the file has it."""

    record_id: int
    is_new: bool
    lines: tuple[str, ...] = ()
    """The changes, field by field; none in a new record."""


class RecordWriter:
    """Writes records of one account in one transaction."""

    def __init__(self, unit: Unit, owner_id: int) -> None:
        self.unit: Final = unit
        self.owner_id: Final = owner_id
        self.names: Final = Names(unit, owner_id)

    def create(self, kind: RecordKind, given: Members, place: FilePlace, own: Values = _NOTHING) -> Written:
        """Create a record from the values of a file, and from its `own` values, which files do not have.

        Raises:
            FileError: a value is wrong, names nothing, or is missing.
        """
        values = {**self.read(kind, given), **own}
        created = self._checked(
            kind, given, place, lambda: records.create_record(self.unit, kind.resource, Parsed(values, {}, ()))
        )
        return Written(created.record_id, is_new=True)

    def change(self, kind: RecordKind, given: Members, place: FilePlace, record_id: int) -> Written:
        """Give a record the values of a file. Other fields get their default, or are kept.

        Raises:
            FileError: a value is wrong, names nothing, or may not be changed.
        """
        stored = records.load(self.unit, kind.resource, record_id)
        wanted = self.complete(kind, given)
        if kind.following is not None:  # Values that nobody has given follow anyhow.
            unsaid = kind.following(wanted).keys() - self.read(kind, given).keys()
            wanted = {
                name: value for name, value in wanted.items() if name not in unsaid or stored.get(name) is not None
            }
        fields = {field.name: (name, field) for name, field in file_fields(kind).items()}
        moved = {name: value for name, value in wanted.items() if not is_same(fields[name][1], stored.get(name), value)}
        if not moved:
            return Written(record_id, is_new=False)
        lines = tuple(self._line(*fields[name], stored.get(name), value) for name, value in moved.items())
        parsed = Parsed(moved, {}, ())
        self._checked(kind, given, place, lambda: records.change_record(self.unit, kind.resource, record_id, parsed))
        return Written(record_id, is_new=False, lines=lines)

    def put(self, kind: RecordKind, record_id: int, values: Values, place: FilePlace) -> None:
        """Write values that files do not have as they are stored; raises FileError if a rule forbids them."""
        parsed = Parsed(values, {}, ())
        self._checked(kind, {}, place, lambda: records.change_record(self.unit, kind.resource, record_id, parsed))

    def delete(self, kind: RecordKind, place: FilePlace, record_id: int) -> None:
        """Delete a record; raises FileError if it is still used."""
        self._checked(kind, {}, place, lambda: records.delete_record(self.unit, kind.resource, record_id))

    def read(self, kind: RecordKind, given: Members) -> Values:
        """Return the given values by the names of the API's fields; raises FileError if one is wrong."""
        fields = file_fields(kind)
        values: Values = {}
        errors: list[str] = []
        for name, node in given.items():
            try:
                values[fields[name].name] = read_value(fields[name], node, self.unit, self.names)
            except FileError as error:
                errors += error.messages
        if errors:
            raise FileError(errors)
        return values

    def complete(self, kind: RecordKind, given: Members) -> Values:
        """Return the given values and the defaults of all other fields but those that are kept or required."""
        read = self.read(kind, given)
        kept = kind.kept - read.keys()
        defaults = kind.defaults(read)
        others = [one.name for one in file_fields(kind).values() if one.name not in kept and not one.required]
        return {**{name: defaults[name] for name in others}, **read}

    def _line(self, name: str, field: Field, before: Any, after: Any) -> str:  # noqa: ANN401 - of any kind
        if field.access is Access.WRITE_ONLY:
            return f"{name}: another one"
        old, new = (shown(show_value(field, value, self.unit, self.names)) for value in (before, after))
        return f"{name}: {old} → {new}"

    def _checked(self, kind: RecordKind, given: Members, place: FilePlace, work: Callable[[], _Result]) -> _Result:
        """Do the work, and turn the errors of the API into errors of the file."""
        try:
            return work()
        except (InvalidError, InvalidFieldsError) as error:
            raise FileError(_located(kind, given, place, error.errors)) from None
        except (AppError, AnsweredError) as error:
            raise FileError.at(place, str(error)) from None


def _located(kind: RecordKind, given: Members, place: FilePlace, errors: Mapping[str, Any]) -> list[str]:
    names = {field.name: name for name, field in file_fields(kind).items()}
    found: list[str] = []
    for api_name, messages in errors.items():
        name = names.get(api_name, api_name)
        where = str(given[name].place) if name in given else f"{place}.{name}"
        texts = [str(message_of(message)) if isinstance(message, Exception) else str(message) for message in messages]
        found += [f"{where}: {text}" for text in texts if text != REQUIRED]
        if REQUIRED in texts:
            found.append(f"{place}: a {kind.one} needs the field {name}")
    return found


def shown(value: Any) -> str:  # noqa: ANN401 - JSON
    """Return a value for a line of the plan."""
    text = "nothing" if value is None else value if isinstance(value, str) and value else _json(value)
    return text if len(text) <= _TEXT_MAX else f"{text[: _TEXT_MAX - 1]}…"


def _json(value: Any) -> str:  # noqa: ANN401 - JSON
    return msgspec.json.encode(value).decode()
