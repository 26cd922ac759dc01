"""The way out of a user agent: what it sends and tells, and what it does later."""

from collections.abc import Callable
from typing import Final, TypeAlias

import msgspec

from dialer.carriers.parameters import is_address
from dialer.carriers.sip.sdp import AgreedSound
from dialer.carriers.sip.timers import T1_MS, Timer, Timers

Address: TypeAlias = tuple[str, int]
"""A host and a port."""
NOWHERE_MS: Final = 60_000
"""Time for which a name without an address is not looked up again."""
NAMES_KEPT_MAX: Final = 1_000
"""Hosts whose addresses are kept. The oldest are forgotten first."""
TIMERS_AT_ONCE_MAX: Final = 10_000
"""Timers that one call of `run` performs. The rest is due at the next."""


class Send(msgspec.Struct, frozen=True):
    """A datagram to send."""

    destination: Address
    data: bytes
    key: str = ""
    """The leg that it belongs to; empty if none."""


class _LegOutput(msgspec.Struct, frozen=True):
    key: str
    at_ms: int


class LegArrived(_LegOutput, frozen=True):
    """The other side calls. It rings until `UserAgent.answer` or `UserAgent.clear`."""

    called: str
    caller: str
    handle: str
    """The values with which `UserAgent.answer` answers the call in another process."""


class LegRinging(_LegOutput, frozen=True):
    """The other side rings."""


class LegAnswered(_LegOutput, frozen=True):
    """The other side answered. It hears so only from `UserAgent.acknowledge`."""

    handle: str
    """The values with which `UserAgent.take_up` continues the leg in another process."""


class LegOver(_LegOutput, frozen=True):
    """The leg is over."""

    cause: int
    """Q.850 cause."""
    because: str
    """The reason in words, for people."""
    retry_after_ms: int = 0
    """The time for which the other side wants no other attempt; 0 if it asks for none."""


class SoundAgreed(msgspec.Struct, frozen=True):
    """Sound flows from now on to and from this place."""

    key: str
    sound: AgreedSound


class DigitReported(msgspec.Struct, frozen=True):
    """A key that the callee pressed, told by an INFO request."""

    key: str
    digit: str


class TrunkState(msgspec.Struct, frozen=True):
    """The trunk answers, or it does not."""

    why_not: str
    """Empty if it does."""


class Diverted(msgspec.Struct, frozen=True):
    """The messages of a leg go elsewhere from now on, as nothing may be sent to its other end."""

    key: str
    meant: Address
    to: Address


Output: TypeAlias = (
    Send | Diverted | LegArrived | LegRinging | LegAnswered | LegOver | SoundAgreed | DigitReported | TrunkState
)


class Outputs:
    """Collects the outputs of a user agent, and keeps its time."""

    def __init__(self, t1_ms: int = T1_MS, may_reach: Callable[[Address], bool] = lambda _: True) -> None:
        """Prepare it. `may_reach` says whether an IP address and its port may get messages."""
        self.t1_ms: Final = t1_ms
        self._may_reach: Final = may_reach
        self.now_ms = 0
        self.names: Final[dict[str, str]] = {}
        """The IP addresses of hosts, as far as they were found out."""
        self._nowhere: Final[dict[str, int]] = {}
        """Names without an address, and until when they count as such."""
        self._fallbacks: Final[dict[str, Address]] = {}
        """The carrier's address for each leg."""
        self._diverted: Final[dict[str, Address]] = {}
        self._timers: Final = Timers()
        self._outputs: list[Output] = []

    def send(self, destination: Address, data: bytes, key: str = "") -> None:
        """Send a datagram, to an IP address if it is known.

        Nothing goes to those that may get nothing: what a leg owes them goes to the carrier instead.
        """
        to = self.reach(destination, key)
        if to is None:
            return
        if to == self._fallbacks.get(key) != self.resolved(destination) and self._diverted.get(key) != destination:
            self._diverted[key] = destination
            self._outputs.append(Diverted(key, destination, to))
        self._outputs.append(Send(to, data, key))

    def reach(self, address: Address, key: str) -> Address | None:
        """Return where a message of a leg to an address goes; None if it goes nowhere."""
        resolved = self.resolved(address)
        if is_address(resolved[0]):
            is_usable = self._may_reach(resolved)
        else:
            is_usable = self._nowhere.get(resolved[0], 0) <= self.now_ms
        return resolved if is_usable else self._fallbacks.get(key)

    def fall_back(self, key: str, address: Address) -> None:
        """Set the carrier's address for a leg."""
        self._fallbacks[key] = address

    def forget(self, key: str) -> None:
        """Forget a leg that is over."""
        self._fallbacks.pop(key, None)
        self._diverted.pop(key, None)

    def resolved(self, address: Address) -> Address:
        """Return an address with the IP address of its host, if that is known."""
        return self.names.get(address[0], address[0]), address[1]

    def resolve(self, name: str, host: str) -> None:
        """Keep the IP address of a host."""
        if name not in self.names and len(self.names) >= NAMES_KEPT_MAX:
            del self.names[next(iter(self.names))]
        self.names[name] = host

    def lose(self, name: str) -> None:
        """Note that a host has no address for now."""
        if name not in self._nowhere and len(self._nowhere) >= NAMES_KEPT_MAX:
            del self._nowhere[next(iter(self._nowhere))]
        self._nowhere[name] = self.now_ms + NOWHERE_MS

    def tell(self, output: Output) -> None:
        """Tell something to the owner of the user agent."""
        self._outputs.append(output)

    def after(self, wait_ms: int, action: Callable[[], None]) -> Timer:
        """Call `action` once, in `wait_ms` milliseconds, at least one."""
        return self._timers.start(self.now_ms + max(1, wait_ms), action)

    def run(self, now_ms: int) -> None:
        """Set the time, and perform what is due."""
        self.now_ms = max(self.now_ms, now_ms)
        for _ in range(TIMERS_AT_ONCE_MAX):
            timer = self._timers.take_due(self.now_ms)
            if timer is None:
                return
            if timer.action is not None:
                timer.action()

    def next_ms(self) -> int | None:
        """Return the moment at which `run` has something to do; None if there is none."""
        return self._timers.next_ms()

    def take(self) -> list[Output]:
        """Return the outputs since the last time."""
        taken, self._outputs = self._outputs, []
        return taken
