"""Callbacks of carriers of text messages: receipts, and messages that came in.

They need no user, but the secret of their gateway. A repeated callback has the same answer, and does nothing more. An
answer is empty, because some carriers send it on to the person who wrote.
"""

from collections.abc import Callable, Mapping
from functools import partial
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import parse_qsl

import structlog
from litestar import MediaType, Response, route
from litestar.enums import HttpMethod
from litestar.params import FromPath
from sqlalchemy import Connection

from dialer.api.http.body import read_whole
from dialer.api.service import ApiRequest, Service
from dialer.app.work.touched_records import touched_gateway
from dialer.carriers.parameters import ParametersError
from dialer.carriers.texts.callbacks import is_from_carrier, receipt_in, text_in
from dialer.carriers.texts.parameters import HttpParameters, read_http_parameters
from dialer.domain.calls.plans import SMS, GatewayKey
from dialer.resources.crud.urls import parse_id
from dialer.resources.words.errors import AnsweredError, ForbiddenError, MalformedError
from dialer.resources.words.headers import header
from dialer.resources.words.strict_json import StrictJsonError, read_object
from dialer.store.database.touched import NOTHING, touch
from dialer.store.queries.calls_in_progress import gateway_row
from dialer.store.rows.texts.incoming_texts import add_news, is_on_its_way

CALLBACK_BYTES_MAX: Final = 65_536
FIELDS_MAX: Final = 200
"""Fields of a query or a form."""
BEARER: Final = "bearer "
JSON: Final = "application/json"
FORM: Final = "application/x-www-form-urlencoded"
_callback: Final = partial(
    route,
    http_method=[HttpMethod.GET, HttpMethod.POST],
    status_code=HTTPStatus.OK,
    request_max_body_size=CALLBACK_BYTES_MAX,
    include_in_schema=False,
)
_log = structlog.get_logger(__name__)


@_callback("/callbacks/sms-gateway/{record_id:str}/receipt")
async def take_receipt(request: ApiRequest, record_id: FromPath[str]) -> Response[bytes]:
    """Take a receipt. One of an unknown message, or with a status that is not final, changes nothing."""
    gateway, parameters, fields = await _read(request, record_id)
    found = receipt_in(parameters, fields)
    if found is None:
        return Response(b"", media_type=MediaType.TEXT)

    def keep(connection: Connection, now_ms: int) -> bool:
        touch(connection, NOTHING)  # The worker looks for receipts by itself, each second.
        is_known = not found.key or is_on_its_way(connection, gateway, found.key, "")
        return not is_known or add_news(connection, gateway, found.key, found.receipt, now_ms)

    await _keep(request.service, keep)
    return Response(b"", media_type=MediaType.TEXT)


@_callback("/callbacks/sms-gateway/{record_id:str}/received")
async def take_text(request: ApiRequest, record_id: FromPath[str]) -> Response[bytes]:
    """Take a text message that came in. STOP is in effect before the answer."""
    gateway, parameters, fields = await _read(request, record_id)
    text = text_in(parameters, fields)
    if text is None:
        return Response(b"", media_type=MediaType.TEXT)

    def keep(connection: Connection, now_ms: int) -> bool:
        touch(connection, touched_gateway(gateway))
        return add_news(connection, gateway, "", text, now_ms)

    await _keep(request.service, keep)
    await request.service.settle()
    return Response(b"", media_type=MediaType.TEXT)


async def _keep(service: Service, keep: Callable[[Connection, int], bool]) -> None:
    """Store a callback; answer 429 if too many wait for a worker."""
    now_ms = service.worker.clock.now_ms()
    if not await service.database.write(lambda connection: keep(connection, now_ms)):
        _log.error("callbacks_wait_for_a_worker")
        raise AnsweredError(HTTPStatus.TOO_MANY_REQUESTS, "Too many callbacks wait.", {"Retry-After": "60"})


async def _read(request: ApiRequest, record_id: str) -> tuple[GatewayKey, HttpParameters, Mapping[str, Any]]:
    """Return the gateway of a callback, its parameters, and the fields of the request.

    Raises:
        ForbiddenError: there is no such gateway, or the request does not hold its secret.
    """
    fields = await _fields(request)
    gateway = GatewayKey(SMS, parse_id(record_id) or 0)
    parameters = await _parameters(request.service, gateway)
    if parameters is None or not is_from_carrier(parameters, _secret(request, fields)):
        raise ForbiddenError("The secret is wrong.")
    return gateway, parameters, fields


async def _parameters(service: Service, gateway: GatewayKey) -> HttpParameters | None:
    row = await service.database.read(lambda connection: gateway_row(connection, gateway))
    if row is None:
        return None
    try:
        return read_http_parameters(row["protocol"], row["parameters"])
    except ParametersError:
        return None


def _secret(request: ApiRequest, fields: Mapping[str, Any]) -> str:
    given = fields.get("secret")
    if isinstance(given, str):
        return given
    authorization = header(request.scope, b"authorization") or ""
    return authorization[len(BEARER) :] if authorization.lower().startswith(BEARER) else ""


async def _fields(request: ApiRequest) -> dict[str, Any]:
    """Return the fields of the query, and of a body in JSON or as a form. Other bodies are ignored."""
    fields: dict[str, Any] = _pairs(request.scope["query_string"])
    if request.method != HttpMethod.POST:
        return fields
    body, kind = await read_whole(request), request.content_type[0].strip().lower()
    if kind == FORM:
        return _pairs(body) | fields
    if kind == JSON and body:
        try:
            return read_object(body) | fields
        except StrictJsonError as error:
            raise MalformedError(str(error)) from None
    return fields


def _pairs(text: bytes) -> dict[str, Any]:
    try:
        pairs = parse_qsl(text.decode("latin-1"), keep_blank_values=True, max_num_fields=FIELDS_MAX)
    except ValueError:
        raise MalformedError(f"There are more than {FIELDS_MAX} fields.") from None
    return {name: value.replace("\x00", "") for name, value in pairs}
