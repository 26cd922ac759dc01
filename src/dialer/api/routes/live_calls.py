"""`/rest-api/callrequest/<id>/hang-up/`: end the call in which an agent talks."""

from http import HTTPStatus
from typing import Annotated

import msgspec
from litestar import post
from litestar.params import FromPath

from dialer.api.crud.urls import identity_in
from dialer.api.records.calls import CALLREQUESTS
from dialer.api.records.live_calls import hang_up_seen_call
from dialer.api.service import ApiRequest
from dialer.domain.described import described


class HangUpRead(msgspec.Struct, frozen=True):
    """The order to hang up a call."""

    callrequest_id: Annotated[int, described("The call that is about to end.", 7)]


@post("/callrequest/{record_id:str}/hang-up", tags=[CALLREQUESTS.path], status_code=HTTPStatus.OK)
async def hang_up(request: ApiRequest, record_id: FromPath[str]) -> HangUpRead:
    """Hang up a call in which an agent talks: both the agent's telephone and the callee's.

    Agents hang up their own calls. The answer comes once the order is stored, and the call ends a moment later. A
    repeated request does nothing more. A call without an agent is refused.
    """
    identity = identity_in(record_id)
    await request.service.write(request, lambda unit: hang_up_seen_call(unit, identity))
    return HangUpRead(identity)
