"""The search for planted bugs, seed by seed."""

from contextlib import closing
from typing import Final

import pytest

from dialer.store.fleet.changes import announce
from tests.vopr.building import Folder
from tests.vopr.connection_rules import CONNECTIONS_PLANTED, connection_findings
from tests.vopr.contact_rules_planted import CONTACTS_PLANTED
from tests.vopr.crowd_rules import CROWD_PLANTED, crowd_findings, seen_alone
from tests.vopr.desks_planted import DESK_PLANTED
from tests.vopr.events_planted import EVENT_PLANTED
from tests.vopr.fleet_crowds import run_fleets
from tests.vopr.fleet_planted import FLEET_PLANTED
from tests.vopr.manual_planted import MANUAL_PLANTED
from tests.vopr.planted import AHEAD_PLANTED, PLANTED, Planted
from tests.vopr.recorded import RECORDED_PLANTED, recorded_findings
from tests.vopr.run import SeedOutcome, run_ahead, run_seed, run_with_events
from tests.vopr.signalling_rules import SIGNALLING_PLANTED, signalling_findings
from tests.vopr.sound import SOUND_PLANTED, sound_findings
from tests.vopr.talk_rules import TALKS_PLANTED, talk_findings

SEEDS_MAX: Final = 200
"""Every planted bug must be found within this number of seeds."""
SOUND_SEEDS_MAX: Final = 2_000
"""Every planted bug of sound must be found within this number of its seeds, which are short."""

CROWD_SEEDS_MAX: Final = 20
"""Every planted bug of fairness must be found within this number of its seeds, which are long."""


async def first_seed(bug: Planted, folder: Folder, *, try_first: int = 0) -> SeedOutcome | None:
    """Return the outcome of the first seed that finds the bug; None if no seed does."""
    runs = ((FLEET_PLANTED, run_fleets), (AHEAD_PLANTED, run_ahead), (EVENT_PLANTED, run_with_events))
    run = next((run for bugs, run in runs if bug in bugs), run_seed)
    for seed in (try_first, *range(SEEDS_MAX)):
        with pytest.MonkeyPatch.context() as patch:
            bug.plant(patch)
            outcome = await run(seed, folder)
        if not outcome.ok:
            return outcome
    return None


async def find_planted_bugs() -> bool:
    """Look for every planted bug, print the seed that found it, and return whether all were found."""
    with closing(Folder()) as folder, closing(Folder(announce)) as shared:
        found = [
            await _find(bug, folder)
            for bug in (*PLANTED, *DESK_PLANTED, *MANUAL_PLANTED, *CONTACTS_PLANTED, *AHEAD_PLANTED, *EVENT_PLANTED)
        ]
        return all(found + [await _find(bug, shared) for bug in FLEET_PLANTED])


def find_planted_line_bugs() -> bool:
    """Look for the planted bugs of sound, SIP and crowds, print the seeds, and return whether all were found."""
    found = [_found(name, first_sound_seed(name), "--sound") for name in SOUND_PLANTED]
    found += [_found(name, first_recorded_seed(name), "--recorded") for name in RECORDED_PLANTED]
    found += [_found(name, first_talk_seed(name), "--talks") for name in TALKS_PLANTED]
    found += [_found(name, first_signalling_seed(name), "--signalling") for name in SIGNALLING_PLANTED]
    found += [_found(name, first_connection_seed(name), "--connections") for name in CONNECTIONS_PLANTED]
    found += [_found(name, first_crowd_seed(name), "--crowd") for name in CROWD_PLANTED]
    return all(found)


def first_sound_seed(name: str) -> int | None:
    """Return the first seed that finds a bug of sound; None if no seed does."""
    with pytest.MonkeyPatch.context() as patch:
        SOUND_PLANTED[name](patch)
        return next((seed for seed in range(SOUND_SEEDS_MAX) if sound_findings(seed)), None)


def first_recorded_seed(name: str) -> int | None:
    """Return the first seed that finds a bug of recorded calls; None if no seed does."""
    with pytest.MonkeyPatch.context() as patch:
        RECORDED_PLANTED[name](patch)
        return next((seed for seed in range(SEEDS_MAX) if recorded_findings(seed)), None)


def first_talk_seed(name: str) -> int | None:
    """Return the first seed that finds a bug of talks with programs; None if no seed does."""
    with pytest.MonkeyPatch.context() as patch:
        plant, recorded = TALKS_PLANTED[name]
        plant(patch)
        return next((seed for seed in (recorded, *range(SEEDS_MAX)) if talk_findings(seed)), None)


def first_signalling_seed(name: str) -> int | None:
    """Return the first seed that finds a bug of signalling; None if no seed does."""
    with pytest.MonkeyPatch.context() as patch:
        SIGNALLING_PLANTED[name](patch)
        return next((seed for seed in range(SEEDS_MAX) if signalling_findings(seed)), None)


def first_connection_seed(name: str) -> int | None:
    """Return the first seed that finds a bug of lost connections; None if no seed does."""
    with pytest.MonkeyPatch.context() as patch:
        CONNECTIONS_PLANTED[name](patch)
        return next((seed for seed in range(SEEDS_MAX) if connection_findings(seed)), None)


def first_crowd_seed(name: str) -> int | None:
    """Return the first seed that finds a bug of fairness; None if no seed does."""
    for seed in range(CROWD_SEEDS_MAX):
        seen_alone(seed)  # Without the bug, and kept.
        with pytest.MonkeyPatch.context() as patch:
            CROWD_PLANTED[name](patch)
            if crowd_findings(seed):
                return seed
    return None


def _found(name: str, seed: int | None, option: str) -> bool:
    found = "NOT FOUND" if seed is None else f"seed {seed} of {option}"
    print(f"{name}: {found}", flush=True)  # noqa: T201 - a program
    return seed is not None


async def _find(bug: Planted, folder: Folder) -> bool:
    """Print the seed that finds a bug, and whether it is another one than is recorded, which makes tests slow."""
    outcome = await first_seed(bug, folder, try_first=bug.seed)
    found = f"NOT FOUND by {SEEDS_MAX} seeds" if outcome is None else f"seed {outcome.seed}: {outcome.broken[:100]}"
    moved = f" (RECORDED: {bug.seed})" if outcome is not None and outcome.seed != bug.seed else ""
    print(f"{bug.name}: {found}{moved}", flush=True)  # noqa: T201 - a program
    return outcome is not None
