"""Orders about the call of an agent, as `/rest-api/callrequest/<id>/hold/`."""

from http import HTTPStatus
from typing import Annotated

import msgspec
from litestar import Response, post
from litestar.params import FromPath

from dialer.api.actions.live_calls import (
    ConsultationGiven,
    ConsultGiven,
    TransferOrderGiven,
    change_seen_consultation,
    consult_in_seen_call,
    order_for_seen_call,
    transfer_seen_call,
)
from dialer.api.http.body import read_if_any
from dialer.api.service import ApiRequest
from dialer.app.call_centre.live_calls import hang_up_call, hold_call, resume_call
from dialer.domain.words.described import described
from dialer.domain.words.enums import ConsultationMode
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


class ConsultRead(msgspec.Struct, frozen=True):
    """The order to consult a third person."""

    callrequest_id: Annotated[int, described("The call whose callee is about to wait.", 7)]


class ConsultationRead(msgspec.Struct, frozen=True):
    """The order to an agent's consultation."""

    callrequest_id: Annotated[int, described("The call.", 7)]
    mode: Annotated[ConsultationMode, described("The people who are about to talk.", ConsultationMode.CALLEE)]


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


@post(
    "/callrequest/{record_id:str}/consult",
    tags=[CALLREQUESTS.path],
    status_code=HTTPStatus.OK,
    operation_class=describe_request(ConsultGiven, is_required=True),
)
async def consult(request: ApiRequest, record_id: FromPath[str]) -> Response[ConsultRead]:
    """Call a third person during a call: a number, or a free agent. The callee waits on hold meanwhile.

    Agents consult somebody in their own calls. The new leg is dialled and charged as by `transfer/`. If nobody answers,
    or the third person hangs up, the agent talks with the callee again; also after 10 minutes of hold. If the callee
    hangs up, the call is over. A call without an agent, over FreeSWITCH, or with a third person is refused.
    """
    identity, given = identity_in(record_id), await read_if_any(request)
    ignored = await request.service.write(request, lambda unit: consult_in_seen_call(unit, identity, given))
    return Response(ConsultRead(identity), headers=ignored_header(ignored))


@post(
    "/callrequest/{record_id:str}/consultation",
    tags=[CALLREQUESTS.path],
    status_code=HTTPStatus.OK,
    operation_class=describe_request(ConsultationGiven, is_required=True),
)
async def order_consultation(request: ApiRequest, record_id: FromPath[str]) -> Response[ConsultationRead]:
    """Change who talks while an agent consults a third person, hand the callee over, or end the consultation.

    The answer comes once the order is stored, and it is followed a moment later. A repeated request does nothing more.
    Before the third person has answered, only the end is possible.
    """
    identity, given = identity_in(record_id), await read_if_any(request)
    mode, ignored = await request.service.write(request, lambda unit: change_seen_consultation(unit, identity, given))
    return Response(ConsultationRead(identity, mode), headers=ignored_header(ignored))
