"""`dialer export`: records as documents."""

import rich_click as click

from dialer.commands.output import examples
from dialer.usage.running import runs


@click.group()
@examples("dialer export survey 3 > survey.json")
def export() -> None:
    """Print records as documents."""


@export.command()
@click.argument("survey_id", metavar="ID", type=click.IntRange(1))
@examples("dialer export survey 3 > survey.json")
@runs("dialer.commands.export")
def survey(survey_id: int) -> None:
    """Print a survey as JSON: the `survey` part of a scenario.

    Of a recording the document has the length. `dialer simulate` reads such a part, and `dialer replay --survey` such
    a file. The command changes nothing.
    """
