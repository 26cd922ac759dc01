"""The orders of an agent at the desk about the recording of the present call."""

from contextlib import suppress
from typing import Any

from litestar import Response, post
from litestar.di import NamedDependency

from dialer.api.actions.live_calls import order_recording_of_seen_call
from dialer.api.service import ApiRequest
from dialer.app.call_centre.recording_orders import RecordingOrder
from dialer.app.work.errors import RefusedError
from dialer.console.pages.desk import DESK, key_of
from dialer.console.pages.desk_orders import NO_SUCH_ORDER
from dialer.console.parts.record_addresses import identity_in
from dialer.console.serving.forms import read_fields
from dialer.console.serving.orders import answer_obeyed
from dialer.console.serving.services import ConsoleServices
from dialer.resources.words.errors import RecordNotFoundError


@post("/desk/recording", media_type="text/html")
async def record_on_desk(request: ApiRequest, console: NamedDependency[ConsoleServices]) -> Response[Any]:
    """Start, pause or resume the recording of the viewer's call. One that is over meanwhile is no mistake of theirs."""
    filled = await read_fields(request)
    identity, wanted = identity_in(filled.get("call", "")), filled.get("order", "")
    if wanted not in set(RecordingOrder):
        raise RecordNotFoundError(NO_SUCH_ORDER)
    with suppress(RefusedError):
        await request.service.write(
            request, lambda unit: order_recording_of_seen_call(unit, identity, RecordingOrder(wanted))
        )
    console.snapshots.forget(key_of(request))
    return answer_obeyed(request, DESK)
