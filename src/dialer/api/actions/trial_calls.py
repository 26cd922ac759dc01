"""Test calls over gateways: what is asked for, what comes of it, and who places them."""

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from http import HTTPStatus
from typing import Annotated, Final

import anyio
import msgspec

from dialer.api.service import ApiRequest
from dialer.app.campaigns.trial_calls import TrialCall, TrialRules, order_trial_call, wanted_number
from dialer.app.work.errors import ErrorCode
from dialer.domain.calls.plans import SIMULATED, VOICE, GatewayKey
from dialer.domain.words.described import described
from dialer.domain.words.sentences import Sentence, message_of
from dialer.resources.crud.declaration import writable
from dialer.resources.crud.fields import PhoneNumber
from dialer.resources.crud.resource import Unit
from dialer.resources.crud.shapes import Given, parse_whole, request_shape
from dialer.resources.words.errors import AnsweredError, ConflictError, InvalidError
from dialer.sim.spans import BehaviourError
from dialer.sim.trial_call import SimulatedOutcome, simulate_trial_call
from dialer.store.queries.calls_in_progress import gateway_row
from dialer.store.timeline.reading import cause_in_words

TRIALS_MAX: Final = 4
"""Trial calls at the same time in one process, each over another gateway."""
TRIAL_SECONDS_MAX: Final = 100
"""The longest time of a trial call, which has limits of its own: a safety net."""
TRIAL_RETRY_AFTER_S: Final = 10
_LATER: Final = {"Retry-After": str(TRIAL_RETRY_AFTER_S)}
_REAL: Final = "real"
_TURN_MS: Final = 1_000
"""Simulated test calls in the same second have the same outcome."""

TrialAsked: Final = request_shape(
    "TrialAsked",
    {
        "number": writable(PhoneNumber(), "The number to call, with its country code. Call your own telephone."),
        "callerid": writable(
            PhoneNumber(),
            "The number that the callee sees, one of the gateway's `allowed_callerids`. Default: none.",
            default="",
            example="+12025550150",
        ),
    },
    "The number of a test call.",
)


class TrialCallRead(msgspec.Struct, frozen=True):
    """The outcome of a test call. Times are milliseconds since the call was placed."""

    rang_ms: Annotated[int | None, described("The time at which it rang; null if never.", 412)]
    answered_ms: Annotated[int | None, described("The time of the answer; null if nobody answered.", 3100)]
    ended_ms: Annotated[int, described("The time of the end.", 13120)]
    cause: Annotated[int, described("The cause of the end (Q.850).", 16)]
    cause_text: Annotated[str, described("The cause in words.", "normal clearing")]
    because: Annotated[str, described("The reason in the carrier's words.", "hung up")]
    keys: Annotated[str, described("The keys that the callee pressed.", "7")]
    messages: Annotated[
        list[str],
        described(
            "Each message sent (→) and received (←), and what it meant, after its time in seconds. At most 500 lines; a"
            " line says if others were left out.",
            ["    0.412  ← 192.0.2.10:5060 SIP/2.0 180 Ringing", "    0.412  ringing"],
        ),
    ]


class TrialFailedError(Exception):
    """A test call could not be placed. The message is for the client."""


PlaceTrialCall = Callable[[TrialCall], Awaitable[TrialCallRead]]
"""Places a test call and follows it to its end. Raises TrialFailedError if it cannot be placed."""


async def place_no_trial_call(call: TrialCall) -> TrialCallRead:
    """Refuse a test call, in an application that has no way to place one."""
    raise TrialFailedError(Sentence("This process cannot call over carrier %(gateway)s.", gateway=call.gateway_id))


