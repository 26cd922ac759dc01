"""The plainest campaign in SimPy: a process for each person, and the channels as a resource."""

from collections.abc import Generator

import simpy

from benchmarks.peers.plainest import Campaign, Run, Work


def build(campaign: Campaign, work: Work) -> Run:
    """Return the campaign, which is still to run."""
    env = simpy.Environment()
    channels = simpy.Resource(env, campaign.channels)

    def called(person: int) -> Generator[simpy.Event, object, None]:
        for attempt, (held_ms, _) in enumerate(campaign.people[person]):
            with channels.request() as channel:
                yield channel
                yield env.timeout(held_ms)
            if not work.ended(person, attempt):
                return
            yield env.timeout(campaign.retry_ms)

    for person in range(len(campaign.people)):
        env.process(called(person))
    return env.run
