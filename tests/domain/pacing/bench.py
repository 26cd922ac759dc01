"""A call centre in miniature: callees who answer or do not, agents who talk, and a strategy that is asked to pace.

Chance is drawn per call and in the order of the calls, so two strategies on one seed meet the same callees.
"""

import heapq
from collections import deque
from collections.abc import Callable
from random import Random
from typing import Final, NamedTuple

from dialer.domain.pacing import measure
from dialer.domain.pacing.situation import ABANDONED_AFTER_MS, PacingFigures, Situation, Strategy

FIRST_ANSWERS: Final = 100
"""From here on the share of abandoned calls is held against the target."""


class Population(NamedTuple):
    """Whom a campaign calls, and who talks to them. Ranges of seconds."""

    agents: int
    answer_rate: float
    rings: tuple[float, float] = (3, 25)
    gives_up: tuple[float, float] = (2, 30)
    """How long a call is tried that nobody answers."""
    greeting: tuple[float, float] = (0, 0)
    talk: tuple[float, float] = (30, 180)
    wrap_up: float = 0
    takes: float = 0.5
    """How long an agent is asked before they take a call."""
    patience: tuple[float, float] = (2, 30)
    """How long a callee waits for an agent."""


class Result(NamedTuple):
    """How a campaign went."""

    answered: int
    abandoned: int
    worst_share: float
    """The largest share of abandoned calls at any moment from the first hundred answers on."""
    utilisation: float
    """The share of their time that agents talked or wrapped up."""
    wait_ms: float
    """The mean wait of the calls that an agent took."""
    finish_ms: int


class Fate(NamedTuple):
    """What is going to become of a call. Durations in milliseconds."""

    ring_ms: int
    is_answered: bool
    greeting_ms: int
    patience_ms: int
    handling_ms: int


Step = Callable[[int], bool | None]
"""What happens to a call; it says False if nothing did."""


