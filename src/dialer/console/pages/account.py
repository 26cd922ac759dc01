"""The viewer's account: the password, the sessions that are open, and sign-out."""

from http import HTTPStatus
from typing import Any, Final

import anyio.to_thread
from litestar import Response, get, post
from litestar.di import NamedDependency
from sqlalchemy import select

from dialer.api.actions.own_settings import change
from dialer.api.http.auth import origin_of
from dialer.api.service import ApiRequest
from dialer.app.accounts.api_keys import revoke_api_key
from dialer.app.accounts.sessions import IDLE_MS, LIFE_MS, begin_session, end_session
from dialer.app.accounts.users import change_user
from dialer.app.call_centre.agents_and_queues import change_agent
from dialer.app.call_centre.desk import read_desk
from dialer.app.work.errors import InvalidFieldsError
from dialer.console.parts.sentences import joined_words
from dialer.console.serving.confirmations import CURRENT, doubt_of
from dialer.console.serving.forms import read_fields
from dialer.console.serving.services import ConsoleServices, current_session, go_to, page
from dialer.console.serving.sessions import SESSION_COOKIE, cookie, is_secure
from dialer.console.serving.signing_in import host_of, password_errors, session_of, signed_in
from dialer.domain.words.enums import AgentStatus
from dialer.domain.words.languages import LANGUAGES
from dialer.domain.words.roles import Permission
from dialer.passwords import hash_password
from dialer.resources.crud.resource import Unit
from dialer.resources.crud.shapes import Given
from dialer.resources.crud.urls import identity_in
from dialer.resources.words.errors import InvalidError, RecordNotFoundError
from dialer.store.queries.api_keys import keys_of
from dialer.store.queries.sessions import sessions_of
from dialer.store.tables import User

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
    """Show the viewer's sessions, and the form for a new password."""
    return await _account(request, console, is_changed="changed" in request.query_params)


@post("/account/password", media_type="text/html")
async def change_own_password(request: ApiRequest, console: NamedDependency[ConsoleServices]) -> Response[Any]:
    """Give the viewer a new password, if the old one is right. All sessions end, and this browser begins another."""
    fields, actor, host = await read_fields(request), request.user, host_of(request)
    errors = await password_errors(fields.get("password", ""), fields.get("again", ""))
    if errors:
        return await _account(request, console, HTTPStatus.BAD_REQUEST, errors=errors)
    doubt = await doubt_of(request, console, fields)
    if doubt is not None:
        refused = await _account(request, console, doubt.status, errors={CURRENT: doubt.message})
        refused.headers.update(doubt.headers)
        return refused
    password_hash = await anyio.to_thread.run_sync(hash_password, fields["password"])
    new = session_of(request, console, actor.id, origin_of(actor, host))

    def change(unit: Unit) -> str:
        change_user(unit, actor.id, {"password_hash": password_hash}, revokes_keys="keep_keys" not in fields)
        return begin_session(unit, new)

    return signed_in(request, await request.service.write(request, change), f"{ACCOUNT}?changed=1")


@post("/account/language", media_type="text/html")
async def choose_language(request: ApiRequest) -> Response[Any]:
    """Show texts to the viewer in another language from now on."""
    code = (await read_fields(request)).get("language", "")
    if code and code not in LANGUAGES:
        raise RecordNotFoundError("There is no such language.")
    await request.service.write(request, lambda unit: change_user(unit, unit.actor.id, {"language": code}))
    return go_to(ACCOUNT)


@post("/account/telephone", media_type="text/html")
async def set_telephone(request: ApiRequest, console: NamedDependency[ConsoleServices]) -> Response[Any]:
    """Keep the viewer's own telephone, which tests of campaigns propose."""
    telephone = (await read_fields(request)).get("telephone", "").strip()
    try:
        await change(request, Given({"telephone": telephone}))
    except (InvalidError, InvalidFieldsError) as error:
        errors = {name: joined_words(messages) for name, messages in error.errors.items()}
        return await _account(request, console, HTTPStatus.BAD_REQUEST, errors=errors, telephone=telephone)
    return go_to(ACCOUNT)


@post("/account/sign-out")
async def sign_out(request: ApiRequest) -> Response[Any]:
    """End the viewer's session, log their agent out, and show the sign-in page. During a call, ask first."""
    is_sure = "sure" in await read_fields(request)
    session_id = current_session(request).id

    def end(unit: Unit) -> bool:
        desk = read_desk(unit.connection, unit.actor.id, unit.now_ms)
        if desk is not None and desk.is_in_call and not is_sure:
            return False
        if desk is not None and desk.status != AgentStatus.LOGGED_OUT:
            change_agent(unit, desk.agent_id, {"status": AgentStatus.LOGGED_OUT, "break_reason": ""}, unit.actor.id)
        end_session(unit, unit.actor.id, session_id)
        return True

    if not await request.service.write(request, end):
        return page(request, "sign_out.html", "account", HTTPStatus.CONFLICT)
    return go_to(SIGN_IN, cookie(SESSION_COOKIE, "", is_secure=is_secure(request), max_age_s=0))


@post("/account/sessions")
async def revoke_session(request: ApiRequest) -> Response[Any]:
    """End another session of the viewer."""
    fields = await read_fields(request)
    session_id = identity_in(fields.get("session", ""))
    await request.service.write(request, lambda unit: end_session(unit, unit.actor.id, session_id))
    return go_to(ACCOUNT)


@post("/account/keys")
async def revoke_key(request: ApiRequest) -> Response[Any]:
    """Revoke an API key of the viewer."""
    fields = await read_fields(request)
    key_id = identity_in(fields.get("key", ""))

    def revoke(unit: Unit) -> None:
        if key_id not in {key.id for key in keys_of(unit.connection, unit.actor.id)}:
            raise RecordNotFoundError
        revoke_api_key(unit, key_id)

    await request.service.write(request, revoke)
    return go_to(ACCOUNT)


async def _account(
    request: ApiRequest,
    console: ConsoleServices,
    status: int = HTTPStatus.OK,
    *,
    errors: dict[str, str] | None = None,
    is_changed: bool = False,
    telephone: str | None = None,
) -> Response[Any]:
    now_ms = console.sessions.now_ms()
    session = current_session(request)

    def read(unit: Unit) -> dict[str, Any]:
        found = sessions_of(unit.connection, unit.actor.id, now_ms - IDLE_MS, now_ms - LIFE_MS)
        stored = unit.connection.scalar(select(User.telephone).where(User.id == unit.actor.id))
        return {"sessions": found, "keys": keys_of(unit.connection, unit.actor.id), "telephone": stored}

    shown = {
        **await request.service.read(request, read),
        "session_id": session.id,
        "is_changed": is_changed,
        "has_second_factor": session.has_second_factor,
        "languages": LANGUAGES,
        "chosen_language": session.language,
        **({} if telephone is None else {"telephone": telephone}),
    }
    return page(request, "account.html", "account", status, errors=errors or {}, **shown)
