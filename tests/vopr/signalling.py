"""Carriers with odd habits: silent ones, ones that repeat, retry, register others beside us, or name wrong places.

A seed makes a carrier, calls in both directions, and requests in each state of a call. The user agent is the service's
own, over a network in memory. `signalling_rules.py` judges what it has said.
"""

from collections.abc import Callable
from functools import partial
from heapq import heappop, heappush
from typing import Final, NamedTuple

from msgspec.structs import replace

from dialer.carriers.sip.flows import Address, Flow
from dialer.carriers.sip.messages import Received, read_message, write_response
from dialer.carriers.sip.outputs import LegAnswered, LegArrived, LookUp, Output, Send
from dialer.carriers.sip.sdp import write_offer
from dialer.carriers.sip.trunk import Trunk
from dialer.carriers.sip.user_agent import UserAgent
from tests.carriers.sip.calling import order_for
from tests.carriers.sip.network import HERE, OURS, SERVER, T1_MS, THEIRS, TRUNK, dialling
from tests.vopr.dice import Dice

HORIZON_MS: Final = 400_000
"""The time at which everything but the registration is over."""
LOSSES_UNTIL_MS: Final = 30_000
STEPS_MAX: Final = 50_000
TALK_MS: Final = 20_000
NAMES: Final = {"inside.example": "127.0.0.1", "phone.example": "192.0.2.20"}
PLACES: Final = (
    *(f"{SERVER[0]}:{SERVER[1]}",) * 3,
    "phone.example",
    f"{HERE[0]}:{HERE[1]}",
    "127.0.0.1:9",
    "nowhere.example",
    "inside.example",
    "",
)
"""The places that answers and calls name: the carrier's mostly, and some to which nothing can be sent."""
METHODS: Final = ("UPDATE", "INFO", "OPTIONS", "BYE", "INVITE", "REFER", "CANCEL")
SDP: Final = ("Content-Type", "application/sdp")
OUR_CONTACT: Final = f"<sip:anna@{HERE[0]}:{HERE[1]}>"


class Moment(NamedTuple):
    """A message that came, or that was sent."""

    at_ms: int
    message: Received
    place: Address


