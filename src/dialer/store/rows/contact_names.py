"""The names that placeholders can have, counted for each phonebook whenever its contacts are written.

So the check of a campaign reads a few rows, however many contacts there are.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

import msgspec
from sqlalchemy import BindParameter, Connection, Select, bindparam, delete, func, select, update

from dialer.domain.messages.templates import BUILT_IN, NAME_MAX, values_of, variables_of
from dialer.domain.survey.placeholders import Having, KnownNames
from dialer.store.backends.expressions import insert_or
from dialer.store.database.bulk import Bulk, PreparedStatement
from dialer.store.tables import Contact, ContactName

NAMES_MAX: Final = 300
"""Names of one phonebook that are counted. Further ones are not, and the phonebook is marked."""
SHAPES_MAX: Final = 256
"""Kinds of people whose names are kept."""
EVERYBODY: Final = ""
"""The name under which all contacts are counted."""
UNCOUNTED: Final = "{"
"""The name, which no placeholder can have, that marks a phonebook with names that are not counted."""
_NUMBER: Final = "0"
"""A number in place of the contact's, which is never empty."""
_OBJECTS: Final = msgspec.json.Decoder(list[dict[str, Any]])
_NAMES_OF_WORDS: Final = ("", "a", "a b")
_NAMES: Final = PreparedStatement(select(ContactName.name).where(ContactName.phonebook_id == bindparam("phonebook")))
_ids: Final[BindParameter[Any]] = bindparam("phonebooks", expanding=True)
_TOTALS: Final = (
    select(ContactName.name, func.sum(ContactName.contacts), func.sum(ContactName.filled))
    .where(ContactName.phonebook_id.in_(_ids))
    .group_by(ContactName.name)
)
_COUNTED: Final = select(ContactName.phonebook_id).where(
    ContactName.phonebook_id.in_(_ids), ContactName.name == EVERYBODY
)
_ANYBODY: Final = select(Contact.id).where(Contact.phonebook_id.in_(_ids)).limit(1)
_GONE: Final = delete(ContactName).where(ContactName.phonebook_id == bindparam("phonebook"), ContactName.contacts <= 0)

_added: Final = insert_or(ContactName.__table__)
_COLUMNS: Final = ("phonebook_id", "name", "contacts", "filled")
_COUNT: Final = Bulk(
    _added.on_conflict_do_update(
        index_elements=_COLUMNS[:2],
        set_={name: ContactName.__table__.c[name] + _added.excluded[name] for name in _COLUMNS[2:]},
    ),
    _COLUMNS,
)
_CORRECT: Final = Bulk(
    update(ContactName)
    .where(ContactName.phonebook_id == bindparam("of_phonebook"), ContactName.name == bindparam("of_name"))
    .values(
        contacts=ContactName.contacts + bindparam("more_contacts"), filled=ContactName.filled + bindparam("more_filled")
    ),
    ("of_phonebook", "of_name", "more_contacts", "more_filled"),
)
"""Changes counts. Names that are not counted stay so."""
_ALWAYS_COUNTED: Final = frozenset({EVERYBODY, *BUILT_IN})


class CountedNames(NamedTuple):
    """The values of a contact from which names are counted; the variables are JSON text."""

    phonebook_id: int
    full_name: str
    additional_vars: str


def count_added(connection: Connection, phonebook_id: int, people: Sequence[tuple[str, str]]) -> None:
    """Count the names of new contacts: the full name and the variables, as JSON text, of each."""
    _add(connection, phonebook_id, _tally(people))


def _add(connection: Connection, phonebook_id: int, found: Mapping[str, Having]) -> None:
    if not found.keys() <= _ALWAYS_COUNTED:
        found = _countable(connection, phonebook_id, found)
    _COUNT.run(connection, [(phonebook_id, name, *having) for name, having in found.items()])


def _countable(connection: Connection, phonebook_id: int, found: Mapping[str, Having]) -> Mapping[str, Having]:
    """Return what can be counted of the names that were found, and the mark if that is not all."""
    stored = set(_NAMES.run(connection, {"phonebook": phonebook_id}))
    if UNCOUNTED in stored or len(stored | found.keys()) > NAMES_MAX:
        kept = {name: having for name, having in found.items() if name in _ALWAYS_COUNTED or name in stored}
        return kept if UNCOUNTED in stored else {**kept, UNCOUNTED: Having(1, 1)}
    return found


def count_changed(connection: Connection, before: CountedNames, after: CountedNames) -> None:
    """Count the names of a contact that was changed."""
    if before.phonebook_id == after.phonebook_id:
        was, is_now = _tally([before[1:]]), _tally([after[1:]])
        _correct(connection, after.phonebook_id, _difference(was, is_now))
    else:
        _correct(connection, before.phonebook_id, _difference(_tally([before[1:]]), {}))
        _add(connection, after.phonebook_id, _tally([after[1:]]))


