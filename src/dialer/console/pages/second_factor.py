"""The second factor of the viewer: its set-up with a picture for a telephone, its recovery codes, and its end."""

from http import HTTPStatus
from typing import Any, Final

import pyotp
from litestar import Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath
from markupsafe import Markup

from dialer.api.crud.resource import Unit
from dialer.api.http.auth import origin_of
from dialer.api.http.errors import AnsweredError, ForbiddenError
from dialer.api.service import ApiRequest
from dialer.app.second_factor import (
    begin_second_factor,
    confirm_second_factor,
    remove_second_factor,
    takes_second_factor,
)
from dialer.console.confirming import CURRENT, doubt_of
from dialer.console.forms import read_fields
from dialer.console.pages.record import identity_in
from dialer.console.services import ConsoleServices, current_session, go_to, page
from dialer.console.signing_in import host_of, retry_after

ACCOUNT: Final = "/console/account/"
ISSUER: Final = "dialer"
WRONG_CODE: Final = "The code is wrong, or it was used already. Wait for the next one."
_PIXELS: Final = 5
"""The width of a module of the picture."""


@get("/account/second-factor", media_type="text/html")
async def show_second_factor(request: ApiRequest, console: NamedDependency[ConsoleServices]) -> Response[Any]:
    """Show how to set up a second factor, or how to turn it off."""
    return await _show(request, console)


@post("/account/second-factor", media_type="text/html")
async def set_second_factor(request: ApiRequest, console: NamedDependency[ConsoleServices]) -> Response[Any]:
    """Turn on the viewer's second factor, if the password and the first code are right."""
    fields = await read_fields(request)
    actor, session_id = request.user, current_session(request).id
    if refused := await _refused(request, console, fields):
        return refused
    at_ms, code = console.sessions.now_ms(), fields.get("code", "")

    def confirm(unit: Unit) -> list[str] | None:
        return confirm_second_factor(unit, actor.id, code, at_ms, session_id=session_id)

    codes = await request.service.write(request, confirm)
    if codes is None:
        return await _wrong_code(request, console)
    return page(request, "second_factor.html", "account", codes=codes, is_on=True, is_required=False)


@post("/account/second-factor/off", media_type="text/html")
async def unset_second_factor(request: ApiRequest, console: NamedDependency[ConsoleServices]) -> Response[Any]:
    """Turn off the viewer's second factor, if the password and a code are right."""
    fields, actor = await read_fields(request), request.user
    if refused := await _refused(request, console, fields):
        return refused
    at_ms, code = console.sessions.now_ms(), fields.get("code", "")

    def remove(unit: Unit) -> bool:
        if not takes_second_factor(unit, actor.id, code, at_ms):
            return False
        remove_second_factor(unit, actor.id)
        return True

    if not await request.service.write(request, remove):
        return await _wrong_code(request, console)
    return go_to(ACCOUNT)


@post("/users/{record_id:str}/second-factor/off")
async def reset_second_factor(request: ApiRequest, record_id: FromPath[str]) -> Response[Any]:
    """Turn off the second factor of another user, who has lost the telephone."""
    await read_fields(request)
    user_id = identity_in(record_id)
    if user_id == request.user.id:
        raise ForbiddenError("Turn off your own second factor on the page of your account, with a code.")
    await request.service.write(request, lambda unit: remove_second_factor(unit, user_id))
    return go_to(f"/console/records/users/{user_id}/?saved=1")


async def _refused(request: ApiRequest, console: ConsoleServices, fields: dict[str, str]) -> Response[Any] | None:
    """Return the page with the reason why a form is refused before its code is looked at; None if it is not."""
    doubt = await doubt_of(request, console, fields)
    if doubt is not None:
        return await _show(request, console, doubt.status, dict(doubt.headers), errors={CURRENT: doubt.message})
    try:
        await console.authenticator.refuse_codes(request.user.id)
    except AnsweredError as error:
        return await _show(request, console, error.status, retry_after(error), errors={"code": error.detail})
    return None


async def _wrong_code(request: ApiRequest, console: ConsoleServices) -> Response[Any]:
    await console.authenticator.count_wrong_code(request.user.id)
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
    secret = "" if is_on else await request.service.write(request, lambda unit: begin_second_factor(unit, actor.id))
    uri = pyotp.TOTP(secret).provisioning_uri(name=actor.username, issuer_name=ISSUER) if secret else ""
    answer = page(
        request,
        "second_factor.html",
        "account",
        status,
        codes=[],
        errors=errors or {},
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