class World:
    """The user agent, its owner, its network, and a carrier."""

    def __init__(self, seed: int) -> None:
        self.dice: Final = Dice(seed, "signalling")
        self.trunk: Final[Trunk] = replace(TRUNK, registers=self.dice.happens(50), machine=HERE[0])
        self.agent: Final = UserAgent(self.trunk, "secret", T1_MS)
        self.now_ms = 0
        self.came: list[Moment] = []
        self.sent: list[Moment] = []
        self.told: list[Output] = []
        self.dialled: list[str] = []
        self.cleared: set[str] = set()
        """Legs that the owner has ended."""
        self.granted: list[tuple[int, int]] = []
        """The moments at which our registration was taken, and until when."""
        self._heap: list[tuple[int, int, Callable[[], None]]] = []
        self._count = 0
        self._loses = self.dice.happens(50)
        self._repeats = self.dice.happens(50)
        self.carrier: Final = Carrier(self)

    def later(self, wait_ms: int, action: Callable[[], None]) -> None:
        """Do something in a while."""
        self._count += 1
        heappush(self._heap, (self.now_ms + max(1, wait_ms), self._count, action))

    def run(self) -> None:
        """Let everything happen."""
        self.perform(self.agent.open(0))
        for number in range(self.dice.between(1, 4)):
            self.later(self.dice.between(1, 9_000), partial(self._dial, f"placed{number}"))
        for number in range(self.dice.between(0, 3)):
            self.later(self.dice.between(1, 9_000), Caller(self, f"came{number}").call)
        for _ in range(STEPS_MAX):
            due_ms = self.agent.next_ms()
            moments = [moment for moment in (due_ms, self._heap[0][0] if self._heap else None) if moment is not None]
            if not moments or min(moments) > HORIZON_MS:
                return
            self.now_ms = max(self.now_ms, min(moments))
            if self._heap and self._heap[0][0] <= self.now_ms:
                heappop(self._heap)[2]()
            else:
                self.perform(self.agent.run(self.now_ms))
        raise AssertionError("The network does not come to rest.")

    def say(self, data: bytes) -> None:
        """Send a datagram of the carrier, perhaps several times, perhaps late, perhaps never."""
        copies = self.dice.between(1, 3) if self._repeats else 1
        if self._loses and self.now_ms < LOSSES_UNTIL_MS and self.dice.happens(15):
            copies = 0
        for copy in range(copies):
            self.later(1 + copy * self.dice.between(0, 3_000), lambda: self._come(data))

    def _come(self, data: bytes) -> None:
        self.came.append(Moment(self.now_ms, read_message(data), SERVER))
        self.perform(self.agent.receive(self.now_ms, data, Flow(SERVER)))

    def perform(self, outputs: list[Output]) -> None:
        """Send what the user agent sends, and let the owner hear what it tells."""
        for output in outputs:
            if isinstance(output, LookUp):
                host = NAMES.get(output.hop.address[0], "")
                self.perform(self.agent.resolved(self.now_ms, output, host))
            elif isinstance(output, Send):
                message = read_message(output.data)
                self.sent.append(Moment(self.now_ms, message, output.flow.address))
                if not (self._loses and self.now_ms < LOSSES_UNTIL_MS and self.dice.happens(15)):
                    self.later(1, partial(self.carrier.hear, message))
            else:
                self.told.append(output)
                self._hear(output)

    def _dial(self, key: str) -> None:
        self.dialled.append(key)
        ring_ms = self.dice.pick((2_000, 20_000, 40_000))
        self.perform(self.agent.dial(self.now_ms, dialling(key, ring_ms=ring_ms, talk_ms=TALK_MS), OURS))
        if self.dice.happens(20):
            self.later(self.dice.between(1, 15_000), lambda: self._clear(key))

    def _clear(self, key: str) -> None:
        self.cleared.add(key)
        self.perform(self.agent.clear(self.now_ms, key, self.dice.pick((16, 17, 1)), "the owner wants it"))

    def _hear(self, output: Output) -> None:
        """Decide as the service does, sooner or later."""
        if isinstance(output, LegAnswered) and output.key in self.dialled:
            wait_ms = self.dice.pick((1, 20, 3_000))
            self.later(wait_ms, lambda: self.perform(self.agent.acknowledge(self.now_ms, output.key)))
        elif isinstance(output, LegArrived):
            order = replace(order_for(output), talk_limit_ms=TALK_MS)
            match self.dice.between(0, 3):
                case 0:
                    self.later(self.dice.between(1, 3_000), lambda: self._clear(output.key))
                case 1 | 2:
                    wait_ms = self.dice.between(1, 3_000)
                    self.later(wait_ms, lambda: self.perform(self.agent.answer(self.now_ms, order, OURS)))
                case _:
                    self.cleared.add(output.key)


class Carrier:
    """The other side of all calls, and the registrar."""

    def __init__(self, world: World) -> None:
        self._world, self._dice = world, world.dice
        self.callers: dict[str, Caller] = {}
        self._callees: dict[str, Callee] = {}
        self._registered: dict[str, bytes] = {}
        self._is_busy_registrar = self._dice.happens(30)

    def hear(self, message: Received) -> None:
        """Take a message of ours."""
        caller = self.callers.get(message.call_id)
        if caller is not None:
            caller.hear(message)
        elif message.method == "REGISTER":
            self._register(message)
        elif message.method == "OPTIONS" and not message.to_tag:
            self._world.say(write_response(message, 200, "OK", Flow(HERE), to_tag="x"))
        else:
            if message.call_id not in self._callees:
                self._callees[message.call_id] = Callee(self._world, message)
            self._callees[message.call_id].hear(message)

    def _register(self, request: Received) -> None:
        """Take the registration beside those of others, or refuse it for a while."""
        if request.branch not in self._registered:
            if self._is_busy_registrar and self._dice.happens(50):
                headers = (("Retry-After", str(self._dice.pick((40, 100, 300)))),)
                self._registered[request.branch] = write_response(request, 503, "No", Flow(HERE), headers=headers)
            else:
                self._registered[request.branch] = self._granted(request)
        self._world.say(self._registered[request.branch])

    def _granted(self, request: Received) -> bytes:
        expires_s = self._dice.pick((20, 60, 200))
        self._world.granted.append((self._world.now_ms, self._world.now_ms + expires_s * 1_000))
        others = [f"<sip:anna@{HERE[0]}:{HERE[1]}{digit}>;expires=3600" for digit in (1, 2)]
        # A registrar that rewrites the address knows no others here.
        rewritten = [f"<sip:anna@203.0.113.7:9999>;expires={expires_s}"]
        contacts = self._dice.pick(
            (
                rewritten,
                [*others, f"{OUR_CONTACT};expires={expires_s}"],
                [f"{OUR_CONTACT};q=1;expires={expires_s}", *others],
            )
        )
        headers = tuple(("Contact", contact) for contact in contacts)
        if self._dice.happens(50):
            headers = (("Contact", ", ".join(contacts)), ("Expires", "3600"))
        return write_response(request, 200, "OK", Flow(HERE), to_tag="r", headers=headers)


