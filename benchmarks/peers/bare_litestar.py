"""Minimal Litestar application: plain handlers, one aiosqlite connection, and SQL written by hand.

It does what dialer must do, and no more. So it shows the cost of the framework and the driver alone.
"""

import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

import aiosqlite
import msgspec
from litestar import Litestar, Request, Response, get, post
from litestar.connection import ASGIConnection
from litestar.datastructures import State
from litestar.exceptions import ClientException, NotAuthorizedException
from litestar.middleware import AbstractAuthenticationMiddleware, AuthenticationResult
from litestar.params import JSONBody

from benchmarks.peers.common import (
    DATABASE,
    PAGE_SIZE,
    PAGE_SIZE_MAX,
    PRAGMAS,
    Verified,
    checked_json,
    moment,
    now_ms,
    number_and_zone,
    parse_basic,
)

_COUNT: Final = """
SELECT count(*) FROM contact
WHERE phonebook_id = ? AND phonebook_id IN (SELECT id FROM phonebook WHERE user_id = ?)
"""
_PAGE: Final = """
SELECT id, phonebook_id, contact, full_name, additional_vars, tz_code, created_date, updated_date FROM contact
WHERE phonebook_id = ? AND phonebook_id IN (SELECT id FROM phonebook WHERE user_id = ?)
ORDER BY id LIMIT ? OFFSET ?
"""
_OWNED: Final = "SELECT 1 FROM phonebook WHERE id = ? AND user_id = ?"
_INSERT: Final = """
INSERT INTO contact
(phonebook_id, contact, number, zone, full_name, additional_vars, tz_code, created_date, updated_date, user_id)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, (SELECT user_id FROM phonebook WHERE id = ?1))
RETURNING id, phonebook_id, contact, full_name, additional_vars, tz_code, created_date, updated_date
"""
_USER: Final = "SELECT id, password_hash FROM user_account WHERE username = ?"

_RESOURCES: Final = (
    "callerid",
    "callerid-group",
    "contact",
    "phonebook",
    "survey-template",
    "section-template",
    "branching-template",
    "audio-files",
    "queue",
    "agent",
    "tier",
    "dnc-list",
    "dnc-contact",
    "payment",
    "ledger",
    "rate-card",
    "cdr",
    "callrequest",
    "transfer",
    "survey-result",
    "users",
    "gateway",
    "sms-gateway",
    "campaigns",
    "subscriber-list",
    "sms-campaigns",
    "sms-message",
    "did",
    "clock",
)

_verified: Final = Verified()


class Contact(msgspec.Struct):
    """Contact in a response."""

    id: int
    url: str
    phonebook: str
    contact: str
    full_name: str
    additional_vars: str
    tz_code: str
    created_date: Any
    updated_date: Any


class NewContact(msgspec.Struct):
    """Contact in a request."""

    contact: str
    phonebook: int
    full_name: str = ""
    additional_vars: str = "{}"
    tz_code: str = ""


class Page(msgspec.Struct):
    """Page of contacts."""

    count: int
    next: str | None
    previous: str | None
    results: list[Contact]


class Basic(AbstractAuthenticationMiddleware):
    """HTTP Basic authentication."""

    async def authenticate_request(self, connection: ASGIConnection[Any, Any, Any, State]) -> AuthenticationResult:
        """Return the id of the user."""
        credentials = parse_basic(connection.headers.get("authorization", ""))
        if credentials is None:
            raise NotAuthorizedException
        user_id = _verified.recall(*credentials)
        if user_id is None:
            user_id = await _verify(connection.app.state.database, *credentials)
        return AuthenticationResult(user=user_id, auth=None)


async def _verify(database: aiosqlite.Connection, username: str, password: str) -> int:
    rows = list(await database.execute_fetchall(_USER, (username,)))
    if not rows or not _verified.verify(username, password, *rows[0]):
        raise NotAuthorizedException
    return int(rows[0][0])


@get("/rest-api/")
async def list_resources(request: Request[int, None, State]) -> dict[str, str]:
    """List the resources. This answer needs hardly any work."""
    base = _base(request)
    besides = {"surveyaggregate": f"{base}surveyaggregate/{{campaign_id}}/"}
    return {name: f"{base}{name}/" for name in _RESOURCES} | besides


@get("/rest-api/contact/")
async def list_contacts(
    request: Request[int, None, State], phonebook_id: int, page: int = 1, page_size: int = PAGE_SIZE
) -> Page:
    """Return a page by its number."""
    size = min(page_size, PAGE_SIZE_MAX)
    database, mine = request.app.state.database, (phonebook_id, request.user)
    ((count,),) = await database.execute_fetchall(_COUNT, mine)
    rows = await database.execute_fetchall(_PAGE, (*mine, size, (page - 1) * size))
    base = _base(request)
    link = f"{base}contact/?phonebook_id={phonebook_id}&page="
    return Page(
        count=count,
        next=f"{link}{page + 1}" if page * size < count else None,
        previous=f"{link}{page - 1}" if page > 1 else None,
        results=[_shown(row, base) for row in rows],
    )


@post("/rest-api/contact/")
async def create_contact(request: Request[int, None, State], data: JSONBody[NewContact]) -> Response[Contact]:
    """Create a contact, and answer once it is on disk."""
    database = request.app.state.database
    try:
        number, zone = number_and_zone(data.contact)
        checked_json(data.additional_vars)
    except ValueError as error:
        raise ClientException(str(error)) from None
    if not await database.execute_fetchall(_OWNED, (data.phonebook, request.user)):
        raise ClientException("No such phonebook.")
    now = now_ms()
    given = (data.full_name, data.additional_vars, data.tz_code)
    values = (data.phonebook, data.contact, number, zone, *given, now, now)
    # The connection is in autocommit mode: the statement is its own transaction.
    (row,) = await database.execute_fetchall(_INSERT, values)
    shown = _shown(row, _base(request))
    return Response(shown, status_code=201, headers={"Location": shown.url})


def _base(request: Request[int, None, State]) -> str:
    return f"{request.scope['scheme']}://{request.headers['host']}/rest-api/"


def _shown(row: sqlite3.Row, base: str) -> Contact:
    identity, phonebook_id, contact, full_name, additional_vars, tz_code, created, updated = row
    return Contact(
        id=identity,
        url=f"{base}contact/{identity}/",
        phonebook=f"{base}phonebook/{phonebook_id}/",
        contact=contact,
        full_name=full_name,
        additional_vars=additional_vars,
        tz_code=tz_code,
        created_date=moment(created),
        updated_date=moment(updated),
    )


@asynccontextmanager
async def _connected(app: Litestar) -> AsyncIterator[None]:
    async with aiosqlite.connect(DATABASE, isolation_level=None) as database:
        for pragma in PRAGMAS:
            await database.execute(f"PRAGMA {pragma}")
        app.state.database = database
        yield


app: Final = Litestar(
    [list_resources, list_contacts, create_contact],
    middleware=[Basic],
    lifespan=[_connected],
    openapi_config=None,
    logging_config=None,
)
