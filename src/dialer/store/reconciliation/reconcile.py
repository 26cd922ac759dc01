"""The whole audit, on one consistent snapshot of the database."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Final, TypeAlias

import msgspec
from sqlalchemy import Connection, func, select

from dialer.store.reconciliation.accounts import audit_accounts, audit_holds
from dialer.store.reconciliation.audit_log import audit_chain, audit_noted
from dialer.store.reconciliation.campaigns import audit_campaigns
from dialer.store.reconciliation.charges import audit_calls, audit_messages, audit_payments
from dialer.store.reconciliation.differences import Difference
from dialer.store.reconciliation.entries import audit_entries
from dialer.store.reconciliation.legs import audit_legs, audit_waiting_texts
from dialer.store.reconciliation.statistics import audit_statistics
from dialer.store.reconciliation.words import audit_words
from dialer.store.rows.audit_chain import ChainEnd, end_of_chain
from dialer.store.tables import Campaign, Cdr, LedgerEntry, Payment, SmsMessage, User

_Check: TypeAlias = Callable[[Connection], Iterator[Difference]]
_CHECKS: Final[tuple[_Check, ...]] = (
    audit_accounts,
    audit_holds,
    audit_calls,
    audit_messages,
    audit_payments,
    audit_entries,
    audit_campaigns,
    audit_statistics,
    audit_legs,
    audit_waiting_texts,
    audit_words,
    audit_chain,
)
DIFFERENCES_SHOWN_MAX: Final = 1_000
"""Maximum number of differences that are listed; further ones are only counted."""


class Audited(msgspec.Struct, frozen=True):
    """The result of an audit: the differences, and the number of rows checked."""

    differences: list[Difference]
    """The first `DIFFERENCES_SHOWN_MAX` differences."""
    differing: int
    """Number of all differences."""

    users: int
    payments: int
    ledger_entries: int
    calls: int
    calls_without_rate: int
    """Number of calls charged before rates were stored. Only their ledger entries are checked."""
    messages: int
    campaigns: int
    audit_entry: int
    """The newest entry of the audit log; 0 if it has none."""
    audit_sha256: str
    """The hash of that entry; empty if there is none."""


def audit(connection: Connection, noted: ChainEnd | None = None) -> Audited:
    """Compare all derived figures with the rows they come from, in constant memory.

    `noted` is an entry that the audit log must still have, with its hash.
    """
    shown: list[Difference] = []
    differing = 0
    checks: tuple[_Check, ...] = _CHECKS if noted is None else (*_CHECKS, partial(audit_noted, noted=noted))
    for check in checks:
        for difference in check(connection):
            differing += 1
            if differing <= DIFFERENCES_SHOWN_MAX:
                shown.append(difference)
    users, payments, entries, calls, messages, campaigns = _sizes(connection)
    is_unknown = Cdr.call_rate.is_(None)
    without_rate = int(connection.scalar(select(func.count()).select_from(Cdr).where(is_unknown)) or 0)
    sizes = (users, payments, entries, calls, without_rate, messages, campaigns)
    return Audited(shown, differing, *sizes, *end_of_chain(connection))


def _sizes(connection: Connection) -> list[int]:
    models = (User, Payment, LedgerEntry, Cdr, SmsMessage, Campaign)
    return [int(connection.scalar(select(func.count()).select_from(model.__table__)) or 0) for model in models]