class Party:
    """One call of the carrier, in either direction."""

    def __init__(self, world: World) -> None:
        self.world, self.dice = world, world.dice
        self.place = self.dice.pick(PLACES)
        self._cseq = self.dice.between(1, 50)
        self._branches = 0

    @property
    def contact(self) -> tuple[tuple[str, str], ...]:
        """The Contact header, if there is one."""
        return (("Contact", f"<sip:x@{self.place}>"),) if self.place else ()

    def ask(self, ends: tuple[str, str], call_id: str, method: str, cseq: int | None = None, branch: str = "") -> None:
        """Send a request within the call, with a description where that may be."""
        if cseq is None:
            self._cseq += self.dice.pick((1, 1, 1, 2, 0, -1))
            cseq = max(1, self._cseq)
        self._branches += 1
        has_offer = method in {"INVITE", "UPDATE"} and self.dice.happens(50)
        body = write_offer(THEIRS) if has_offer else b""
        lines = [
            f"{method} sip:anna@{HERE[0]}:{HERE[1]} SIP/2.0",
            f"Via: SIP/2.0/UDP {SERVER[0]}:{SERVER[1]};branch={branch or f'z9hG4bK{call_id}-{method}{self._branches}'}",
            f"From: {ends[0]}",
            f"To: {ends[1]}",
            f"Call-ID: {call_id}",
            f"CSeq: {cseq} {method}",
            *(f"{name}: {value}" for name, value in (*self.contact, *((SDP,) if body else ()))),
            f"Content-Length: {len(body)}",
        ]
        self.world.say("\r\n".join([*lines, "", ""]).encode() + body)


class Callee(Party):
    """A telephone that we call."""

    def __init__(self, world: World, invite: Received) -> None:
        super().__init__(world)
        self.invite = invite
        self._style = self.dice.pick(("silent", "trying", "rings", "refuses", "answers", "answers", "answers", "forks"))
        self._ignores = self.dice.happens(15)
        """True if it never answers CANCEL and BYE."""
        self._last: list[bytes] = []
        self._is_over = self._has_begun = False
        self._acknowledged: set[str] = set()

    def hear(self, message: Received) -> None:
        """Take a message of ours."""
        if message.status:
            if message.method == "INVITE" and message.status < 300:
                self.ask(self._ends("callee"), message.call_id, "ACK", message.cseq)
            elif message.method == "BYE":
                self._is_over = True
        elif message.method == "INVITE" and not message.to_tag:
            self._invited()
        elif message.method == "ACK":
            self._acknowledged.add(message.to_tag)
        elif message.method in {"CANCEL", "BYE"} and not self._ignores:
            self.world.say(write_response(message, 200, "OK", Flow(HERE), to_tag="callee"))
            if message.method == "CANCEL" and not any(b"SIP/2.0 2" in one for one in self._last):
                self._last = [write_response(self.invite, 487, "Terminated", Flow(HERE), to_tag="callee")]
                self._again()
            self._is_over = True

    def _ends(self, tag: str) -> tuple[str, str]:
        return f"{self.invite.header('To')};tag={tag}", self.invite.header("From")

    def _invited(self) -> None:
        if self._has_begun:
            self._again()
            return
        self._has_begun = True
        if self._style == "silent":
            return
        self._last = [write_response(self.invite, 100, "Trying", Flow(HERE))]
        self._again()
        if self._style == "trying":
            return
        self.world.later(self.dice.between(1, 2_000), self._ring)

    def _ring(self) -> None:
        if self._is_over:
            return
        if self._style == "refuses":
            status, headers = self.dice.pick(((486, ()), (404, ()), (503, (("Retry-After", "9"),))))
            self._last = [write_response(self.invite, status, "No", Flow(HERE), to_tag="callee", headers=headers)]
            self._again()
            return
        self._last = [write_response(self.invite, 180, "Ringing", Flow(HERE), to_tag="callee", headers=self.contact)]
        self._again()
        for _ in range(self.dice.between(0, 3)):
            method = self.dice.pick(METHODS)
            wait_ms = self.dice.between(1, 8_000)
            self.world.later(wait_ms, partial(self.ask, self._ends("callee"), self.invite.call_id, method))
        if self._style != "rings":
            self.world.later(self.dice.between(1, 6_000), self._answer)

    def _answer(self) -> None:
        if self._is_over and not self.dice.happens(30):
            return
        tags = ("callee", "second") if self._style == "forks" else ("callee",)
        self._last = [
            write_response(
                self.invite, 200, "OK", Flow(HERE), to_tag=tag, headers=(*self.contact, SDP), body=write_offer(THEIRS)
            )
            for tag in tags
        ]
        self._again()
        self._repeat(T1_MS, 64 * T1_MS)
        if self.dice.happens(50):
            self.world.later(
                self.dice.between(1, 10_000), lambda: self.ask(self._ends("callee"), self.invite.call_id, "BYE", 99)
            )

    def _repeat(self, wait_ms: int, left_ms: int) -> None:
        """Repeat the answer until it is acknowledged."""

        def again() -> None:
            if "callee" not in self._acknowledged and left_ms > 0:
                self._again()
                self._repeat(min(4_000, wait_ms * 2), left_ms - wait_ms)

        self.world.later(wait_ms, again)

    def _again(self) -> None:
        for data in self._last:
            self.world.say(data)


