"""Orders about calls in which agents talk."""

from collections.abc import Callable
from typing import Any, Final

from dialer.app.call_centre.consultations import change_consultation, consult
from dialer.app.call_centre.live_calls import TransferTarget, agent_in_call, transfer_call
from dialer.app.call_centre.recording_orders import RecordingOrder, order_recording
from dialer.domain.words.enums import ConsultationMode
from dialer.domain.words.roles import Role
from dialer.resources.crud import records
from dialer.resources.crud.declaration import writable
from dialer.resources.crud.fields import Text, TextChoice
from dialer.resources.crud.references import Reference
from dialer.resources.crud.resource import Unit
from dialer.resources.crud.shapes import Given, parse_whole, request_shape
from dialer.resources.records.calls import CALLREQUESTS
from dialer.resources.records.queues import AGENTS
from dialer.resources.words.errors import InvalidError

TransferOrderGiven: Final = request_shape(
    "TransferOrderGiven",
    {
        "phone_number": writable(
            Text(64), "The number to which the callee goes on. Default: none.", default="", example="+12025550150"
        ),
        "queue": writable(
            Reference("queue"), "The queue in which the callee waits. Default: null.", nullable=True, default=None
        ),
        "agent": writable(
            Reference("agent"),
            "The agent to whom the callee goes on. After a minute, any agent of their queue takes the call. Default:"
            " null.",
            nullable=True,
            default=None,
        ),
    },
    "The target of a transfer: one of the three.",
)


ConsultGiven: Final = request_shape(
    "ConsultGiven",
    {
        "phone_number": writable(
            Text(64), "The number of the third person. Default: none.", default="", example="+12025550151"
        ),
        "agent": writable(
            Reference("agent"),
            "The free agent who is the third person. Their telephone rings. Default: null.",
            nullable=True,
            default=None,
        ),
    },
    "The third person whom an agent consults: one of the two.",
)
ConsultationGiven: Final = request_shape(
    "ConsultationGiven",
    {
        "mode": writable(
            TextChoice(tuple(ConsultationMode)), "The people who are to talk.", example=ConsultationMode.CALLEE
        )
    },
    "The wish of an agent who consults a third person.",
)


def order_for_seen_call(unit: Unit, callrequest_id: int, order: Callable[[Unit, int], None]) -> None:
    """Give an order about a call that the caller sees. Agents give one only about a call in which they talk themselves.

    Raises:
        RecordNotFoundError: there is no such call, or the caller may not see it or its agent.
        RefusedError: no agent talks in the call.
    """
    records.require_seen(unit, CALLREQUESTS, callrequest_id)
    records.require_seen(unit, AGENTS, agent_in_call(unit.connection, callrequest_id))
    order(unit, callrequest_id)


def order_recording_of_seen_call(unit: Unit, callrequest_id: int, order: RecordingOrder) -> None:
    """Start, pause or resume the recording of a call that the caller sees. Agents do so in their own calls.

    Raises:
        RecordNotFoundError: there is no such call, or the caller may not see it, or is an agent who talks in another.
        RefusedError: nothing of the call is recorded, it is over, or an agent's call has no agent.
    """
    records.require_seen(unit, CALLREQUESTS, callrequest_id)
    if unit.actor.role is Role.AGENT:
        records.require_seen(unit, AGENTS, agent_in_call(unit.connection, callrequest_id))
    order_recording(unit, callrequest_id, order)


def transfer_seen_call(unit: Unit, callrequest_id: int, given: Given) -> tuple[str, ...]:
    """Transfer a call, as `order_for_seen_call`; return the names of fields that were ignored.

    Raises:
        InvalidError: a field has a wrong value.
        InvalidFieldsError: the target is missing, unknown, or not allowed.
        RecordNotFoundError: there is no such call, or the caller may not see it or its agent.
        RefusedError: no agent talks in the call.
    """
    parsed = parse_whole(TransferOrderGiven, given, unit.conventions)
    if parsed.errors:
        raise InvalidError(parsed.errors)
    values: dict[str, Any] = parsed.values
    to = TransferTarget(values["phone_number"].strip(), values["queue"], values["agent"])
    order_for_seen_call(unit, callrequest_id, lambda unit, identity: transfer_call(unit, identity, to))
    return parsed.ignored


def consult_in_seen_call(unit: Unit, callrequest_id: int, given: Given) -> tuple[str, ...]:
    """Call a third person during a call, as `order_for_seen_call`; return the names of fields that were ignored.

    Raises:
        InvalidError: a field has a wrong value.
        InvalidFieldsError: the third person is missing, unknown, not free, or not allowed.
        RecordNotFoundError: there is no such call, or the caller may not see it or its agent.
        RefusedError: no agent talks in the call, or a third person is in it.
    """
    parsed = parse_whole(ConsultGiven, given, unit.conventions)
    if parsed.errors:
        raise InvalidError(parsed.errors)
    to = TransferTarget(parsed.values["phone_number"].strip(), None, parsed.values["agent"])
    order_for_seen_call(unit, callrequest_id, lambda unit, identity: consult(unit, identity, to))
    return parsed.ignored


def change_seen_consultation(unit: Unit, callrequest_id: int, given: Given) -> tuple[ConsultationMode, tuple[str, ...]]:
    """Change who talks in a consultation, as `order_for_seen_call`; return it, and the fields that were ignored.

    Raises:
        InvalidError: there is no such mode.
        RecordNotFoundError: there is no such call, or the caller may not see it or its agent.
        RefusedError: no agent talks in the call, or no third person has answered.
    """
    parsed = parse_whole(ConsultationGiven, given, unit.conventions)
    if parsed.errors:
        raise InvalidError(parsed.errors)
    mode = ConsultationMode(parsed.values["mode"])
    order_for_seen_call(unit, callrequest_id, lambda unit, identity: change_consultation(unit, identity, mode))
    return mode, parsed.ignored
