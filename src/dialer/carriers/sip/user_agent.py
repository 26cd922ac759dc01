"""The user agent of one trunk: its legs, its registration, and what comes in (RFC 3261 8)."""

from collections import deque
from collections.abc import Callable, Sequence
from typing import Final

import msgspec

from dialer.carriers.calls_per_second import WirePace
from dialer.carriers.sip.failed_servers import FailedServers
from dialer.carriers.sip.flows import UDP, Flow
from dialer.carriers.sip.inbound_calls import InboundCalls
from dialer.carriers.sip.inbound_leg import InboundLeg
from dialer.carriers.sip.incoming_invite import (
    Invitation,
    InvitationRefusal,
    called_in,
    caller_in,
    key_of,
    read_invitation,
    refusal_of,
)
from dialer.carriers.sip.leg import Handle, SipLeg
from dialer.carriers.sip.messages import (
    CutOffError,
    MalformedMessageError,
    Received,
    read_message,
    reply_flow,
    write_response,
)
from dialer.carriers.sip.outputs import LegArrived, LookUp, Output, Outputs, TrunkState
from dialer.carriers.sip.plain_requests import CAPABILITIES
from dialer.carriers.sip.register_and_options import Keepalive, Registration
from dialer.carriers.sip.request_answers import PHRASES
from dialer.carriers.sip.sdp import LocalSound
from dialer.carriers.sip.server_pool import ServerTarget
from dialer.carriers.sip.signalling import Signalling
from dialer.carriers.sip.timers import T1_MS, Timer
from dialer.carriers.sip.trunk import METHODS, Trunk, mark
from dialer.domain.sessions.leg_protocol import Arriving, Dialling

ARRIVALS_PER_S_MAX: Final = 50
"""Calls that come in within a second. Further ones are refused with 503."""
INBOUND_LEGS_MAX: Final = 5_000
"""Calls of the other side that are in progress, or have ended within the last minute."""
REFRESHED_PER_S_MAX: Final = 50
"""Calls in progress that are refreshed within a second over a new connection."""
SECOND_MS: Final = 1_000
CUT_OFF_KEPT_MAX: Final = 16
"""Requests with a body that is cut off that are kept, to be known when they come again."""
PEER_BYTES_MAX: Final = 4_096
"""Bytes of a message from the other end of a call that is not the carrier."""


