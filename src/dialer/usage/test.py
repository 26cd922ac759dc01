"""`dialer test`: scenarios in files."""

from pathlib import Path

import rich_click as click

from dialer.commands.output import examples, json_option
from dialer.usage.running import runs


@click.command()
@click.argument(
    "files",
    metavar="FILE...",
    nargs=-1,
    required=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
)
@click.option("--only", metavar="TEXT", help="Play the scenarios with this in their names.")
@click.option(
    "--junit",
    "junit_file",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the results as JUnit's XML, too.",
)
@json_option("the results")
@examples(
    "dialer test reminder.test.yaml",
    "dialer test examples/*/test.yaml --junit results.xml",
    "dialer test reminder.test.yaml --only 'presses 2'",
)
@runs("dialer.commands.test")
def test() -> None:
    """Play scenarios of files in the simulator, and compare what comes of them with what they expect.

    A scenario names a campaign of these files, the people whom it calls and what they do, and what must come of it.
    Time is virtual, and no service is needed. The exit code is 1 if a scenario fails, and 2 if a file is wrong.
    """
