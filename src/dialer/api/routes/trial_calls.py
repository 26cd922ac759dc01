"""`POST /rest-api/gateway/<id>/test-call/`: one call over a gateway, told message by message.

A repeated request places another call, so the request takes no `Idempotency-Key`.
"""

from http import HTTPStatus
from typing import Final

from litestar import Response, post
from litestar.di import NamedDependency
from litestar.params import FromPath

from dialer.api.actions.trial_calls import TrialAsked, TrialCaller, TrialCallRead, try_gateway
from dialer.api.http.body import read_if_any
from dialer.api.service import ApiRequest
from dialer.resources.crud.properties import describe_request
from dialer.resources.crud.urls import identity_in
from dialer.resources.records.carriers import GATEWAYS
from dialer.resources.words.ignored import ignored_header

_BODY: Final = describe_request(TrialAsked, is_required=True)


@post("/gateway/{record_id:str}/test-call", tags=[GATEWAYS.path], status_code=HTTPStatus.OK, operation_class=_BODY)
async def place_test_call(
    request: ApiRequest, trial_caller: NamedDependency[TrialCaller], record_id: FromPath[str]
) -> Response[TrialCallRead]:
    """Place a test call over a gateway, and return each message. The call is real: the carrier may charge for it.

    It rings for 30 seconds at most. The callee hears a short tone, and the call ends 10 seconds after the answer. It
    goes out from the machine of the process that answers the request, and does not count towards the gateway's limits.
    Nothing is charged, and the audit log has an entry without the number. Simulated gateways, numbers on do-not-call
    lists that hold for every campaign, and calls outside of the calling hours or without the real clock are refused.
    """
    identity = identity_in(record_id)
    outcome, ignored = await try_gateway(request, trial_caller, identity, await read_if_any(request))
    return Response(outcome, headers=ignored_header(ignored))
