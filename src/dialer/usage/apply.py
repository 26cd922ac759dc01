"""`dialer apply`: the records of files."""

from pathlib import Path

import rich_click as click

from dialer.commands.output import examples, json_option
from dialer.usage.running import runs
from dialer.usage.service_options import key_file_option


@click.command()
@click.argument(
    "files",
    metavar="FILE...",
    nargs=-1,
    required=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
)
@click.option(
    "--user", metavar="USERNAME", help="Whose records they are; the only user who may have campaigns, unless given."
)
@click.option(
    "--url",
    metavar="URL",
    help="A service whose API is used; the database of this machine, unless given.",
)
@key_file_option
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
@click.option("--dry-run", is_flag=True, help="Show the changes only.")
@json_option("the changes")
@examples(
    "dialer apply reminder.yaml",
    "dialer apply reminder.yaml people.yaml --dry-run",
    "dialer apply reminder.toml --user anna --yes",
    "dialer apply reminder.yaml --url https://dialer.example --key-file ~/dialer.key",
)
@runs("dialer.commands.apply")
def apply() -> None:
    """Create and change the records of files: surveys, campaigns, recordings, lists, queues and agents.

    Files are YAML, TOML (.toml) or JSON (.json). Records are known by their names. The command shows what changes,
    asks, and changes all of it or nothing. Then it imports people from the CSV files that lists name. It starts no
    campaign, and removes nobody from a list. With --url, the records are those of the user of the API key.
    """
