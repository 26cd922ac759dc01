"""The plainest campaign as a loop over a heap, by hand: the least that a simulation of it can do."""

from collections import deque
from heapq import heappop, heappush

from benchmarks.peers.plainest import Campaign, Run, Work


def build(campaign: Campaign, work: Work) -> Run:
    """Return the campaign, which is still to run."""

    def run() -> None:
        people, channels = campaign.people, campaign.channels
        fresh, again = deque(range(len(people))), deque[tuple[int, int, int]]()
        calls: list[tuple[int, int, int]] = []
        now_ms = 0
        while fresh or again or calls:
            while len(calls) < channels and (fresh or (again and again[0][0] <= now_ms)):
                is_due = again and again[0][0] <= now_ms
                _, person, attempt = again.popleft() if is_due else (0, fresh.popleft(), 0)
                heappush(calls, (now_ms + people[person][attempt][0], person, attempt))
            if again and len(calls) < channels and (not calls or again[0][0] < calls[0][0]):
                now_ms = again[0][0]
                continue
            now_ms, person, attempt = heappop(calls)
            if work.ended(person, attempt):
                again.append((now_ms + campaign.retry_ms, person, attempt + 1))

    return run
