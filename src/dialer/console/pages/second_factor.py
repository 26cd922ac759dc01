"""The second factor of the viewer: its set-up with a picture for a telephone, its recovery codes, and its end."""

from collections.abc import Callable
from http import HTTPStatus
from typing import Any, Final, TypeVar

import pyotp
from litestar import Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath
from markupsafe import Markup

from dialer.api.http.auth import origin_of
from dialer.api.service import ApiRequest
from dialer.app.accounts.second_factor import (
    begin_second_factor,
    confirm_second_factor,
    remove_second_factor,
    takes_second_factor,
)
from dialer.console.parts.record_addresses import identity_in
from dialer.console.serving.confirmations import CURRENT, doubt_of
from dialer.console.serving.forms import read_fields
from dialer.console.serving.services import ConsoleServices, current_session, go_to, page
from dialer.console.serving.signing_in import host_of, retry_after
from dialer.console.words.language import gettext, gettext_noop
from dialer.resources.crud.resource import Unit
from dialer.resources.words.errors import AnsweredError, ForbiddenError

ACCOUNT: Final = "/console/account/"
ISSUER: Final = "dialer"
WRONG_CODE: Final = gettext_noop("The code is wrong, or it was used already. Wait for the next one.")
_Result = TypeVar("_Result")
_PIXELS: Final = 5
"""The width of a module of the picture."""


@get("/account/second-factor", media_type="text/html")
async def show_second_factor(request: ApiRequest, console: NamedDependency[ConsoleServices]) -> Response[Any]:
    """Show the page that sets up or removes a second factor."""
    return await _show(request, console)


@post("/account/second-factor", media_type="text/html")
async def set_second_factor(request: ApiRequest, console: NamedDependency[ConsoleServices]) -> Response[Any]:
    """Turn on the viewer's second factor, if the password and the first code are right."""
    actor, session_id, at_ms = request.user, current_session(request).id, console.sessions.now_ms()

    def confirm(unit: Unit, code: str) -> list[str] | None:
        return confirm_second_factor(unit, actor.id, code, at_ms, session_id=session_id)

    codes = await _confirmed(request, console, confirm)
    if isinstance(codes, Response):
        return codes
    return page(request, "second_factor.html", "account", codes=codes, is_on=True, is_required=False)


@post("/account/second-factor/off", media_type="text/html")
async def unset_second_factor(request: ApiRequest, console: NamedDependency[ConsoleServices]) -> Response[Any]:
    """Turn off the viewer's second factor, if the password and a code are right."""
    actor, at_ms = request.user, console.sessions.now_ms()

    def remove(unit: Unit, code: str) -> bool | None:
        if not takes_second_factor(unit, actor.id, code, at_ms):
            return None
        remove_second_factor(unit, actor.id)
        return True

    done = await _confirmed(request, console, remove)
    return done if isinstance(done, Response) else go_to(ACCOUNT)


@post("/users/{record_id:str}/second-factor/off")
async def reset_second_factor(request: ApiRequest, record_id: FromPath[str]) -> Response[Any]:
    """Turn off the second factor of another user, who has lost the telephone."""
    await read_fields(request)
    user_id = identity_in(record_id)
    if user_id == request.user.id:
        raise ForbiddenError("Turn off your own second factor on the page of your account, with a code.")
    await request.service.write(request, lambda unit: remove_second_factor(unit, user_id))
    return go_to(f"/console/records/users/{user_id}/?saved=1")


async def _confirmed(
    request: ApiRequest, console: ConsoleServices, work: Callable[[Unit, str], _Result | None]
) -> _Result | Response[Any]:
    """Do some work with the code of a form, if its password is right; return the page with the error if either is not.

    The work returns None for a wrong code.
    """
    fields, user_id = await read_fields(request), request.user.id
    doubt = await doubt_of(request, console, fields)
    if doubt is not None:
        return await _show(request, console, doubt.status, dict(doubt.headers), errors={CURRENT: doubt.message})
    code = fields.get("code", "")
    try:
        async with console.authenticator.trying_code(user_id):
            done = await request.service.write(request, lambda unit: work(unit, code))
            if done is None:
                await console.authenticator.count_wrong_code(user_id)
    except AnsweredError as error:
        return await _show(request, console, error.status, retry_after(error), errors={"code": error.detail})
    if done is not None:
        return done
    origin, route = origin_of(request.user, host_of(request)), f"POST {request.scope['path_template']}"
    console.authenticator.refusals.note(origin, HTTPStatus.FORBIDDEN, route)
    return await _show(request, console, HTTPStatus.BAD_REQUEST, errors={"code": WRONG_CODE})


async def _show(
    request: ApiRequest,
    console: ConsoleServices,
    status: int = HTTPStatus.OK,
    headers: dict[str, str] | None = None,
    *,
    errors: dict[str, str] | None = None,
) -> Response[Any]:
    actor, is_on = request.user, current_session(request).has_second_factor
    at_ms = console.sessions.now_ms()
    secret = ""
    if not is_on:
        secret = await request.service.write(request, lambda unit: begin_second_factor(unit, actor.id, at_ms))
    uri = pyotp.TOTP(secret).provisioning_uri(name=actor.username, issuer_name=ISSUER) if secret else ""
    answer = page(
        request,
        "second_factor.html",
        "account",
        status,
        codes=[],
        errors={name: gettext(message) for name, message in (errors or {}).items()},
        is_on=is_on,
        is_required=console.authenticator.needs_second_factor(actor.role),
        secret=" ".join(secret[start : start + 4] for start in range(0, len(secret), 4)),
        picture=_picture(uri) if uri else "",
    )
    answer.headers.update(headers or {})
    return answer


def _picture(uri: str) -> Markup:
    """Return a QR code as SVG. The library escapes everything, and the address has no character of HTML."""
    import segno  # noqa: PLC0415 - it takes long to import, and few requests need it

    drawn = segno.make(uri, error="m", micro=False)
    return Markup(drawn.svg_inline(scale=_PIXELS, dark="#000", light="#fff", omitsize=False))  # noqa: S704
