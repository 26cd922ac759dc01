"""`dialer replay`: a call that is over, through the survey as it is now."""

from pathlib import Path

import rich_click as click

from dialer.commands.output import examples, json_option
from dialer.usage.running import runs


@click.command()
@click.argument("call", metavar="CALL")
@click.option(
    "--survey",
    "survey",
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Play the survey of this file, which dialer export has written, instead of the one that is stored.",
)
@json_option("the steps and the difference")
@examples(
    "dialer replay 12",
    "dialer replay 12 --survey survey.json",
    "dialer replay 5c1f0d0e-8f3b-4c57-9a4e-0d6f3f7e2b11 --json",
)
@runs("dialer.commands.replay")
def replay() -> None:
    """Play a call that is over through its survey as it is now, and show the first difference.

    CALL is the id of a call request or a call ID. The command takes the keys that the callee pressed and the outcomes
    of the transfers, and compares: prompts, answers, actions and branches. It changes nothing. The exit code is 1 if
    something differs.
    """
