"""SimPy model of the benchmark campaign: `python -m benchmarks.peers.simpy_model SUBSCRIBERS`.

It uses equal chances, dial rate, retries and sections, and keeps a CDR of each call. It has no money, lists, windows or
limits, and one seed for the whole run.
"""

import heapq
import json
import random
import sys
import time
from collections.abc import Generator
from typing import NamedTuple

import simpy

SPACING_S = 60 / 10_000
RETRIES = 2
RETRY_AFTER_S = 600
RING_LIMIT_S = 45
POST_DIAL_DELAY_S = 1
KEY_TIMEOUT_S = 5
ANSWERED, BUSY, REJECTED, INVALID = 0.45, 0.55, 0.58, 0.6
"""Cumulative chances. The remaining callees do not answer."""
MACHINE = 0.25
YES, NO = 0.5, 0.8
"""Cumulative chances of the keys. The remaining callees press none."""

Wait = Generator[simpy.Event, object, None]
Answer = Generator[simpy.Event, object, str]


class Cdr(NamedTuple):
    """Call record."""

    callid: int
    phone_number: str
    started: float
    duration: float
    billsec: float
    cause: int


class Campaign:
    """Subscribers dialled in order, with due retries first."""

    def __init__(self, subscribers: int) -> None:
        self.env = simpy.Environment()
        self.random = random.Random(1)
        self.fresh = iter(range(subscribers))
        self.retries: list[tuple[float, int, int]] = []
        self.cdrs: list[Cdr] = []
        self.answers: list[tuple[int, int, str]] = []
        self.calls = 0
        self.in_progress = 0

    def run(self) -> int:
        """Run the campaign, and return the number of calls."""
        self.env.process(self.dial())
        self.env.run()
        return len(self.cdrs)

    def dial(self) -> Wait:
        """Dial a subscriber at every slot, until none are left and no call can bring a retry."""
        while True:
            found = self.next_subscriber()
            if found is not None:
                self.calls += 1
                self.in_progress += 1
                self.env.process(self.call(self.calls, *found))
            elif not self.retries and not self.in_progress:
                return
            wait_s = SPACING_S if found is not None or not self.retries else self.retries[0][0] - self.env.now
            yield self.env.timeout(max(SPACING_S, wait_s))

    def next_subscriber(self) -> tuple[int, int] | None:
        """Return the next subscriber and the number of earlier attempts, or None if none is due."""
        if self.retries and self.retries[0][0] <= self.env.now:
            _, subscriber, attempts = heapq.heappop(self.retries)
            return subscriber, attempts
        subscriber = next(self.fresh, -1)
        return None if subscriber < 0 else (subscriber, 0)

    def call(self, callid: int, subscriber: int, attempts: int) -> Wait:
        """Simulate one call from its dial to its end."""
        env, started, billsec = self.env, self.env.now, 0.0
        chance = self.random.random()
        yield env.timeout(POST_DIAL_DELAY_S)
        if chance < ANSWERED:
            yield env.timeout(self.random.uniform(3, 25))
            answered = env.now
            yield from self.talk(callid, is_machine=self.random.random() < MACHINE)
            billsec, cause = env.now - answered, 16
        elif chance < BUSY:
            cause = 17
        elif chance < REJECTED:
            yield env.timeout(self.random.uniform(3, 25))
            cause = 21
        elif chance < INVALID:
            cause = 1
        else:
            yield env.timeout(RING_LIMIT_S - POST_DIAL_DELAY_S)
            cause = 19
        self.cdrs.append(Cdr(callid, f"+12025{subscriber:06d}", started, env.now - started, billsec, cause))
        self.in_progress -= 1
        if cause not in {1, 16} and attempts < RETRIES:
            heapq.heappush(self.retries, (env.now + RETRY_AFTER_S, subscriber, attempts + 1))

    def talk(self, callid: int, *, is_machine: bool) -> Wait:
        """Play the five sections."""
        yield self.env.timeout(4)
        keys = ""
        for _ in range(2):  # one retry
            yield self.env.timeout(5)
            keys = yield from self.press(is_machine=is_machine)
            if keys:
                break
        if not keys:
            return
        self.answers.append((callid, 2, keys))
        yield self.env.timeout(4)
        keys = yield from self.press(is_machine=is_machine)
        if keys:
            self.answers.append((callid, 3, keys))
        yield self.env.timeout(6)
        yield self.env.timeout(2)

    def press(self, *, is_machine: bool) -> Answer:
        """Return the pressed key after a delay, or "" after the time-out."""
        chance = 1.0 if is_machine else self.random.random()
        keys = "1" if chance < YES else "2" if chance < NO else ""
        yield self.env.timeout(self.random.uniform(1, 3) if keys else KEY_TIMEOUT_S)
        return keys


def main() -> None:
    """Run the campaign once, and print the number of calls and the seconds."""
    campaign = Campaign(int(sys.argv[1]))
    started = time.perf_counter()
    calls = campaign.run()
    seconds = time.perf_counter() - started
    sys.stdout.write(json.dumps({"calls": calls, "seconds": seconds}) + "\n")


if __name__ == "__main__":
    main()