class Caller(Party):
    """A telephone that calls us, and tries again."""

    def __init__(self, world: World, call_id: str) -> None:
        super().__init__(world)
        self.call_id = call_id
        self._from = f"<sip:+12025550999@carrier.example>;tag={call_id}"
        self._to = f"<sip:+12025550199@{HERE[0]}>"
        self._tags: dict[int, str] = {}
        self._attempt = self._cseq
        self._tries = self.dice.between(1, 3)
        self._is_deaf = self.dice.happens(15)
        """True if it acknowledges no answer."""
        self._done: set[int] = set()

    def call(self) -> None:
        """Call us, and perhaps give up, or do something odd while it rings."""
        self.world.carrier.callers[self.call_id] = self
        self._tries -= 1
        self._invite()
        odd = self.dice.between(0, 5)
        if odd == 0:
            self.world.later(self.dice.between(100, 2_000), self._again_with_a_higher_cseq)
        elif odd == 1:
            self.world.later(self.dice.between(100, 2_000), lambda: self._invite(branch="z9hG4bKother"))
        elif odd == 2:
            cseq = self._attempt
            self.world.later(self.dice.between(100, 2_000), lambda: self._request("CANCEL", cseq))
        elif odd == 3:
            for _ in range(3):
                self.world.later(self.dice.between(100, 9_000), lambda: self._within(self.dice.pick(METHODS)))

    def hear(self, message: Received) -> None:
        """Take a message of ours."""
        if message.method == "INVITE" and message.status >= 180:
            self._responded(message)
        elif not message.status and message.method in {"BYE", "UPDATE", "INVITE"}:
            self.world.say(write_response(message, 200, "OK", Flow(HERE), to_tag=self.call_id))

    def _responded(self, response: Received) -> None:
        if response.status == 482:
            self._request("ACK", response.cseq, to=response.header("To"), branch=response.branch)
            return
        self._tags[response.cseq] = response.to_tag
        if response.status < 200:
            return
        if response.status >= 300:
            self._request("ACK", response.cseq, to=response.header("To"), branch=response.branch)
            if response.cseq not in self._done and response.cseq == self._attempt and self._tries:
                self.world.later(self.dice.between(1, 2_000), self._again_with_a_higher_cseq)
        elif not self._is_deaf:
            self._request("ACK", response.cseq, to=response.header("To"))
            if response.cseq not in self._done:
                self.world.later(self.dice.between(1, 15_000), lambda: self._within("BYE", response.cseq))
        self._done.add(response.cseq)

    def _again_with_a_higher_cseq(self) -> None:
        self._attempt += 1
        self._cseq = self._attempt
        self._tries = max(0, self._tries - 1)
        self._invite()

    def _invite(self, branch: str = "") -> None:
        self._request("INVITE", self._attempt, branch=branch or f"z9hG4bK{self.call_id}-{self._attempt}")

    def _within(self, method: str, attempt: int | None = None) -> None:
        tag = self._tags.get(self._attempt if attempt is None else attempt)
        if tag:
            self.ask((self._from, f"{self._to};tag={tag}"), self.call_id, method)

    def _request(self, method: str, cseq: int, *, to: str = "", branch: str = "") -> None:
        default = f"z9hG4bK{self.call_id}-{cseq}" if method == "CANCEL" else ""
        self.ask((self._from, to or self._to), self.call_id, method, cseq, branch or default)
