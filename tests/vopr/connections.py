"""Calls with encrypted sound over a connection that is lost again and again, at a carrier that changes its keys.

A seed makes the calls, the moments at which the connection or our whole process is lost, and the carrier's changes of
keys and refusals. The user agent is the service's own. `connection_rules.py` judges what becomes of the calls.
"""

from collections.abc import Callable
from functools import partial
from heapq import heappop, heappush
from typing import Final

from msgspec.structs import replace

from dialer.carriers.sip.flows import Flow, Transport
from dialer.carriers.sip.leg import read_handle
from dialer.carriers.sip.messages import Received, read_message, write_response
from dialer.carriers.sip.outputs import LegAnswered, LegOver, Output, Send, SoundAgreed
from dialer.carriers.sip.sdp import SDP_TYPE, LocalSound, read_sound, write_answer, write_offer
from dialer.carriers.sip.sdp_security import fresh_security
from dialer.carriers.sip.trunk import Trunk
from dialer.carriers.sip.user_agent import UserAgent
from tests.carriers.sip.network import OURS, THEIRS, dialling
from tests.vopr.dice import Dice

SERVER: Final = Flow(("192.0.2.10", 5_061), Transport.TLS)
QUIET_MS: Final = 120_000
"""The moment from which nothing is disturbed any more."""
SETTLED_MS: Final = 200_000
"""The moment at which calls that are up must be in order again."""
HORIZON_MS: Final = 700_000
TALK_MS: Final = 300_000
STEPS_MAX: Final = 100_000
AGAIN_MS: Final = 4_000
ANSWER_MS: Final = 32_000
"""Time after which the carrier hangs up if its answer is not acknowledged."""
SILENCE_MS: Final = 60_000
"""Time after which the carrier hangs up a call that has no sound of ours."""
REFUSALS_MAX: Final = 3
"""Refusals of the carrier in a row to what we ask of a call."""