class Bench:
    """One campaign, from its first call to so many answers."""

    def __init__(self, strategy: Strategy, population: Population, seed: int, **settings: float) -> None:
        self.strategy = strategy
        self.population = population
        self.settings = settings
        self.random = Random(seed)  # noqa: S311 - chance makes callees here, never a secret
        self.figures = PacingFigures()
        self.now_ms = 0
        self.calls = 0
        self.idle = population.agents
        self.dialling: dict[int, int] = {}
        self.greeted: dict[int, int] = {}
        self.waiting: deque[int] = deque()
        self.asked: set[int] = set()
        self.bridged: dict[int, int] = {}
        self.wrapping: dict[int, int] = {}
        self.taken: dict[int, int] = {}
        self.came: dict[int, int] = {}
        self.fates: dict[int, Fate] = {}
        self.heap: list[tuple[int, int, Step, int]] = []
        self.steps = 0
        self.again_ms: int | None = None
        self.worst_share = 0.0
        self.handled_ms = 0
        self.waits: list[int] = []

    def run(self, answers: int) -> Result:
        """Dial until so many calls were answered."""
        self.pace()
        while self.figures.answered < answers:
            if self.happen():
                self.ask()
                self.pace()
        return self.result()

    def happen(self) -> bool:
        """Let happen what is due next; whether it was anything at all."""
        self.now_ms, _, step, call = heapq.heappop(self.heap)
        return step(call) is not False

    def result(self) -> Result:
        """What has come of it so far."""
        talking_ms = sum(self.now_ms - taken_ms for taken_ms in self.taken.values())
        agents_ms = self.now_ms * self.population.agents
        figures = self.figures
        return Result(
            figures.answered,
            figures.abandoned,
            self.worst_share,
            (self.handled_ms + talking_ms) / agents_ms,
            sum(self.waits) / max(len(self.waits), 1),
            self.now_ms,
        )

    def situation(self) -> Situation:
        """What a strategy is told."""
        return Situation(
            now_ms=self.now_ms,
            agents=self.population.agents,
            idle=self.idle,
            waiting=len(self.waiting) + len(self.asked),
            dialling_ms=tuple(self.dialling.values()),
            greeted_ms=tuple(self.greeted.values()),
            bridged_ms=tuple(self.bridged.values()),
            wrapping_ms=tuple(self.wrapping.values()),
            figures=self.figures,
            **self.settings,  # type: ignore[arg-type]
        )

    def pace(self) -> None:
        """Ask the strategy, and do as it says."""
        pace = self.strategy.pace(self.situation())
        if pace.memory is not None:
            self.figures.memory = pace.memory
        for _ in range(pace.calls):
            self.dial()
        if pace.again_ms is not None and pace.again_ms != self.again_ms:
            self.again_ms = pace.again_ms
            self.after(pace.again_ms - self.now_ms, self.wake, 0)

    def after(self, delay_ms: int, step: Step, call: int) -> None:
        """Let something happen later."""
        self.steps += 1
        heapq.heappush(self.heap, (self.now_ms + delay_ms, self.steps, step, call))

    def wake(self, _: int) -> None:
        """The strategy wanted to be asked again."""

    def fate(self) -> Fate:
        """Draw what becomes of the next call."""
        population, random = self.population, self.random
        is_answered = random.random() < population.answer_rate
        low_s, high_s = population.rings if is_answered else population.gives_up
        handling_s = self.uniform(population.talk) + population.wrap_up
        return Fate(
            round(1_000 * (low_s + (high_s - low_s) * random.random())),
            is_answered,
            round(1_000 * self.uniform(population.greeting)),
            round(1_000 * self.uniform(population.patience)),
            round(1_000 * handling_s),
        )

    def uniform(self, between: tuple[float, float]) -> float:
        """Some seconds between two bounds."""
        low_s, high_s = between
        return low_s + (high_s - low_s) * self.random.random()

    def dial(self) -> None:
        """Place the next call."""
        self.calls += 1
        call = self.calls
        fate = self.fates[call] = self.fate()
        measure.dialled(self.figures)
        self.dialling[call] = self.now_ms
        self.after(fate.ring_ms, self.answer if fate.is_answered else self.fail, call)

    def fail(self, call: int) -> None:
        """Nobody answers."""
        del self.dialling[call], self.fates[call]
        measure.failed(self.figures)

    def answer(self, call: int) -> None:
        """Somebody answers."""
        measure.answered(self.figures, self.dialling.pop(call), self.now_ms, is_live=True)
        self.note_share()
        if delay_ms := self.fates[call].greeting_ms:
            self.greeted[call] = self.now_ms
            self.after(delay_ms, self.transfer, call)
        else:
            self.join(call, self.now_ms)

    def transfer(self, call: int) -> None:
        """The greeting is over."""
        self.join(call, self.greeted.pop(call))

    def join(self, call: int, answered_ms: int) -> None:
        """A call waits for an agent."""
        measure.transferred(self.figures, answered_ms, self.now_ms)
        self.came[call] = self.now_ms
        self.waiting.append(call)
        self.after(ABANDONED_AFTER_MS, self.abandon, call)
        self.after(self.fates[call].patience_ms, self.leave, call)

    def ask(self) -> None:
        """Ask idle agents to take calls that wait."""
        while self.waiting and self.idle:
            call = self.waiting.popleft()
            self.idle -= 1
            self.asked.add(call)
            self.after(round(1_000 * self.population.takes), self.take, call)

    def take(self, call: int) -> None:
        """An agent takes a call, or finds that the callee has left."""
        if call not in self.asked:
            self.idle += 1
            return
        self.asked.remove(call)
        self.waits.append(self.now_ms - self.came.pop(call))
        self.bridged[call] = self.taken[call] = self.now_ms
        wrap_up_ms = round(1_000 * self.population.wrap_up)
        self.after(self.fates[call].handling_ms - wrap_up_ms, self.hang_up, call)

    def hang_up(self, call: int) -> None:
        """A talk is over, and its agent wraps up."""
        self.wrapping[call] = self.bridged.pop(call) + self.fates[call].handling_ms
        self.after(self.wrapping[call] - self.now_ms, self.free, call)

    def free(self, call: int) -> None:
        """An agent is idle again."""
        taken_ms = self.taken.pop(call)
        del self.wrapping[call], self.fates[call]
        measure.handled(self.figures, taken_ms, self.now_ms)
        self.handled_ms += self.now_ms - taken_ms
        self.idle += 1

    def abandon(self, call: int) -> bool:
        """Two seconds have gone by since the transfer."""
        if is_untaken := call in self.came:
            measure.abandoned(self.figures)
            self.note_share()
        return is_untaken

    def leave(self, call: int) -> bool:
        """The callee does not wait any longer."""
        if is_untaken := call in self.came:
            del self.came[call], self.fates[call]
            self.asked.discard(call)
            if call in self.waiting:
                self.waiting.remove(call)
        return is_untaken

    def note_share(self) -> None:
        """Hold the share of abandoned calls against the worst one so far."""
        if self.figures.answered >= FIRST_ANSWERS:
            self.worst_share = max(self.worst_share, self.figures.abandoned / self.figures.answered)
