"""People whose calls need skills: each is called while an agent with these is free, one call for each such agent."""

from functools import partial
from typing import Final

from dialer.domain.calls.campaign_effects import PutBack
from dialer.domain.calls.plans import Subscriber
from dialer.domain.engine.state import EngineState, OpenCampaign
from dialer.domain.queueing.call_distributor import CallDistributor

AGAIN_AFTER_MS: Final = 60 * 60_000
"""Time after which somebody is looked at again whom no agent can serve, while very many wait for skills."""


class SkilledPeople:
    """The judge of people by the skills that their calls need, for campaigns that dial for agents."""

    def __init__(self, engine_state: EngineState, distributor: CallDistributor) -> None:
        self._state: Final = engine_state
        self._distributor: Final = distributor
        self.fields: Final = distributor.skills.fields
        """The names of the contacts' values with skills. While there are none, nobody has to wait for an agent here."""

    def next(self, campaign: OpenCampaign, now_ms: int) -> Subscriber | None:
        """Return the first person who has waited for skills that are free now; None if there is none."""
        return campaign.hopper.next_aside(now_ms, partial(self._may_be_called, campaign, now_ms))

    def must_wait(self, campaign: OpenCampaign, subscriber: Subscriber, now_ms: int) -> bool:
        """Return whether the person whose turn it is has to wait for an agent with skills, and note that they do."""
        if self._may_be_called(campaign, now_ms, subscriber):
            return False
        campaign.hopper.take()
        if not campaign.hopper.set_aside(subscriber):
            subscriber.due_ms = now_ms + AGAIN_AFTER_MS
            self._state.emit(PutBack(campaign.plan.id, subscriber, subscriber.due_ms, ""))
            campaign.hopper.schedule_retry(subscriber, now_ms)
        return True

    def _may_be_called(self, campaign: OpenCampaign, now_ms: int, subscriber: Subscriber) -> bool:
        """Return whether an agent is free for a person beside the calls on their way, which need the same skills."""
        document, queue_ids = subscriber.additional_vars, campaign.plan.flow.queue_ids
        if subscriber.promise_at(now_ms) is not None:
            return True
        needed = self._distributor.skills.needed_in(queue_ids, document) if campaign.is_paced else None
        if not needed:  # An agent is kept for somebody who was abandoned, whatever they need.
            return not subscriber.abandoned or self._distributor.next_idle(queue_ids, now_ms, document) is not None
        idle = self._distributor.idle_with(needed, now_ms)
        if campaign.is_previewed or not idle:  # Agents with a preview are idle no more when it is dialled.
            return idle > 0
        return self._on_their_way(queue_ids, set(needed.values())) < idle

    def _on_their_way(self, queue_ids: frozenset[int], needed: set[frozenset[str]]) -> int:
        """Return the number of calls to people who need such skills and who have not come to their queue yet."""
        skills, calls = self._distributor.skills, self._state.calls
        sharing = [self._state.campaigns[campaign_id] for campaign_id in self._state.paced.sharing(queue_ids)]
        documents = [
            calls[call_id].subscriber.additional_vars
            for campaign in sharing
            for call_id in (*campaign.dialling, *campaign.greeted)
        ]
        return sum(not needed.isdisjoint(skills.needed_in(queue_ids, document).values()) for document in documents)