class LostWorld:
    """The user agent, its owner, the connection, and the carrier's ends of the calls."""

    def __init__(self, seed: int) -> None:
        self.dice: Final = Dice(seed, "connections")
        self._expires_s: Final = self.dice.pick((0, 90, 1_800))
        self._port = 1
        self.now_ms = 0
        self.is_up = True
        self._is_dead = False
        """True while there is no process of ours."""
        self._restarts = 0
        self.agent = UserAgent(self._trunk(), "secret 0")
        self.ends: dict[str, str] = {}
        """Why each call is over, as our side says."""
        self.cleared: set[str] = set()
        self.handles: dict[str, tuple[int, str]] = {}
        """The stored handle of each answered call, with the moment of its answer."""
        self.sounds: dict[str, list[SoundAgreed]] = {}
        self.settled: list[str] = []
        """Faults of calls at the moment at which all must be in order."""
        self.phones: dict[str, Phone] = {}
        self._heap: list[tuple[int, int, Callable[[], None]]] = []
        self._count = 0

    def _trunk(self) -> Trunk:
        here = ("192.0.2.1", self._port)
        return Trunk(
            server=SERVER, domain="carrier.example", here=here, asks_options=False, session_expires_s=self._expires_s
        )

    def later(self, wait_ms: int, action: Callable[[], None]) -> None:
        """Do something in a while."""
        self._count += 1
        heappush(self._heap, (self.now_ms + max(1, wait_ms), self._count, action))

    def run(self) -> None:
        """Let everything happen."""
        self.perform(self.agent.open(0))
        for number in range(self.dice.between(1, 4)):
            self.later(self.dice.between(1, 20_000), partial(self._dial, f"call{number}"))
        for _ in range(self.dice.between(1, 4)):
            self.later(self.dice.between(1, QUIET_MS - 70_000), self._lose)
        self.later(SETTLED_MS, self._look)
        for _ in range(STEPS_MAX):
            due_ms = None if self._is_dead else self.agent.next_ms()
            moments = [moment for moment in (due_ms, self._heap[0][0] if self._heap else None) if moment is not None]
            if not moments or min(moments) > HORIZON_MS:
                return
            self.now_ms = max(self.now_ms, min(moments))
            if self._heap and self._heap[0][0] <= self.now_ms:
                heappop(self._heap)[2]()
            else:
                self.perform(self.agent.run(self.now_ms))
        raise AssertionError("The network does not come to rest.")

    def perform(self, outputs: list[Output]) -> None:
        """Send what the user agent sends, and note what it tells."""
        for output in outputs:
            match output:
                case Send():
                    self._pass(partial(self._reach, read_message(output.data)))
                case SoundAgreed():
                    self.sounds.setdefault(output.key, []).append(output)
                case LegAnswered():
                    self.handles[output.key] = (self.now_ms, output.handle)
                    self.later(1, partial(self._acknowledge, output.key))
                case LegOver():
                    self.ends.setdefault(output.key, output.because)
                case _:
                    pass

    def say(self, data: bytes) -> None:
        """Send a message of the carrier."""
        self._pass(lambda: self.perform(self.agent.receive(self.now_ms, data, SERVER)))

    def _pass(self, arrive: Callable[[], None]) -> None:
        """Carry a message over the connection, unless that is lost on the way."""
        port = self._port
        if self.is_up:
            self.later(self.dice.between(1, 40), lambda: arrive() if self.is_up and self._port == port else None)

    def _reach(self, message: Received) -> None:
        phone = self.phones.get(message.call_id)
        if phone is None and message.method == "INVITE" and not message.status:
            phone = self.phones[message.call_id] = Phone(self, message)
        if phone is not None:
            phone.hear(message)
        elif not message.status and message.method != "ACK":
            self.say(write_response(message, 481, "Unknown", SERVER, to_tag="x"))

    def _dial(self, key: str) -> None:
        if not self.is_up:
            # The line is down, so nothing is dialled over it.
            return
        keys = fresh_security("required", lambda size: key.encode().ljust(size, b"o"))
        ours, order = replace(OURS, security=keys), dialling(key, talk_ms=TALK_MS)
        self.perform(self.agent.dial(self.now_ms, order, ours))
        if self.dice.happens(40):
            self.later(self.dice.between(1, QUIET_MS), lambda: self._clear(key))

    def _clear(self, key: str) -> None:
        if self._is_dead:
            self.later(AGAIN_MS, lambda: self._clear(key))
            return
        self.cleared.add(key)
        self.perform(self.agent.clear(self.now_ms, key, 16, "the owner wants it"))

    def _acknowledge(self, key: str) -> None:
        if not self._is_dead:
            self.perform(self.agent.acknowledge(self.now_ms, key))

    def _lose(self) -> None:
        """Lose the connection, or the whole process with it."""
        if self.is_up:
            self.is_up = False
            is_killed = self._is_dead = self.dice.happens(30)
            if not is_killed:
                self.perform(self.agent.cut(self.now_ms))
            wait_ms = self.dice.pick((50, 2_000, 10_000, 60_000))
            self.later(wait_ms, self._restart if is_killed else self._join)

    def _join(self) -> None:
        self._port, self.is_up = self._port + 1, True
        self.perform(self.agent.reopen(self.now_ms, self._trunk(), is_same_server=True))

    def _restart(self) -> None:
        """Put a new process in the place of ours. It has what is stored, which is from the moment of the answers."""
        self._port, self.is_up, self._is_dead, self._restarts = self._port + 1, True, False, self._restarts + 1
        self.agent = UserAgent(self._trunk(), f"secret {self._restarts}")
        self.perform(self.agent.open(self.now_ms))
        for key in self.phones:
            order = dialling(key, talk_ms=TALK_MS)
            if key in self.ends:
                # Its BYE may have been lost with the process. A carrier hangs up a call without sound in the end.
                self.later(SILENCE_MS, self.phones[key].hang_up)
                continue
            if key in self.handles:
                at_ms, handle = self.handles[key]
                age_ms = self.now_ms - at_ms
                self.perform(self.agent.take_up(self.now_ms, order, read_handle(handle), age_ms))
            else:
                self.cleared.add(key)
                self.perform(self.agent.withdraw(self.now_ms, order, OURS))

    def _look(self) -> None:
        for key, phone in self.phones.items():
            if key in self.handles and key not in self.ends and not phone.is_over:
                keys = self.sounds[key][-1].sound.keys
                if keys is None or keys.theirs != phone.key:
                    self.settled.append(f"{key} does not hear the other side, which has another key")


