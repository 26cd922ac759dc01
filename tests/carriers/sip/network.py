"""A network in memory: a user agent, a telephone on the other side, and what happens to the datagrams between them."""

from collections.abc import Callable
from heapq import heappop, heappush
from typing import Final

from dialer.carriers.sip.flows import Flow
from dialer.carriers.sip.messages import Received, read_message, write_response
from dialer.carriers.sip.outputs import LegOver, Output, Send
from dialer.carriers.sip.sdp import Codec, LocalSound, write_offer
from dialer.carriers.sip.trunk import Trunk, TrunkAccount
from dialer.carriers.sip.user_agent import UserAgent
from dialer.domain.sessions.leg_protocol import Dialling

SERVER: Final = ("192.0.2.10", 5060)
HERE: Final = ("192.0.2.1", 5070)
TRUNK: Final = Trunk(
    server=Flow(SERVER),
    domain="carrier.example",
    here=HERE,
    credentials=TrunkAccount("anna", "secret"),
    session_expires_s=0,
)
OURS: Final = LocalSound("192.0.2.1", 20_000, (Codec.PCMU, Codec.PCMA), 1)
THEIRS: Final = LocalSound("192.0.2.10", 30_000, (Codec.PCMA,), 2)
T1_MS: Final = 500
STEPS_MAX: Final = 20_000

Fate = Callable[[int], tuple[int, ...]]
"""Gives the delays in milliseconds of the copies of the n-th datagram that arrive; none if it is lost."""


def at_once(_number: int) -> tuple[int, ...]:
    """Deliver every datagram once, after a millisecond."""
    return (1,)


def dialling(
    key: str = "k1", number: str = "+12025550123", *, ring_ms: int = 30_000, talk_ms: int = 60_000
) -> Dialling:
    """Return an order to dial."""
    return Dialling(key, number, "+12025550150", ring_ms, talk_ms)


class Network:
    """Runs a user agent and a callee over a virtual time."""

    def __init__(self, callee: "Callee", fate: Fate = at_once, trunk: Trunk = TRUNK) -> None:
        self._trunk = trunk
        self.agent = UserAgent(trunk, "secret", T1_MS)
        self.now_ms = 0
        self.told: list[Output] = []
        self.sent: list[Received] = []
        """The messages of ours that arrived or got lost, in their order."""
        self.received: list[bytes] = []
        """The datagrams of the callee."""
        self._callee, self._fate = callee, fate
        self._heap: list[tuple[int, int, bool, bytes]] = []
        self._count = 0
        callee.network = self

    def restart(self) -> None:
        """Put a new process in the place of the user agent's."""
        self.agent = UserAgent(self._trunk, "another secret", T1_MS)

    def take(self, outputs: list[Output]) -> None:
        """Send what the agent sends, and keep what it tells."""
        for output in outputs:
            if isinstance(output, Send):
                self.sent.append(read_message(output.data))
                self._pass(output.data, is_ours=True)
            else:
                self.told.append(output)
                self._callee.heard(output)

    def to_us(self, data: bytes) -> None:
        """Send a datagram of the callee."""
        self.received.append(data)
        self._pass(data, is_ours=False)

    def later(self, wait_ms: int) -> None:
        """Wake the callee."""
        self._count += 1
        heappush(self._heap, (self.now_ms + wait_ms, self._count, True, b""))

    def run(self, until_ms: int = 10**9) -> None:
        """Let everything happen until a moment, or until nothing is left to happen."""
        for _ in range(STEPS_MAX):
            due_ms = self.agent.next_ms()
            first_ms = min([self._heap[0][0]] if self._heap else [], default=None)
            moments = [moment for moment in (due_ms, first_ms) if moment is not None]
            if not moments or min(moments) > until_ms:
                self.now_ms = until_ms if moments else self.now_ms
                return
            self.now_ms = max(self.now_ms, min(moments))
            if first_ms is not None and first_ms <= self.now_ms:
                _, _, is_ours, data = heappop(self._heap)
                self._deliver(data, is_ours=is_ours)
            else:
                self.take(self.agent.run(self.now_ms))
        raise AssertionError("The network does not come to rest.")

    def _deliver(self, data: bytes, *, is_ours: bool) -> None:
        if not is_ours:
            self.take(self.agent.receive(self.now_ms, data, Flow(SERVER)))
        elif data:
            self._callee.receive(read_message(data))
        else:
            self._callee.wake()

    def _pass(self, data: bytes, *, is_ours: bool) -> None:
        for delay_ms in self._fate(self._count):
            self._count += 1
            heappush(self._heap, (self.now_ms + delay_ms, self._count, is_ours, data))
        self._count += 1

    @property
    def ends(self) -> list[tuple[str, int]]:
        """The legs that ended, with their causes."""
        return [(one.key, one.cause) for one in self.told if isinstance(one, LegOver)]

    @property
    def lines(self) -> list[str]:
        """The methods and statuses of our messages."""
        return [str(one.status or one.method) for one in self.sent]


