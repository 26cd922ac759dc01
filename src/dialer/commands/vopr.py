"""`dialer vopr`: the service in made-up worlds in which everything goes wrong, until a rule is broken."""

from collections.abc import Callable
from contextlib import closing

import anyio
import msgspec
import rich_click as click

from dialer.commands.output import examples, say
from dialer.sim.scenario import SEED_MAX
from dialer.vopr.building import Folder
from dialer.vopr.run import Outcome, run_seed


@click.command()
@click.option("--seeds", metavar="N", type=click.IntRange(1), default=100, show_default=True, help="How many seeds.")
@click.option("--from", "first", metavar="K", type=click.IntRange(0, SEED_MAX), default=0, help="The first of them.")
@click.option("--json", "as_json", is_flag=True, help="Print a line of JSON for each seed.")
@click.pass_context
@examples(
    "dialer vopr --seeds 300",
    "dialer vopr --from 4711 --seeds 1",
    "dialer vopr --seeds 10000 --json",
)
def vopr(context: click.Context, *, seeds: int, first: int, as_json: bool) -> None:
    """Simulate faults: each seed is a world, its people, and all that goes wrong in it.

    It runs the service's own worker on databases of its own, in a temporary folder: commits fail, processes crash and
    recover, carriers repeat, delay and lose their reports, clocks jump. After every step the rules are checked by which
    nothing is lost, nobody is dialled twice and no cent goes astray; in the end everything must come to rest.

    One line a seed; exit code 1 if a rule was broken. The same seed does the same on any machine.
    """
    show = _show_json if as_json else _show
    failed = anyio.run(_run, range(first, first + seeds), show)
    context.exit(1 if failed else 0)


async def _run(seeds: range, show: Callable[[Outcome], None]) -> int:
    """Run them all; how many failed."""
    failed = 0
    with closing(Folder()) as folder:
        for seed in seeds:
            outcome = await run_seed(seed, folder)
            show(outcome)
            failed += not outcome.ok
    return failed


def _show_json(outcome: Outcome) -> None:
    click.echo(msgspec.json.encode(outcome))


def _show(outcome: Outcome) -> None:
    word = "ok" if outcome.ok else "BROKEN"
    figures = f"{outcome.steps} steps, {outcome.calls} calls, {outcome.faults} faults"
    click.echo(f"{outcome.seed}: {word}, {figures}, {outcome.digest[:16]}")
    if outcome.ok:
        return
    click.echo(f"  in step {outcome.step}: {outcome.broken}")
    for event in outcome.events:
        click.echo(f"    {event}")
    say(f"To see it again: dialer vopr --from {outcome.seed} --seeds 1")
