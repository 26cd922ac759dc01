"""`dialer worker`: one of several processes that dial."""

import rich_click as click

from dialer.commands.output import examples
from dialer.usage.running import runs


@click.command()
@click.option("--name", metavar="NAME", help="The name in `dialer fleet`; host and process by default.")
@click.option(
    "--listen",
    metavar="HOST:PORT",
    default="127.0.0.1:0",
    show_default=True,
    help="The address for /health and /metrics; port 0 chooses a free one.",
)
@examples("dialer worker", "dialer worker --name w1 --listen 127.0.0.1:8001")
@runs("dialer.commands.worker")
def worker() -> None:
    """Dial, beside other workers and `dialer api`, until SIGTERM or Ctrl+C.

    Workers share the accounts of a service and its gateways. One that ends, or does not answer for 15 seconds, is
    replaced by the others. They need the database of this version (`dialer database upgrade`) and the real clock.
    """
