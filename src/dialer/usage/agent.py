"""`dialer agent`: programs that talk, to try a line with."""

from pathlib import Path

import rich_click as click

from dialer.commands.output import examples
from dialer.usage.running import runs

KINDS = ("echo", "tone", "script", "slow", "rude")


@click.command()
@click.argument("kind", type=click.Choice(KINDS))
@click.argument("file", required=False, type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("--host", metavar="HOST", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option(
    "--port", metavar="PORT", type=click.IntRange(0, 65_535), default=8765, show_default=True, help="The port."
)
@examples("dialer agent echo", "dialer agent tone --port 9000", "dialer agent script talk.txt")
@runs("dialer.commands.agent")
def agent() -> None:
    """Serve a program that talks, which sections of type 12 call, until it is stopped. Each event is shown.

    echo gives the callee's voice back. tone beeps. slow beeps after 15 seconds of silence. rude speaks, and drops the
    connection without a close. A digit ends the talk with that branch, # without one, and * clears what waits.

    script does what a file says, a step a line: tone SECONDS, silence SECONDS, mark NAME, key (waits for one), clear,
    end [BRANCH], close.
    """
