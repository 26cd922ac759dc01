"""`dialer api`: the API alone, beside workers in other processes."""

import rich_click as click

from dialer.commands.output import examples
from dialer.usage.addresses import address_options
from dialer.usage.running import runs


@click.command()
@address_options
@examples("dialer api", "dialer api --host 0.0.0.0 --port 80")
@runs("dialer.commands.api")
def api() -> None:
    """Serve the API without dialling, until SIGTERM or Ctrl+C. `dialer worker` dials.

    Any number of these processes may use one database. They need the database of this version
    (`dialer database upgrade`) and the real clock. Limits of requests hold for all of them together.
    """
