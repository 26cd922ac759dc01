"""A telephone that calls us, as RFC 3261 says: it repeats its requests, and acknowledges each answer."""

from collections.abc import Callable
from typing import Final

from dialer.carriers.sip.messages import Received
from dialer.carriers.sip.outputs import LegArrived, Output
from dialer.carriers.sip.sdp import write_offer
from dialer.domain.sessions.leg_protocol import Arriving
from tests.carriers.sip.network import HERE, OURS, SERVER, T1_MS, THEIRS, Callee

TRIES_MAX: Final = 7
"""Sendings of a request that gets no response: timers B and F."""
Decision = Callable[["Calling", LegArrived], None]


def invitation(number: str = "+12025550199", *, headers: tuple[str, ...] = (), body: bytes | None = None) -> bytes:
    """Return an INVITE of the other side."""
    offer = write_offer(THEIRS) if body is None else body
    lines = [
        f"INVITE sip:{number}@{HERE[0]}:{HERE[1]} SIP/2.0",
        f"Via: SIP/2.0/UDP {SERVER[0]}:{SERVER[1]};branch=z9hG4bKin1;rport",
        "Record-Route: <sip:192.0.2.10;lr>",
        *headers,
        'From: "Zoe" <sip:+12025550999@carrier.example>;tag=zoe',
        f"To: <sip:{number}@{HERE[0]}>",
        "Call-ID: a1@carrier.example",
        "CSeq: 7 INVITE",
        f"Contact: <sip:zoe@{SERVER[0]}:{SERVER[1]}>",
        f"Content-Length: {len(offer)}",
    ]
    return "\r\n".join([*lines, "", ""]).encode() + offer


def accept(phone: "Calling", arrived: LegArrived) -> None:
    """Answer the call."""
    phone.network.take(phone.network.agent.answer(phone.network.now_ms, order_for(arrived), OURS))


def order_for(arrived: LegArrived) -> Arriving:
    """Return the order to answer a call."""
    return Arriving(arrived.key, arrived.caller, 60_000, arrived.handle)


class Calling(Callee):
    """A telephone that calls. `decides` is what the service does about its call, after `decides_ms`."""

    def __init__(
        self,
        *,
        decides: Decision = accept,
        decides_ms: int = 50,
        cancels_ms: int | None = None,
        talks_ms: int | None = 5_000,
        data: bytes | None = None,
        acks_with: tuple[str, bytes] = ("", b""),
    ) -> None:
        """Prepare it. `acks_with` is the type and the body of its ACK to an answer."""
        super().__init__()
        self._decides, self._decides_ms, self._cancels_ms, self._talks_ms = decides, decides_ms, cancels_ms, talks_ms
        self.data = invitation() if data is None else data
        self._acks_with = acks_with
        self._agenda: list[tuple[int, Callable[[], None]]] = []
        self.status = 0
        """The last final response to the INVITE."""
        self.rang = False
        self.tag = ""
        self.bye_over = False
        self.arrivals: list[LegArrived] = []

    def call(self) -> None:
        """Call us."""
        self._repeat(self.data, lambda: self.rang or self.status > 0)
        if self._cancels_ms is not None:
            self.after(self._cancels_ms, self._cancel)

    def after(self, wait_ms: int, action: Callable[[], None]) -> None:
        """Do something later."""
        self._agenda.append((self.network.now_ms + wait_ms, action))
        self.network.later(wait_ms)

    def wake(self) -> None:
        """Do what is due."""
        due = [one for one in self._agenda if one[0] <= self.network.now_ms]
        self._agenda = [one for one in self._agenda if one[0] > self.network.now_ms]
        for _, action in due:
            action()

    def heard(self, output: Output) -> None:
        """Decide about the call."""
        if isinstance(output, LegArrived):
            self.arrivals.append(output)
            self.after(self._decides_ms, lambda: self._decides(self, output))

    def receive(self, message: Received) -> None:
        """Take a message."""
        if message.status and message.method == "INVITE":
            self._responded(message)
        elif message.status and message.method == "BYE":
            self.bye_over = self.is_over = True
        elif message.method == "BYE":
            self.byes += 1
            self.is_over = True
            self.respond(message, 200)
        elif message.method == "INVITE":
            headers = (("Contact", f"<sip:zoe@{SERVER[0]}>"), ("Content-Type", "application/sdp"))
            self.respond(message, 200, headers, OFFER)

    def _responded(self, response: Received) -> None:
        self.rang = True
        if response.status < 200:
            return
        is_first, self.status = self.status == 0, response.status
        self.tag = response.to_tag
        ack = self.request_bytes("ACK", 7, "ack" if response.status < 300 else "in1")
        kind, body = self._acks_with
        if body and ack and response.status < 300:
            ack = (
                ack.replace(b"Content-Length: 0", f"Content-Type: {kind}\r\nContent-Length: {len(body)}".encode())
                + body
            )
        self.network.to_us(ack)
        if response.status >= 300:
            self.is_over = True
        elif is_first and self._talks_ms is not None:
            is_cancelled = self._cancels_ms is not None and self.network.now_ms >= self._cancels_ms
            self.after(1 if is_cancelled else self._talks_ms, self._hang_up)

    def _cancel(self) -> None:
        if self.status == 0:
            data = self.data.partition(b"\r\n\r\n")[0]
            data = data.replace(b"INVITE sip", b"CANCEL sip").replace(b"7 INVITE", b"7 CANCEL")
            data = data.partition(b"Content-Length")[0] + b"Content-Length: 0\r\n\r\n"
            self._repeat(data, lambda: self.status > 0)

    def _hang_up(self) -> None:
        if not self.is_over:
            self._repeat(self.request_bytes("BYE", 8, "bye"), lambda: self.is_over)

    def _repeat(self, data: bytes, is_done: Callable[[], bool], tries: int = 0) -> None:
        if is_done():
            return
        if tries == TRIES_MAX:
            self.is_over = self.is_over or self.status == 0
            return
        self.network.to_us(data)
        self.after(T1_MS * 2**tries, lambda: self._repeat(data, is_done, tries + 1))

    def request_bytes(self, method: str, cseq: int, branch: str) -> bytes:
        """Return a request of this side within the call."""
        lines = [
            f"{method} sip:anna@{HERE[0]}:{HERE[1]} SIP/2.0",
            f"Via: SIP/2.0/UDP {SERVER[0]}:{SERVER[1]};branch=z9hG4bK{branch};rport",
            'From: "Zoe" <sip:+12025550999@carrier.example>;tag=zoe',
            f"To: <sip:+12025550199@{HERE[0]}>;tag={self.tag}",
            "Call-ID: a1@carrier.example",
            f"CSeq: {cseq} {method}",
            "Content-Length: 0",
        ]
        return "\r\n".join([*lines, "", ""]).encode()


OFFER: Final = write_offer(THEIRS)
