"""The command of the fault simulator: `python -m tests.vopr`."""

from collections.abc import Awaitable, Callable
from contextlib import closing
from functools import partial
from typing import Final

import anyio
import msgspec
import rich_click as click

from dialer.commands.output import examples, say
from dialer.sim.limits import SEED_MAX
from dialer.store.fleet.changes import announce
from tests.vopr.building import Folder
from tests.vopr.connection_rules import connection_findings
from tests.vopr.crowd_rules import crowd_findings
from tests.vopr.fleet_crowds import run_fleets
from tests.vopr.recorded import recorded_findings
from tests.vopr.run import SeedOutcome, run_ahead, run_seed, run_with_events
from tests.vopr.search import find_planted_bugs, find_planted_line_bugs
from tests.vopr.signalling_rules import signalling_findings
from tests.vopr.sound import sound_findings
from tests.vopr.talk_rules import talk_findings

_SHORT: Final = {
    "sound": (sound_findings, "strangers at the sound of a call"),
    "recorded": (recorded_findings, "pauses of recorded calls"),
    "talks": (talk_findings, "programs that talk badly"),
    "signalling": (signalling_findings, "carriers with odd habits"),
    "connections": (connection_findings, "connections that are lost, and keys that change"),
    "crowd": (crowd_findings, "accounts that send everything at once"),
}
_RUNS: Final = {"ahead": run_ahead, "events": run_with_events}


@click.command()
@click.option("--seeds", metavar="N", type=click.IntRange(1), default=100, show_default=True, help="How many seeds.")
@click.option("--from", "first", metavar="K", type=click.IntRange(0, SEED_MAX), default=0, help="The first of them.")
@click.option("--fleet", "kind", flag_value="fleet", help="Run several workers on one database.")
@click.option("--ahead", "kind", flag_value="ahead", help="Let steps on the machine's clock decide ahead.")
@click.option("--events", "kind", flag_value="events", help="Let accounts keep events, and check each of them.")
@click.option("--sound", "kind", flag_value="sound", help="Send packets of strangers to the sound of a call.")
@click.option("--recorded", "kind", flag_value="recorded", help="Pause recorded calls, and kill who records them.")
@click.option("--talks", "kind", flag_value="talks", help="Let programs that talk hang, flood, close and go on.")
@click.option("--signalling", "kind", flag_value="signalling", help="Call over SIP carriers with odd habits.")
@click.option("--connections", "kind", flag_value="connections", help="Lose connections and processes in calls.")
@click.option("--crowd", "kind", flag_value="crowd", help="Let one account send everything at once beside another.")
@click.option("--planted", "kind", flag_value="planted", help="Look for every planted bug instead.")
@click.option("--json", "as_json", is_flag=True, help="Print a line of JSON for each seed.")
@click.pass_context
@examples(
    "python -m tests.vopr --seeds 300",
    "python -m tests.vopr --from 4711 --seeds 1",
    "python -m tests.vopr --fleet --seeds 100",
    "python -m tests.vopr --ahead --seeds 100",
    "python -m tests.vopr --events --seeds 100",
    "python -m tests.vopr --sound --seeds 5000",
    "python -m tests.vopr --recorded --seeds 1000",
    "python -m tests.vopr --talks --seeds 1000",
    "python -m tests.vopr --signalling --seeds 1000",
    "python -m tests.vopr --connections --seeds 1000",
    "python -m tests.vopr --crowd --seeds 20",
    "python -m tests.vopr --planted",
)
def vopr(context: click.Context, *, seeds: int, first: int, kind: str | None, as_json: bool) -> None:
    """Simulate faults. Each seed makes a world, the people in it, and everything that goes wrong there.

    The simulator runs the service's own worker on databases in a temporary folder. Commits fail, processes crash and
    recover, and carriers repeat, delay and lose reports. After every step it checks the invariants: nothing is lost,
    nobody is dialled twice, no cent goes astray. At the end everything must come to rest.

    Prints one line for each seed. The exit code is 1 if a rule was broken. A seed does the same on every machine.
    """
    if kind == "planted":
        is_found = find_planted_line_bugs()
        context.exit(0 if anyio.run(find_planted_bugs) and is_found else 1)
    if kind in _SHORT:
        context.exit(1 if _run_short(kind, range(first, first + seeds)) else 0)
    show = _show_json if as_json else partial(_show, kind or "")
    run = _run_fleets if kind == "fleet" else partial(_run, _RUNS.get(kind or "", run_seed))
    failed = anyio.run(run, range(first, first + seeds), show)
    context.exit(1 if failed else 0)


def again(kind: str, seed: int) -> str:
    """Return the command that runs a seed of a kind again."""
    return " ".join(
        ["To see it again: python -m tests.vopr", *([f"--{kind}"] if kind else []), f"--from {seed} --seeds 1"]
    )


async def _run(
    run: Callable[[int, Folder], Awaitable[SeedOutcome]], seeds: range, show: Callable[[SeedOutcome], None]
) -> int:
    """Run the seeds and return how many failed."""
    failed = 0
    with closing(Folder()) as folder:
        for seed in seeds:
            outcome = await run(seed, folder)
            show(outcome)
            failed += not outcome.ok
    return failed


async def _run_fleets(seeds: range, show: Callable[[SeedOutcome], None]) -> int:
    """Run the seeds with several workers and return how many failed."""
    failed = 0
    with closing(Folder(announce)) as folder:
        for seed in seeds:
            outcome = await run_fleets(seed, folder)
            show(outcome)
            failed += not outcome.ok
    return failed


def _run_short(kind: str, seeds: range) -> int:
    """Run seeds that keep no files, and return how many failed."""
    failed, (findings, what) = 0, _SHORT[kind]
    for seed in seeds:
        broken = findings(seed)
        if broken:
            failed += 1
            click.echo(f"{seed}: BROKEN, {broken}")
            say(again(kind, seed))
    click.echo(f"{len(seeds)} seeds of {what}, {failed} broken")
    return failed


def _show_json(outcome: SeedOutcome) -> None:
    click.echo(msgspec.json.encode(outcome))


def _show(kind: str, outcome: SeedOutcome) -> None:
    word = "ok" if outcome.ok else "BROKEN"
    figures = f"{outcome.steps} steps, {outcome.calls} calls, {outcome.faults} faults"
    click.echo(f"{outcome.seed}: {word}, {figures}, {outcome.digest[:16]}")
    if outcome.ok:
        return
    click.echo(f"  in step {outcome.step}: {outcome.broken}")
    for event in outcome.events:
        click.echo(f"    {event}")
    say(again(kind, outcome.seed))
