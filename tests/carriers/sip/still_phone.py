"""A user agent on a socket of this machine, whose clock stands still, and which hears what a test lets it hear.

So a call of many minutes with a real telephone takes milliseconds, and always the same way.
"""

import asyncio
import contextlib
import socket
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from dialer.carriers.sip.flows import Flow
from dialer.carriers.sip.messages import Received, read_message
from dialer.carriers.sip.outputs import LegOver, Output, Send, TrunkState
from dialer.carriers.sip.sdp import Codec, LocalSound
from dialer.carriers.sip.trunk import Trunk, TrunkAccount
from dialer.carriers.sip.user_agent import UserAgent
from dialer.carriers.voice.sockets import bind
from dialer.carriers.voice.udp_transport import UdpTransport
from dialer.domain.sessions.leg_protocol import Dialling
from tests.carriers.listening import Watch
from tests.carriers.sip.sipp import playing, scenario
from tests.carriers.sip.test_sipp import free_port
from tests.optional_tools import find_tool

NUMBER: Final = "2001"
KEY: Final = "call"
TRIES_MAX: Final = 200
TRY_S: Final = 0.05
Noise = Callable[[bytes], Iterator[bytes]]
"""Gives datagrams that arrive before a datagram, from the same address."""


def silence(_data: bytes) -> Iterator[bytes]:
    """Let nothing else arrive."""
    yield from ()


def kind_of(message: Received) -> str:
    """Return the method of a request, or the status and the method of a response."""
    return f"{message.status} {message.method}" if message.status else message.method


class StillPhone:
    """A user agent that calls one number over a trunk."""

    def __init__(self, port: int, *, expires_s: int = 0, registers: bool = False, noise: Noise = silence) -> None:
        """Open a socket. `port` is the carrier's."""
        self._transport = UdpTransport(bind(socket.AF_INET, 0), self._take)
        self._noise = noise
        self._arrived: deque[tuple[bytes, Flow]] = deque()
        self._watch = Watch()
        self._known: set[bytes] = set()
        trunk = Trunk(
            server=Flow(("127.0.0.1", port)),
            domain="127.0.0.1",
            here=("127.0.0.1", self._transport.port),
            credentials=TrunkAccount("anna", "secret, with a comma"),
            registers=registers,
            session_expires_s=expires_s,
        )
        self.agent = UserAgent(trunk, "secret")
        self.now_ms = 0
        self.sent: list[str] = []
        """The kinds of the messages of ours."""
        self.told: list[Output] = []
        self.loses: list[str] = []
        """Kinds of messages of ours that the network loses, each once."""

    def close(self) -> None:
        """Close the socket."""
        self._transport.close()

    @property
    def ends(self) -> list[int]:
        """The causes of the ends that were told."""
        return [one.cause for one in self.told if isinstance(one, LegOver)]

    @property
    def states(self) -> list[str]:
        """Why the trunk does not work, each time that it was told."""
        return [one.why_not for one in self.told if isinstance(one, TrunkState)]

    def open(self) -> None:
        """Register, or watch the trunk."""
        self.perform(self.agent.open(self.now_ms))

    def dial(self) -> None:
        """Call the number."""
        dialling = Dialling(KEY, NUMBER, "+12025550150", 60_000, 3_600_000)
        local = LocalSound("127.0.0.1", 20_000, (Codec.PCMA,), 1)
        self.perform(self.agent.dial(self.now_ms, dialling, local))

    async def rings(self) -> None:
        """Call the number, and wait until it rings."""
        self.dial()
        await self.arrives()
        await self.hears("180 INVITE")
        self.sent.clear()

    async def arrives(self, wait_s: float = 0.5) -> None:
        """Let time pass, a bit at a time, until something arrives: the other side may not listen yet."""
        for _ in range(TRIES_MAX):
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(TRY_S):
                    await self._watch.until(lambda: self._arrived)
                    return
            self.pass_s(wait_s)
        raise AssertionError("nothing arrives")

    async def hears(self, kind: str) -> None:
        """Hear the next datagram, which is of this kind. Those that are repeated may come before."""
        self._hear(*await self._next(kind))

    async def misses(self, kind: str) -> None:
        """Lose the next datagram, which is of this kind."""
        await self._next(kind)

    def pass_s(self, seconds: float) -> None:
        """Let time pass."""
        until_ms = self.now_ms + round(seconds * 1_000)
        while (due_ms := self.agent.next_ms()) is not None and due_ms <= until_ms:
            self.now_ms = max(self.now_ms, due_ms)
            self.perform(self.agent.run(self.now_ms))
        self.now_ms = until_ms

    def sends(self, within_s: float) -> None:
        """Let time pass until something is sent."""
        before, until_ms = len(self.sent), self.now_ms + round(within_s * 1_000)
        while len(self.sent) == before and (due_ms := self.agent.next_ms()) is not None and due_ms <= until_ms:
            self.pass_s((due_ms - self.now_ms) / 1_000)

    def perform(self, outputs: list[Output]) -> None:
        """Send what the agent sends, and keep what it tells."""
        for output in outputs:
            if isinstance(output, Send):
                self._send(output)
            else:
                self.told.append(output)

    def acknowledge(self) -> None:
        """Tell the other side that its answer was heard."""
        self.perform(self.agent.acknowledge(self.now_ms, KEY))

    def clear(self) -> None:
        """Hang up."""
        self.perform(self.agent.clear(self.now_ms, KEY, 16, "hung up"))

    def _send(self, output: Send) -> None:
        kind = kind_of(read_message(output.data))
        if kind in self.loses:
            self.loses.remove(kind)
            return
        self.sent.append(kind)
        self._transport.send(output.data, output.flow)

    def _take(self, data: bytes, flow: Flow) -> None:
        self._arrived.append((data, flow))
        self._watch.touch()

    def _hear(self, data: bytes, flow: Flow) -> None:
        for noise in self._noise(data):
            self.perform(self.agent.receive(self.now_ms, noise, flow))
        self.perform(self.agent.receive(self.now_ms, data, flow))

    async def _next(self, kind: str) -> tuple[bytes, Flow]:
        """Wait for a datagram of a kind, and hear the repeated ones before."""
        while True:
            await self._watch.until(lambda: self._arrived)
            data, flow = self._arrived.popleft()
            found, is_known = kind_of(read_message(data)), data in self._known
            self._known.add(data)
            if found == kind:
                return data, flow
            assert is_known, f"{found} instead of {kind}"
            self._hear(data, flow)


@contextlib.contextmanager
def still_phone(folder: Path, steps: str, *, expires_s: int = 0, noise: Noise = silence) -> Iterator[StillPhone]:
    """Yield a telephone whose call sipp answers by these steps. At the end, sipp must be content."""
    with still_trunk(folder, scenario({NUMBER: steps}), expires_s=expires_s, noise=noise) as phone:
        yield phone


@contextlib.contextmanager
def still_trunk(
    folder: Path, text: str, *, expires_s: int = 0, registers: bool = False, noise: Noise = silence
) -> Iterator[StillPhone]:
    """Yield a telephone whose trunk is sipp with a scenario, which must succeed once."""
    port = free_port()
    phone = StillPhone(port, expires_s=expires_s, registers=registers, noise=noise)
    try:
        with playing(find_tool("sipp"), folder, port, text, calls=1) as process:
            yield phone
            code = process.wait(20)
    finally:
        phone.close()
    errors = folder / "errors.log"
    assert (errors.read_text() if errors.exists() else "", code) == ("", 0)