class Phone:
    """The carrier's end of one call."""

    def __init__(self, world: LostWorld, invite: Received) -> None:
        self._world, self._dice = world, world.dice
        self.invite = invite
        self._keys = 0
        self._local = self._with_new_key()
        self._next: LocalSound | None = None
        """Our side with the key of an offer that is not answered yet."""
        self.is_over = self.has_answered = self.has_hung_up = False
        self._cseq = 0
        self._pending: tuple[str, bytes] | None = None
        """Its own request that waits for a response, with its branch."""
        self._answers: dict[tuple[str, str], bytes] = {}
        self._refusals = 0
        self.refreshes: list[int] = []
        """The moments of the re-INVITEs that it took."""
        self._acks: set[int] = set()
        world.say(write_response(invite, 180, "Ringing", SERVER, to_tag="phone"))
        world.later(self._dice.between(1, 6_000), self._answer)

    @property
    def key(self) -> bytes:
        """The key with which it encrypts."""
        return self._local.security.keys[0][1]

    def _with_new_key(self) -> LocalSound:
        self._keys += 1
        return replace(
            THEIRS, security=fresh_security("required", lambda size: f"theirs{self._keys}".encode().ljust(size, b"t"))
        )

    def hear(self, message: Received) -> None:
        """Take a message of ours."""
        if message.status:
            self._heard_response(message)
        elif message.method == "ACK":
            self._acks.add(message.cseq)
        elif (message.branch, message.method) in self._answers:
            self._world.say(self._answers[message.branch, message.method])
        elif message.method == "INVITE" and not message.to_tag:
            # The first one, once more.
            self._say_answer()
        elif message.method == "INVITE":
            self._take_refresh(message)
        elif message.method == "CANCEL":
            self._respond(message, 200)
            if not self.has_answered and not self.is_over:
                self.is_over = True
                self._world.say(write_response(self.invite, 487, "Terminated", SERVER, to_tag="phone"))
        else:
            self._respond(message, 481 if self.is_over else 200)
            self.is_over = self.is_over or message.method == "BYE"

    def _respond(self, request: Received, status: int, body: bytes = b"") -> None:
        headers = (("Contact", "<sip:phone@192.0.2.10>"), SDP_TYPE) if body else ()
        data = write_response(request, status, "Text", SERVER, to_tag="phone", headers=headers, body=body)
        self._answers[request.branch, request.method] = data
        self._world.say(data)

    def _answer(self) -> None:
        if self.is_over:
            return
        self.has_answered = True
        self._say_answer()
        self._world.later(ANSWER_MS, lambda: self.hang_up() if self.invite.cseq not in self._acks else None)
        if self._dice.happens(60):
            for _ in range(self._dice.between(1, 2)):
                self._world.later(self._dice.between(1, 70_000), self._change_key)
        if self._dice.happens(30):
            self._world.later(self._dice.between(1, QUIET_MS), self.hang_up)

    def _say_answer(self) -> None:
        """Answer the call, until that is acknowledged."""
        if self.has_answered and not self.is_over and self.invite.cseq not in self._acks:
            body = self._described(self.invite)
            headers = (("Contact", "<sip:phone@192.0.2.10>"), SDP_TYPE)
            self._world.say(write_response(self.invite, 200, "OK", SERVER, to_tag="phone", headers=headers, body=body))
            self._world.later(AGAIN_MS, self._say_answer)

    def _described(self, request: Received) -> bytes:
        sound = read_sound(request.message.body, self._local.codecs, self._local.security)
        return write_answer(self._local, sound, 1)

    def _take_refresh(self, request: Received) -> None:
        if self.is_over:
            self._respond(request, 481)
        elif self._pending is not None and self._next is not None:
            self._respond(request, 491)
        elif self._world.now_ms < QUIET_MS and self._refusals < REFUSALS_MAX and self._dice.happens(35):
            self._refusals += 1
            self._respond(request, self._dice.pick((491, 500, 503, 488)))
        else:
            self._refusals = 0
            self.refreshes.append(self._world.now_ms)
            self._respond(request, 200, self._described(request))

    def _change_key(self) -> None:
        """Offer the same sound with another key."""
        if self.is_over or self.invite.cseq not in self._acks:
            return
        if self._pending is None:
            self._next = self._with_new_key()
            self._ask("INVITE", write_offer(self._next))

    def hang_up(self) -> None:
        """End the call, if it goes on."""
        if not self.is_over:
            self.has_hung_up = self.is_over = True
            self._next = None
            self._ask("BYE")

    def _ask(self, method: str, body: bytes = b"") -> None:
        self._cseq += 1
        branch = f"z9hG4bK{self.invite.call_id}{self._cseq}"
        self._pending = branch, self._request(method, self._cseq, branch, body)
        self._send_pending(branch)

    def _send_pending(self, branch: str) -> None:
        """Send its request until it is answered: it does not know that a connection is lost."""
        if self._pending is not None and self._pending[0] == branch:
            self._world.say(self._pending[1])
            self._world.later(AGAIN_MS, lambda: self._send_pending(branch))

    def _request(self, method: str, cseq: int, branch: str, body: bytes = b"") -> bytes:
        lines = [
            f"{method} sip:dialer@192.0.2.1 SIP/2.0",
            f"Via: SIP/2.0/TLS 192.0.2.10:5061;branch={branch}",
            f"From: {self.invite.header('To')};tag=phone",
            f"To: {self.invite.header('From')}",
            f"Call-ID: {self.invite.call_id}",
            f"CSeq: {cseq} {method}",
            *(("Content-Type: application/sdp",) if body else ()),
            f"Content-Length: {len(body)}",
        ]
        return "\r\n".join([*lines, "", ""]).encode() + body

    def _heard_response(self, response: Received) -> None:
        if response.method == "INVITE" and response.status >= 200:
            self._world.say(self._request("ACK", response.cseq, response.branch))
        if self._pending is None or response.branch != self._pending[0] or response.status < 200:
            return
        self._pending = None
        if response.method != "INVITE":
            return
        if response.status == 200 and self._next is not None:
            self._local = self._next
        elif response.status in {491, 500}:
            self._world.later(self._dice.between(500, 5_000), self._change_key)
        self._next = None
