"""The viewer's account: the sessions that are open, and sign-out."""

from typing import Any, Final

from litestar import Response, get, post
from litestar.di import NamedDependency

from dialer.api.crud.urls import parse_id
from dialer.api.http.errors import RecordNotFoundError
from dialer.api.service import ApiRequest
from dialer.app.sessions import IDLE_MS, LIFE_MS, end_session
from dialer.console.forms import read_fields
from dialer.console.services import ConsoleServices, current_session, go_to, is_secure, page
from dialer.console.sessions import SESSION_COOKIE, cookie
from dialer.domain.roles import Permission
from dialer.store.queries.sessions import sessions_of

ACCOUNT: Final = "/console/account/"
OVERVIEW: Final = "/console/overview/"
DESK: Final = "/console/desk/"
SIGN_IN: Final = "/console/sign-in/"


@get("/", media_type="text/html")
async def show_home(request: ApiRequest) -> Response[Any]:
    """Lead to the first page that the viewer may see."""
    return go_to(OVERVIEW if request.user.may(Permission.READ) else DESK)


@get("/account", media_type="text/html")
async def show_account(request: ApiRequest, console: NamedDependency[ConsoleServices]) -> Response[Any]:
    """Show the viewer's sessions."""
    now_ms = console.sessions.now_ms()
    sessions = await request.service.read(
        request, lambda unit: sessions_of(unit.connection, unit.actor.id, now_ms - IDLE_MS, now_ms - LIFE_MS)
    )
    return page(request, "account.html", "account", sessions=sessions, session_id=current_session(request).id)


@post("/account/sign-out")
async def sign_out(request: ApiRequest) -> Response[Any]:
    """End the viewer's session."""
    await read_fields(request)
    session_id = current_session(request).id
    await request.service.write(request, lambda unit: end_session(unit, unit.actor.id, session_id))
    return go_to(SIGN_IN, cookie(SESSION_COOKIE, "", is_secure=is_secure(request), max_age_s=0))


@post("/account/sessions")
async def revoke_session(request: ApiRequest) -> Response[Any]:
    """End another session of the viewer."""
    fields = await read_fields(request)
    session_id = parse_id(fields.get("session", ""))
    if session_id is None:
        raise RecordNotFoundError
    await request.service.write(request, lambda unit: end_session(unit, unit.actor.id, session_id))
    return go_to(ACCOUNT)
