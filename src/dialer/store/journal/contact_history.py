"""The contacts that were made with claimed people, as far as the rules of their campaigns count them."""

from collections.abc import Callable, Sequence
from typing import Final

from sqlalchemy import Connection

from dialer.domain.calls.contact_rules import RuledCampaign
from dialer.domain.calls.plans import CampaignPlan, Subscriber
from dialer.store.queries.contact_rules import contacts_with, held_spans


class ContactHistory:
    """A reader of what rules count. Campaigns without a rule cost it nothing."""

    def __init__(self, now_ms: Callable[[], int]) -> None:
        self._now_ms: Final = now_ms
        self._campaigns: Final[dict[int, RuledCampaign]] = {}

    def follow(self, plan: CampaignPlan) -> None:
        """Take up the rules of a campaign that is opened, in place of its earlier ones."""
        self._campaigns.pop(plan.id, None)
        if plan.ruled is not None:
            self._campaigns[plan.id] = plan.ruled

    def forget(self, campaign_id: int) -> None:
        """Forget the rules of a campaign that is closed."""
        self._campaigns.pop(campaign_id, None)

    def has_rules(self, campaign_id: int) -> bool:
        """Return whether a rule binds a campaign."""
        return campaign_id in self._campaigns

    def hold(self, connection: Connection, campaign_id: int, people: Sequence[Subscriber]) -> None:
        """Note for claimed people when rules hold them back. One query reads the contacts of all of them."""
        campaign = self._campaigns[campaign_id]
        if people:
            made = contacts_with(connection, campaign, [one.number for one in people], self._now_ms())
            for one in people:
                who = (one.number, one.zone, one.additional_vars)
                one.held = held_spans(campaign, *who, made.get(one.number, ()))
