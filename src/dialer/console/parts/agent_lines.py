"""Agents as lines of a pasted list: a name, and if you like a user name, a telephone and a queue."""

import csv
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final, NamedTuple

from msgspec.structs import replace
from sqlalchemy import select

from dialer.console.words.language import gettext, gettext_noop
from dialer.domain.words.roles import Role
from dialer.domain.words.sentences import Sentence
from dialer.resources.crud import records
from dialer.resources.crud.resource import Resource, Unit
from dialer.resources.crud.shapes import Given, Parsed, Shape, parse_given
from dialer.resources.crud.visibility import visible
from dialer.resources.records.accounts import USERS
from dialer.resources.records.queues import AGENTS, QUEUES, TIERS
from dialer.resources.words.errors import Errors, InvalidError
from dialer.store.tables import Queue

AGENTS_MAX: Final = 100
"""Agents of one list."""
CELL_MAX: Final = 255
"""Characters of a cell that are read."""
LINE_MAX: Final = 4_096
"""Characters of a line that are read."""
_SEPARATORS: Final = ("\t", ";", ",")
_CELLS: Final = 4
_TITLES: Final = tuple(gettext_noop(title) for title in ("Name", "User name", "Telephone", "Queue"))
"""The titles of the cells: a first line of these alone is a header."""
_QUOTED: Final = re.compile(r'"[^"]*"')
_TWO: Final = 2
"""Queues that are read to know whether a name is that of one only."""


class AgentLine(NamedTuple):
    """A line of the list."""

    number: int
    """Its number in the text, from 1."""
    name: str
    username: str
    telephone: str
    queue: str
    """The name of a queue; empty for the queues that are ticked."""


def read_agent_lines(text: str) -> list[AgentLine]:
    """Return the lines of a list that are not blank, without a header.

    Tabs, semicolons or commas separate the cells of a line. A cell in double quotes may have them, too.

    Raises:
        InvalidError: there are none, or too many.
    """
    lines = [_line(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    lines = lines[1:] if lines and _is_header(lines[0]) else lines
    if not lines:
        raise InvalidError({"list": ["Paste at least one line."]})
    if len(lines) > AGENTS_MAX:
        message = Sentence("The list has %(count)s lines. Paste at most %(most)s.", count=len(lines), most=AGENTS_MAX)
        raise InvalidError({"list": [message]})
    return lines


def _is_header(line: AgentLine) -> bool:
    """Return whether the cells of a line are the titles of cells, in English or in the viewer's language."""
    titles = {word.casefold() for title in _TITLES for word in (title, gettext(title))}
    cells = [cell.casefold() for cell in line[1:] if cell]
    return len(cells) > 1 and titles.issuperset(cells)


def _line(number: int, line: str) -> AgentLine:
    unquoted = _QUOTED.sub("", line)
    separator = next((one for one in _SEPARATORS if one in unquoted), _SEPARATORS[-1])
    (found,) = csv.reader([line[:LINE_MAX]], delimiter=separator, skipinitialspace=True)
    cells = [cell.strip()[: CELL_MAX + 1] for cell in found]
    cells += [""] * (_CELLS - len(cells))
    name, username, telephone, *queue = cells
    return AgentLine(number, name, username, telephone, f"{separator} ".join(filter(None, queue)))


def user_of_line(unit: Unit, line: AgentLine, password: str) -> Parsed:
    """Return the user account with which an agent signs in, who works for the viewer."""
    manager = unit.actor.manager_id or unit.actor.id
    members = {"username": line.username, "password": password, "role": Role.AGENT.value, "manager": str(manager)}
    return parse_given(USERS.write or Shape, Given(members), unit.conventions)


def add_agents(
    unit: Unit,
    lines: Sequence[AgentLine],
    ticked: Iterable[int],
    users: Mapping[int, Parsed],
    common: Mapping[str, Any],
) -> dict[int, Errors]:
    """Create the agents of lines with their queues, and users to sign in with; return the errors by number of line.

    All of them get the `common` fields.
    `users` are the prepared accounts by number of line. If there are errors, the caller must undo everything.
    """
    places = sorted(ticked)
    errors: dict[int, Errors] = {}
    first = {line.name.casefold(): line.number for line in reversed(lines)}
    for line in lines:
        found = _add(unit, line, places, users.get(line.number), common)
        if line.name and (earlier := first[line.name.casefold()]) < line.number:
            said = Sentence("Line %(line)s has the same name. Give each agent a name of their own.", line=earlier)
            found = {**found, "name": [said]}
        if found:
            errors[line.number] = found
    return errors


def _add(unit: Unit, line: AgentLine, ticked: list[int], user: Parsed | None, common: Mapping[str, Any]) -> Errors:
    """Create the agent of a line, and return all that is wrong with it: a mended line shall have no further fault."""
    errors: Errors = {}
    members: dict[str, Any] = {"name": line.name, "contact": line.telephone, **common}
    queue_ids: list[int] = []
    with _collecting(errors):
        queue_ids = _queues_of(unit, line, ticked)
    if user is not None:
        with _collecting(errors):
            members["login"] = str(records.create_record(unit, USERS, user).record_id)
    with _collecting(errors):
        agent_id = _create(unit, AGENTS, members)
        for queue_id in queue_ids:
            _create(unit, TIERS, {"agent": str(agent_id), "queue": str(queue_id)})
    return errors


@contextmanager
def _collecting(errors: Errors) -> Iterator[None]:
    try:
        yield
    except InvalidError as error:
        errors.update(error.errors)


def _queues_of(unit: Unit, line: AgentLine, ticked: list[int]) -> list[int]:
    if not line.queue:
        return ticked
    called = select(Queue.id).where(Queue.name == line.queue, visible(QUEUES, unit.actor, unit.resources))
    found = list(unit.connection.scalars(called.limit(_TWO), {"actor_id": unit.actor.sees_as}))
    if not found:
        raise InvalidError({"queue": [Sentence("There is no queue called %(name)r.", name=line.queue)]})
    if len(found) == _TWO:
        several = Sentence("Several queues are called %(name)r. Leave the cell empty, and tick one.", name=line.queue)
        raise InvalidError({"queue": [several]})
    return found


def _create(unit: Unit, resource: Resource, members: dict[str, Any]) -> int:
    parsed = parse_given(resource.write or Shape, Given(members), unit.conventions)
    return records.create_record(unit, resource, parsed).record_id


def with_any_password(user: Parsed) -> Parsed:
    """Return an account with a hash that no password has, for a look that is undone."""
    return replace(user, values={**user.values, "password": "!"})
