"""A test call over a gateway: what may go wrong is said first, and the outcome is shown message by message."""

from http import HTTPStatus
from typing import Any, Final

from litestar import Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath

from dialer.api.crud.resource import Unit
from dialer.api.crud.shapes import Given
from dialer.api.http.errors import AnsweredError, ConflictError, InvalidError, RecordNotFoundError
from dialer.api.records.trial_calls import TrialCaller, TrialCallRead, try_gateway
from dialer.api.service import ApiRequest
from dialer.app.errors import InvalidFieldsError, RefusedError
from dialer.console.forms import read_fields
from dialer.console.pages.record import identity_in
from dialer.console.services import REAL, page
from dialer.domain.plans import FREESWITCH, SIP, VOICE, GatewayKey
from dialer.store.queries.progress import gateway_row

PLACE: Final = "lines"
_FIELDS: Final = ("number", "callerid")
_REFUSALS: Final = (AnsweredError, ConflictError, InvalidError, InvalidFieldsError, RefusedError)


@get("/gateways/{record_id:str}/test-call", media_type="text/html")
async def show_trial_call(request: ApiRequest, record_id: FromPath[str]) -> Response[Any]:
    """Show the form that calls one number with the survey of a campaign, as a test."""
    return await _show(request, identity_in(record_id), {})


@post("/gateways/{record_id:str}/test-call", media_type="text/html")
async def place_trial_call(
    request: ApiRequest, trial_caller: NamedDependency[TrialCaller], record_id: FromPath[str]
) -> Response[Any]:
    """Place a test call, and show its outcome."""
    identity, filled = identity_in(record_id), await read_fields(request)
    given = {name: filled[name].strip() for name in _FIELDS if filled.get(name, "").strip()}
    try:
        outcome, _ = await try_gateway(request, trial_caller, identity, Given(given))
    except _REFUSALS as error:
        return await _show(request, identity, given, messages=_messages(error))
    return await _show(request, identity, given, outcome=outcome)


async def _show(
    request: ApiRequest,
    identity: int,
    filled: dict[str, str],
    *,
    messages: list[str] | None = None,
    outcome: TrialCallRead | None = None,
) -> Response[Any]:
    name, protocol = await request.service.read(request, lambda unit: _read(unit, identity))
    return page(
        request,
        "trial_call.html",
        PLACE,
        HTTPStatus.CONFLICT if messages else HTTPStatus.OK,
        identity=identity,
        name=name,
        protocol=protocol,
        is_real=protocol in {SIP, FREESWITCH},
        has_real_clock=request.service.worker.clock.mode == REAL,
        filled=filled,
        messages=messages or [],
        outcome=outcome,
    )


def _read(unit: Unit, identity: int) -> tuple[str, str]:
    row = gateway_row(unit.connection, GatewayKey(VOICE, identity))
    if row is None:
        raise RecordNotFoundError("There is no such gateway.")
    return str(row["name"]), str(row["protocol"])


def _messages(error: Exception) -> list[str]:
    if isinstance(error, (InvalidError, InvalidFieldsError)):
        return [f"{name}: {message}" for name, found in error.errors.items() for message in found]
    return [error.detail if isinstance(error, AnsweredError) else str(error)]
