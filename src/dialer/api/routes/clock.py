"""The clock of the service: every user reads it; admins advance a virtual clock."""

import re
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeAlias

import msgspec
from litestar import Controller, Response, get, post
from litestar.openapi.spec import Schema
from litestar.openapi.spec.enums import OpenAPIType
from litestar.params import JSONBody
from litestar.types import BeforeRequestHookHandler
from msgspec import Meta

from dialer.api.crud.declaration import optional
from dialer.api.crud.fields import Conventions, FieldError, Json, Kind
from dialer.api.crud.moments import YEAR_MAX, Timestamp, show_timestamp
from dialer.api.crud.resource import Unit
from dialer.api.crud.shapes import Parsed, Shape, parse_whole, request_shape
from dialer.api.http.body import StrictBody, expect_json
from dialer.api.http.errors import ConflictError, InvalidError
from dialer.api.http.idempotency import PostAttempt, StoredAnswer, attempt_of, recall, remember
from dialer.api.http.ignored import ignored_header
from dialer.api.service import ApiRequest, Service
from dialer.app.events import RecordWritten
from dialer.store.touched import NOTHING

ADVANCE_MS_MAX: Final = timedelta(days=366) // timedelta(milliseconds=1)
"""The most milliseconds by which one request advances the clock."""
CLOCK_MS_MAX: Final = int(datetime(YEAR_MAX + 1, 1, 1, tzinfo=UTC).timestamp()) * 1_000 - 1
"""The last moment that the clock can show, in milliseconds since the epoch: the last one that a request may name."""
VIRTUAL: Final = "virtual"
ADVANCE: Final = "clock/advance"
"""The path of the idempotency keys of requests that advance the clock."""

_SECONDS: Final = re.compile(r"(-?[0-9]{1,10})(?:\.([0-9]{1,3})0*)?\Z", re.ASCII)


class Seconds(Kind, frozen=True):
    """A number of seconds with at most three decimal places, or a string that holds one; stored in milliseconds."""

    def parse(self, value: Json, conventions: Conventions) -> int:  # noqa: ARG002 - a second is a second anywhere
        """Return the milliseconds."""
        match = None if isinstance(value, bool) else _SECONDS.match(str(value))
        if match is None:
            raise FieldError("A valid number of seconds is required, with at most 3 decimal places.")
        return int(f"{match[1]}{(match[2] or '').ljust(3, '0')}")

    def schema(self) -> Schema:
        """Return the schema of a number."""
        return Schema(type=OpenAPIType.NUMBER, minimum=0, maximum=ADVANCE_MS_MAX / 1_000)


class ClockRead(msgspec.Struct):
    """The time of the service, the mode of its clock, and the seed of its random numbers."""

    now: Annotated[str, Meta(description="The time of the service, in UTC.", examples=["2026-11-18T11:06:40Z"])]
    mode: Annotated[
        str, Meta(description="`real`, `virtual`, or the speed of a fast clock, such as `x60`.", examples=["virtual"])
    ]
    seed: Annotated[int, Meta(description="The seed of the simulator.", examples=[0])]


_ADVANCE: Final = request_shape(
    "ClockAdvance",
    {
        "seconds": optional(
            Seconds(),
            description="Seconds to advance, with at most 3 decimals, up to 366 days. Null if `to` is given.",
            example=3_600,
        ),
        "to": optional(
            Timestamp(),
            description="The moment to advance to, at most 366 days ahead. Null if `seconds` is given.",
        ),
    },
    "The target of the advance: a number of seconds from now, or a moment.",
)
_NAMES: Final[dict[str, Any]] = {"ClockAdvance": _ADVANCE}
if TYPE_CHECKING:
    ClockAdvance: TypeAlias = Shape


