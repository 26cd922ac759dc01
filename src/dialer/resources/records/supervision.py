"""Supervisors who hear calls in which agents talk: what is asked for, and what is answered."""

from typing import Annotated, Final

import msgspec

from dialer.app.call_centre.supervision import mode_of, stop_supervising, supervise_call
from dialer.domain.words.described import described
from dialer.domain.words.enums import SupervisionMode
from dialer.resources.crud import records
from dialer.resources.crud.declaration import writable
from dialer.resources.crud.fields import TextChoice
from dialer.resources.crud.resource import Unit
from dialer.resources.crud.shapes import Given, parse_whole, request_shape
from dialer.resources.records.calls import CALLREQUESTS
from dialer.resources.words.errors import InvalidError, RecordNotFoundError

ListenGiven: Final = request_shape(
    "ListenGiven",
    {
        "mode": writable(
            TextChoice(tuple(SupervisionMode)), "The people who hear the supervisor.", example=SupervisionMode.LISTEN
        )
    },
    "The wish of a supervisor to hear a call.",
)


class ListenRead(msgspec.Struct, frozen=True):
    """A supervisor who hears a call, or is being called for that."""

    callrequest_id: Annotated[int, described("The call.", 7)]
    mode: Annotated[SupervisionMode, described("The people who hear the supervisor.", SupervisionMode.LISTEN)]


class StopListeningRead(msgspec.Struct, frozen=True):
    """The order to hang up the telephone of a supervisor."""

    callrequest_id: Annotated[int, described("The call that nobody is about to hear any more.", 7)]


def listen_to(unit: Unit, callrequest_id: int, given: Given) -> tuple[ListenRead, tuple[str, ...]]:
    """Let the caller hear a call that they see; return the answer, and the names of fields that were ignored.

    Raises:
        InvalidError: there is no such mode.
        RecordNotFoundError: there is no such call, or the caller may not see it.
        RefusedError: the call cannot be heard.
    """
    parsed = parse_whole(ListenGiven, given, unit.conventions)
    if parsed.errors:
        raise InvalidError(parsed.errors)
    records.require_seen(unit, CALLREQUESTS, callrequest_id)
    mode = SupervisionMode(parsed.values["mode"])
    supervise_call(unit, callrequest_id, unit.actor.id, mode)
    return ListenRead(callrequest_id, mode), parsed.ignored


def stop_listening_to(unit: Unit, callrequest_id: int) -> None:
    """End the supervision of a call that is visible to the caller.

    Raises:
        RecordNotFoundError: there is no such call, or the caller may not see it.
        RefusedError: no agent talks in the call.
    """
    records.require_seen(unit, CALLREQUESTS, callrequest_id)
    stop_supervising(unit, callrequest_id)


def read_listening(unit: Unit, callrequest_id: int) -> ListenRead:
    """Return the supervisor and the mode of a supervised call that is visible to the caller.

    Raises:
        RecordNotFoundError: there is no such call, the caller may not see it, or no supervisor hears it.
    """
    records.require_seen(unit, CALLREQUESTS, callrequest_id)
    mode = mode_of(unit.connection, callrequest_id)
    if mode is None:
        raise RecordNotFoundError("No supervisor hears the call.")
    return ListenRead(callrequest_id, mode)