class TrialCaller:
    """The test calls of a process: one at a time for each gateway."""

    def __init__(self, place: PlaceTrialCall, *, seconds_max: float = TRIAL_SECONDS_MAX) -> None:
        self._place: Final = place
        self._seconds_max: Final = seconds_max
        self._under_way: Final[set[int]] = set()

    @contextmanager
    def turn(self, gateway_id: int) -> Iterator[None]:
        """Refuse other test calls over a gateway while the context is entered.

        Raises:
            AnsweredError: there is a test call over the gateway, or there are too many in this process.
        """
        if gateway_id in self._under_way:
            raise ConflictError(
                "A test call over this carrier is in progress. Wait for its end.", code=ErrorCode.IN_PROGRESS
            )
        if len(self._under_way) >= TRIALS_MAX:
            detail = Sentence(
                "%(most)s test calls are in progress. Try again in %(seconds)s s.",
                most=TRIALS_MAX,
                seconds=TRIAL_RETRY_AFTER_S,
            )
            raise AnsweredError(HTTPStatus.SERVICE_UNAVAILABLE, detail, _LATER)
        self._under_way.add(gateway_id)
        try:
            yield
        finally:
            self._under_way.discard(gateway_id)

    async def place(self, call: TrialCall) -> TrialCallRead:
        """Place a test call and return its outcome.

        Raises:
            AnsweredError: it cannot be placed, or does not end in time.
        """
        try:
            with anyio.fail_after(self._seconds_max):
                return await self._place(call)
        except TimeoutError:
            detail = Sentence("The call had no end after %(seconds)s s.", seconds=self._seconds_max)
            raise AnsweredError(HTTPStatus.SERVICE_UNAVAILABLE, detail, _LATER) from None
        except TrialFailedError as error:
            raise ConflictError(Sentence("The call could not be placed: %(error)s", error=message_of(error))) from None


async def try_gateway(
    request: ApiRequest, trial_caller: TrialCaller, gateway_id: int, given: Given
) -> tuple[TrialCallRead, tuple[str, ...]]:
    """Place a test call over a gateway and follow it to its end; return also the names of fields that were ignored.

    Raises:
        InvalidError: a field has a wrong value.
        AnsweredError: the call cannot be placed now, or does not end in time.
    """
    service = request.service
    conventions = service.conventions(request)
    parsed = parse_whole(TrialAsked, given, conventions)
    if parsed.errors:
        raise InvalidError(parsed.errors)
    rules = TrialRules(conventions.region, service.settings.timezone, conventions.hours)
    wanted = (gateway_id, parsed.values["number"], parsed.values["callerid"])
    with trial_caller.turn(gateway_id):
        call = await service.write(request, lambda unit: _order(unit, wanted, rules, service.worker.clock.mode))
        return await trial_caller.place(call), parsed.ignored


async def rehearse(request: ApiRequest, gateway_id: int, given: Given) -> TrialCallRead | None:
    """Return the outcome of a made-up call over a simulated gateway; None if the gateway is not simulated.

    Raises:
        ConflictError: the gateway's parameters describe no behaviour.
        InvalidError: a field has a wrong value.
        InvalidFieldsError: the number may not be called.
    """
    service = request.service
    conventions = service.conventions(request)
    parsed = parse_whole(TrialAsked, given, conventions)

    def simulate(unit: Unit) -> SimulatedOutcome | None:
        gateway = gateway_row(unit.connection, GatewayKey(VOICE, gateway_id))
        if gateway is None or gateway["protocol"] != SIMULATED:
            return None
        if parsed.errors:
            raise InvalidError(parsed.errors)
        number = wanted_number(parsed.values["number"], conventions.region)
        try:
            return simulate_trial_call(gateway["parameters"], number, gateway_id, unit.now_ms // _TURN_MS)
        except BehaviourError as error:
            raise ConflictError(Sentence("The call could not be placed: %(error)s", error=message_of(error))) from None

    outcome = await service.read(request, simulate)
    if outcome is None:
        return None
    return TrialCallRead(
        rang_ms=outcome.rang_ms,
        answered_ms=outcome.answered_ms,
        ended_ms=outcome.ended_ms,
        cause=int(outcome.cause),
        cause_text=cause_in_words(outcome.cause),
        because=outcome.because,
        keys="",
        messages=outcome.messages,
    )


def _order(unit: Unit, wanted: tuple[int, str, str], rules: TrialRules, clock_mode: str) -> TrialCall:
    found = order_trial_call(unit, wanted, rules)
    if clock_mode != _REAL:
        # Raised last, so that all other errors are told first; nothing is stored.
        raise ConflictError(
            "A test call needs the real clock, which the calling hours go by. Set DIALER_CLOCK to real.",
            code=ErrorCode.CLOCK,
        )
    return found
