"""People whose calls need skills: each is called while an agent with these is left beside the calls on their way."""

from collections import Counter
from typing import Final

from dialer.domain.calls.campaign_effects import PutBack
from dialer.domain.calls.plans import Subscriber
from dialer.domain.engine.aside import SkillWish
from dialer.domain.engine.state import EngineState, OpenCampaign
from dialer.domain.queueing.call_distributor import CallDistributor
from dialer.domain.queueing.matching import Matching
from dialer.domain.queueing.skills import CrewKey, Needs

AGAIN_AFTER_MS: Final = 60 * 60_000
"""Time after which somebody is looked at again, while very many wait for the same skills. Each agent on duty who has
them makes it shorter, as the line is."""
AGAIN_MIN_MS: Final = 60_000
"""The least that this time can be."""


class SkillLook:
    """One look at the people of a campaign. A finding about a set of skills holds for all who need it."""

    def __init__(
        self, engine_state: EngineState, distributor: CallDistributor, campaign: OpenCampaign, now_ms: int
    ) -> None:
        self._state: Final = engine_state
        self._distributor: Final = distributor
        self._skills: Final = distributor.skills
        self._campaign: Final = campaign
        self._queue_ids: Final = campaign.plan.flow.queue_ids
        self._now_ms: Final = now_ms
        self._found: Final[dict[SkillWish, bool]] = {}
        self._served: Final[dict[Needs, int]] = {}
        self._free: Counter[CrewKey] | None = None
        self._calls: dict[Needs, int] | None = None

    def next(self) -> Subscriber | None:
        """Return the first person who has waited for skills that are free now; None if there is none."""
        hopper = self._campaign.hopper
        hopper.aside.read_again((self._skills.version, self._queue_ids, self._campaign.is_paced), self._wish_of)
        return hopper.next_aside(self._now_ms, self._is_met)

    def must_wait(self, subscriber: Subscriber) -> bool:
        """Return whether the person whose turn it is has to wait for an agent with skills, and note that they do."""
        wish = self._wish_of(subscriber)
        if subscriber.promise_at(self._now_ms) is not None or self._is_met(wish):
            return False
        hopper, served = self._campaign.hopper, self._on_duty(wish.needs)
        hopper.take()
        if hopper.aside.has_room(subscriber, wish, is_served=served > 0):
            hopper.aside.add(subscriber, wish)
        else:
            again_ms = max(AGAIN_MIN_MS, AGAIN_AFTER_MS // max(1, served))
            subscriber.due_ms = self._now_ms + again_ms
            self._state.emit(PutBack(self._campaign.plan.id, subscriber, subscriber.due_ms, ""))
            hopper.schedule_retry(subscriber, self._now_ms)
        return True

    def _wish_of(self, subscriber: Subscriber) -> SkillWish:
        """Return what must be free for a person. For somebody who was abandoned, an agent is kept."""
        is_paced = self._campaign.is_paced
        needs = self._skills.needs_in(self._queue_ids, subscriber.additional_vars) if is_paced else ()
        return SkillWish(needs, is_abandoned=not needs and subscriber.abandoned > 0)

    def _is_met(self, wish: SkillWish) -> bool:
        if wish not in self._found:
            self._found[wish] = self._look_for(wish)
        return self._found[wish]

    def _look_for(self, wish: SkillWish) -> bool:
        """Return whether an agent is left for a call beside those on their way, as far as agents are free for these."""
        if not wish.needs:
            return not wish.is_abandoned or self._distributor.next_idle(self._queue_ids, self._now_ms) is not None
        idle = self._distributor.idle_with(wish.needs, self._now_ms)
        if not idle or self._campaign.is_previewed:  # Agents with a preview are idle no more when it is dialled.
            return idle > 0
        if self._calls is None:
            self._calls = self._on_their_way()
        if sum(self._calls.values()) < idle or self._calls.keys() == {wish.needs}:  # Most often: nothing to match.
            return self._calls.get(wish.needs, 0) < idle
        if self._free is None:
            self._free = self._distributor.idle_crews(self._now_ms)
        crews = {needs: self._skills.able_crews(needs, self._free) for needs in (*self._calls, wish.needs)}
        matching = Matching(crews, self._free)
        for needs, calls in self._calls.items():
            matching.add(needs, calls)
        return matching.has_room(wish.needs)

    def _on_their_way(self) -> dict[Needs, int]:
        """Return the number of calls to people who need skills and who have not come to their queue yet, by these.

        A call for which an agent is kept is none of them: that agent is not idle.
        """
        found: dict[Needs, int] = {}
        for campaign_id in self._state.paced.sharing(self._queue_ids):
            campaign = self._state.campaigns[campaign_id]
            queue_ids = campaign.plan.flow.queue_ids
            for call_id in (*campaign.dialling, *campaign.greeted):
                needs = self._skills.needs_in(queue_ids, self._state.calls[call_id].subscriber.additional_vars)
                if needs and not self._distributor.kept.has_kept(call_id):
                    found[needs] = found.get(needs, 0) + 1
        return found

    def _on_duty(self, needs: Needs) -> int:
        """Return the number of agents on duty who have the skills."""
        if needs not in self._served:
            self._served[needs] = self._distributor.on_duty_with(needs, self._now_ms)
        return self._served[needs]
