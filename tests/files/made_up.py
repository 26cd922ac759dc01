"""Accounts with made-up records of every kind that files have, written with the checks of the API."""

from collections.abc import Callable
from datetime import UTC
from functools import partial
from pathlib import Path
from typing import Any, Final

from hypothesis import strategies as st
from sqlalchemy import Connection, func, select

from dialer.app.work.errors import AppError, InvalidFieldsError
from dialer.domain.words.roles import Role
from dialer.files.kinds import BY_PATH
from dialer.resources.crud import records
from dialer.resources.crud.fields import (
    AmountNumber,
    Boolean,
    Choice,
    Conventions,
    Integer,
    JsonObject,
    Kind,
    Label,
    PhoneNumber,
    Text,
    TextChoice,
)
from dialer.resources.crud.moments import TimeOfDay, Timestamp
from dialer.resources.crud.references import Reference, ReferenceList
from dialer.resources.crud.resource import Actor, Resource, Unit
from dialer.resources.crud.shapes import Field, Given, fields_of, parse_given
from dialer.resources.crud.urls import Links
from dialer.resources.records.agent_settings import AgentUrl, ValueNames
from dialer.resources.records.phrases import Outcomes, Phrases
from dialer.resources.words.errors import AnsweredError, InvalidError
from dialer.store.media.files import Media
from dialer.store.media.folder import FolderMedia
from dialer.store.tables import SMS, AudioFile, CallerIdGroup, Gateway
from tests.end_to_end.service import wav
from tests.runtime.house import House

characters: Final = st.characters(exclude_categories=["Cs"], exclude_characters="\x00")
texts: Final = st.text(characters, max_size=12) | st.sampled_from(
    ["yes", "012", "+12", "1e5", "09:00:00", "~", " a: b #", "=1+1", "'=1", " Ada ", "null", "{first_name}", "a\r\nb"]
)
_NUMBERS: Final = [f"+1202555{number:04}" for number in range(100, 112)]
_NUMBER: Final = st.sampled_from([*_NUMBERS, "(202) 555-0100", "202 555 0101", "+49 30 1234567"])
_scalars: Final = st.none() | st.booleans() | st.integers(-(10**12), 10**12) | texts
_object: Final = st.dictionaries(texts.filter(bool), _scalars | st.lists(_scalars, max_size=2), max_size=3)
_TRIES_MAX: Final = 8
_CONVENTIONS: Final = Conventions(UTC, "US", Links(base="", hosts=frozenset()))
REFERENCE: Final = st.integers(0, 5)
"""Stands for the record of this place among those that there are."""


_BY_KIND: Final[list[tuple[type[Kind], Callable[[Any], st.SearchStrategy[Any]]]]] = [
    (ReferenceList, lambda _: st.lists(REFERENCE, max_size=3)),
    (Reference, lambda _: st.none() | REFERENCE),
    (Outcomes, lambda _: st.sampled_from(["", "success, refused", "sold=success"])),
    (Phrases, lambda _: st.sampled_from(["", "lunch", "lunch, training"])),
    (Choice, lambda kind: st.sampled_from([one.value for one in kind.values])),
    (TextChoice, lambda kind: st.sampled_from(kind.values)),
    (Integer, lambda kind: st.integers(kind.minimum, min(kind.maximum, kind.minimum + 60))),
    (Boolean, lambda _: st.booleans()),
    (AmountNumber, lambda _: st.sampled_from([0.5, 1, 1.5, 2.00001, 3])),
    (PhoneNumber, lambda _: _NUMBER),
    (JsonObject, lambda _: _object),
    (
        Timestamp,
        lambda _: st.sampled_from(["2026-03-02T12:00:00Z", "2026-03-05T12:00:00.5Z", "2027-01-01T00:00+02:00"]),
    ),
    (TimeOfDay, lambda _: st.sampled_from(["08:00:00", "09:30", "20:00:01", "23:59:59"])),
    (AgentUrl, lambda _: st.none() | st.sampled_from(["ws://127.0.0.1:8765/", "ws://localhost/calls"])),
    (ValueNames, lambda _: st.none() | st.sampled_from([["order_id"], "first_name, order id", []])),
    (Label, lambda _: st.none() | texts),
    (Text, lambda _: texts | _NUMBER),
]
"""Values that a kind of field mostly accepts."""


def _of(kind: Kind) -> st.SearchStrategy[Any]:
    return next(values(kind) for known, values in _BY_KIND if isinstance(kind, known))


_ADMINS_AND_OTHERS: Final = {"user", "manager", "status", "order", "login", "is_assigned", "is_global", "break_reason"}
"""Fields that files do not have, or that only admins may set."""
_KEYS: Final = st.sampled_from(["0", "1", "2", "12", "any", "timeout", "invalid"])


