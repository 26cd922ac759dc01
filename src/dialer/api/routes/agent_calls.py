"""The REST resource of a call in which a program talks, as Twilio's: the program reads it, and ends its talk with it.

It needs no user, but the account id of the installation and the secret of the program. Nothing else of Twilio's API is
served.
"""

import asyncio
import base64
import binascii
import contextlib
import re
from functools import partial
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import parse_qsl

from litestar import Response, route
from litestar.di import NamedDependency
from litestar.enums import HttpMethod
from litestar.params import FromPath

from dialer.api.http.auth import Authenticator
from dialer.api.http.body import read_whole
from dialer.api.service import ApiRequest, Service
from dialer.app.call_centre.agent_calls import (
    AgentCall,
    UnknownTalkError,
    WrongSecretError,
    agent_call,
    complete_agent_call,
)
from dialer.resources.words.headers import header

BODY_BYTES_MAX: Final = 65_536
FIELDS_MAX: Final = 100
COMPLETED: Final = "completed"
SETTLE_S: Final = 0.5
"""The longest time for which an answer waits for the worker: the order is stored, and programs want to close."""
_CALL: Final = re.compile(r"CA([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})\.json\Z")
_BASIC: Final = "basic "
_AUTHENTICATE: Final = {"WWW-Authenticate": 'Basic realm="Calls"'}
_settling: Final[set[asyncio.Task[None]]] = set()


@route(
    "/2010-04-01/Accounts/{account:str}/Calls/{call:str}",
    http_method=[HttpMethod.GET, HttpMethod.POST],
    status_code=HTTPStatus.OK,
    request_max_body_size=BODY_BYTES_MAX,
    include_in_schema=False,
)
async def serve_agent_call(
    request: ApiRequest, account: FromPath[str], call: FromPath[str], authenticator: NamedDependency[Authenticator]
) -> Response[Any]:
    """Return the call, or end the talk with its program: with `Status=completed`, once the order is stored."""
    service, match = request.service, _CALL.match(call)
    user, secret = _credentials(request)
    if user != account or match is None:
        return _refused(HTTPStatus.UNAUTHORIZED if user != account else HTTPStatus.NOT_FOUND)
    callid, host = "-".join(match.groups()), request.client.host if request.client else ""
    fields = _fields(await read_whole(request)) if request.method == HttpMethod.POST else {}
    if wrong := _why_wrong(fields):
        return _error(HTTPStatus.BAD_REQUEST, 20001, wrong)
    try:
        # A request without the secret makes nobody wait who writes.
        found = await service.database.read(lambda connection: agent_call(connection, account, secret, callid))
        if fields:
            found = await service.database.write(
                partial(complete_agent_call, account=account, secret=secret, callid=callid)
            )
    except WrongSecretError:
        return await _wrong(authenticator, callid, host)
    except UnknownTalkError:
        return _refused(HTTPStatus.NOT_FOUND)
    if fields:
        await _settle(service)
    return Response(_shown(found, account, service.worker.clock.now_ms()))


async def _wrong(authenticator: Authenticator, callid: str, host: str) -> Response[Any]:
    """Return the answer to a wrong secret, and count it. A right one is always taken: programs share addresses."""
    if wait_s := await authenticator.program_waits_s(callid, host):
        headers = {"Retry-After": str(wait_s)}
        return _error(HTTPStatus.TOO_MANY_REQUESTS, 20429, "Too many wrong secrets. Try again later.", headers)
    await authenticator.count_wrong_secret(callid, host)
    return _refused(HTTPStatus.UNAUTHORIZED)


async def _settle(service: Service) -> None:
    """Wake the worker, and wait for it for a moment."""
    task = asyncio.ensure_future(service.settle())
    _settling.add(task)
    task.add_done_callback(_settling.discard)
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(SETTLE_S):
            await asyncio.shield(task)


def _credentials(request: ApiRequest) -> tuple[str, str]:
    """Return the account and the secret of a request; empty if it has none."""
    given = header(request.scope, b"authorization") or ""
    if not given.lower().startswith(_BASIC):
        return "", ""
    try:
        user, _, secret = base64.b64decode(given[len(_BASIC) :], validate=True).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError, ValueError):
        return "", ""
    return user, secret


def _fields(body: bytes) -> dict[str, str]:
    try:
        return dict(parse_qsl(body.decode("latin-1"), keep_blank_values=True, max_num_fields=FIELDS_MAX))
    except ValueError:
        return {"": ""}


def _why_wrong(fields: dict[str, str]) -> str:
    """Return why a request cannot be served; empty if it can."""
    if not fields or fields.get("Status", "").lower() == COMPLETED:
        wanted = {"Twiml", "Url"} & fields.keys()
        return "" if not wanted else f"{min(wanted)} is not served: a call ends with Status=completed."
    return "Only Status=completed is served. The call then goes on as its survey says, or is hung up."


def _shown(call: AgentCall, account: str, now_ms: int) -> dict[str, Any]:
    return {
        "sid": f"CA{call.callid.replace('-', '')}",
        "account_sid": account,
        "status": COMPLETED if call.is_completed else "in-progress",
        "duration": str(max(0, now_ms - call.started_ms) // 1_000),
        "to": call.to,
        "from": call.caller,
        "direction": "inbound" if call.is_inbound else "outbound-api",
    }


def _refused(status: HTTPStatus) -> Response[Any]:
    if status is HTTPStatus.UNAUTHORIZED:
        return _error(status, 20003, "The account or the secret is wrong.", _AUTHENTICATE)
    return _error(status, 20404, "No program talks in such a call now.")


def _error(status: HTTPStatus, code: int, message: str, headers: dict[str, str] | None = None) -> Response[Any]:
    return Response(
        {"code": code, "message": message, "status": status.value}, status_code=status, headers=headers or {}
    )
