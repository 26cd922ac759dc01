"""`POST /rest-api/cdr/<id>/refund/`: refund the price of a call, once."""

from http import HTTPStatus
from typing import TYPE_CHECKING, Final, TypeAlias

import msgspec
from litestar import Response, post
from litestar.params import FromPath

from dialer.api.http.idempotency import StoredAnswer, answer_once, attempt_of
from dialer.api.service import ApiRequest
from dialer.app.accounts import payments
from dialer.resources.crud import records
from dialer.resources.crud.resource import Unit
from dialer.resources.crud.shapes import Shape
from dialer.resources.crud.urls import identity_in
from dialer.resources.records.calls import CDRS
from dialer.resources.records.ledger import LEDGER

if TYPE_CHECKING:
    LedgerRead: TypeAlias = Shape

_PATH: Final = "cdr/{}/refund"


@post("/cdr/{record_id:str}/refund", tags=[CDRS.path], signature_namespace={"LedgerRead": LEDGER.read})
async def refund_call(request: ApiRequest, record_id: FromPath[str]) -> "Response[LedgerRead]":
    """Refund a call: its price goes back to the account of its user, once. The answer is the entry in the ledger."""
    service = request.service
    identity = identity_in(record_id)
    attempt = attempt_of(request, _PATH.format(identity), await request.body())

    def refund_once(unit: Unit) -> StoredAnswer:
        return answer_once(unit, attempt, lambda: _refund(unit, identity))

    with service.attempts.begin(attempt):
        answer = await service.write(request, refund_once)
    return answer.response()


def _refund(unit: Unit, cdr_id: int) -> StoredAnswer:
    entry_id = payments.refund_call(unit, cdr_id)
    content = msgspec.json.encode(records.read_record(unit, LEDGER, entry_id))
    location = unit.conventions.links.record(LEDGER.path, entry_id)
    return StoredAnswer(HTTPStatus.CREATED, {"Location": location}, content)
