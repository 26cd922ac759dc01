"""`/rest-api/callrequest/<id>/hang-up/`, `hold/`, `resume/` and `transfer/`: orders about the call of an agent."""

from http import HTTPStatus
from typing import Annotated

import msgspec
from litestar import Response, post
from litestar.params import FromPath

from dialer.api.actions.live_calls import TransferOrderGiven, order_for_seen_call, transfer_seen_call
from dialer.api.http.body import read_if_any
from dialer.api.service import ApiRequest
from dialer.app.call_centre.live_calls import hang_up_call, hold_call, resume_call
from dialer.domain.words.described import described
from dialer.resources.crud.properties import describe_request
from dialer.resources.crud.urls import identity_in
from dialer.resources.records.calls import CALLREQUESTS
from dialer.resources.words.ignored import ignored_header


class HangUpRead(msgspec.Struct, frozen=True):
    """The order to hang up a call."""

    callrequest_id: Annotated[int, described("The call that is about to end.", 7)]


class HoldRead(msgspec.Struct, frozen=True):
    """The order to hold a call."""

    callrequest_id: Annotated[int, described("The call whose callee is about to wait.", 7)]


class ResumeRead(msgspec.Struct, frozen=True):
    """The order to resume a call."""

    callrequest_id: Annotated[int, described("The call in which agent and callee are about to talk again.", 7)]


class TransferOrderRead(msgspec.Struct, frozen=True):
    """The order to transfer a call."""

    callrequest_id: Annotated[int, described("The call whose callee is about to go on.", 7)]


@post("/callrequest/{record_id:str}/hang-up", tags=[CALLREQUESTS.path], status_code=HTTPStatus.OK)
async def hang_up(request: ApiRequest, record_id: FromPath[str]) -> HangUpRead:
    """Hang up a call in which an agent talks: both the agent's telephone and the callee's.

    Agents hang up their own calls. The answer comes once the order is stored, and the call ends a moment later. A
    repeated request does nothing more. A call without an agent is refused.
    """
    identity = identity_in(record_id)
    await request.service.write(request, lambda unit: order_for_seen_call(unit, identity, hang_up_call))
    return HangUpRead(identity)


@post("/callrequest/{record_id:str}/hold", tags=[CALLREQUESTS.path], status_code=HTTPStatus.OK)
async def hold(request: ApiRequest, record_id: FromPath[str]) -> HoldRead:
    """Put the callee with whom an agent talks on hold. The callee hears music, and the agent hears nothing.

    Agents hold their own calls. The answer comes once the order is stored, and the callee waits a moment later. A
    repeated request does nothing more. After 10 minutes, the call is resumed by itself. A call without an agent is
    refused.
    """
    identity = identity_in(record_id)
    await request.service.write(request, lambda unit: order_for_seen_call(unit, identity, hold_call))
    return HoldRead(identity)


@post("/callrequest/{record_id:str}/resume", tags=[CALLREQUESTS.path], status_code=HTTPStatus.OK)
async def resume(request: ApiRequest, record_id: FromPath[str]) -> ResumeRead:
    """Connect an agent again with the callee who is on hold.

    Agents resume their own calls. The answer comes once the order is stored, and both talk again a moment later. A call
    that is not on hold stays as it is. A call without an agent is refused.
    """
    identity = identity_in(record_id)
    await request.service.write(request, lambda unit: order_for_seen_call(unit, identity, resume_call))
    return ResumeRead(identity)


@post(
    "/callrequest/{record_id:str}/transfer",
    tags=[CALLREQUESTS.path],
    status_code=HTTPStatus.OK,
    operation_class=describe_request(TransferOrderGiven, is_required=True),
)
async def transfer(request: ApiRequest, record_id: FromPath[str]) -> Response[TransferOrderRead]:
    """Transfer the callee with whom an agent talks to a number, a queue or another agent: one of the three.

    Agents transfer their own calls. The agent's leg ends, and the new one is dialled and charged as by a transfer
    section. A callee who reaches nobody comes back to the agent, or after a minute to any agent of that queue. A call
    without an agent is refused.
    """
    identity, given = identity_in(record_id), await read_if_any(request)
    ignored = await request.service.write(request, lambda unit: transfer_seen_call(unit, identity, given))
    return Response(TransferOrderRead(identity), headers=ignored_header(ignored))
