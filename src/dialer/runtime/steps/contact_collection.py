"""Collection: the contacts of started campaigns become subscribers, a portion a step, while other campaigns dial."""

from collections.abc import Mapping, Sequence
from typing import Final

from sqlalchemy import Connection

from dialer.domain.calls.campaign_events import CampaignOpened
from dialer.domain.engine.state import ACTIVE, OpenCampaign
from dialer.store.queries.load_engine import ZONES_MAX, pending_zones
from dialer.store.rows.joining.contact_collection import collect_campaign, has_uncollected

COLLECT_SLICE: Final = 1_000
"""Contacts that a step of a running clock turns into subscribers: some milliseconds, in which nobody dials."""
COLLECT_SECONDS: Final = 0.1
"""Rest of a running clock between two slices. A campaign that has nobody to call meanwhile does not wait for it."""
_NONE: Final = frozenset[int]()


class Collection:
    """The campaigns with contacts that are not collected yet.

    A clock that runs does not wait: each step takes a slice of one campaign, and the campaigns take turns, those first
    that have run out of people in a zone. A virtual clock waits until all are collected: each step takes a chunk of
    each campaign.
    """

    def __init__(self, open_campaigns: Mapping[int, OpenCampaign], spent: set[int], *, clock_waits: bool) -> None:
        self._open_campaigns: Final = open_campaigns
        self._new_spent: Final = spent
        self._clock_waits: Final = clock_waits
        self._left: frozenset[int] = _NONE
        self._spent: frozenset[int] = _NONE
        """Campaigns that have run out of people in a zone. The journal adds them to `spent`."""
        self._zones: Final[dict[int, frozenset[str]]] = {}
        """The zones that the engine knows of each campaign."""
        self._last_id = 0
        """Campaign that had the last turn."""

    @property
    def rest_s(self) -> float | None:
        """Seconds until a running clock takes the next slice; None if no contacts are left."""
        if not self._left:
            return None
        has_nobody = any(self._has_nobody(campaign_id) for campaign_id in self._left & (self._spent | self._new_spent))
        return 0.0 if has_nobody else COLLECT_SECONDS

    def _has_nobody(self, campaign_id: int) -> bool:
        campaign = self._open_campaigns.get(campaign_id)
        return campaign is not None and not campaign.hopper.has_fresh

    def begin(self, connection: Connection, now_ms: int) -> frozenset[int]:
        """Take the slice of this step, and return the campaigns that have to be read again."""
        self._spent = self._left & (self._spent | self._new_spent)
        self._new_spent.clear()
        if self._clock_waits or not self._left:
            return self._left
        may_have_turn = self._spent or self._left
        self._last_id = one = min(may_have_turn, key=lambda campaign_id: (campaign_id <= self._last_id, campaign_id))
        is_over = collect_campaign(connection, one, now_ms, COLLECT_SLICE)
        if not is_over and self._finds_more(connection, one):
            return _NONE
        self._spent -= {one}
        return frozenset({one})

    def _finds_more(self, connection: Connection, campaign_id: int) -> bool:
        """Return whether the engine finds new subscribers of a campaign without reading the campaign again.

        It does so if it knows their zones, and has not asked for more of them in vain.
        """
        campaign = self._open_campaigns.get(campaign_id)
        if campaign is None or campaign.status not in ACTIVE or campaign_id in self._spent:
            return False
        return self._zones[campaign_id].issuperset(pending_zones(connection, campaign_id, ZONES_MAX))

    def follow(
        self, connection: Connection, opened: Sequence[CampaignOpened], scope: frozenset[int] | None, now_ms: int
    ) -> bool:
        """Note which campaigns that were read have contacts left. Return True if some of these are subscribers now.

        `scope` has the campaigns that were looked for; None stands for all.
        """
        left = {one.plan.id: frozenset(one.zones) for one in opened if has_uncollected(connection, one.plan.id)}
        takes = self._clock_waits and bool(left)
        if takes:
            for campaign_id in list(left):
                if collect_campaign(connection, campaign_id, now_ms):
                    del left[campaign_id]
        elsewhere = _NONE if scope is None else self._left - scope
        self._left = elsewhere.union(left)
        self._zones.update(left)
        for campaign_id in self._zones.keys() - self._left:
            del self._zones[campaign_id]
        return takes