class Callee:
    """A telephone that answers after a while as RFC 3261 says, repeats its answer until the ACK, and hangs up."""

    def __init__(self, *, answers_ms: int | None = 100, talks_ms: int | None = None) -> None:
        self.network: Network
        self.answers_ms, self.talks_ms = answers_ms, talks_ms
        self.invite: Received | None = None
        self.is_acknowledged = self.is_over = self.has_answered = self.is_cancelled = False
        self.answered_ms = 0
        self.repeat_ms = T1_MS
        self.byes = 0
        self.tag = "callee"

    def heard(self, output: Output) -> None:
        """See what the agent tells."""

    def receive(self, message: Received) -> None:
        """Take a message."""
        if message.status:
            if message.method == "BYE":
                self.is_over = True
        elif message.method == "INVITE":
            self._invited(message)
        elif message.method == "CANCEL":
            self.respond(message, 200)
            if self.invite is not None and not self.has_answered and not self.is_cancelled:
                self.is_cancelled = self.is_over = True
                self.respond(self.invite, 487)
        elif message.method == "ACK":
            self.is_acknowledged = self.is_acknowledged or self.has_answered
        elif message.method == "BYE":
            self.byes += 1
            self.is_over = True
            self.respond(message, 200)

    def _invited(self, message: Received) -> None:
        if self.invite is None:
            self.invite = message
            self.respond(message, 180)
            if self.answers_ms is not None:
                self.network.later(self.answers_ms)
        elif self.is_cancelled:
            self.respond(message, 487)
        elif not self.has_answered:
            self.respond(message, 180)
        elif message.to_tag:
            described = (("Contact", "<sip:callee@192.0.2.10>"), ("Content-Type", "application/sdp"))
            self.respond(message, 200, described, write_offer(THEIRS))

    def wake(self) -> None:
        """Answer, repeat the answer, or hang up, whatever is next."""
        if self.is_over or self.invite is None:
            return
        if not self.has_answered:
            self.has_answered, self.answered_ms = True, self.network.now_ms
        if not self.is_acknowledged and self.network.now_ms - self.answered_ms < 64 * T1_MS:
            self.answer()
            self.network.later(self.repeat_ms)
            self.repeat_ms = min(self.repeat_ms * 2, 4_000)
        elif self.is_acknowledged and self.talks_ms is not None:
            if self.network.now_ms >= self.answered_ms + self.talks_ms:
                self.bye()
            self.network.later(max(T1_MS, self.answered_ms + self.talks_ms - self.network.now_ms))

    def answer(self) -> None:
        """Send the 200 with a description of the sound."""
        if self.invite is not None:
            contact = (("Contact", f"<sip:callee@{SERVER[0]}:{SERVER[1]}>"), ("Content-Type", "application/sdp"))
            self.respond(self.invite, 200, contact, write_offer(THEIRS))

    def bye(self) -> None:
        """Hang up with cause 31."""
        if self.invite is not None:
            self.request("BYE", 2, f"{self.network.now_ms}", (("Reason", "Q.850;cause=31"),))

    def request(
        self, method: str, cseq: int, branch: str, headers: tuple[tuple[str, str], ...] = (), body: bytes = b""
    ) -> None:
        """Send a request within the call."""
        invite = self.invite
        assert invite is not None
        lines = [
            f"{method} sip:anna@{HERE[0]}:{HERE[1]} SIP/2.0",
            f"Via: SIP/2.0/UDP {SERVER[0]}:{SERVER[1]};branch=z9hG4bKcallee{method}{branch}",
            f"From: {invite.header('To')};tag={self.tag}",
            f"To: {invite.header('From')}",
            f"Call-ID: {invite.call_id}",
            f"CSeq: {cseq} {method}",
            *(f"{name}: {value}" for name, value in headers),
            f"Content-Length: {len(body)}",
        ]
        self.network.to_us("\r\n".join([*lines, "", ""]).encode() + body)

    def respond(
        self, request: Received, status: int, headers: tuple[tuple[str, str], ...] = (), body: bytes = b""
    ) -> None:
        """Answer a request."""
        self.network.to_us(
            write_response(request, status, "Text", Flow(HERE), to_tag=self.tag, headers=headers, body=body)
        )
