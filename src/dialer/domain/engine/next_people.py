"""The next person of a campaign whose calls may reach agents: the agents decide who may be called."""

from collections.abc import Callable
from functools import partial
from typing import Final

from dialer.domain.calls.campaign_effects import ClaimFresh, ClaimRetries
from dialer.domain.calls.plans import Subscriber
from dialer.domain.engine.agent_pacing import AgentPacing
from dialer.domain.engine.aside import turn_of
from dialer.domain.engine.claims import Claims
from dialer.domain.engine.state import EngineState, OpenCampaign


class NextPeople:
    """The choice of the next person, among those for whom an agent must be free and all others."""

    def __init__(
        self,
        engine_state: EngineState,
        pacing: AgentPacing,
        claims: Claims,
        consider: Callable[[OpenCampaign, int], None],
        wake_at: Callable[[OpenCampaign, int], None],
        wake_floor: Callable[[int], None],
    ) -> None:
        """`wake_at` schedules a check of a campaign, and `wake_floor` has the agents looked at from a moment on.

        `consider` checks a campaign, once a claim is answered.
        """
        self._state: Final = engine_state
        self._pacing: Final = pacing
        self._skill_fields: Final = pacing.distributor.skills.fields
        """The names of the contacts' values with skills. While there are none, nobody has to wait for an agent here."""
        self._claims: Final = claims
        self._consider: Final = consider
        self._wake_at: Final = wake_at
        self._wake_floor: Final = wake_floor

    def pace_allows(self, campaign: OpenCampaign, now_ms: int) -> bool:
        """Return whether the agents allow one more call; else schedule the time to ask again.

        First it must be known whether others who dial for them have anybody to call.
        """
        pace = self._pacing.pace(campaign, now_ms)
        claim, self._pacing.claim_first = self._pacing.claim_first, None
        if claim is not None:
            self._claims.make(claim)
            self._claims.defer(partial(self._consider, campaign))
            return False
        if pace.calls <= 0 and pace.again_ms is not None:  # Else it is asked after the dial, or when that can be made.
            self._wake_at(campaign, min(pace.again_ms, campaign.plan.expires_ms))
        return pace.calls > 0

    def next_promised(self, campaign: OpenCampaign, now_ms: int) -> Subscriber | None:
        """Return a subscriber whose call-back has waited for an agent who is free now: no pace holds it back."""
        return campaign.hopper.next_promised(now_ms, partial(self._pacing.is_available, campaign, now_ms))

    def next(self, campaign: OpenCampaign, now_ms: int) -> Subscriber | ClaimFresh | ClaimRetries | None:
        """Return the subscriber to call now, or the claim to make first, or None if nobody can be called."""
        hopper = campaign.hopper
        is_held_back = campaign.is_paced and hopper.awaits_agents and not campaign.is_previewed
        if is_held_back and not self.pace_allows(campaign, now_ms):
            return self.next_promised(campaign, now_ms)
        if self._skill_fields or hopper.aside.people:
            found = self._next_skilled(campaign, now_ms)
        else:
            found = hopper.next(now_ms, partial(self._pacing.may_keep, campaign, now_ms))
        awaiting, campaign_id = self._state.awaiting, campaign.plan.id
        if hopper.awaits_agents != (campaign_id in awaiting.queue_ids):
            if hopper.awaits_agents:
                awaiting.add(campaign_id, campaign.plan.flow.queue_ids)
                self._wake_floor(now_ms)
            else:
                awaiting.discard(campaign_id)
        return found

    def _next_skilled(self, campaign: OpenCampaign, now_ms: int) -> Subscriber | ClaimFresh | ClaimRetries | None:
        """Return the next person of all whose skills a free agent has, those who have waited for skills among them.

        The order is that of the hopper, so that a restart, which forgets who has waited, changes nothing.
        """
        hopper, may_keep = campaign.hopper, partial(self._pacing.may_keep, campaign, now_ms)
        # Most services have no skills, and start without this.
        from dialer.domain.engine.skilled_people import SkillLook  # noqa: PLC0415

        look = SkillLook(self._state, self._pacing.distributor, campaign, now_ms)
        following = hopper.next(now_ms, may_keep)
        while campaign.is_paced and isinstance(following, Subscriber) and following.id not in campaign.offered:
            if not look.must_wait(following):
                break
            following = hopper.next(now_ms, may_keep)
        if isinstance(following, ClaimFresh | ClaimRetries) or not hopper.aside.people:
            return following
        skilled = look.next()
        if skilled is None or following is None or turn_of(skilled) < turn_of(following):
            return skilled or following
        return hopper.next(now_ms, may_keep)