class UserAgent:
    """Places and takes calls over one trunk.

    It has neither socket nor clock: each method takes the time in milliseconds, of a clock that never goes back, and
    returns the outputs. Call `run` at `next_ms`.
    """

    def __init__(self, trunk: Trunk, secret: str, t1_ms: int = T1_MS) -> None:
        """Prepare the user agent. `secret` is a text that nobody can guess."""
        self._wire: Final = Outputs(t1_ms, trunk.may_use, repeats=trunk.server.transport is UDP)
        self._signalling: Final = Signalling(self._wire, trunk, secret)
        self._pace: Final = WirePace(self._wire)
        self._legs: dict[str, SipLeg | InboundLeg] = {}
        self._inbound: Final = InboundCalls()
        self._arrivals_ms: Final[deque[int]] = deque(maxlen=ARRIVALS_PER_S_MAX)
        self._trunk = trunk
        self._keepalive: Final = Keepalive(self._signalling)
        self._registration = Registration(self._signalling)
        FailedServers(self._signalling)
        self._refreshes: list[Timer] = []
        """Those of calls in progress over the present connection, which wait for their turns."""
        self._is_closing = False
        self._cut_off: Final[deque[bytes]] = deque(maxlen=CUT_OFF_KEPT_MAX)
        """The last requests whose bodies were cut off."""

    def open(self, now_ms: int) -> list[Output]:
        """Register if the trunk wants it, and watch whether the trunk answers."""
        return self._after(now_ms, self._open)

    def _open(self) -> None:
        if self._trunk.registers:
            self._registration.begin()
        elif self._trunk.asks_options:
            self._keepalive.begin()

    def know(self, trunk: Trunk, targets: Sequence[ServerTarget]) -> None:
        """Spread calls over the servers of a carrier from now on. Those in progress stay where they are."""
        self._trunk = self._signalling.trunk = trunk
        self._signalling.servers.replace(targets)

    def cut(self, now_ms: int) -> list[Output]:
        """Hear that the connection to the trunk is lost. Calls in progress go on until the next one."""

        def let_go() -> None:
            self._wire.is_cut = True
            for refresh in self._refreshes:
                refresh.cancel()
            for leg in self._legs.values():
                leg.let_go()

        return self._after(now_ms, let_go)

    def reopen(self, now_ms: int, trunk: Trunk, *, is_same_server: bool) -> list[Output]:
        """Go on over a new connection to the trunk, after the one before is lost.

        The registration is made anew, requests that got lost are sent again, and calls in progress are refreshed, so
        that the trunk finds us at our new address.
        """

        def go_on() -> None:
            self._trunk = self._signalling.trunk = trunk
            self._wire.is_cut = False
            if trunk.registers:
                self._registration.abandon()
                self._registration = Registration(self._signalling)
                self._registration.begin()
            else:
                self._wire.tell(TrunkState(""))
            self._signalling.send_again(with_invites=is_same_server)
            self._refreshes = [
                self._wire.after(place * SECOND_MS // REFRESHED_PER_S_MAX, leg.refresh)
                for place, leg in enumerate(self._legs.values())
            ]

        return self._after(now_ms, go_on)

    def close(self, now_ms: int) -> list[Output]:
        """Take back the registration. Legs stay as they are, and requests get no answer any more."""
        self._is_closing = True
        return self._after(now_ms, self._registration.end)

    @property
    def is_closed(self) -> bool:
        """True once the trunk has confirmed the end of the registration after `close`, or does not answer."""
        return self._registration.is_over

    def dial(self, now_ms: int, dialling: Dialling, local: LocalSound) -> list[Output]:
        """Place a call, as soon as it has its turn. A key that is known already is not called again."""

        def begin() -> None:
            if dialling.key not in self._legs:
                self._pace.add(dialling.cps_max, self._add(dialling, local).invite)

        return self._after(now_ms, begin)

    def has_turn(self, cps_max: int) -> bool:
        """Return whether one more call would leave within about a second, at `cps_max` calls a second."""
        return self._pace.has_turn(cps_max)

    def rings(self, arriving: Arriving) -> bool:
        """Return whether an incoming call still rings. A call of another process rings as its handle says.

        Raises:
            ValueError: the call is not known here, and its handle cannot be read.
        """
        return self._came_in(arriving).rings

    def answer(self, now_ms: int, arriving: Arriving, local: LocalSound) -> list[Output]:
        """Answer an incoming call that rings."""
        leg = self._came_in(arriving)
        return self._after(now_ms, lambda: leg.answer(arriving.talk_limit_ms, local))

    def take_up(self, now_ms: int, order: Dialling | Arriving, dialog: Handle, age_ms: int = 0) -> list[Output]:
        """Continue an answered leg of another process, `age_ms` after its answer.

        Raises:
            ValueError: the handle of a call that came in cannot be read.
        """
        if isinstance(order, Dialling):
            return self._after(now_ms, lambda: self._add(order, dialog.local).take_up(dialog, age_ms))
        leg = self._came_in(order)
        return self._after(now_ms, lambda: leg.take_up(dialog, order.talk_limit_ms, age_ms))

    def withdraw(self, now_ms: int, dialling: Dialling, local: LocalSound) -> list[Output]:
        """Cancel a call that another process may have placed, and clear it if it is answered all the same."""
        return self._after(now_ms, lambda: self._add(dialling, local).withdraw())

    def acknowledge(self, now_ms: int, key: str) -> list[Output]:
        """Send the ACK for the answer of the other side."""
        return self._with_leg(now_ms, key, lambda leg: leg.acknowledge())

    def clear(self, now_ms: int, key: str, cause: int, because: str) -> list[Output]:
        """End a leg with a Q.850 cause."""
        return self._with_leg(now_ms, key, lambda leg: leg.clear(cause, because))

    def receive(self, now_ms: int, data: bytes, flow: Flow) -> list[Output]:
        """Take a message. Bytes that are no SIP message are dropped, and so is all that strangers send."""
        if not self.hears(now_ms, flow, len(data)):
            return []
        if not self._trunk.is_end_of(flow):
            self._signalling.peers.count(now_ms, flow)
        try:
            message = read_message(data)
        except CutOffError as error:
            cut_off = error.message
            return self._after(now_ms, lambda: self._refuse_cut_off(cut_off, data, flow))
        except MalformedMessageError:
            return self._after(now_ms, _nothing)
        if message.status:
            return self._after(now_ms, lambda: self._signalling.receive(message, flow))
        if self._is_closing:
            # The other side repeats it, and may find another process here by then.
            return self._after(now_ms, _nothing)
        return self._after(now_ms, lambda: self._take_request(message, data, flow))

    def hears(self, now_ms: int, flow: Flow, size: int) -> bool:
        """Return whether a message of `size` bytes is read: the carrier's, or an allowed one of a call's other end."""
        if self._trunk.is_end_of(flow):
            return True
        return size <= PEER_BYTES_MAX and self._signalling.peers.may_speak(now_ms, flow)

    def resolved(self, now_ms: int, wanted: LookUp, host: str) -> list[Output]:
        """Take the IP address of a host name, and send the waiting messages to it. An empty text means no address."""
        name = wanted.hop.address[0]

        def go_on() -> None:
            if host:
                self._wire.resolution.find(name, host)
            else:
                self._wire.resolution.lose(name, self._wire.now_ms)
            self._wire.send(wanted.hop, wanted.data, wanted.key)

        return self._after(now_ms, go_on)

    def run(self, now_ms: int) -> list[Output]:
        """Run the timers that are due, and return their outputs."""
        return self._after(now_ms, _nothing)

    def next_ms(self) -> int | None:
        """Return the time at which the next timer is due; None without a timer."""
        return self._wire.next_ms()

    def __len__(self) -> int:
        return len(self._legs)

    def _after(self, now_ms: int, action: Callable[[], None]) -> list[Output]:
        self._wire.run(now_ms)
        action()
        return self._wire.take()

    def _with_leg(self, now_ms: int, key: str, action: Callable[[SipLeg | InboundLeg], None]) -> list[Output]:
        leg = self._legs.get(key)
        return self._after(now_ms, _nothing if leg is None else lambda: action(leg))

    def _add(self, dialling: Dialling, local: LocalSound) -> SipLeg:
        leg = self._legs[dialling.key] = SipLeg(self._signalling, dialling, local, self._forget)
        return leg

    def _add_inbound(self, key: str, invitation: Invitation) -> InboundLeg:
        leg = self._legs[key] = InboundLeg(self._signalling, key, invitation, self._forget)
        self._inbound.add(leg)
        return leg

    def _came_in(self, arriving: Arriving) -> InboundLeg:
        """Return a call of the other side, from its handle if it came in at another process."""
        leg = self._legs.get(arriving.key)
        return leg if isinstance(leg, InboundLeg) else self._add_inbound(arriving.key, read_invitation(arriving.handle))

    def _forget(self, leg: SipLeg | InboundLeg) -> None:
        self._legs.pop(leg.key, None)
        self._signalling.peers.forget(leg.key)
        self._wire.forget(leg.key)
        if isinstance(leg, InboundLeg):
            self._inbound.remove(leg)

    def _take_request(self, request: Received, data: bytes, flow: Flow) -> None:
        leg = self._legs.get(request.call_id) or self._inbound.of(request)
        is_carrier = self._trunk.is_end_of(flow)
        if leg is not None and (is_carrier or self._signalling.peers.is_end(leg.key, flow)):
            leg.receive(request, flow)
        elif leg is None and is_carrier and request.method != "ACK":
            # Others get no answer, so that nobody finds out that something listens here.
            if request.method == "INVITE" and not request.to_tag:
                self._take_call(request, data, flow)
            else:
                self._answer(request, flow)

    def _refuse_cut_off(self, message: Received, data: bytes, flow: Flow) -> None:
        """Answer a request whose body is cut off once it comes again as it was (RFC 3261 18.3).

        The network may have torn the first one. Its sender repeats it whole, and a 400 would end what is in order.
        """
        is_answered = not message.status and message.method != "ACK" and not self._is_closing
        if not is_answered or not self._trunk.is_end_of(flow):
            return
        if data in self._cut_off:
            self._respond(message, flow, 400)
        else:
            self._cut_off.append(data)

    def _take_call(self, invite: Received, data: bytes, flow: Flow) -> None:
        """Let a call ring, unless its INVITE cannot be answered or there are too many."""
        refusal = refusal_of(invite, len(data))
        if refusal is None and self._is_flooded():
            refusal = InvitationRefusal(503, (("Retry-After", "1"),))
        if refusal is not None:
            self._respond(invite, flow, refusal.status, refusal.headers)
            return
        tag = mark(self._signalling.secret, invite.call_id, invite.from_tag, invite.branch, str(invite.cseq))
        key, invitation = key_of(invite, self._trunk), Invitation(data, flow.address, tag, flow.transport)
        handle = msgspec.json.encode(invitation).decode()
        arrived = LegArrived(key, self._wire.now_ms, called_in(invite, self._trunk), caller_in(invite), handle)
        self._wire.tell(arrived)
        self._add_inbound(key, invitation).ring()

    def _is_flooded(self) -> bool:
        recent, now_ms = self._arrivals_ms, self._wire.now_ms
        if len(self._inbound) >= INBOUND_LEGS_MAX or (
            len(recent) == ARRIVALS_PER_S_MAX and now_ms - recent[0] < SECOND_MS
        ):
            return True
        recent.append(now_ms)
        return False

    def _answer(self, request: Received, flow: Flow) -> None:
        """Answer a request outside of calls without keeping anything of it (RFC 3261 8.2.7)."""
        headers: tuple[tuple[str, str], ...] = (("Allow", METHODS),)
        if request.to_tag or request.method in {"BYE", "CANCEL", "UPDATE", "INFO"}:
            status, headers = 481, ()
        elif request.method == "OPTIONS":
            status, headers = 200, CAPABILITIES
        else:
            status = 405
        self._respond(request, flow, status, headers)

    def _respond(self, request: Received, flow: Flow, status: int, headers: tuple[tuple[str, str], ...] = ()) -> None:
        tag = mark(self._signalling.secret, request.call_id, request.branch)
        response = write_response(request, status, PHRASES[status], flow, to_tag=tag, headers=headers)
        self._wire.send(reply_flow(request, flow), response)


def _nothing() -> None:
    """Do nothing more than what is due."""
