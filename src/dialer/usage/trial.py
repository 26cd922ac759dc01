"""`dialer try`: a talk with a program, from the terminal."""

from pathlib import Path

import rich_click as click

from dialer.commands.output import examples
from dialer.usage.running import runs

_FILE = click.Path(path_type=Path, dir_okay=False)


@click.command("try")
@click.option("--agent", "url", metavar="URL", required=True, help="The address of the program, as in a section.")
@click.option("--voice", metavar="WAV", type=_FILE, help="What the callee says; silence without it, and after it.")
@click.option(
    "--keys", metavar="KEYS", default="", help="Keys that the callee presses: from 2 seconds on, one a second."
)
@click.option("--save", metavar="WAV", type=_FILE, help="Save what the callee hears, in a new file.")
@click.option(
    "--seconds", metavar="N", type=click.IntRange(1, 3_600), default=60, show_default=True, help="The longest talk."
)
@click.option(
    "--patience", metavar="N", type=click.IntRange(1, 60), default=20, show_default=True, help="As in a section."
)
@click.option("--secret-file", metavar="FILE", type=_FILE, help="The secret that signs the connection, in a file.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@examples(
    "dialer try --agent ws://127.0.0.1:8765/",
    "dialer try --agent wss://agent.example/calls --voice hello.wav --keys 12# --save heard.wav",
)
@runs("dialer.commands.trial")
def trial(**_: object) -> None:
    """Talk with a program as a section of type 12 does, without a telephone, and say how it sounds and ends.

    The exit code is 1 if the call would go on by `invalid`.
    """
