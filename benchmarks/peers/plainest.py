"""The plainest campaign in a peer: `.venv-peers/bin/python -m benchmarks.peers.plainest MODULE FILE [URL]`.

People are called over a number of channels, and those who do not answer are called again after a while. The file has
the calls of each person as dialer made them: how long each took, and whether it was answered. So every peer can do the
same work. It prints `ready`, begins at the next line of its input, prints what it has done as JSON, and ends with its
input.
"""

import importlib
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

Run = Callable[[], object]


class Campaign(NamedTuple):
    """A campaign, with the calls of each person in their order."""

    channels: int
    retries: int
    """The most times that a person is called again."""
    retry_ms: int
    people: list[list[tuple[int, bool]]]
    """Of each call the milliseconds from the dial to the end, and whether it was answered."""
    url: str = ""
    """The database of a durable queue."""


class Work:
    """The calls that were made."""

    def __init__(self, campaign: Campaign) -> None:
        self._people = campaign.people
        self._retries = campaign.retries
        self.calls = self.answered = self.again = self.held_ms = 0

    def ended(self, person: int, attempt: int) -> bool:
        """Count a call that has ended, and return whether the person is called again."""
        held_ms, is_answered = self._people[person][attempt]
        self.calls += 1
        self.held_ms += held_ms
        self.answered += is_answered
        is_again = not is_answered and attempt < self._retries
        self.again += is_again
        return is_again

    def counts(self) -> dict[str, int]:
        """Return the counts, which are equal wherever the same work was done."""
        return {"calls": self.calls, "retries": self.again, "answered": self.answered, "held_ms": self.held_ms}


def main() -> None:
    """Run a campaign, and print the counts and the seconds of processor that it took."""
    module, path, *url = sys.argv[1:]
    campaign = Campaign(*json.loads(Path(path).read_text()), *url)
    work = Work(campaign)
    run: Run = importlib.import_module(f"benchmarks.peers.{module}").build(campaign, work)
    print("ready", flush=True)
    sys.stdin.readline()
    began_s = time.process_time()
    run()
    seconds = time.process_time() - began_s
    print(json.dumps({**work.counts(), "seconds": seconds}), flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
