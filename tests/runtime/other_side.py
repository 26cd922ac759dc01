"""The other side of a line in tests: a network with simulated callees, which outlives the service's process.

It notes everything that it sees, so that a test can judge the service by it.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple
from uuid import NAMESPACE_URL, uuid5

from dialer.carriers.line_port import Alive, Exchange, Found, LiveLeg, Over, Unknown, Unplaced
from dialer.domain.calls.call_recording import TapeState
from dialer.domain.numbers.normal_form import is_number
from dialer.domain.sessions.leg_protocol import (
    Answered,
    Arrived,
    Arriving,
    Bridge,
    Dialling,
    Ended,
    Leg,
    LegReport,
    Order,
    Tape,
)
from dialer.domain.words.enums import Cause
from dialer.sim.agent_profile import read_agent
from dialer.sim.callee import Callee, Fate, callee_behind
from dialer.sim.callee_profile import CalleeOutcome, Scripted, parse_behaviour
from dialer.sim.chance import Chance
from tests.carriers.phone import CallingPhone, Phone, Said, aged
from tests.vopr.dice import Dice

CONFIRM_KEY: Final = "5"
"""The key that is pressed by callees of second legs."""
FAKE: Final = "fake"
"""The protocol of gateways whose calls go to the other side."""


LISTENS: Final = "+12025550100"
"""The number of a caller who gives none, and hears everything."""


class Kin(NamedTuple):
    """The call to which a second leg belongs."""

    first: str
    """The key of the call's own leg."""
    place: int
    number: str
    """The number of the transfer."""
    parameters: str = ""
    """The behaviour of the agent whose telephone it is."""
    chance: Chance | None = None
    """The chance of the agent's answer."""


