"""The plainest campaign in Ciw: a node with a server for each channel, and one in which people wait to be called again.

All people arrive at once. Each knows the number of their next attempt, by which their time of service is found.
"""

import math

import ciw

from benchmarks.peers.plainest import Campaign, Run, Work

CHANNELS, WAITING = 1, 2


def build(campaign: Campaign, work: Work) -> Run:
    """Return the campaign, which is still to run."""

    class Held(ciw.dists.Distribution):
        def sample(self, t: float | None = None, ind: ciw.Individual | None = None) -> int:  # noqa: ARG002 - Ciw's
            ind.attempt = getattr(ind, "attempt", -1) + 1
            return campaign.people[ind.id_number - 1][ind.attempt][0]

    class Again(ciw.routing.NodeRouting):
        def next_node(self, ind: ciw.Individual) -> ciw.Node:
            is_again = work.ended(ind.id_number - 1, ind.attempt)
            return self.simulation.nodes[WAITING if is_again else -1]

    network = ciw.create_network(
        arrival_distributions=[ciw.dists.Sequential([0, math.inf]), None],
        batching_distributions=[ciw.dists.Deterministic(len(campaign.people)), ciw.dists.Deterministic(1)],
        service_distributions=[Held(), ciw.dists.Deterministic(campaign.retry_ms)],
        routing=ciw.routing.NetworkRouting([Again(), ciw.routing.Direct(to=CHANNELS)]),
        number_of_servers=[campaign.channels, math.inf],
    )
    simulation = ciw.Simulation(network)
    return lambda: simulation.simulate_until_max_customers(len(campaign.people), method="Finish")
