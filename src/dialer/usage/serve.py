"""`dialer serve`: the API and the dialling, in one process."""

import rich_click as click

from dialer.commands.output import examples
from dialer.settings import SETTINGS
from dialer.usage.addresses import address_options
from dialer.usage.running import runs


def _settings_table() -> str:
    """Return the settings with their defaults, as a table for the help."""
    width = max(len(setting.variable) for setting in SETTINGS) + 2
    lines = [f"  {setting.variable:{width}}{setting.meaning} [{setting.default}]" for setting in SETTINGS]
    return "\n".join(["Settings (environment, or dialer.toml):", *lines])


@click.command()
@address_options
@click.option(
    "--workers",
    type=click.IntRange(1, 1),
    default=1,
    expose_value=False,
    help="The number of processes; only 1 is supported.",
)
@examples(
    "dialer serve",
    "dialer serve --host 0.0.0.0 --port 80",
    "DIALER_CLOCK=virtual dialer serve",
    table=_settings_table(),
)
@runs("dialer.commands.serve")
def serve() -> None:
    """Serve the API and dial, until SIGTERM or Ctrl+C.

    The command migrates the database first, and prints one line when the API is ready. Only one server may use a
    database: meanwhile a lock file lies beside it (dialer.db-serving). The database keeps these
    five settings for the other commands: DIALER_CLOCK, DIALER_TIMEZONE, DIALER_DEFAULT_REGION, DIALER_CALLING_HOURS
    and DIALER_MEDIA_DIR.
    """
