"""A test call over a gateway: what may go wrong is said first, and the outcome is shown message by message."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final, NamedTuple

from litestar import Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath

from dialer.api.actions.trial_calls import TrialCaller, TrialCallRead, rehearse, try_gateway
from dialer.api.service import ApiRequest
from dialer.app.work.errors import InvalidFieldsError, RefusedError
from dialer.console.parts.line_states import GatewayLine, line_of
from dialer.console.parts.record_addresses import identity_in
from dialer.console.parts.sentences import joined_words
from dialer.console.serving.errors import messages_of
from dialer.console.serving.forms import read_fields
from dialer.console.serving.services import REAL, page
from dialer.console.words.language import gettext, gettext_noop
from dialer.domain.calls.plans import SIMULATED, VOICE, GatewayKey
from dialer.domain.words.enums import Cause
from dialer.resources.crud.resource import Unit
from dialer.resources.crud.shapes import Given
from dialer.resources.words.errors import AnsweredError, ConflictError, Errors, InvalidError, RecordNotFoundError
from dialer.store.queries.calls_in_progress import gateway_row

PLACE: Final = "lines"
_FIELDS: Final = ("number", "callerid")
_REFUSALS: Final = (AnsweredError, ConflictError, InvalidError, InvalidFieldsError, RefusedError)
ADVICE: Final[Mapping[int, str]] = {
    Cause.UNALLOCATED_NUMBER: gettext_noop(
        "The carrier knows no such number. Look at the prefixes: some carriers want numbers with +, some without."
    ),
    Cause.CALL_REJECTED: gettext_noop(
        "The user name or the password is wrong, or the carrier does not let you call this number or show this caller"
        " ID."
    ),
    Cause.INVALID_NUMBER_FORMAT: gettext_noop("The number is incomplete for the carrier. Look at the prefixes."),
    Cause.NETWORK_OUT_OF_ORDER: gettext_noop("The carrier cannot be reached over this way. Look at its address."),
    Cause.TEMPORARY_FAILURE: gettext_noop(
        "The carrier is out of order, or you call more often than your contract allows."
    ),
    Cause.INCOMPATIBLE_DESTINATION: gettext_noop("You and the carrier have no codec in common."),
    Cause.TIMER_EXPIRY: gettext_noop(
        "Nothing answered: the server or its port is wrong, a firewall is between you, or the carrier does not know"
        " your address."
    ),
}
"""Advice by the cause of the end of a test call."""


class _Gateway(NamedTuple):
    name: str
    protocol: str
    line: GatewayLine | None


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
        outcome = await rehearse(request, identity, Given(dict(given)))
        if outcome is None:
            outcome, _ = await try_gateway(request, trial_caller, identity, Given(dict(given)))
    except _REFUSALS as error:
        return await _show(request, identity, given, error=error)
    return await _show(request, identity, given, outcome=outcome)


async def _show(
    request: ApiRequest,
    identity: int,
    filled: dict[str, str],
    *,
    error: Exception | None = None,
    outcome: TrialCallRead | None = None,
) -> Response[Any]:
    gateway = await request.service.read(request, lambda unit: _read(unit, identity))
    errors: Errors = error.errors if isinstance(error, (InvalidError, InvalidFieldsError)) else {}
    return page(
        request,
        "trial_call.html",
        PLACE,
        HTTPStatus.CONFLICT if error is not None else HTTPStatus.OK,
        identity=identity,
        name=gateway.name,
        record=gateway,
        url=f"/console/gateways/{identity}/test-call/",
        medium=VOICE,
        is_simulated=gateway.protocol == SIMULATED,
        has_real_clock=request.service.worker.clock.mode == REAL,
        filled=filled,
        is_focused=error is None and outcome is None,
        errors={name: joined_words(messages) for name, messages in errors.items()},
        message="" if error is None or errors else " ".join(messages_of(error)),
        outcome=outcome,
        advice=gettext(ADVICE[outcome.cause]) if outcome is not None and outcome.cause in ADVICE else "",
    )


def _read(unit: Unit, identity: int) -> _Gateway:
    key = GatewayKey(VOICE, identity)
    row = gateway_row(unit.connection, key)
    if row is None:
        raise RecordNotFoundError("There is no such carrier.")
    return _Gateway(str(row["name"]), str(row["protocol"]), line_of(unit, key))