def _difference(was: Mapping[str, Having], is_now: Mapping[str, Having]) -> Mapping[str, Having]:
    """Return the counts that change, and by how much."""
    nobody = Having(0, 0)
    pairs = {name: (was.get(name, nobody), is_now.get(name, nobody)) for name in {**was, **is_now}}
    return {
        name: Having(new.contacts - old.contacts, new.filled - old.filled)
        for name, (old, new) in pairs.items()
        if new != old
    }


def _correct(connection: Connection, phonebook_id: int, changes: Mapping[str, Having]) -> None:
    """Change the counts of a phonebook with as few statements as possible: one contact is often changed alone."""
    more = {name: having for name, having in changes.items() if having.contacts > 0}
    rest = {name: having for name, having in changes.items() if having.contacts <= 0}
    _CORRECT.run(connection, [(phonebook_id, name, *having) for name, having in rest.items()])
    if any(having.contacts < 0 for having in rest.values()):
        connection.execute(_GONE, {"phonebook": phonebook_id})
    _add(connection, phonebook_id, more)


def count_removed(connection: Connection, wanted: Select[int]) -> None:
    """Take the contacts with some ids, which a query finds, out of the counts, before they are deleted or changed."""
    people: dict[int, list[tuple[str, str]]] = defaultdict(list)
    query = select(Contact.phonebook_id, Contact.full_name, Contact.additional_vars).where(Contact.id.in_(wanted))
    for row in connection.execute(query):
        people[row.phonebook_id].append((row.full_name, row.additional_vars))
    for phonebook_id, gone in people.items():
        _correct(connection, phonebook_id, _difference(_tally(gone), {}))


def names_of_phonebooks(connection: Connection, phonebooks: Collection[int]) -> KnownNames:
    """Return the names that placeholders can have for the contacts of some phonebooks.

    They are not complete if a phonebook has too many names, or contacts that were never counted.
    """
    rows = connection.execute(_TOTALS, {"phonebooks": list(phonebooks)}).all()
    names = {str(name): Having(int(contacts), int(filled)) for name, contacts, filled in rows}
    people = names.pop(EVERYBODY, Having(0, 0)).contacts
    is_complete = names.pop(UNCOUNTED, None) is None and not _has_uncounted(connection, phonebooks)
    return KnownNames(people, names, is_complete)


def _has_uncounted(connection: Connection, phonebooks: Collection[int]) -> bool:
    """Return whether a phonebook has contacts, and no count of them."""
    others = set(phonebooks) - set(connection.scalars(_COUNTED, {"phonebooks": list(phonebooks)}))
    return bool(others) and connection.scalar(_ANYBODY, {"phonebooks": list(others)}) is not None


class _Shape(NamedTuple):
    """A kind of people: the words of their name (2 for more), their variables, and the empty ones of these."""

    words: int
    names: tuple[str, ...]
    empty: tuple[str, ...]


def _tally(people: Sequence[tuple[str, str]]) -> Mapping[str, Having]:
    """Return how many people have each name, and how many of them have a value that is not empty.

    People of one import have few shapes, so most of the work is done once for each shape.
    """
    full_names, texts = zip(*people, strict=True) if people else ((), ())
    shapes = Counter(map(_shape, full_names, _all_variables(texts)))
    contacts, filled = Counter[str](), Counter[str]()
    for shape, count in shapes.items():
        for name, is_filled in _names(shape):
            contacts[name] += count
            filled[name] += count if is_filled else 0
    return {name: Having(count, filled[name]) for name, count in contacts.items()}


@lru_cache(maxsize=SHAPES_MAX)
def _names(shape: _Shape) -> Sequence[tuple[str, bool]]:
    """Return the names of people of a shape, and whether their values are not empty."""
    values = values_of(_NAMES_OF_WORDS[shape.words], "", _NUMBER) | dict.fromkeys(shape.names, _NUMBER)
    values |= dict.fromkeys(shape.empty, "")
    return [(EVERYBODY, True), *((name, bool(value)) for name, value in values.items() if _can_be_placeholder(name))]


def _all_variables(texts: Sequence[str]) -> Sequence[Mapping[str, Any]]:
    """Return the variables of people by their JSON texts, which are read faster at once."""
    try:
        found = _OBJECTS.decode(f"[{','.join(texts)}]")
    except msgspec.DecodeError:
        found = []
    return found if len(found) == len(texts) else list(map(variables_of, texts))


def _shape(full_name: str, variables: Mapping[str, Any]) -> _Shape:
    empty = [name for name, value in variables.items() if value is None or (type(value) is str and not value.strip())]
    name = full_name.strip()
    return _Shape(1 + (" " in name) if name else 0, tuple(variables), tuple(empty))


def _can_be_placeholder(name: str) -> bool:
    return 0 < len(name) <= NAME_MAX and name == name.strip() and "{" not in name and "}" not in name
