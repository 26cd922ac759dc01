"""`dialer fleet`: the workers that share a service, and the parts of gateways that each may use."""

import rich_click as click

from dialer.commands.output import examples, json_option
from dialer.usage.running import runs


@click.command()
@json_option("the workers")
@examples("dialer fleet", "dialer fleet --json")
@runs("dialer.commands.fleet")
def fleet() -> None:
    """Show the workers, their leases, shards and slices of gateways.

    A shard is one of 64 groups of accounts. The command reads one state of the database and changes nothing.
    """
