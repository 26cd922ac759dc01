"""The user agent of one trunk: its legs, its registration, and what comes in (RFC 3261 8)."""

from collections.abc import Callable
from typing import Final

from dialer.carriers.sip.in_dialog import PHRASES
from dialer.carriers.sip.leg import Handle, SipLeg
from dialer.carriers.sip.messages import MalformedMessageError, Received, read_message, write_response
from dialer.carriers.sip.sdp import LocalSound
from dialer.carriers.sip.signalling import Signalling
from dialer.carriers.sip.standing_requests import Keepalive, Registration
from dialer.carriers.sip.timers import T1_MS
from dialer.carriers.sip.trunk import METHODS, Trunk, mark
from dialer.carriers.sip.wire import Address, Output, Wire
from dialer.domain.line import Dialling


class UserAgent:
    """Places calls over one trunk.

    It has neither socket nor clock: each method takes the time in milliseconds, of a clock that never goes back, and
    returns the outputs. Call `run` at `next_ms`.
    """

    def __init__(self, trunk: Trunk, t1_ms: int = T1_MS) -> None:
        self._wire: Final = Wire(t1_ms)
        self._signalling: Final = Signalling(self._wire, trunk)
        self._legs: dict[str, SipLeg] = {}
        self._trunk: Final = trunk
        self._keepalive: Final = Keepalive(self._signalling)
        self._registration: Final = Registration(self._signalling)

    def open(self, now_ms: int) -> list[Output]:
        """Register if the trunk wants it, and watch whether the trunk answers."""
        return self._after(now_ms, self._open)

    def _open(self) -> None:
        if self._trunk.registers:
            self._registration.begin()
        else:
            self._keepalive.begin()

    def close(self, now_ms: int) -> list[Output]:
        """Take back the registration. Legs stay as they are."""
        return self._after(now_ms, self._registration.end)

    def dial(self, now_ms: int, dialling: Dialling, local: LocalSound) -> list[Output]:
        """Place a call. A key that is known already is not called again."""

        def begin() -> None:
            if dialling.key not in self._legs:
                self._add(dialling, local).invite()

        return self._after(now_ms, begin)

    def take_up(self, now_ms: int, dialling: Dialling, known: Handle) -> list[Output]:
        """Continue an answered leg of another process."""
        return self._after(now_ms, lambda: self._add(dialling, known.local).take_up(known))

    def withdraw(self, now_ms: int, dialling: Dialling, local: LocalSound) -> list[Output]:
        """Cancel a call that another process may have placed, and clear it if it is answered all the same."""
        return self._after(now_ms, lambda: self._add(dialling, local).withdraw())

    def acknowledge(self, now_ms: int, key: str) -> list[Output]:
        """Tell the other side that its answer was heard."""
        return self._with_leg(now_ms, key, SipLeg.acknowledge)

    def clear(self, now_ms: int, key: str, cause: int, because: str) -> list[Output]:
        """End a leg with a Q.850 cause."""
        return self._with_leg(now_ms, key, lambda leg: leg.clear(cause, because))

    def receive(self, now_ms: int, data: bytes, source: Address) -> list[Output]:
        """Take a datagram. Bytes that are no SIP message are dropped."""
        try:
            message = read_message(data)
        except MalformedMessageError:
            return self._after(now_ms, _nothing)
        if message.status:
            return self._after(now_ms, lambda: self._signalling.receive(message))
        return self._after(now_ms, lambda: self._take_request(message, source))

    def run(self, now_ms: int) -> list[Output]:
        """Perform what is due."""
        return self._after(now_ms, _nothing)

    def next_ms(self) -> int | None:
        """Return the moment at which something is due; None if nothing is."""
        return self._wire.next_ms()

    def __len__(self) -> int:
        return len(self._legs)

    def _after(self, now_ms: int, action: Callable[[], None]) -> list[Output]:
        self._wire.run(now_ms)
        action()
        return self._wire.take()

    def _with_leg(self, now_ms: int, key: str, action: Callable[[SipLeg], None]) -> list[Output]:
        leg = self._legs.get(key)
        return self._after(now_ms, _nothing if leg is None else lambda: action(leg))

    def _add(self, dialling: Dialling, local: LocalSound) -> SipLeg:
        leg = self._legs[dialling.key] = SipLeg(self._signalling, dialling, local, self._forget)
        return leg

    def _forget(self, leg: SipLeg) -> None:
        self._legs.pop(leg.key, None)

    def _take_request(self, request: Received, source: Address) -> None:
        leg = self._legs.get(request.call_id)
        if leg is not None:
            leg.receive(request, source)
        elif source[0] == self._trunk.server[0] and request.method != "ACK":
            # Others get no answer, so that nobody finds out that something listens here.
            self._answer(request, source)

    def _answer(self, request: Received, source: Address) -> None:
        """Answer a request outside of calls without keeping anything of it (RFC 3261 8.2.7)."""
        headers: tuple[tuple[str, str], ...] = (("Allow", METHODS),)
        if request.to_tag or request.method in {"BYE", "CANCEL", "UPDATE", "INFO"}:
            status, headers = 481, ()
        elif request.method == "OPTIONS":
            status = 200
        elif request.method == "INVITE":
            status, headers = 404, ()
        else:
            status = 405
        tag = mark(request.call_id, request.branch)
        response = write_response(request, status, PHRASES[status], source, to_tag=tag, headers=headers)
        self._wire.send(source, response)


def _nothing() -> None:
    """Do nothing more than what is due."""