class OtherSide:
    """Everything behind the lines. `now_ms` is the service's clock."""

    def __init__(self, now_ms: Callable[[], int], seed: int = 1, behaviour: dict[str, object] | None = None) -> None:
        self.now_ms: Final = now_ms
        self._seed: Final = seed
        self._behaviour: Final = parse_behaviour(behaviour or {})
        self.phones: Final[dict[str, Phone]] = {}
        self._callees: Final[dict[str, Callee]] = {}
        self.dialled: Final[Counter[str]] = Counter()
        """Number of times each key was dialled."""
        self.numbers: Final[list[str]] = []
        """Numbers that were dialled, in order, without those of second legs."""
        self.second_numbers: Final[dict[str, str]] = {}
        """Numbers of second legs that were dialled, in order, by key."""
        self.last: Final[dict[str, Said]] = {}
        """The end of each leg that is over, by key."""
        self.answers: Final[dict[str, Said]] = {}
        self.lines: list[FakeLine] = []
        self.kin: Callable[[str], Kin | None] = lambda _: None
        """Tells whether a leg is a second one of a call, so that its callee draws from the chance of the call."""
        self.tapes: Final[dict[str, TapeState]] = {}
        """The state of the recording of each leg that is recorded."""
        self.takes_up = False
        """True if another process of the line takes up its legs when it is asked for them."""
        self.bridges: Final[dict[str, str]] = {}
        """The leg with which each leg that was ordered to is connected."""
        self.on_dial: Callable[[Leg], None] = lambda _: None
        """Called before a leg is placed. It may raise, as a process that ends."""
        self.after_dial: Callable[[], None] = lambda: None
        """Called after a leg was placed. It may raise, too."""
        self.mischief = (0, 0, 0)
        """Per cent of what is said that is lost, doubled or late. `dice` decides."""
        self.dice: Dice | None = None
        self._late: list[tuple[str, Said]] = []
        self.why_down = ""
        self.refuses = False
        """True while the line cannot place a leg, without having said so."""
        self.calls = 0
        """Number of calls that came in."""
        self.is_mute = False
        """True while nothing of what happens is heard."""

    def line(self, _gateway_id: int, _parameters: str, exchange: Exchange) -> "FakeLine":
        """Open a line, in place of `NewLine`."""
        line = FakeLine(self, exchange)
        self.lines = [line]
        exchange.is_up(self.why_down)
        return line

    def place(self, leg: Leg) -> None:
        """Place a call, as the network sees it."""
        if isinstance(leg, Arriving):
            self.on_dial(leg)
            self.answer(leg)
            self.after_dial()
            return
        assert isinstance(leg, Dialling)
        self.tape(leg)
        self.on_dial(leg)
        self.dialled[leg.key] += 1
        kin = self.kin(leg.key)
        if kin is not None:
            self.second_numbers[leg.key] = leg.number
            self.phones[leg.key] = Phone(leg, self._second(kin), self.now_ms(), CONFIRM_KEY)
            self.after_dial()
            return
        self.numbers.append(leg.number)
        attempt = self.numbers.count(leg.number)
        subscriber = sorted(set(self.numbers), key=self.numbers.index).index(leg.number) + 1
        callee = callee_behind(self._behaviour, leg.number, attempt, Chance(self._seed, 1, subscriber, attempt))
        self._callees[leg.key] = callee
        self.phones[leg.key] = Phone(leg, callee, self.now_ms())
        self.after_dial()

    def tape(self, leg: Leg) -> None:
        """Record a leg from now on as its order says."""
        if isinstance(leg, Dialling | Arriving) and leg.sound_store is not None:
            self.tapes[leg.key] = leg.sound_store.state

    def call_in(self, caller: str, called: str, *, patience_s: float = 15, key: str = "") -> str:
        """Let somebody call a number of ours, and return the name of the call."""
        self.calls += 1
        call = Dialling(key or str(uuid5(NAMESPACE_URL, f"{self._seed}:{self.calls}")), called, caller, 0, 0)
        number = caller if is_number(caller) else LISTENS
        callee = callee_behind(self._behaviour, number, 1, Chance(self._seed, 2, self.calls, 1))
        self._callees[call.key] = callee
        self.phones[call.key] = CallingPhone(call, callee, self.now_ms(), round(patience_s * 1_000))
        return call.key

    @staticmethod
    def arrival(caller: str, called: str, key: str) -> Arrived:
        """Return what a line says of a call that came in."""
        return Arrived(called, caller, f"INVITE of {key}")

    def answer(self, leg: Arriving) -> None:
        """Answer a call that rings, as the line does. One that is over, or answered before, stays as it is."""
        phone = self.phones.get(leg.key)
        if isinstance(phone, CallingPhone) and not phone.is_answered:
            self.dialled[leg.key] += 1
            phone.answer(leg, self.now_ms())

    @property
    def seconds(self) -> list[str]:
        """Numbers of second legs that were dialled, in order."""
        return list(self.second_numbers.values())

    def _second(self, kin: Kin) -> Callee:
        """Return the callee of a second leg."""
        if kin.chance is None:
            return self._callees[kin.first].other(kin.number, kin.place)
        span = read_agent(kin.parameters).answer
        fate = Fate(kin.chance.between(span.least_ms, span.most_ms), None, 0)
        return Callee(fate, False, True, self._behaviour, Scripted(CalleeOutcome.ANSWER), kin.chance)  # noqa: FBT003

    def bridge(self, key: str, order: Bridge) -> None:
        """Let two callees talk, as long as the first one likes to."""
        first, second, kin = self.phones.get(key), self.phones.get(order.other), self.kin(order.other)
        if first is None or second is None or kin is None:
            if first is not None:
                first.part(self.now_ms())
            return
        self.bridges[key] = order.other
        if not second.callee.talks_on:
            talk = read_agent(kin.parameters).talk if kin.chance is not None else None
            second.talk_until(self.now_ms() + first.callee.talks_ms(talk))

    @property
    def next_ms(self) -> int | None:
        """The time of the next thing that any leg says."""
        times = [phone.next_ms for phone in self.phones.values() if phone.next_ms is not None]
        return min(times, default=None)

    def due(self) -> list[tuple[str, Said]]:
        """Take everything that the legs say until now, in the order of time, and of the dials at equal times."""
        found = []
        for key, phone in list(self.phones.items()):
            while phone.next_ms is not None and phone.next_ms <= self.now_ms():
                sound = phone.take()
                found.append((key, sound))
                self.note(key, sound)
        return sorted(found, key=lambda one: one[1][0])

    def note(self, key: str, sound: Said) -> None:
        """Note an answer or an end."""
        if isinstance(sound[1], Answered):
            self.answers[key] = sound
        if isinstance(sound[1], Ended):
            self.last[key] = sound
            del self.phones[key]
            for first in [one for one, other in self.bridges.items() if other == key]:
                del self.bridges[first]
                if first in self.phones:
                    self.phones[first].part(sound[0])

    def speak(self) -> bool:
        """Let the line hear everything until now, and return whether there was anything."""
        late, self._late = self._late, []
        due = [*late, *(one for sound in self.due() for one in self._tampered(sound))]
        for key, sound in due if self.lines and not self.is_mute else ():
            self.lines[-1].hear(key, aged(sound, self.now_ms()))
        return bool(due)

    def _tampered(self, said: tuple[str, Said]) -> list[tuple[str, Said]]:
        lost, doubled, late = self.mischief
        if self.dice is None or self.mischief == (0, 0, 0):
            return [said]
        if self.dice.happens(lost):
            return []
        if self.dice.happens(late):
            self._late.append(said)
            return []
        return [said, said] if self.dice.happens(doubled) else [said]

    def cut(self) -> None:
        """End all legs from the other side."""
        for key, phone in list(self.phones.items()):
            phone.hang_up(self.now_ms())
            self.note(key, phone.take())


