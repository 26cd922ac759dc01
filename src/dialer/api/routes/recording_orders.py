"""Orders about the recording of a call, as `/rest-api/callrequest/<id>/recording/pause/`."""

from http import HTTPStatus
from typing import Annotated

import msgspec
from litestar import post
from litestar.params import FromPath

from dialer.api.actions.live_calls import order_recording_of_seen_call
from dialer.api.service import ApiRequest
from dialer.app.call_centre.recording_orders import RecordingOrder
from dialer.domain.words.described import described
from dialer.resources.crud.urls import identity_in
from dialer.resources.records.calls import CALLREQUESTS


class RecordingOrderRead(msgspec.Struct, frozen=True):
    """The order about the recording of a call."""

    callrequest_id: Annotated[int, described("The call.", 7)]


@post("/callrequest/{record_id:str}/recording/start", tags=[CALLREQUESTS.path], status_code=HTTPStatus.OK)
async def start_recording(request: ApiRequest, record_id: FromPath[str]) -> RecordingOrderRead:
    """Record a call from now on, of a campaign whose `record` is `on_demand`.

    Agents start the recordings of their own calls. The answer comes once the order is stored, and the recording begins
    a moment later. A call that is recorded already stays as it is. One that is never recorded, or over, is refused.
    """
    return await _order(request, record_id, RecordingOrder.START)


@post("/callrequest/{record_id:str}/recording/pause", tags=[CALLREQUESTS.path], status_code=HTTPStatus.OK)
async def pause_recording(request: ApiRequest, record_id: FromPath[str]) -> RecordingOrderRead:
    """Keep silence in the recording of a call, in place of what both sides say, until it is resumed.

    Agents pause the recordings of their own calls. The answer comes once the order is stored, and the silence begins a
    moment later. A repeated request does nothing more. A call of which nothing is recorded, or that is over, is
    refused. A pause outlives a restart of the service.
    """
    return await _order(request, record_id, RecordingOrder.PAUSE)


@post("/callrequest/{record_id:str}/recording/resume", tags=[CALLREQUESTS.path], status_code=HTTPStatus.OK)
async def resume_recording(request: ApiRequest, record_id: FromPath[str]) -> RecordingOrderRead:
    """End the pause of the recording of a call. Silence goes on as long as a section of the survey wants it.

    Agents resume the recordings of their own calls. The answer comes once the order is stored, and sound is kept a
    moment later. A repeated request does nothing more. A call of which nothing is recorded, or that is over, is
    refused.
    """
    return await _order(request, record_id, RecordingOrder.RESUME)


async def _order(request: ApiRequest, record_id: str, order: RecordingOrder) -> RecordingOrderRead:
    identity = identity_in(record_id)
    await request.service.write(request, lambda unit: order_recording_of_seen_call(unit, identity, order))
    return RecordingOrderRead(identity)
