"""`dialer audit`: every amount of money, computed again and compared."""

import re
from collections.abc import Iterator
from typing import Final

import rich_click as click

from dialer.commands.open_service import open_existing_database, settings_from_environment
from dialer.commands.output import print_json
from dialer.store.reconciliation.reconcile import Audited
from dialer.store.reconciliation.reconcile import audit as audit_unit
from dialer.store.rows.audit_chain import ChainEnd

_HEAD: Final = re.compile("([1-9][0-9]{0,17}):([0-9A-Fa-f]{64})")


def audit(context: click.Context, *, as_json: bool, head: str | None) -> None:
    """Compute every amount of money again, and print those that differ."""
    noted = None if head is None else _noted(head)
    with open_existing_database(settings_from_environment()) as database:
        audited = database.read_now(lambda connection: audit_unit(connection, noted))
    if as_json:
        print_json(audited)
    else:
        click.echo("\n".join(_lines(audited)))
    context.exit(1 if audited.differing else 0)


def _noted(head: str) -> ChainEnd:
    """Return the entry and the hash that somebody noted.

    Raises:
        click.BadParameter: the text has another form.
    """
    found = _HEAD.fullmatch(head.strip())
    if found is None:
        problem = (
            f"{head} is no entry with its hash. Give the number, a colon and the SHA-256 of 64 hexadecimal digits."
        )
        raise click.BadParameter(problem, param_hint="--head")
    return ChainEnd(int(found[1]), found[2].lower())


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
    if audited.audit_entry:
        yield f"The newest entry of the audit log: {audited.audit_entry}:{audited.audit_sha256}"
