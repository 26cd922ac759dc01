"""Tests that simulated fleets break no rule, and that the simulator finds what is wrong with them."""

from collections.abc import Iterator

import pytest

from dialer.domain.calling_times.calling_hours import read_calling_hours
from dialer.runtime.steps.clock import NANOSECONDS, RealClock
from dialer.runtime.steps.worker import Worker
from dialer.sim.carrier import SimulatedCarrier
from dialer.store.fleet.changes import announce
from tests.sizes import FLEET_SEEDS
from tests.vopr.building import Folder
from tests.vopr.fleet import FleetRun, Member, run_fleet
from tests.vopr.fleet_planted import FLEET_PLANTED
from tests.vopr.fleet_worlds import USER_IDS, busy_world_of
from tests.vopr.planted import Planted
from tests.vopr.search import first_seed

CALM_SEEDS = (4,)
WITH_RULES = 1101354095
WITH_CONSENTS = 2152601887
FOUND = {
    1005: "a gateway got a limit of channels, and nobody knew of the calls that its workers had placed before",
    WITH_RULES: "none in the service: the rules of accounts stayed with the accounts of the world that a fleet changes",
    WITH_CONSENTS: "none in the service: the consents of accounts stayed with them as well",
}
"""Seeds that once broke a rule, each with the bug that it found."""


class NoKeeper:
    """A keeper of a worker that agrees with nobody."""

    async def beat(self) -> None:
        """Do nothing."""

    async def lend(self) -> None:
        """Do nothing."""


class LonelyMember(Member):
    """A worker that does not know that there could be others, as in `dialer serve`."""

    def __init__(self, run: FleetRun, number: int) -> None:
        super().__init__(run, number)
        clock = RealClock(lambda: run.now_ms * NANOSECONDS, lambda: run.now_ms * NANOSECONDS)
        self.worker = Worker(  # type: ignore[misc] # instead of the member's own
            run.database,
            clock,
            seed=run.seed,
            service_zone=run.world.service_zone,
            new_carrier=SimulatedCarrier,
            new_lines=None,
            hours=read_calling_hours(run.world.calling_hours),
        )
        self.keeper = NoKeeper()  # type: ignore[misc,assignment] # as above


class LonelyRun(FleetRun):
    """A run of one worker that knows nothing of fleets."""

    member_type = LonelyMember

    def _left_over(self) -> list[str]:
        return []


@pytest.fixture(scope="module")
def folder() -> Iterator[Folder]:
    """Return a folder for the databases of these tests."""
    one = Folder(announce)
    yield one
    one.close()


@pytest.mark.parametrize("seed", [*FLEET_SEEDS, *FOUND])
async def test_no_rule_is_broken(folder: Folder, seed: int) -> None:
    """A short life may have no fault at all, so only the recorded seeds must have some."""
    outcome = await run_fleet(seed, folder)
    assert outcome.broken == ""
    assert outcome.faults > 0 or seed not in FOUND


async def test_fleets_call(folder: Folder) -> None:
    """Nobody is called in a few worlds, so not each of those that the commit draws has calls."""
    assert (await run_fleet(WITH_RULES, folder)).calls > 0


async def test_a_seed_gives_the_same_trace_again(folder: Folder) -> None:
    assert await run_fleet(FLEET_SEEDS[0], folder) == await run_fleet(FLEET_SEEDS[0], folder)


@pytest.mark.parametrize("seed", range(WITH_CONSENTS, WITH_CONSENTS + 40))
def test_each_row_of_an_account_belongs_to_an_account_of_the_fleet(seed: int) -> None:
    rows = busy_world_of(seed).rows
    strangers = {name: [row for row in table if row.get("user_id", 1) not in USER_IDS] for name, table in rows.items()}
    assert strangers == {name: [] for name in rows}


@pytest.mark.parametrize(("seed", "table"), [(WITH_RULES, "contact_rule"), (WITH_CONSENTS, "consent")])
def test_the_accounts_of_a_fleet_have_what_their_world_gives_them(seed: int, table: str) -> None:
    assert {row["user_id"] for row in busy_world_of(seed).rows[table]} == set(USER_IDS)


@pytest.mark.parametrize("seed", CALM_SEEDS)
async def test_a_fleet_of_one_leaves_the_rows_of_a_worker_alone(folder: Folder, seed: int) -> None:
    """Of a gateway with limits, a fleet's worker has to be lent its part first."""
    fleet, alone = FleetRun(seed, folder, members=1), LonelyRun(seed, folder, members=1)
    for run in (fleet, alone):
        for gateway in run.world.rows["gateway"]:
            gateway.update(dict.fromkeys({"max_channels", "max_cps"} & gateway.keys(), 0))
    outcomes = [await run.outcome() for run in (fleet, alone)]
    assert [one.broken for one in outcomes] == ["", ""]
    assert outcomes[0].calls > 0
    assert fleet.rows_digest == alone.rows_digest


@pytest.mark.parametrize("bug", FLEET_PLANTED, ids=lambda bug: bug.name.replace(" ", "-"))
async def test_a_planted_bug_is_found(folder: Folder, bug: Planted) -> None:
    """Try the recorded seed first. A change of the generators may have moved the find to another seed."""
    assert await first_seed(bug, folder, try_first=bug.seed) is not None
