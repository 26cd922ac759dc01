"""The service's clock: read by all, advanced by admins where it is virtual."""

import re
from datetime import timedelta
from http import HTTPStatus
from typing import Annotated, Any, Final

import msgspec
from litestar import Controller, Response, get, post
from litestar.di import NamedDependency
from litestar.openapi.spec import Schema
from litestar.openapi.spec.enums import OpenAPIType
from litestar.params import JSONBody
from litestar.types import BeforeRequestHookHandler

from dialer.api.body import StrictBody, expect_json, ignored_header
from dialer.api.controller import admins_only
from dialer.api.errors import ConflictError, InvalidError
from dialer.api.fields import Conventions, FieldError, Json, Kind, Timestamp, show_timestamp
from dialer.api.service import ApiRequest, Service
from dialer.api.shapes import Parsed, Shape, parse_whole

ADVANCE_MS_MAX: Final = timedelta(days=366) // timedelta(milliseconds=1)
"""How far one request advances the clock."""
VIRTUAL: Final = "virtual"

_SECONDS: Final = re.compile(r"(-?[0-9]{1,10})(?:\.([0-9]{1,3})0*)?\Z", re.ASCII)


class Seconds(Kind, frozen=True):
    """A number of seconds, or a string of one, to the millisecond; stored in milliseconds."""

    def parse(self, value: Json, conventions: Conventions) -> int:  # noqa: ARG002 - a second is a second anywhere
        """The milliseconds."""
        match = None if isinstance(value, bool) else _SECONDS.match(str(value))
        if match is None:
            raise FieldError("A valid number of seconds is required, with at most 3 decimal places.")
        return int(f"{match[1]}{(match[2] or '').ljust(3, '0')}")

    def schema(self) -> Schema:
        """A number."""
        return Schema(type=OpenAPIType.NUMBER, minimum=0)


class ClockRead(msgspec.Struct):
    """The time by which the service acts, how its clock goes, and the seed of its chance."""

    now: str
    mode: str
    seed: int


class ClockAdvance(Shape):
    """How far to advance: so many seconds, or up to a moment."""

    seconds: Annotated[int, Seconds()] | None = None
    to: Annotated[int, Timestamp()] | None = None


class ClockController(Controller):
    """The clock."""

    path = "/clock"
    tags = ("clock",)
    dto = StrictBody
    return_dto = None
    before_request: "BeforeRequestHookHandler | None" = expect_json

    @get("/")
    async def read_clock(self, service: NamedDependency[Service]) -> ClockRead:
        """Read the clock."""
        return _shown(service)

    @post("/advance", status_code=HTTPStatus.OK, guards=[admins_only])
    async def advance_clock(
        self, request: ApiRequest, service: NamedDependency[Service], data: JSONBody[ClockAdvance]
    ) -> Response[ClockRead]:
        """Advance a virtual clock; answered once everything due until then has happened."""
        if service.worker.clock.mode != VIRTUAL:
            raise ConflictError(f"The clock is {service.worker.clock.mode}: it goes by itself.")
        given: Any = data
        parsed = parse_whole(ClockAdvance, given, service.conventions(request))
        await service.worker.advance(_target_ms(parsed, service.worker.clock.now_ms()))
        return Response(_shown(service), headers=ignored_header(parsed.ignored))


def _shown(service: Service) -> ClockRead:
    clock = service.worker.clock
    return ClockRead(now=show_timestamp(clock.now_ms()), mode=clock.mode, seed=service.settings.seed)


def _target_ms(parsed: Parsed, now_ms: int) -> int:
    """The moment that is asked for, if it is one that the clock may be set to."""
    if parsed.errors:
        raise InvalidError(parsed.errors)
    ahead_ms, to_ms = parsed.values["seconds"], parsed.values["to"]
    if (ahead_ms is None) == (to_ms is None):
        raise InvalidError({"non_field_errors": ["Give either seconds or to."]})
    field, target_ms = ("to", to_ms) if ahead_ms is None else ("seconds", now_ms + ahead_ms)
    if target_ms < now_ms:
        raise InvalidError({field: ["The clock does not go back."]})
    if target_ms - now_ms > ADVANCE_MS_MAX:
        raise InvalidError({field: ["One request advances the clock by at most 366 days."]})
    return int(target_ms)
