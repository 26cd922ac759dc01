"""The clock of the service: every user reads it; admins advance a virtual clock."""

from http import HTTPStatus
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeAlias

import msgspec
from litestar import Controller, Response, get, post
from litestar.params import JSONBody
from litestar.types import BeforeRequestHookHandler

from dialer.api.http.body import StrictBody, expect_json
from dialer.api.http.idempotency import PostAttempt, StoredAnswer, attempt_of, recall, remember
from dialer.api.service import ApiRequest, Service
from dialer.app.work.errors import ErrorCode
from dialer.domain.words.described import described
from dialer.resources.crud.moments import Timestamp, show_timestamp
from dialer.resources.crud.resource import Unit
from dialer.resources.crud.shapes import Parsed, Shape, parse_whole
from dialer.resources.records.advancing import CLOCK_ADVANCE, VIRTUAL, aim
from dialer.resources.words.errors import ConflictError
from dialer.resources.words.ignored import ignored_header
from dialer.store.database.touched import NOTHING

ADVANCE: Final = "clock/advance"
"""The path of the idempotency keys of requests that advance the clock."""


class ClockRead(msgspec.Struct):
    """The time of the service, the mode of its clock, and the seed of its random numbers."""

    now: Annotated[str, described("The time of the service, in UTC.", "2026-11-18T11:06:40Z")]
    mode: Annotated[str, described("`real`, `virtual`, or the speed of a fast clock, such as `x60`.", "virtual")]
    seed: Annotated[int, described("The seed of the simulator.", 0)]


_NAMES: Final[dict[str, Any]] = {"ClockAdvance": CLOCK_ADVANCE}
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
            raise ConflictError(
                f"The clock is {mode} and advances by itself. Only a virtual clock can be advanced.",
                code=ErrorCode.CLOCK,
            )
        given: Any = data
        parsed = parse_whole(CLOCK_ADVANCE, given, service.conventions(request))
        attempt = attempt_of(request, ADVANCE, await request.body())
        if attempt is None:
            await advance_as_asked(request, parsed)
            return Response(_shown(service), headers=ignored_header(parsed.ignored))
        with service.attempts.begin(attempt):
            answer = await _advance_once(service, request, parsed, attempt)
        service.clock_run.hear(parsed.values.get("speed"))
        headers = {**answer.headers, **ignored_header(parsed.ignored)}
        return Response(msgspec.json.decode(answer.content, type=ClockRead), headers=headers)


async def advance_as_asked(request: ApiRequest, parsed: Parsed) -> None:
    """Advance the clock to the target of a request, and remember the run of which this is a part."""
    service = request.service
    target_ms = await service.write(
        request, lambda unit: aim(unit, parsed, service.worker.next_ms(), service.clock_run)
    )
    await service.worker.advance(target_ms)
    service.clock_run.hear(parsed.values["speed"])


async def _advance_once(service: Service, request: ApiRequest, parsed: Parsed, attempt: PostAttempt) -> StoredAnswer:
    """Advance to the target of the first attempt, unless the clock is already there."""

    def aim_once(unit: Unit) -> StoredAnswer:
        before = recall(unit, attempt)
        if before is not None:
            unit.note(NOTHING)
            return before
        target_ms = aim(unit, parsed, service.worker.next_ms(), service.clock_run)
        answer = StoredAnswer(HTTPStatus.OK, {}, msgspec.json.encode(_shown(service, target_ms)))
        # An answer is kept for a day of the clock, which begins when the clock reaches its target.
        remember(msgspec.structs.replace(unit, now_ms=target_ms), attempt, answer)
        return answer

    answer = await service.write(request, aim_once)
    shown = msgspec.json.decode(answer.content, type=ClockRead)
    target_ms = Timestamp().parse(shown.now, service.conventions(request))
    if target_ms > service.worker.clock.now_ms():
        await service.worker.advance(target_ms)
    return answer


def _shown(service: Service, at_ms: int | None = None) -> ClockRead:
    """Return the state of the clock, now or at a given moment."""
    clock = service.worker.clock
    now_ms = clock.now_ms() if at_ms is None else at_ms
    return ClockRead(now=show_timestamp(now_ms), mode=clock.mode, seed=service.settings.seed)