def values_of(path: str) -> st.SearchStrategy[dict[str, Any]]:
    """Return values for some fields of a resource, and for all that it needs."""
    fields = {field.name: field for field in fields_of(BY_PATH[path].write)}  # type: ignore[arg-type] # all are written
    left = {name: field for name, field in fields.items() if name not in _ADMINS_AND_OTHERS}
    return st.fixed_dictionaries(
        {name: _needed(field) for name, field in left.items() if field.required},
        optional={name: _of(field.kind) for name, field in left.items() if not field.required},
    )


def _needed(field: Field) -> st.SearchStrategy[Any]:
    if field.name == "keys":
        return _KEYS
    if isinstance(field.kind, Reference) and not isinstance(field.kind, ReferenceList):
        return REFERENCE
    return _of(field.kind).filter(lambda value: not isinstance(value, str) or bool(value.strip()))


def _some(path: str, least: int, most: int) -> st.SearchStrategy[list[dict[str, Any]]]:
    return st.lists(values_of(path), min_size=least, max_size=most)


accounts: Final = st.fixed_dictionaries(
    {
        "audio-files": st.lists(st.tuples(texts.filter(str.strip), st.sampled_from([0.1, 0.2, 0.3])), max_size=2),
        **{
            path: _some(path, least, most)
            for path, (least, most) in {
                "dnc-list": (1, 2),
                "dnc-contact": (0, 3),
                "phonebook": (1, 2),
                "contact": (0, 4),
                "agent": (1, 2),
                "queue": (1, 2),
                "tier": (0, 3),
                "survey-template": (1, 2),
                "section-template": (0, 4),
                "branching-template": (0, 4),
                "campaigns": (0, 2),
                "sms-campaigns": (0, 1),
                "did": (0, 1),
            }.items()
        },
    }
)


class MadeUpAccount:
    """A house whose account has made-up records."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self.house: Final = House(folder)
        self.media: Final = folder / "media"
        self.house.add(Gateway, medium=SMS, name="texts")
        self.house.add(CallerIdGroup, name="ours")
        self._names: Final[dict[str, set[str]]] = {}

    def fill(self, account: dict[str, Any]) -> None:
        """Write the records, in their order. Leave out those that the API refuses."""
        for name, seconds in account["audio-files"]:
            if self._is_new("audio-files", name):
                content = wav(seconds)
                sound = {"format": "pcm_s16le", "size": len(content), "duration_ms": int(seconds * 1_000)}
                file_name = Media(FolderMedia(self.media)).save(content)
                self.house.add(AudioFile, user_id=self.house.user_id, name=name, audio_file=file_name, **sound)
        for path, made in account.items():
            for values in made if path != "audio-files" else ():
                self.house.database.write_now(partial(self._try, path=path, values=values))

    def _try(self, connection: Connection, path: str, values: dict[str, Any]) -> None:
        """Create a record. Fields that the API does not accept are left out, one after the other."""
        resource = BY_PATH[path]
        if "name" in values and not self._is_new(resource.table.name, str(values["name"])):
            return
        fields = {field.name: field for field in fields_of(resource.write)}  # type: ignore[arg-type] # as above
        given = {name: self._resolved(connection, fields[name], value) for name, value in values.items()}
        for _ in range(_TRIES_MAX):
            try:
                with connection.begin_nested():
                    self._create(connection, resource, given)
            except (InvalidError, InvalidFieldsError) as error:
                given = {
                    name: value for name, value in given.items() if name not in error.errors or fields[name].required
                }
            except (AppError, AnsweredError):
                return
            else:
                return

    def _create(self, connection: Connection, resource: Resource, given: dict[str, Any]) -> None:
        unit = Unit(
            connection=connection,
            now_ms=self.house.now_ms(),
            actor=Actor(self.house.user_id, "ann", Role.MANAGER),
            conventions=_CONVENTIONS,
            resources=BY_PATH,
        )
        extra = {"order": (connection.scalar(select(func.count()).select_from(resource.table)) or 0) + 1}
        is_section = resource.path == "section-template"
        parsed = parse_given(resource.write, Given({**given, **(extra if is_section else {})}), _CONVENTIONS)  # type: ignore[arg-type]
        if parsed.errors:
            raise InvalidError(parsed.errors)
        records.create_record(unit, resource, parsed)

    def _is_new(self, path: str, name: str) -> bool:
        """Return whether a name is new. Files know records by their names."""
        names = self._names.setdefault(path, set())
        is_new = name not in names
        names.add(name)
        return is_new

    def _resolved(self, connection: Connection, field: Field, value: Any) -> Any:  # noqa: ANN401 - JSON
        """Return ids in place of the places of records."""
        if not isinstance(field.kind, Reference) or value is None:
            return value
        resource = BY_PATH[field.kind.path]
        table = resource.table
        query = select(table.c["id"]).order_by(table.c["id"])
        for column, constant in resource.constants:
            query = query.where(table.c[column] == constant)
        ids = list(connection.scalars(query))
        if isinstance(value, list):
            return list(dict.fromkeys(ids[one % len(ids)] for one in value if ids))
        return ids[value % len(ids)] if ids else None


def close(*accounts_made: MadeUpAccount) -> None:
    """Close the databases."""
    for one in accounts_made:
        one.house.database.close()
