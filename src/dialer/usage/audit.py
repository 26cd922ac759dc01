"""`dialer audit`: every amount of money, computed again and compared."""

import rich_click as click

from dialer.commands.output import examples
from dialer.usage.running import runs


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
@click.option("--head", metavar="ENTRY:SHA256", help="An entry of the audit log that you noted, which must be there.")
@click.pass_context
@examples("dialer audit", "dialer audit --json", f"dialer audit --head 1402:{'5e0a' * 16}")
@runs("dialer.commands.audit")
def audit() -> None:
    """Compute every amount of money again, and print those that differ.

    Balances are computed from the ledger, holds from the calls in progress, charges from CDRs and rates, ledger entries
    from their causes, and the counters of campaigns from their calls. Each entry of the audit log must have the hash of
    the one before. The last line has the newest entry of the audit log and its hash. Note it elsewhere, and give it
    with --head later: the command then finds out whether entries up to it were cut off or written anew. The command
    reads one state of the database and changes nothing; it can run beside a server. The exit code is 1 if anything
    differs.
    """
