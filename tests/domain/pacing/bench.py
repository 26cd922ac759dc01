"""A small simulated call centre that tests pacing strategies: callees, agents, and one strategy.

Random values are drawn per call, in the order of the calls, so two strategies on one seed have equal callees.
"""

import heapq
from collections import deque
from collections.abc import Callable
from random import Random
from typing import Final, NamedTuple

from dialer.domain.pacing.inputs import ABANDONED_AFTER_MS, PacingFigures, PacingInputs, Strategy
from dialer.domain.pacing.measure import Measurements

FIRST_ANSWERS: Final = 100
"""The number of answers after which the share of abandoned calls is compared with the target."""


class Population(NamedTuple):
    """The callees and the agents of a campaign. Ranges are in seconds."""

    agents: int
    answer_rate: float
    rings: tuple[float, float] = (3, 25)
    gives_up: tuple[float, float] = (2, 30)
    """The ringing time of an unanswered call."""
    greeting: tuple[float, float] = (0, 0)
    talk: tuple[float, float] = (30, 180)
    wrap_up: float = 0
    takes: float = 0.5
    """The time that an agent takes to answer a call."""
    patience: tuple[float, float] = (2, 30)
    """The time that a callee waits for an agent."""


class Result(NamedTuple):
    """The figures of a finished campaign."""

    answered: int
    abandoned: int
    worst_share: float
    """The largest share of abandoned calls at any moment after the first hundred answers."""
    utilisation: float
    """The share of the agents' time that was talk or wrap-up."""
    wait_ms: float
    """The mean wait of calls that an agent took."""
    finish_ms: int


class Fate(NamedTuple):
    """The future of a call, drawn when it is dialled. Durations are in milliseconds."""

    ring_ms: int
    is_answered: bool
    greeting_ms: int
    patience_ms: int
    handling_ms: int


Step = Callable[[int], bool | None]
"""An event of a call; it returns False if it changed nothing."""


class Bench:
    """One campaign, from its first call to a number of answers."""

    period_ms = 720 * 3_600_000
    """The length of a period with a budget of its own."""

    def __init__(self, strategy: Strategy, population: Population, seed: int, **settings: float) -> None:
        self.strategy = strategy
        self.population = population
        self.settings = settings
        self.random = Random(seed)  # noqa: S311 - not for secrets
        self.figures = PacingFigures()
        self.measured = Measurements(self.figures)
        self.now_ms = 0
        self.calls = 0
        self.idle = population.agents
        self.dialled_ms: dict[int, int] = {}
        self.answered: list[int] = []
        self.abandoned: list[int] = []
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
        """Dial until a number of calls were answered."""
        self.pace()
        while self.figures.answered < answers:
            if self.happen():
                self.ask()
                self.pace()
        return self.result()

    def happen(self) -> bool:
        """Run the next event, and return whether it changed anything."""
        self.now_ms, _, step, call = heapq.heappop(self.heap)
        return step(call) is not False

    def result(self) -> Result:
        """Return the figures so far."""
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

    def situation(self) -> PacingInputs:
        """Return the situation that the strategy judges."""
        return PacingInputs(
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
        """Ask the strategy for its pace, and dial accordingly."""
        pace = self.strategy.pace(self.situation())
        if pace.memory is not None:
            self.figures.memory = pace.memory
        for _ in range(pace.calls):
            self.dial()
        if pace.again_ms is not None and pace.again_ms != self.again_ms:
            self.again_ms = pace.again_ms
            self.after(pace.again_ms - self.now_ms, self.wake, 0)

    def after(self, delay_ms: int, step: Step, call: int) -> None:
        """Schedule an event."""
        self.steps += 1
        heapq.heappush(self.heap, (self.now_ms + delay_ms, self.steps, step, call))

    def wake(self, _: int) -> None:
        """Do nothing: the event only makes the bench ask the strategy again."""

    def fate(self) -> Fate:
        """Draw the future of the next call."""
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
        """Draw a duration between two bounds in seconds."""
        low_s, high_s = between
        return low_s + (high_s - low_s) * self.random.random()

    def dial(self) -> None:
        """Place the next call."""
        self.calls += 1
        call = self.calls
        fate = self.fates[call] = self.fate()
        self.measured.dialled(self.now_ms, self.period_ms)
        self.dialling[call] = self.dialled_ms[call] = self.now_ms
        self.after(fate.ring_ms, self.answer if fate.is_answered else self.fail, call)

    def fail(self, call: int) -> None:
        """End a call that was not answered."""
        del self.dialling[call], self.fates[call]
        self.measured.failed()

    def answer(self, call: int) -> None:
        """Handle an answer."""
        self.measured.answered(self.dialling.pop(call), self.now_ms, is_live=True)
        self.answered.append(call)
        self.note_share()
        if delay_ms := self.fates[call].greeting_ms:
            self.greeted[call] = self.now_ms
            self.after(delay_ms, self.transfer, call)
        else:
            self.join(call, self.now_ms)

    def transfer(self, call: int) -> None:
        """End the greeting of a call."""
        self.join(call, self.greeted.pop(call))

    def join(self, call: int, answered_ms: int) -> None:
        """Put a call into the queue for an agent."""
        self.measured.transferred(answered_ms, self.now_ms)
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
        """Connect an agent and a call, unless the callee has hung up."""
        if call not in self.asked:
            self.idle += 1
            return
        self.asked.remove(call)
        self.waits.append(self.now_ms - self.came.pop(call))
        self.bridged[call] = self.taken[call] = self.now_ms
        wrap_up_ms = round(1_000 * self.population.wrap_up)
        self.after(self.fates[call].handling_ms - wrap_up_ms, self.hang_up, call)

    def hang_up(self, call: int) -> None:
        """End a conversation, and begin the agent's wrap-up."""
        self.wrapping[call] = self.bridged.pop(call) + self.fates[call].handling_ms
        self.after(self.wrapping[call] - self.now_ms, self.free, call)

    def free(self, call: int) -> None:
        """Make an agent idle again."""
        taken_ms = self.taken.pop(call)
        del self.wrapping[call], self.fates[call]
        self.measured.handled(taken_ms, self.now_ms)
        self.handled_ms += self.now_ms - taken_ms
        self.idle += 1

    def abandon(self, call: int) -> bool:
        """Count a call as abandoned that has waited for two seconds."""
        if is_untaken := call in self.came:
            self.measured.abandoned(self.dialled_ms[call])
            self.abandoned.append(call)
            self.note_share()
        return is_untaken

    def leave(self, call: int) -> bool:
        """End a call whose callee stops waiting."""
        if is_untaken := call in self.came:
            del self.came[call], self.fates[call]
            self.asked.discard(call)
            if call in self.waiting:
                self.waiting.remove(call)
        return is_untaken

    def note_share(self) -> None:
        """Update the worst share of abandoned calls."""
        if self.figures.answered >= FIRST_ANSWERS:
            self.worst_share = max(self.worst_share, self.figures.abandoned / self.figures.answered)
