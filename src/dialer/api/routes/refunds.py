"""`POST /rest-api/cdr/<id>/refund/`: refund the price of a call, once."""

from http import HTTPStatus
from typing import TYPE_CHECKING, Final, TypeAlias

import msgspec
from litestar import Response, post
from litestar.params import FromPath

from dialer.api.crud import records
from dialer.api.crud.controller import JSON
from dialer.api.crud.resource import Unit
from dialer.api.crud.shapes import Shape
from dialer.api.crud.urls import identity_in
from dialer.api.http.idempotency import PostAttempt, StoredAnswer, attempt_of, recall, remember
from dialer.api.records.calls import CDRS
from dialer.api.records.ledger import LEDGER
from dialer.api.service import ApiRequest
from dialer.app.accounts import payments

if TYPE_CHECKING:
    LedgerRead: TypeAlias = Shape

_PATH: Final = "cdr/{}/refund"


@post("/cdr/{record_id:str}/refund", tags=[CDRS.path], signature_namespace={"LedgerRead": LEDGER.read})
async def refund_call(request: ApiRequest, record_id: FromPath[str]) -> "Response[LedgerRead]":
    """Refund a call: its price goes back to the account of its user, once. The answer is the entry in the ledger."""
    service = request.service
    identity = identity_in(record_id)
    key = request.headers.get("idempotency-key")
    body = await request.body()
    attempt = attempt_of(key, user_id=request.user.id, path=_PATH.format(identity), body=body)
    with service.attempts.begin(attempt):
        answer = await service.write(request, lambda unit: _refund_once(unit, identity, attempt))
    return Response(answer.content, status_code=answer.status, headers=answer.headers, media_type=JSON)  # type: ignore[arg-type] # encoded already


def _refund_once(unit: Unit, cdr_id: int, attempt: PostAttempt | None) -> StoredAnswer:
    """Enter the refund, or return the answer that an earlier request with this idempotency key got."""
    before = recall(unit, attempt) if attempt else None
    if before is not None:
        return before
    entry_id = payments.refund_call(unit, cdr_id)
    content = msgspec.json.encode(records.read_record(unit, LEDGER, entry_id))
    location = unit.conventions.links.record(LEDGER.path, entry_id)
    answer = StoredAnswer(HTTPStatus.CREATED, {"Location": location}, content)
    if attempt is not None:
        remember(unit, attempt, answer)
    return answer
