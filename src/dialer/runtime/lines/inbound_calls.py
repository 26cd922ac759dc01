"""Calls that came in over lines, from their arrival to the end of the step that decides about them."""

from typing import Final

from sqlalchemy import Connection

from dialer.domain.calls.plans import Call
from dialer.domain.sessions.leg_protocol import Arrived, Arriving
from dialer.domain.words.enums import Cause
from dialer.store.queries.inbound_callers import cause_of


class Arrivals:
    """The arrivals of one step. A line may tell of a call as often as it likes: it is decided once."""

    def __init__(self) -> None:
        self._arrived: Final[dict[str, Arrived]] = {}
        self._refused: Final[dict[str, Cause]] = {}
        """Calls that this step has turned away or ended. Those of earlier steps have a CDR."""

    def heard(self, connection: Connection, key: str, arrived: Arrived) -> Cause | None:
        """Keep an arrival. Return the cause with which the call ended if it was decided before."""
        self._arrived[key] = arrived
        return self._refused.get(key) or cause_of(connection, key)

    def refuse(self, key: str, cause: Cause) -> None:
        """Note that an incoming call was refused, with the cause."""
        self._refused[key] = cause

    def ended(self, key: str) -> None:
        """Note that an incoming call is over. Its CDR is written at the end of the step."""
        self._refused.setdefault(key, Cause.NORMAL_CLEARING)

    def order(self, call: Call) -> Arriving:
        """Return the order to answer a call that has just arrived."""
        handle = self._arrived[call.callid].handle
        return Arriving(call.callid, call.callerid, call.talk_limit_ms, handle, call.sound_store)

    def clear(self) -> None:
        """Remove the arrivals of a committed step."""
        self._arrived.clear()
        self._refused.clear()