class ClockController(Controller):
    """The handlers of the clock."""

    path = "/clock"
    tags = ("clock",)
    signature_namespace = _NAMES
    dto = StrictBody
    return_dto = None
    before_request: "BeforeRequestHookHandler | None" = expect_json

    @get("/")
    async def read_clock(self, request: ApiRequest) -> ClockRead:
        """Read the clock."""
        service = request.service
        return _shown(service)

    @post("/advance", status_code=HTTPStatus.OK)
    async def advance_clock(self, request: ApiRequest, data: "JSONBody[ClockAdvance]") -> Response[ClockRead]:
        """Advance a virtual clock. The answer comes when everything due until then has happened."""
        service = request.service
        if service.worker.clock.mode != VIRTUAL:
            mode = service.worker.clock.mode
            raise ConflictError(f"The clock is {mode} and advances by itself. Only a virtual clock can be advanced.")
        given: Any = data
        parsed = parse_whole(_ADVANCE, given, service.conventions(request))
        key = request.headers.get("idempotency-key")
        attempt = attempt_of(key, user_id=request.user.id, path=ADVANCE, body=await request.body())
        if attempt is None:
            await service.worker.advance(await service.write(request, lambda unit: _aim(unit, parsed)))
            return Response(_shown(service), headers=ignored_header(parsed.ignored))
        with service.attempts.begin(attempt):
            answer = await _advance_once(service, request, parsed, attempt)
        headers = {**answer.headers, **ignored_header(parsed.ignored)}
        return Response(msgspec.json.decode(answer.content, type=ClockRead), headers=headers)


async def _advance_once(service: Service, request: ApiRequest, parsed: Parsed, attempt: PostAttempt) -> StoredAnswer:
    """Advance to the target of the first attempt, unless the clock is already there."""

    def aim(unit: Unit) -> StoredAnswer:
        before = recall(unit, attempt)
        if before is not None:
            unit.note(NOTHING)
            return before
        target_ms = _aim(unit, parsed)
        answer = StoredAnswer(HTTPStatus.OK, {}, msgspec.json.encode(_shown(service, target_ms)))
        # An answer is kept for a day of the clock, which begins when the clock reaches its target.
        remember(msgspec.structs.replace(unit, now_ms=target_ms), attempt, answer)
        return answer

    answer = await service.write(request, aim)
    shown = msgspec.json.decode(answer.content, type=ClockRead)
    target_ms = Timestamp().parse(shown.now, service.conventions(request))
    if target_ms > service.worker.clock.now_ms():
        await service.worker.advance(target_ms)
    return answer


def _aim(unit: Unit, parsed: Parsed) -> int:
    """Return the moment to which the request advances the clock, and note it for the audit log; see `_target_ms`."""
    target_ms = _target_ms(parsed, unit.now_ms)
    before, after = ({"now": show_timestamp(at_ms)} for at_ms in (unit.now_ms, target_ms))
    changes = [RecordWritten("advance", "clock", None, None, before, after)] if before != after else []
    unit.note(NOTHING, *changes)
    return target_ms


def _shown(service: Service, at_ms: int | None = None) -> ClockRead:
    """Return the state of the clock, now or at a given moment."""
    clock = service.worker.clock
    now_ms = clock.now_ms() if at_ms is None else at_ms
    return ClockRead(now=show_timestamp(now_ms), mode=clock.mode, seed=service.settings.seed)


def _target_ms(parsed: Parsed, now_ms: int) -> int:
    """Return the moment to which the request advances the clock, in milliseconds since the epoch.

    Raises:
        InvalidError: a field is wrong, or the clock cannot be set to that moment.
    """
    if parsed.errors:
        raise InvalidError(parsed.errors)
    ahead_ms, to_ms = parsed.values["seconds"], parsed.values["to"]
    if (ahead_ms is None) == (to_ms is None):
        raise InvalidError({"non_field_errors": ["Give either seconds or to."]})
    field, target_ms = ("to", to_ms) if ahead_ms is None else ("seconds", now_ms + ahead_ms)
    if target_ms < now_ms:
        back = (
            f"{show_timestamp(target_ms)} is before the time of the clock, {show_timestamp(now_ms)}. Use a later time."
        )
        raise InvalidError({field: [back]})
    if target_ms - now_ms > ADVANCE_MS_MAX:
        raise InvalidError({field: ["One request advances the clock by at most 366 days."]})
    if target_ms > CLOCK_MS_MAX:
        raise InvalidError({field: [f"The clock ends with the year {YEAR_MAX}. Use an earlier time."]})
    return int(target_ms)
