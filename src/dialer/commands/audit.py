"""`dialer audit`: whether every amount of money is what it follows from."""

from collections.abc import Iterator

import rich_click as click

from dialer.commands.opening import open_existing_database, settings_from_environment
from dialer.commands.output import examples, print_json
from dialer.store.audit.audit import Audited
from dialer.store.audit.audit import audit as look


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print what was found as JSON.")
@click.pass_context
@examples(
    "dialer audit",
    "dialer audit --json",
)
def audit(context: click.Context, *, as_json: bool) -> None:
    """Work out anew what everything cost, and tell what differs.

    Every balance from the ledger, what is held from the calls in progress, every charge from its CDR and rate, every
    entry in the ledger from what caused it, every campaign's counters from its calls. It only reads, one state of the
    database, also beside a running server. Exit code 1 if anything differs.
    """
    with open_existing_database(settings_from_environment()) as database:
        found = database.read_now(look)
    if as_json:
        print_json(found)
    else:
        click.echo("\n".join(_lines(found)))
    context.exit(1 if found.differing else 0)


def _lines(found: Audited) -> Iterator[str]:
    yield from map(str, found.differences)
    unshown = found.differing - len(found.differences)
    if unshown:
        yield f"And {unshown:,} more."
    yield (
        f"{found.users:,} users, {found.payments:,} payments, {found.ledger_entries:,} ledger entries,"
        f" {found.calls:,} CDRs, {found.messages:,} text messages, {found.campaigns:,} campaigns:"
        f" {f'{found.differing:,} differ' if found.differing else 'nothing differs'}."
    )
    if found.calls_without_rate:
        yield f"{found.calls_without_rate:,} CDRs are from before rates were kept: their price could not be worked out."
