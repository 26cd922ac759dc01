"""`dialer settings`: every setting, its value, and where the value comes from."""

import rich_click as click

from dialer.commands.output import examples, json_option
from dialer.usage.running import runs


@click.command()
@json_option("the settings")
@examples("dialer settings", "dialer --config /etc/dialer/dialer.toml settings --json")
@runs("dialer.commands.settings")
def settings() -> None:
    """Show every setting, its value, and where the value comes from.

    A value is the default, or comes from the settings file, the environment, or the database. The database keeps the
    clock, the time zone, the default region, the calling hours and the media folder that the service was last started
    with: commands use these. Passwords are hidden. The command changes nothing.
    """
