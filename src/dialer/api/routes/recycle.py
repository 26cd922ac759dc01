"""`POST /rest-api/campaigns/<id>/recycle/`: subscribers who are done are called again."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from http import HTTPStatus
from typing import Annotated, Any, ClassVar, Final

import msgspec
from litestar import Response, post
from litestar.openapi.spec import Schema
from litestar.openapi.spec.enums import OpenAPIType
from litestar.params import FromPath

from dialer.api.http.idempotency import PostAttempt, StoredAnswer, remember
from dialer.api.routes.dry_runs import DRY_RUN, KNOWN_PARAMETERS, PeopleOrder, carry_out
from dialer.api.service import ApiRequest
from dialer.app.campaigns.recycle import RecycledChunk, RecycleFilter, count_chunk, recycle_chunk
from dialer.domain.words.described import described
from dialer.domain.words.enums import SubscriberStatus
from dialer.domain.words.reasons import SubscriberReason
from dialer.domain.words.states import RECYCLABLE_SUBSCRIBERS
from dialer.resources.crud.declaration import writable
from dialer.resources.crud.enumerations import enum_schema
from dialer.resources.crud.fields import (
    Boolean,
    Conventions,
    FieldError,
    Integer,
    Json,
    Kind,
    TextChoice,
    echo,
    whole_number,
)
from dialer.resources.crud.properties import describe_request
from dialer.resources.crud.resource import Resource, Unit
from dialer.resources.crud.shapes import request_shape
from dialer.resources.records.calls import CAUSE_MAX
from dialer.resources.records.campaigns import CAMPAIGNS
from dialer.resources.records.messages import SMS_CAMPAIGNS
from dialer.store.database.touched import NOTHING

VALUES_MAX: Final = 100
"""Values in one list of a request."""


class StatusToRecycle(Kind, frozen=True):
    """A status of subscribers who are done, as its number or its name."""

    def parse(self, value: Json, conventions: Conventions) -> int:  # noqa: ARG002 - a status is a status anywhere
        """Return the number of the status."""
        names = {status.name: status for status in SubscriberStatus}
        known = names.get(value.strip().upper()) if isinstance(value, str) else None
        try:
            number = whole_number(value) if known is None else known.value
        except FieldError:
            number = None
        if number is None or number not in RECYCLABLE_SUBSCRIBERS:
            ways = ", ".join(f"{status.value} ({status.name})" for status in sorted(RECYCLABLE_SUBSCRIBERS))
            raise FieldError(f'"{echo(value)}" is not a status to recycle. Use {ways}.')
        return int(number)

    def schema(self) -> Schema:
        """Return the schema: the numbers, with their names and meanings."""
        return replace(enum_schema(sorted(RECYCLABLE_SUBSCRIBERS)), title="RecyclableStatus")


class Several(Kind, frozen=True):
    """A list of values of one kind, or one value."""

    blank_is_null: ClassVar[bool] = False
    item: Kind
    least: int = 0

    def parse(self, value: Json, conventions: Conventions) -> tuple[Any, ...]:
        """Return the values of a list, or of a single value."""
        values: Sequence[Json] = value if isinstance(value, list) else [value]
        if not self.least <= len(values) <= VALUES_MAX:
            raise FieldError(f"Give {self.least} to {VALUES_MAX} values, not {len(values)}.")
        return tuple([self.item.parse(one, conventions) for one in values])

    def schema(self) -> Schema:
        """Return the schema of an array."""
        least = self.least or None
        return Schema(type=OpenAPIType.ARRAY, items=self.item.schema(), min_items=least, max_items=VALUES_MAX)


RecycleAsked: Final = request_shape(
    "RecycleAsked",
    {
        "status": writable(
            Several(StatusToRecycle(), 1),
            "The statuses of the subscribers to recycle, as numbers or names.",
            example=[4],
        ),
        "reason": writable(
            Several(TextChoice(tuple(SubscriberReason))),
            "Only subscribers with one of these in `status_reason`. Empty: with any.",
            default=(),
            example=["no_answer", "busy"],
        ),
        "hangup_cause": writable(
            Several(Integer(0, CAUSE_MAX)),
            "Only subscribers whose last call ended with one of these causes (Q.850). Empty: with any.",
            default=(),
            example=[17, 19],
        ),
        DRY_RUN: writable(Boolean(), "If true, subscribers are counted and not changed.", default=False),
    },
    "The subscribers of a campaign to set back to PENDING, so that they are called again.",
)


_BODY: Final = describe_request(RecycleAsked, is_required=True)


class RecycledRead(msgspec.Struct):
    """The result of recycling: subscribers by the status that they had, and those who were kept, by reason.

    Reasons to keep a subscriber as they are: `dnc`, the number is on a do-not-call list now; `in_progress`, a call or a
    message is in progress; `deleted`, the contact was deleted or erased; `emergency`, the number is never called.
    """

    dry_run: Annotated[bool, described("True if subscribers were only counted.", example=False)]
    recycled: Annotated[int, described("Number of subscribers who were set back to PENDING.", 2)]
    by_status: Annotated[
        dict[str, int], described("Number of those subscribers by the name of the status that they had.", {"FAIL": 2})
    ]
    kept: Annotated[dict[str, int], described("Number of subscribers who stay as they are, by reason.", {"dnc": 1})]


@post(
    "/campaigns/{record_id:str}/recycle",
    tags=[CAMPAIGNS.path],
    status_code=HTTPStatus.OK,
    operation_class=_BODY,
    opt=KNOWN_PARAMETERS,
)
async def recycle_campaign(request: ApiRequest, record_id: FromPath[str]) -> Response[RecycledRead]:
    """Recycle subscribers of a voice campaign: set those who are done back to PENDING, so that they are called again.

    A recycled subscriber is due at once and keeps `count_attempt`. Numbers on a do-not-call list stay as they are,
    because the dial would refuse them. A campaign that is over is refused with 409; use `call-again/` instead.
    """
    return await _recycle(request, CAMPAIGNS, record_id)


@post(
    "/sms-campaigns/{record_id:str}/recycle",
    tags=[SMS_CAMPAIGNS.path],
    status_code=HTTPStatus.OK,
    operation_class=_BODY,
    opt=KNOWN_PARAMETERS,
)
async def recycle_sms_campaign(request: ApiRequest, record_id: FromPath[str]) -> Response[RecycledRead]:
    """Recycle subscribers of an SMS campaign: set those who are done back to PENDING, so that they get another message.

    A recycled subscriber is due at once and keeps `count_attempt`. Numbers on a do-not-call list stay as they are,
    because the sending would refuse them. A campaign that is over is refused with 409; use `call-again/` instead.
    """
    return await _recycle(request, SMS_CAMPAIGNS, record_id)


async def _recycle(request: ApiRequest, resource: Resource, record_id: str) -> Response[Any]:
    return await carry_out(request, resource, record_id, "recycle", RecycleAsked, _recycle_all)


async def _recycle_all(request: ApiRequest, order: PeopleOrder) -> StoredAnswer:
    """Recycle chunk by chunk, each in a transaction of its own, and return the answer."""
    values = order.values
    wanted = RecycleFilter(frozenset(values["status"]), frozenset(values["reason"]), frozenset(values["hangup_cause"]))
    recycled: Counter[int] = Counter()
    kept: Counter[str] = Counter()
    after: str | None = ""
    while after is not None:
        chunk = await _chunk(request, order.campaign_id, wanted, after, is_dry=order.is_dry)
        recycled += chunk.recycled
        kept += chunk.kept
        after = chunk.after
    by_status = {SubscriberStatus(status).name: count for status, count in sorted(recycled.items())}
    read = RecycledRead(order.is_dry, recycled.total(), by_status, dict(sorted(kept.items())))
    answer = StoredAnswer(HTTPStatus.OK, {}, msgspec.json.encode(read))
    if order.attempt is not None:
        await request.service.write(request, partial(_remember, attempt=order.attempt, answer=answer))
    return answer


async def _chunk(
    request: ApiRequest, campaign_id: int, wanted: RecycleFilter, after: str, *, is_dry: bool
) -> RecycledChunk:
    if is_dry:
        return await request.service.read(
            request, lambda unit: count_chunk(unit, campaign_id, wanted, after), is_long=True
        )
    return await request.service.write(
        request, lambda unit: recycle_chunk(unit, campaign_id, wanted, after), is_long=True
    )


def _remember(unit: Unit, *, attempt: PostAttempt, answer: StoredAnswer) -> None:
    remember(unit, attempt, answer)
    unit.note(NOTHING)
