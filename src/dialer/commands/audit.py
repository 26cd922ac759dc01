"""`dialer audit`: every amount of money, computed again and compared."""

from collections.abc import Iterator

import rich_click as click

from dialer.commands.open_service import open_existing_database, settings_from_environment
from dialer.commands.output import print_json
from dialer.store.reconciliation.reconcile import Audited
from dialer.store.reconciliation.reconcile import audit as audit_unit


def audit(context: click.Context, *, as_json: bool) -> None:
    """Compute every amount of money again, and print those that differ."""
    with open_existing_database(settings_from_environment()) as database:
        audited = database.read_now(audit_unit)
    if as_json:
        print_json(audited)
    else:
        click.echo("\n".join(_lines(audited)))
    context.exit(1 if audited.differing else 0)


def _lines(audited: Audited) -> Iterator[str]:
    yield from map(str, audited.differences)
    unshown = audited.differing - len(audited.differences)
    if unshown:
        yield f"And {unshown:,} more."
    yield (
        f"{audited.users:,} users, {audited.payments:,} payments, {audited.ledger_entries:,} ledger entries,"
        f" {audited.calls:,} CDRs, {audited.messages:,} text messages, {audited.campaigns:,} campaigns:"
        f" {f'{audited.differing:,} differ' if audited.differing else 'nothing differs'}."
    )
    if audited.calls_without_rate:
        yield f"{audited.calls_without_rate:,} CDRs were made before rates were stored: their prices cannot be checked."
