"""The plainest campaign in salabim: a component for each person, and the channels as a resource."""

from collections.abc import Generator

import salabim

from benchmarks.peers.plainest import Campaign, Run, Work


def build(campaign: Campaign, work: Work) -> Run:
    """Return the campaign, which is still to run."""
    salabim.yieldless(False)  # noqa: FBT003 - salabim takes it by position only
    env = salabim.Environment(trace=False)
    channels = salabim.Resource("channels", capacity=campaign.channels, monitor=False)

    class Person(salabim.Component):
        def setup(self, place: int) -> None:
            self.place = place

        def process(self) -> Generator[object, object, None]:
            for attempt, (held_ms, _) in enumerate(campaign.people[self.place]):
                yield self.request(channels)
                yield self.hold(held_ms)
                self.release(channels)
                if not work.ended(self.place, attempt):
                    return
                yield self.hold(campaign.retry_ms)

    for place in range(len(campaign.people)):
        Person(place=place)
    return env.run
