"""Tests that no seed of the fault simulator breaks a rule, and that each seed is reproducible."""

from collections.abc import Iterator

import pytest

from tests.sizes import AHEAD_SEEDS, FAULT_SEEDS
from tests.vopr import run
from tests.vopr.building import Folder
from tests.vopr.command import again
from tests.vopr.rules_events import assign_numbers
from tests.vopr.run import Run, SeedOutcome, run_ahead, run_seed, run_with_events

SEEDS_PER_TEST = 10
FOUND = {
    454: "a late worker dialled a B-leg for a finished call: that leg never began",
    787: "the end of a B-leg was not reported before a crash, but its call still reached the next transfer",
    3205: "after a crash the watchdog treated a call as new whose end had not been reported",
    4220: "an agent took a call twice: other campaigns were considered again",
    5781: "a late worker aborted a call that had been cut off before: it was charged up to the abort",
    1027: "a person who had completed the survey and was dialled by hand again still counted in `completed`",
    1067: "a simulated call over a real gateway whose parameters were changed could not be taken up after a crash",
    50692: "an ended campaign used the do-not-call list that it had at its end, until a restart",
    446: "people who had waited for skills were called before due retries, until a restart",
    3735928582: "a call whose wish not to be called was never reported had it in its results only: it was on no list",
    3735928604: "a person whose contact came back in another phonebook was counted in that one only from then on",
}
"""Seeds that once broke a rule, each with the bug that it found."""
EVENTS_FOUND = {
    1: "an agent's disposition put a number on a list, and there was no dnc.added",
    5: "a wish had an event for the account of another list, whose order another worker may disturb",
    13: "a contact was corrected during the call, and its subscriber was aborted without subscriber.failed",
    43: "who was dialled between both ends of a cut-off call depended on whether subscribers had to be claimed first",
    51: "a call to an account without open campaigns was refused, and there was no call.ended",
    187: "a caller who left a queue lost the place in it at a restart, if their number had joined it meanwhile",
    246: "money that was paid back took the balance to its limit, and there was no balance.low",
    2805696568: "another account's campaign that names an account's own list dialled a number of this very step",
}
"""Seeds that once broke a rule about events, in worlds whose accounts keep them."""


@pytest.fixture(scope="module")
def folder() -> Iterator[Folder]:
    """Return a folder for the databases of these tests."""
    one = Folder()
    yield one
    one.close()


@pytest.mark.parametrize("first", FAULT_SEEDS[::SEEDS_PER_TEST])
async def test_no_rule_is_broken(folder: Folder, first: int) -> None:
    """In every other world accounts keep events: each committed change has its events, and nothing else has."""
    runs = {"events": run_with_events, "": run_seed}
    kinds = [("events", "")[seed % 2] for seed in range(first, first + SEEDS_PER_TEST)]
    outcomes = [await runs[kind](first + number, folder) for number, kind in enumerate(kinds)]
    broken = [(again(kind, one.seed), one) for kind, one in zip(kinds, outcomes, strict=True) if not one.ok]
    assert broken == []
    assert sum(one.calls for one in outcomes) > SEEDS_PER_TEST
    assert sum(one.faults for one in outcomes) > SEEDS_PER_TEST


async def test_no_rule_is_broken_by_steps_that_decide_ahead(folder: Folder) -> None:
    outcomes = [await run_ahead(seed, folder) for seed in AHEAD_SEEDS]
    assert [one for one in outcomes if not one.ok] == []


async def test_events_change_nothing_else(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    seeds = range(5)
    with_events = [await rows_of(seed, folder) for seed in seeds]
    monkeypatch.setattr(run, "switch_events_on", lambda connection, _seed: assign_numbers(connection))
    assert [await rows_of(seed, folder) for seed in seeds] == with_events


async def rows_of(seed: int, folder: Folder) -> dict[str, list[tuple[object, ...]]]:
    """Run a world without faults, and return its rows at the end, without events and the accounts that keep them."""
    world = Run(seed, folder, is_calm=True, has_events=True)
    assert (await world.outcome()).ok
    world.remove()
    return {name: rows for name, rows in world.rows.items() if name not in {"account_event", "user_account"}}


@pytest.mark.parametrize("seed", FOUND, ids=str)
async def test_a_seed_that_once_broke_a_rule_passes(folder: Folder, seed: int) -> None:
    assert (await run_seed(seed, folder)).broken == ""


@pytest.mark.parametrize("seed", EVENTS_FOUND, ids=str)
async def test_a_seed_that_once_broke_a_rule_about_events_passes(folder: Folder, seed: int) -> None:
    assert (await run_with_events(seed, folder)).broken == ""


async def test_a_seed_gives_the_same_trace_again(folder: Folder) -> None:
    async def outcomes() -> list[SeedOutcome]:
        return [await run_seed(seed, folder) for seed in range(4)]

    assert await outcomes() == await outcomes()
