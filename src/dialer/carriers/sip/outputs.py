"""The way out of a user agent: what it sends and tells, and what it does later."""

from collections.abc import Callable
from typing import Final, TypeAlias

import msgspec

from dialer.carriers.sip.flows import Flow, NextHop, Target
from dialer.carriers.sip.resolution import Resolution
from dialer.carriers.sip.sdp import AgreedSound
from dialer.carriers.sip.timers import T1_MS, Timer, Timers

TIMERS_AT_ONCE_MAX: Final = 10_000
"""Timers that one call of `run` performs. The rest is due at the next."""


class Send(msgspec.Struct, frozen=True):
    """A message to send on a flow."""

    flow: Flow
    data: bytes
    key: str = ""
    """The leg that it belongs to; empty if none."""


class LookUp(msgspec.Struct, frozen=True):
    """A message to a host whose address is to be looked up. Tell `UserAgent.resolved`, which sends it."""

    hop: NextHop
    data: bytes
    key: str = ""
    """The leg that it belongs to; empty if none."""


class _LegOutput(msgspec.Struct, frozen=True):
    key: str
    at_ms: int


class LegArrived(_LegOutput, frozen=True):
    """An incoming call. The call rings until `UserAgent.answer` or `UserAgent.clear`."""

    called: str
    caller: str
    handle: str
    """The values with which `UserAgent.answer` answers the call in another process."""


class LegRinging(_LegOutput, frozen=True):
    """The other side rings."""


class LegAnswered(_LegOutput, frozen=True):
    """The other side answered. Send the ACK with `UserAgent.acknowledge`."""

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
    """The trunk answers now, or does not, with the reason."""

    why_not: str
    """Empty if it does."""


class Diverted(msgspec.Struct, frozen=True):
    """The messages of a leg go to the carrier from now on, because its other end must not be sent anything."""

    key: str
    meant: Target
    to: Flow


LegNews: TypeAlias = LegArrived | LegRinging | LegAnswered | LegOver
"""The outputs that the owner of a leg hears."""
Output: TypeAlias = Send | LookUp | Diverted | LegNews | SoundAgreed | DigitReported | TrunkState


class Outputs:
    """Collects the outputs of a user agent, and keeps its time."""

    def __init__(
        self, t1_ms: int = T1_MS, may_use: Callable[[Flow], bool] = lambda _: True, *, repeats: bool = True
    ) -> None:
        """Prepare it. `may_use` says whether messages may be sent on a flow, and `repeats` whether any may get lost."""
        self.t1_ms: Final = t1_ms
        self.repeats: Final = repeats
        """True if messages are repeated until they are answered: over UDP."""
        self.now_ms = 0
        self.is_cut = False
        """True while the connection to the carrier is lost: no silence of the other side means anything then."""
        self.resolution: Final = Resolution(may_use)
        self._diverted: Final[dict[str, Target]] = {}
        self._timers: Final = Timers()
        self._outputs: list[Output] = []

    def send(self, target: Target, data: bytes, key: str = "") -> None:
        """Send a message on the flow to its target, once the address of the target is known.

        Nothing goes to those that may get nothing: what a leg owes them goes to the carrier instead.
        """
        to = self.way(target, key)
        if isinstance(to, NextHop):
            self._outputs.append(LookUp(to, data, key))
        elif to is not None:
            carrier = self.resolution.carrier_of(key)
            if to == carrier != self.resolution.resolved(target) and self._diverted.get(key) != target:
                self._diverted[key] = target
                self._outputs.append(Diverted(key, target, to))
            self._outputs.append(Send(to, data, key))

    def way(self, target: Target, key: str) -> Target | None:
        """Return the flow that a message of a leg takes now, or the hop to look up; None if it goes nowhere."""
        return self.resolution.way(target, key, self.now_ms)

    def forget(self, key: str) -> None:
        """Discard the addresses of a leg that is over."""
        self.resolution.forget(key)
        self._diverted.pop(key, None)

    def tell(self, output: Output) -> None:
        """Add an output for the owner of the user agent."""
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
        """Return the time of the earliest timer; None without a timer."""
        return self._timers.next_ms()

    def take(self) -> list[Output]:
        """Return the outputs since the last time."""
        taken, self._outputs = self._outputs, []
        return taken
