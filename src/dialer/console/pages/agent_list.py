"""Several agents at once: a pasted list is looked at, and all of them are made, with sign-in, telephone and queue."""

import secrets
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any, Final, NamedTuple

from litestar import Response, get, post

from dialer.api.service import ApiRequest
from dialer.console.parts.agent_lines import (
    AGENTS_MAX,
    AgentLine,
    add_agents,
    read_agent_lines,
    user_of_line,
    with_any_password,
)
from dialer.console.parts.sentences import joined_words
from dialer.console.serving.errors import messages_of
from dialer.console.serving.forms import read_fields
from dialer.console.serving.services import page
from dialer.console.words.catalogue import PAGES
from dialer.console.words.field_titles import title_of
from dialer.console.words.language import gettext
from dialer.console.words.record_names import Option, options_of
from dialer.resources.crud.preparing import prepared
from dialer.resources.crud.resource import Unit
from dialer.resources.crud.shapes import Parsed
from dialer.resources.crud.urls import parse_id
from dialer.resources.records.accounts import USERS
from dialer.resources.records.queues import AGENTS, QUEUES
from dialer.resources.words.errors import Errors, InvalidError

PASSWORD_BYTES: Final = 9
"""Random bytes of a password, which are twelve characters."""
_PLACE: Final = PAGES[AGENTS.path].place
_OF_USER: Final = frozenset({"username", "password", "role", "manager"})


class _UndoneError(Exception):
    """Raised to undo everything after a look, or if a line is wrong."""

    def __init__(self, errors: dict[int, Errors]) -> None:
        self.errors: Final = errors


class ShownLine(NamedTuple):
    """A line of the list, with what is wrong with it, and the password of its new user."""

    line: AgentLine
    problem: str = ""
    password: str = ""


@get("/agent-list", media_type="text/html")
async def show_agent_list(request: ApiRequest) -> Response[Any]:
    """Show the form for a list of agents."""
    return await _show(request, {})


@post("/agent-list", media_type="text/html")
async def read_agent_list(request: ApiRequest) -> Response[Any]:
    """Look at a list, and make its agents once it was looked at: all of them, or none."""
    filled = await read_fields(request)
    ticked = {int(name.removeprefix("queue.")) for name in filled if parse_id(name.removeprefix("queue.")) is not None}
    try:
        lines = read_agent_lines(filled.get("list", ""))
    except InvalidError as error:
        return await _show(request, filled, messages=messages_of(error), status=HTTPStatus.BAD_REQUEST)
    is_confirmed = filled.get("confirmed", "").splitlines() == filled.get("list", "").splitlines()
    passwords = {line.number: secrets.token_urlsafe(PASSWORD_BYTES) for line in lines if line.username}
    users = await _users(request, lines, passwords, is_hashed=is_confirmed)

    def make(unit: Unit) -> None:
        errors = add_agents(unit, lines, ticked, users, _common(filled))
        if errors or not is_confirmed:
            raise _UndoneError(errors)

    try:
        await request.service.write(request, make)
    except _UndoneError as undone:
        shown = [ShownLine(line, _in_words(undone.errors.get(line.number, {}))) for line in lines]
        status = HTTPStatus.BAD_REQUEST if undone.errors else HTTPStatus.OK
        return await _show(request, filled, shown, status=status, is_ready=not undone.errors)
    made = [ShownLine(line, password=passwords.get(line.number, "")) for line in lines]
    return await _show(request, {}, made, is_made=True)


def _common(filled: Mapping[str, str]) -> dict[str, Any]:
    """Return the fields that all agents of a list get."""
    wrap_up = filled.get("wrap_up_time", "").strip()
    return {"skills": filled.get("skills", "")} | ({"wrap_up_time": wrap_up} if wrap_up else {})


async def _users(
    request: ApiRequest, lines: Sequence[AgentLine], passwords: Mapping[int, str], *, is_hashed: bool
) -> dict[int, Parsed]:
    """Return the accounts of lines by their numbers, with the hashes of their passwords if they are to be made."""

    def read(unit: Unit) -> dict[int, Parsed]:
        return {
            line.number: user_of_line(unit, line, passwords[line.number]) for line in lines if line.number in passwords
        }

    users = await request.service.read(request, read)
    if not is_hashed:
        return {number: with_any_password(user) for number, user in users.items()}
    conventions = request.service.conventions(request)
    return {number: await prepared(USERS, user, conventions, request.user) for number, user in users.items()}


def _in_words(errors: Errors) -> str:
    """Return the errors of a line, each behind the title of its field."""
    return " ".join(
        f"{gettext(title_of(USERS.path if name in _OF_USER else AGENTS.path, name))}: {joined_words(messages)}"
        for name, messages in errors.items()
    )


async def _show(
    request: ApiRequest,
    filled: Mapping[str, str],
    lines: Sequence[ShownLine] = (),
    *,
    messages: Sequence[str] = (),
    status: HTTPStatus = HTTPStatus.OK,
    is_ready: bool = False,
    is_made: bool = False,
) -> Response[Any]:
    queues: list[Option] = await request.service.read(request, lambda unit: options_of(unit, QUEUES.path) or [])
    return page(
        request,
        "agent_list.html",
        _PLACE,
        status,
        queues=queues,
        filled=filled,
        lines=lines,
        messages=messages,
        wrong=sum(bool(one.problem) for one in lines),
        is_ready=is_ready,
        is_made=is_made,
        most=AGENTS_MAX,
        wrap_up_title=gettext(title_of(AGENTS.path, "wrap_up_time")),
    )
