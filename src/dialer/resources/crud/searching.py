"""Searches: the parameter `search`, and the SQL conditions that it becomes.

All words of a search must begin words of a record's names. A search that has nothing but digits and the punctuation of
numbers finds also numbers: those that begin with it in any spelling, and those that end with it. In a large list, the
latter are found only where an index has the last digits.

A large list has two forms of each search: a condition on a row, and a query that finds the rows in indexes.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final

import msgspec
from sqlalchemy import (
    Column,
    ColumnElement,
    Select,
    SQLColumnExpression,
    String,
    and_,
    bindparam,
    exists,
    false,
    func,
    literal,
    null,
    or_,
    select,
    union_all,
)

from dialer.domain.numbers import search_keys
from dialer.domain.words.roles import Role
from dialer.domain.words.sentences import Sentence
from dialer.resources.crud.fields import Conventions, FieldError, echo
from dialer.resources.crud.resource import Actor, Resource
from dialer.resources.crud.shapes import fields_of
from dialer.store.backends.expressions import bare_number, last_digits, name_key, place_of
from dialer.store.tables import Contact, ContactWord, Phonebook, User

SEARCH: Final = "search"
SEARCH_MAX: Final = 64
"""The most characters of a search."""


class Search(msgspec.Struct, frozen=True):
    """A search: the words of names, and the starts and the end of numbers, if it can be one."""

    words: tuple[str, ...]
    """The first one leads: rows are found by it, and the others are looked for in these."""
    starts: tuple[str, ...] = ()
    ending: str = ""
    """The last digits, `ENDING_MIN` or more."""
    phrase: str = ""
    """The words in the order in which they were typed, if there are two or more."""

    @property
    def shape(self) -> tuple[int, int, bool]:
        """Return the parts of the search that decide the text of its query."""
        return len(self.words), len(self.starts), bool(self.ending)

    @property
    def in_order(self) -> "Search":
        """Return the search as it is, whichever word leads."""
        return msgspec.structs.replace(self, words=tuple(sorted(self.words)))

    def led_by(self, word: str) -> "Search":
        """Return the search with a word as its first."""
        return msgspec.structs.replace(self, words=(word, *[one for one in self.words if one != word]))

    def values(self) -> dict[str, str]:
        """Return the parameters of the conditions."""
        values = {_word(place): f" {word}" for place, word in enumerate(self.words)}
        ranges = {_start(place): start for place, start in enumerate(self.starts)}
        ranges |= {_LEAD: self.words[0]} if self.words else {}
        values |= {_ENDING: self.ending, _LAST: self.ending[-search_keys.ENDING_MIN :]} if self.ending else {}
        ranges |= {_PHRASE: self.phrase} if self.phrase else {}
        for name, start in ranges.items():
            values |= {f"{name}_from": start, f"{name}_to": search_keys.after_all_with(start)}
        return values


_LEAD: Final = "search_lead"
_ENDING: Final = "search_ending"
_LAST: Final = "search_last"
_PHRASE: Final = "search_phrase"


def _word(place: int) -> str:
    return f"search_word_{place}"


def _start(place: int) -> str:
    return f"search_start_{place}"


def parse_search(text: str, conventions: Conventions) -> Search | None:
    """Return the search for a text; None if it is empty.

    Raises:
        FieldError: the text is too long, or has neither a letter nor a digit.
    """
    if not text.strip():
        return None
    if len(text) > SEARCH_MAX:
        raise FieldError(Sentence("Ensure this field has no more than %(most)s characters.", most=SEARCH_MAX))
    words, starts = search_keys.words_of(text), search_keys.number_starts(text, conventions.region)
    if not words:
        raise FieldError(
            Sentence('"%(text)s" has neither a letter nor a digit. Search for a name or a number.', text=echo(text))
        )
    phrase = search_keys.name_key(text) if len(words) > 1 else ""
    return Search(words, starts, search_keys.ending(text) if starts else "", phrase)


def is_searchable(resource: Resource) -> bool:
    """Return whether lists of the resource accept a search."""
    return bool(resource.names or resource.numbers)


def found_in_row(resource: Resource, shape: tuple[int, int, bool]) -> ColumnElement[bool]:
    """Return the condition on a row that a search of this shape finds. Its parameters are `Search.values`."""
    by_contact = resource.is_large and resource.names and resource.table is not Contact.__table__
    conditions = [] if by_contact else list(_named(resource, shape[0]))
    conditions += _numbered(resource, shape)
    if by_contact:
        contact = or_(_has_words([Contact.full_name_key], shape[0]), *_ends(Contact.number, shape))
        conditions.append(exists().where(Contact.id == resource.table.c["contact_id"], contact))
    return or_(false(), *conditions)


def found_by_index(resource: Resource, actor: Actor, shape: tuple[int, int, bool]) -> Select[Any]:
    """Return a query for the ids of rows of a large list: all rows that the search finds and the actor may see.

    It finds some rows twice, and some that the actor may not see.
    """
    table = resource.table
    queries = [_with_start(resource, actor, start) for start in _starting(resource, shape)]
    if _has_endings(resource) and table is not Contact.__table__:
        seen = accounts_seen(actor, table.c["user_id"])
        ends = (end for column in _numbers(resource) for end in _ends(column, shape))
        queries += [select(table.c["id"]).where(seen, end) for end in ends]
    if resource.names:
        of_contacts = _contacts(actor, shape)
        if table is Contact.__table__:
            queries += of_contacts
        else:
            ids = union_all(*of_contacts).subquery()
            queries.append(select(table.c["id"]).join(ids, table.c["contact_id"] == ids.c["id"]))
    if not queries:
        return select(null().label("id")).where(false())
    found = union_all(*queries).subquery()
    return select(found.c["id"])


def count_of_account(resource: Resource, actor: Actor, shape: tuple[int, int, bool]) -> Select[Any]:
    """Return a query for the number of contacts that the search finds in the accounts that the actor sees.

    It reads no contact but those that are found by a name or an ending although the search is a number, and it keeps
    only the ids of the contacts that can be found twice.
    """
    if shape[1]:
        named = union_all(*_contacts(actor, shape)).subquery()
        other = ~exists().where(Contact.id == named.c["id"], or_(*_starting(resource, shape)))
        numbers = [
            select(func.count()).select_from(_with_start(resource, actor, start).subquery())
            for start in _starting(resource, shape)
        ]
        parts = [*numbers, select(func.count(named.c["id"].distinct())).where(other)]
        total: Any = sum(part.scalar_subquery() for part in parts)
        return select(total)
    words = _words(actor, _LEAD, shape[0])
    is_twice = place_of(_parameter(_word(0)), ContactWord.word) > 0
    once = func.count().filter(~is_twice)
    return words.with_only_columns(once + func.count(ContactWord.id.distinct()).filter(is_twice))


def found_by_lead(actor: Actor) -> Select[Any]:
    """Return a query for the contacts that have a word which begins with the lead of a search, each once or more."""
    return _words(actor, _LEAD)


def found_by_phrase(actor: Actor) -> Select[Any]:
    """Return a query for contacts that a search finds: those with its words one after another."""
    return _words(actor, _PHRASE)


def accounts_seen(actor: Actor, column: SQLColumnExpression[Any]) -> ColumnElement[bool]:
    """Return the SQL condition that the account in a column has contacts that the actor may see."""
    me: ColumnElement[int] = bindparam("actor_id", actor.sees_as)
    if actor.is_admin:
        return column.in_(select(User.id))
    if actor.role is Role.AGENT:
        return column.in_(select(User.manager_id).where(User.id == me))
    return column == me


def _contacts(actor: Actor, shape: tuple[int, int, bool]) -> list[Select[Any]]:
    """Return queries for the contacts of the accounts that the actor sees, by their names and by their last digits."""
    seen = accounts_seen(actor, Contact.user_id)
    ends = [select(Contact.id).where(seen, end) for end in _ends(Contact.number, shape)]
    return [_words(actor, _LEAD, shape[0]), *ends]


def _words(actor: Actor, name: str, words: int = 1) -> Select[Any]:
    """Return a query for the rows that begin with a parameter, and have the words after the first one of a search."""
    others = [place_of(_parameter(_word(place)), _before(ContactWord.word)) > 0 for place in range(1, words)]
    seen = accounts_seen(actor, ContactWord.user_id)
    return select(ContactWord.id).where(seen, _in_range(ContactWord.word, name), *others)


def _with_start(resource: Resource, actor: Actor, start: ColumnElement[bool]) -> Select[Any]:
    table = resource.table
    if table is not Contact.__table__:
        return select(table.c["id"]).where(start)
    # The index of a phonebook's numbers is read, as that of all numbers has those of other accounts.
    books = select(Phonebook.id).where(accounts_seen(actor, Phonebook.user_id))
    return select(table.c["id"]).where(table.c["phonebook_id"].in_(books), start)


def _starting(resource: Resource, shape: tuple[int, int, bool]) -> Iterator[ColumnElement[bool]]:
    for column in _numbers(resource):
        yield from (_in_range(column, _start(place)) for place in range(shape[1]))


def _numbered(resource: Resource, shape: tuple[int, int, bool]) -> list[ColumnElement[bool]]:
    conditions = list(_starting(resource, shape))
    if not resource.is_large or _has_endings(resource):
        conditions += [end for column in _numbers(resource) for end in _ends(column, shape)]
    return conditions


def _has_endings(resource: Resource) -> bool:
    """Return whether the table has an index of last digits."""
    name = f"ix_{resource.table.name}_last_digits"
    return any(index.name == name for index in resource.table.indexes)


def _numbers(resource: Resource) -> list[ColumnElement[str]]:
    numbers: list[ColumnElement[str]] = [
        resource.table.c.get("number", _column(resource, field)) for field in resource.numbers
    ]
    return numbers if resource.is_large else [bare_number(number) for number in numbers]


def _ends(number: SQLColumnExpression[str], shape: tuple[int, int, bool]) -> list[ColumnElement[bool]]:
    """Return the condition that a number has an ending, among the few that the index finds by the last digits."""
    is_last = last_digits(number) == _parameter(_LAST)
    return [and_(is_last, number.endswith(_parameter(_ENDING)))] if shape[2] else []


def _named(resource: Resource, words: int) -> Iterator[ColumnElement[bool]]:
    if resource.table is Contact.__table__:
        yield _has_words([Contact.full_name_key], words)
    elif resource.names:
        yield _has_words([name_key(_column(resource, field)) for field in resource.names], words)


def _has_words(names: Sequence[SQLColumnExpression[Any]], words: int) -> ColumnElement[bool]:
    texts = [_before(name) for name in names]
    return and_(*(or_(*(place_of(_parameter(_word(place)), text) > 0 for text in texts)) for place in range(words)))


def _before(name: SQLColumnExpression[Any]) -> ColumnElement[str]:
    return literal(" ").concat(name)


def _column(resource: Resource, name: str) -> Column[Any]:
    field = next(field for field in fields_of(resource.read) if field.name == name)
    column = resource.column(field)
    if column is None:
        raise TypeError(f"{name} cannot be searched")
    return column


def _in_range(key: SQLColumnExpression[Any], name: str) -> ColumnElement[bool]:
    return and_(key >= _parameter(f"{name}_from"), key < _parameter(f"{name}_to"))


def _parameter(name: str) -> ColumnElement[str]:
    return bindparam(name, type_=String)
