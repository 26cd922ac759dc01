"""Tests that a worker gives back the channels that it has too many of, although its calls follow each other."""

from contextlib import ExitStack
from pathlib import Path

from dialer.domain.calls.campaign_events import GatewayOpened
from dialer.domain.calls.plans import GatewayPlan, Lent
from dialer.store.fleet.slices import Demand, GatewayLimits, new_slice, settle_slice
from tests.gateways import FIRST
from tests.new_database import new_database
from tests.runtime.test_fleet_coordinator import START_MS, Workers


def test_channels_that_are_given_back_are_not_used_again_when_their_calls_end(tmp_path: Path) -> None:
    """The row still has them while the calls last, and is read again after each negotiation."""
    with ExitStack() as until_the_end:
        workers = Workers(new_database(tmp_path), until_the_end)
        fleet = workers.join("w1")
        assert fleet.worker_id is not None
        held = new_slice(fleet.worker_id, FIRST, START_MS)
        limits = GatewayLimits(FIRST, 2, 0)
        demand = Demand(limits, in_use=0, recent=0, waiting=1, campaigns=1, last_dial_ms=0)
        workers.database.write_now(lambda one: settle_slice(one, [], demand, held, Lent(2, 0), START_MS))
        opened = GatewayOpened(GatewayPlan(FIRST, max_channels=2))

        def lent() -> int:
            (found,) = workers.ask(lambda one: fleet.lent(one, [opened]))
            return int(found.lent.channels)

        assert lent() == 2
        fleet.keep(FIRST, Lent(2, 0), Lent(1, 0))
        assert (lent(), fleet.gives_back(FIRST)) == (1, True)
        fleet.keep(FIRST, Lent(1, 0), Lent(1, 0))
        assert (lent(), fleet.gives_back(FIRST)) == (2, False)
