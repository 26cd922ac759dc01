"""`/rest-api/agent/<id>/ready/` and `longer-wrap-up/`: orders about the time of an agent after a call."""

from collections.abc import Callable
from http import HTTPStatus
from typing import Annotated

import msgspec
from litestar import post
from litestar.params import FromPath

from dialer.api.service import ApiRequest
from dialer.app.call_centre.wrap_ups import end_wrap_up, lengthen_wrap_up
from dialer.domain.words.described import described
from dialer.resources.crud import records
from dialer.resources.crud.resource import Unit
from dialer.resources.crud.urls import identity_in
from dialer.resources.records.queues import AGENTS


class WrapUpEndRead(msgspec.Struct, frozen=True):
    """The order to end the time after a call."""

    agent_id: Annotated[int, described("The agent, who is ready for the next call.", 2)]


class LongerWrapUpRead(msgspec.Struct, frozen=True):
    """The order to make the time after a call longer."""

    agent_id: Annotated[int, described("The agent, whose time after the call is longer.", 2)]


@post("/agent/{record_id:str}/ready", tags=[AGENTS.path], status_code=HTTPStatus.OK)
async def end_time_after_call(request: ApiRequest, record_id: FromPath[str]) -> WrapUpEndRead:
    """End the time after a call, in which an agent gets no other one. Agents order this for themselves.

    At other times, nothing changes. If the queue requires an outcome, and the call has none yet, the answer is 409.
    """
    return WrapUpEndRead(await _order(request, record_id, end_wrap_up))


@post("/agent/{record_id:str}/longer-wrap-up", tags=[AGENTS.path], status_code=HTTPStatus.OK)
async def lengthen_time_after_call(request: ApiRequest, record_id: FromPath[str]) -> LongerWrapUpRead:
    """Make the time after a call longer, by `longer_wrap_up` of its queue. Agents order this for themselves.

    It is made longer once: a repeated request does nothing more. At other times, the answer is 409.
    """
    return LongerWrapUpRead(await _order(request, record_id, lengthen_wrap_up))


async def _order(request: ApiRequest, record_id: str, order: Callable[[Unit, int], None]) -> int:
    agent_id = identity_in(record_id)

    def work(unit: Unit) -> None:
        records.require_seen(unit, AGENTS, agent_id)
        order(unit, agent_id)

    await request.service.write(request, work)
    return agent_id
