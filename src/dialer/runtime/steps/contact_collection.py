"""Collection: the contacts of started campaigns become subscribers, a portion a step, while other campaigns dial."""

from collections.abc import Collection as Ids
from typing import Final

from sqlalchemy import Connection

from dialer.store.rows.joining.contact_collection import collect_campaign, has_uncollected

COLLECT_SLICE: Final = 500
"""Contacts that a step of a running clock turns into subscribers: some milliseconds, in which nobody dials."""
_NONE: Final = frozenset[int]()


class Collection:
    """The campaigns with contacts that are not collected yet.

    A clock that runs does not wait: each step takes a slice of one campaign, and the campaigns take turns. A virtual
    clock waits until all are collected: each step takes a chunk of each campaign.
    """

    def __init__(self, *, clock_waits: bool) -> None:
        self._clock_waits: Final = clock_waits
        self._left: frozenset[int] = _NONE
        self._last_id = 0
        """Campaign that had the last turn."""

    @property
    def is_done(self) -> bool:
        """True if no contacts are left."""
        return not self._left

    def begin(self, connection: Connection, now_ms: int) -> frozenset[int]:
        """Take the slice of this step, and return the campaigns that have to be read again."""
        if self._clock_waits or not self._left:
            return self._left
        self._last_id = min(self._left, key=lambda campaign_id: (campaign_id <= self._last_id, campaign_id))
        collect_campaign(connection, self._last_id, now_ms, COLLECT_SLICE)
        return frozenset({self._last_id})

    def follow(self, connection: Connection, read_ids: Ids[int], scope: frozenset[int] | None, now_ms: int) -> bool:
        """Note which campaigns that were read have contacts left. Return True if some of these are subscribers now.

        `scope` has the campaigns that were looked for; None stands for all.
        """
        uncollected = [campaign_id for campaign_id in read_ids if has_uncollected(connection, campaign_id)]
        takes = self._clock_waits and bool(uncollected)
        if takes:
            uncollected = [
                campaign_id for campaign_id in uncollected if not collect_campaign(connection, campaign_id, now_ms)
            ]
        elsewhere = _NONE if scope is None else self._left - scope
        self._left = elsewhere.union(uncollected)
        return takes
