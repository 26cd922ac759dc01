"""Orders that concern many people of a campaign, and that a dry run only counts."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Final, NamedTuple

import msgspec
from litestar import Response

from dialer.api.http.body import read_if_any
from dialer.api.http.idempotency import PostAttempt, StoredAnswer, attempt_of, recall
from dialer.api.http.known_parameters import LISTS_OPTION, PARAMETERS_OPTION
from dialer.api.service import ApiRequest
from dialer.domain.words.sentences import message_of
from dialer.resources.crud import records
from dialer.resources.crud.fields import Boolean, FieldError
from dialer.resources.crud.resource import Resource
from dialer.resources.crud.shapes import Shape, parse_whole
from dialer.resources.crud.urls import identity_in
from dialer.resources.words.errors import InvalidError

DRY_RUN: Final = "dry_run"
KNOWN_PARAMETERS: Final = {LISTS_OPTION: (), PARAMETERS_OPTION: (DRY_RUN,)}


class PeopleOrder(NamedTuple):
    """An order that concerns people of one campaign, as its request gives it."""

    resource: Resource
    campaign_id: int
    values: dict[str, Any]
    is_dry: bool
    """True if the body or the parameter of the address says so."""
    attempt: PostAttempt | None


async def carry_out(
    request: ApiRequest,
    resource: Resource,
    record_id: str,
    verb: str,
    shape: type[Shape],
    work: Callable[[ApiRequest, PeopleOrder], Awaitable[StoredAnswer]],
) -> Response[Any]:
    """Carry out an order once for each `Idempotency-Key`. `work` must remember the answer.

    Raises:
        InvalidError: a field of the body is wrong, or the parameter.
        RecordNotFoundError: there is no such campaign, or the caller may not see it.
    """
    service, identity = request.service, identity_in(record_id)
    conventions = service.conventions(request)
    parsed = parse_whole(shape, await read_if_any(request), conventions)
    try:
        in_address = Boolean().parse(request.query_params.get(DRY_RUN, False), conventions)
    except FieldError as error:
        raise InvalidError({DRY_RUN: [message_of(error)]}) from None
    is_dry = in_address or bool(parsed.values.get(DRY_RUN))
    await service.read(request, partial(records.read_record, resource=resource, record_id=identity))
    if parsed.errors:
        raise InvalidError(parsed.errors)
    body = msgspec.json.encode([is_dry, sorted(parsed.values.items())])
    attempt = attempt_of(request, f"{resource.path}/{identity}/{verb}", body)
    with service.attempts.begin(attempt):
        answer = await service.write(request, partial(recall, attempt=attempt)) if attempt else None
        answer = answer or await work(request, PeopleOrder(resource, identity, parsed.values, is_dry, attempt))
    return answer.response(parsed.ignored)
