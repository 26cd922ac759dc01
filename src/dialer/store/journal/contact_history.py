"""The contacts that were made with claimed people, as far as the rules of their campaigns count them, and consents."""

from collections.abc import Callable, Sequence
from typing import Final

from sqlalchemy import Connection

from dialer.domain.calls.contact_rules import RuledCampaign
from dialer.domain.calls.plans import CampaignPlan, Subscriber
from dialer.store.queries.contact_rules import consents_over, contacts_with, held_spans


class ContactHistory:
    """A reader of what rules count, and of consents. Campaigns that need neither cost it nothing."""

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

    def judged(self, campaign_id: int, people: Sequence[Subscriber]) -> Sequence[Subscriber]:
        """Return those of some people whom a rule of a campaign may hold back; all, if it needs a consent."""
        campaign = self._campaigns.get(campaign_id)
        if campaign is None:
            return ()
        return people if campaign.consent is not None else [one for one in people if campaign.may_hold(one.number)]

    def hold(self, connection: Connection, campaign_id: int, people: Sequence[Subscriber]) -> None:
        """Note for claimed people when rules hold them back, and when there is a consent of theirs.

        One query reads the contacts of all of them, and another one the consents, each if the campaign needs it.
        """
        campaign = self._campaigns[campaign_id]
        numbers = [one.number for one in people]
        made = contacts_with(connection, campaign, numbers, self._now_ms())
        for one in people:
            who = (one.number, one.zone, one.additional_vars)
            one.held = held_spans(campaign, *who, made.get(one.number, ()))
        if campaign.consent is not None:
            spans = consents_over(connection, campaign, {one.number: one.zone for one in people})
            for one in people:
                one.consents = spans[one.number]
