"""Entries of do-not-call lists that may stop no calls, counted by the mark that each got when it was stored.

An index has the marked entries alone, and the counts have a limit. So a long list costs no more than a short one.
"""

from collections.abc import Collection
from typing import Final

from sqlalchemy import Connection, func, literal_column, select

from dialer.domain.numbers.entries import STOPS_NOBODY, EntryDoubt
from dialer.domain.rules.doubtful_entries import NO_DOUBT, DoubtfulEntries
from dialer.store.queries.do_not_call import lists_of
from dialer.store.tables import DncContact

DOUBTFUL_MAX: Final = 10_000
"""Entries of each kind that are counted."""


def doubtful_entries(connection: Connection, dnc_ids: Collection[int]) -> DoubtfulEntries:
    """Return the numbers of entries on some lists that may stop no calls, each up to `DOUBTFUL_MAX`."""
    if not dnc_ids:
        return NO_DOUBT
    stopping_nobody = _count(connection, dnc_ids, STOPS_NOBODY)
    return DoubtfulEntries(stopping_nobody, _count(connection, dnc_ids, (EntryDoubt.NO_COUNTRY,)), DOUBTFUL_MAX)


def doubtful_for_campaign(connection: Connection, campaign_id: int, dnc_id: int | None) -> DoubtfulEntries:
    """Return the numbers of entries that may stop no calls, on the lists that hold for a campaign."""
    return doubtful_entries(connection, lists_of(connection, {campaign_id: dnc_id})[campaign_id].ids)


def _count(connection: Connection, dnc_ids: Collection[int], doubts: Collection[EntryDoubt]) -> int:
    entries = select(DncContact.id).where(
        DncContact.dnc_id.in_(dnc_ids),
        DncContact.doubt.in_([doubt.value for doubt in doubts]),
        DncContact.doubt != literal_column("''"),  # Which the index says in the same words.
    )
    counted = select(func.count()).select_from(entries.limit(DOUBTFUL_MAX).subquery())
    return int(connection.scalar(counted) or 0)
