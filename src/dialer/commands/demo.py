"""`dialer demo`: a whole campaign day in one command."""

from pathlib import Path

import rich_click as click

from dialer.commands.output import examples
from dialer.demo.errors import DemoError
from dialer.demo.run import run
from dialer.settings import SEED_MAX


@click.command()
@click.option(
    "--seed",
    metavar="N",
    type=click.IntRange(0, SEED_MAX),
    default=0,
    show_default=True,
    help="The seed decides who answers, and what they say.",
)
@click.option(
    "--keep",
    metavar="DIR",
    type=click.Path(file_okay=False, path_type=Path),
    help="Keep the database, the recordings and the call detail records in this empty directory.",
)
@examples(
    "dialer demo",
    "dialer demo --seed 7",
    "dialer demo --keep demo-day",
)
def demo(seed: int, keep: Path | None) -> None:
    """Run a whole campaign day in seconds, and check every figure of its report.

    The command starts a server on a temporary database, and does everything over the REST API: a payment, a gateway,
    recordings, a phonebook, a do-not-call list, a survey and a campaign. The exit code is 1 if any figure is wrong.
    """
    if keep is not None and keep.exists() and any(keep.iterdir()):
        raise click.BadParameter("the directory is not empty", param_hint="--keep")
    try:
        is_right = run(seed=seed, keep=keep)
    except DemoError as error:
        raise click.ClickException(str(error)) from error
    if not is_right:
        raise click.ClickException(
            "figures of the API differ from the call detail records: see the lines that begin with ✗"
        )
