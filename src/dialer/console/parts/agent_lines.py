"""Agents as lines of a pasted list: a name, and if you like a user name, a telephone and a queue."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from msgspec.structs import replace

from dialer.console.words.record_names import Option, options_of
from dialer.domain.words.roles import Role
from dialer.domain.words.sentences import Sentence
from dialer.resources.crud import records
from dialer.resources.crud.resource import Resource, Unit
from dialer.resources.crud.shapes import Given, Parsed, Shape, parse_given
from dialer.resources.records.accounts import USERS
from dialer.resources.records.queues import AGENTS, QUEUES, TIERS
from dialer.resources.words.errors import Errors, InvalidError

AGENTS_MAX: Final = 100
"""Agents of one list."""
CELL_MAX: Final = 255
"""Characters of a cell that are read."""
_SEPARATORS: Final = ("\t", ";", ",")
_CELLS: Final = 4


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
    """Return the lines of a list that are not blank. Tabs, semicolons or commas separate the cells of a line.

    Raises:
        InvalidError: there are none, or too many.
    """
    lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    if not lines:
        raise InvalidError({"list": ["Paste at least one line."]})
    if len(lines) > AGENTS_MAX:
        message = Sentence("The list has %(count)s lines. Paste at most %(most)s.", count=len(lines), most=AGENTS_MAX)
        raise InvalidError({"list": [message]})
    return [_line(number, line) for number, line in lines]


def _line(number: int, line: str) -> AgentLine:
    separator = next((one for one in _SEPARATORS if one in line), _SEPARATORS[-1])
    cells = [cell.strip()[: CELL_MAX + 1] for cell in line.split(separator)]
    cells += [""] * (_CELLS - len(cells))
    name, username, telephone, *queue = cells
    return AgentLine(number, name, username, telephone, f"{separator} ".join(filter(None, queue)))


def user_of_line(unit: Unit, line: AgentLine, password: str) -> Parsed:
    """Return the user account with which an agent signs in, who works for the viewer."""
    manager = unit.actor.manager_id or unit.actor.id
    members = {"username": line.username, "password": password, "role": Role.AGENT.value, "manager": str(manager)}
    return parse_given(USERS.write or Shape, Given(members), unit.conventions)


def add_agents(
    unit: Unit, lines: Sequence[AgentLine], ticked: Iterable[int], users: Mapping[int, Parsed]
) -> dict[int, Errors]:
    """Create the agents of lines with their queues, and users to sign in with; return the errors by number of line.

    `users` are the prepared accounts by number of line. If there are errors, the caller must undo everything.
    """
    queues, places = options_of(unit, QUEUES.path) or [], sorted(ticked)
    errors: dict[int, Errors] = {}
    for line in lines:
        try:
            _add(unit, line, _queues_of(line, queues, places), users.get(line.number))
        except InvalidError as error:
            errors[line.number] = error.errors
    return errors


def _add(unit: Unit, line: AgentLine, queue_ids: Iterable[int], user: Parsed | None) -> None:
    members: dict[str, Any] = {"name": line.name, "contact": line.telephone}
    if user is not None:
        members["login"] = str(records.create_record(unit, USERS, user).record_id)
    agent_id = _create(unit, AGENTS, members)
    for queue_id in queue_ids:
        _create(unit, TIERS, {"agent": str(agent_id), "queue": str(queue_id)})


def _queues_of(line: AgentLine, queues: Iterable[Option], ticked: list[int]) -> list[int]:
    if not line.queue:
        return ticked
    found = [one.id for one in queues if one.name == line.queue]
    if len(found) != 1:
        raise InvalidError({"queue": [Sentence("There is no queue called %(name)r.", name=line.queue)]})
    return found


def _create(unit: Unit, resource: Resource, members: dict[str, Any]) -> int:
    parsed = parse_given(resource.write or Shape, Given(members), unit.conventions)
    return records.create_record(unit, resource, parsed).record_id


def with_any_password(user: Parsed) -> Parsed:
    """Return an account with a hash that no password has, for a look that is undone."""
    return replace(user, values={**user.values, "password": "!"})
