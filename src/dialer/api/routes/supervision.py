"""`/rest-api/callrequest/<id>/listen/` and `stop-listening/`: supervisors who hear calls in which agents talk."""

from http import HTTPStatus
from typing import Final

from litestar import Response, get, post
from litestar.params import FromPath

from dialer.api.http.body import read_if_any
from dialer.api.service import ApiRequest
from dialer.resources.crud.properties import describe_request
from dialer.resources.crud.urls import identity_in
from dialer.resources.records.calls import CALLREQUESTS
from dialer.resources.records.supervision import (
    ListenGiven,
    ListenRead,
    StopListeningRead,
    listen_to,
    read_listening,
    stop_listening_to,
)
from dialer.resources.words.ignored import ignored_header

_BODY: Final = describe_request(ListenGiven, is_required=True)


@post("/callrequest/{record_id:str}/listen", tags=[CALLREQUESTS.path], status_code=HTTPStatus.OK, operation_class=_BODY)
async def listen(request: ApiRequest, record_id: FromPath[str]) -> Response[ListenRead]:
    """Let your own telephone ring, and hear a call in which an agent talks.

    Nobody else hears you (`listen`), the agent alone does (`whisper`), or both do (`join`). Another request changes
    that while you hear the call. It ends with the call, when you hang up, or with `stop-listening/`. The call goes
    on, also when nobody answers at your telephone. The service calls the `telephone` of your user over the gateway of
    the call, for 20 seconds, and charges nobody. Only calls over SIP can be heard. A second supervisor is refused.
    """
    identity, given = identity_in(record_id), await read_if_any(request)
    answer, ignored = await request.service.write(request, lambda unit: listen_to(unit, identity, given))
    return Response(answer, headers=ignored_header(ignored))


@get("/callrequest/{record_id:str}/listen", tags=[CALLREQUESTS.path])
async def read_listener(request: ApiRequest, record_id: FromPath[str]) -> ListenRead:
    """Return who hears the supervisor of a call. The answer is 404 if there is none, or if they were not reached."""
    identity = identity_in(record_id)
    return await request.service.read(request, lambda unit: read_listening(unit, identity))


@post("/callrequest/{record_id:str}/stop-listening", tags=[CALLREQUESTS.path], status_code=HTTPStatus.OK)
async def stop_listening(request: ApiRequest, record_id: FromPath[str]) -> StopListeningRead:
    """Hang up the telephone of the supervisor who hears a call, whoever that is. Without one, nothing happens.

    The answer comes once the order is stored, and the telephone hangs up a moment later. The call goes on.
    """
    identity = identity_in(record_id)
    await request.service.write(request, lambda unit: stop_listening_to(unit, identity))
    return StopListeningRead(identity)