class FakeLine:
    """A line to the other side."""

    def __init__(self, side: OtherSide, exchange: Exchange) -> None:
        self._side: Final = side
        self.exchange: Final = exchange
        self.number = 0
        self.settled_number = 0
        self.orders: Final[list[tuple[str, Order]]] = []
        self.is_closed = False

    def dial(self, leg: Leg) -> None:
        is_gone = isinstance(leg, Arriving) and leg.key not in self._side.phones and leg.key not in self._side.last
        if self._side.refuses or is_gone:
            self.hear(leg.key, Unplaced())
        else:
            self._side.place(leg)

    def perform(self, key: str, order: Order) -> None:
        self.orders.append((key, order))
        if isinstance(order, Tape) and key in self._side.tapes:
            self._side.tapes[key] = order.state
        if key in self._side.phones:
            self._side.bridges.pop(key, None)
            self._side.phones[key].perform(order, self._side.now_ms())
        if isinstance(order, Bridge):
            self._side.bridge(key, order)

    async def find(self, legs: Sequence[LiveLeg]) -> list[Found]:
        return [self._found(leg) for leg in legs]

    def _found(self, leg: LiveLeg) -> Found:
        key, now_ms = leg.order.key, self._side.now_ms()
        if isinstance(leg.order, Arriving) and leg.answered_age_ms is None:
            self._side.answer(leg.order)
        answer = self._side.answers.get(key)
        answered = None
        if answer is not None and leg.answered_age_ms is None:
            heard = aged(answer, now_ms)
            answered = heard if isinstance(heard, Answered) else None
        if key in self._side.phones:
            if self._side.takes_up:
                self._side.tape(leg.order)
            return Alive(answered)
        if key in self._side.last:
            ended = aged(self._side.last[key], now_ms)
            return Over(ended if isinstance(ended, Ended) else Ended(0, Cause.TEMPORARY_FAILURE), answered)
        return Unknown()

    def hear(self, key: str, heard: LegReport | Found) -> None:
        self.number += 1
        self.exchange.heard(self.number, key, heard)

    def settled(self, number: int) -> None:
        assert number <= self.number
        self.settled_number = number

    async def close(self) -> None:
        self.is_closed = True
