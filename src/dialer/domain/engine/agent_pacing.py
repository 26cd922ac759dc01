"""The pacing of campaigns that dial for agents: the input of their strategies, and the figures they measure."""

import math
from typing import Final

from msgspec.structs import replace

from dialer.domain.calls.call_events import CallAnswered, CallRestored
from dialer.domain.calls.campaign_effects import ClaimFresh, ClaimRetries
from dialer.domain.calls.contact_rules import HOUR_MS
from dialer.domain.calls.plans import ANY_AGENT, Call, CallOutcome, CampaignPlan, Subscriber
from dialer.domain.engine.state import ACTIVE, EngineState, OpenCampaign
from dialer.domain.pacing.inputs import ASKED_EVERY_MS, Pace, PacingInputs
from dialer.domain.pacing.predictive import credit_of
from dialer.domain.pacing.strategies import GO_WITH_TIME, PREDICTIVE
from dialer.domain.queueing.call_distributor import CallDistributor
from dialer.domain.words.enums import CampaignStatus, DialMethod

_SETTLING_MS: Final = 60_000
"""The time for which the end of a call may be late."""


class AgentPacing:
    """The caller of the strategies, which also keeps their figures up to date."""

    def __init__(self, engine_state: EngineState, distributor: CallDistributor) -> None:
        self._state: Final = engine_state
        self.distributor: Final = distributor
        self.claim_first: ClaimFresh | ClaimRetries | None = None
        """Set by `pace` if it is not known whether a neighbour has anybody to call: the claim to make before the next
        question. So the pace does not depend on what happens to be in memory."""

    def pace(self, campaign: OpenCampaign, now_ms: int) -> Pace:
        """Return the number of calls that the campaign may place now, and the time to ask again.

        Strategies in `GO_WITH_TIME` are asked for whole seconds only. Asking once more in between, as after a restart,
        therefore changes nothing.
        """
        strategy, plan = campaign.strategy, campaign.plan
        periods = campaign.measured.figures.periods
        if periods and (len(periods) > 1 or not periods[0].from_ms <= now_ms < periods[0].until_ms):
            _go_on(campaign, now_ms)
        if strategy is PREDICTIVE and self._state.paced.is_alone(plan.id):  # As most are.
            crew = self.distributor.crew(plan.flow.queue_ids, now_ms)
            calls = len(campaign.dialling), len(campaign.greeted)
            seen_ms = now_ms - now_ms % ASKED_EVERY_MS
            return campaign.foresight.pace(crew, *calls, plan.abandon_rate_max, seen_ms, plan.first_answers)
        if strategy.name not in GO_WITH_TIME:
            pace = strategy.pace(self._situation(campaign, now_ms, now_ms))
            if pace.memory is not None:
                self._keep_memory(campaign, pace.memory)
            return pace
        seen_ms = now_ms - now_ms % ASKED_EVERY_MS
        situation = self._situation(campaign, now_ms, seen_ms)
        pace = strategy.pace(situation)
        if pace.memory is not None:
            self._keep_memory(campaign, pace.memory)
        is_still = not situation.bridged_ms and not situation.wrapping_ms
        return pace if is_still or pace.is_steady else replace(pace, again_ms=seen_ms + ASKED_EVERY_MS)

    def _keep_memory(self, campaign: OpenCampaign, memory: dict[str, float]) -> None:
        campaign.measured.figures.memory = memory
        self._state.keep_figures(campaign)

    def concerned(self, now_ms: int) -> list[OpenCampaign]:
        """Return the active campaigns that may dial more or less than when this was asked last, in order of id."""
        queue_ids = self.distributor.restaffed(now_ms)
        campaign_ids = self._state.paced.take_concerned(queue_ids)
        awaiting = self._state.awaiting.sharing(queue_ids) if self._state.awaiting.queue_ids else []
        return self._active(sorted({*campaign_ids, *awaiting}) if awaiting else campaign_ids)

    def is_available(self, campaign: OpenCampaign, now_ms: int, _subscriber: Subscriber, agent_id: int) -> bool:
        """Return whether an agent is free for a call of the campaign that only they take.

        Nobody is free as `ANY_AGENT`: such a call takes the place of one that the pace allows.
        """
        return self.distributor.is_available(now_ms, agent_id, campaign.plan.flow.queue_ids)

    def may_keep(self, campaign: OpenCampaign, now_ms: int, subscriber: Subscriber, agent_id: int) -> bool:
        """Return whether an agent, or any with the skills for `ANY_AGENT`, is free to be kept for a call."""
        if agent_id != ANY_AGENT:
            return self.is_available(campaign, now_ms, subscriber, agent_id)
        queue_ids = campaign.plan.flow.queue_ids
        return self.distributor.next_idle(queue_ids, now_ms, subscriber.additional_vars) is not None

    def sharing_with(self, campaign: OpenCampaign) -> list[OpenCampaign]:
        """Return the active campaigns that dial for an agent of this one, in order of id."""
        return self._active(self._state.paced.sharing_with(campaign.plan.id))

    def _active(self, campaign_ids: list[int]) -> list[OpenCampaign]:
        campaigns = map(self._state.campaigns.__getitem__, campaign_ids)
        return [campaign for campaign in campaigns if campaign.status in ACTIVE]

    def restore(self, campaign: OpenCampaign, event: CallRestored) -> None:
        """Restore the pacing state of a call that was in progress before a restart."""
        call = event.call
        if not call.plan.flow.queue_ids:
            return
        if is_paced_by_agents(call.plan):
            self._state.paced.add(call.plan.id, call.plan.flow.queue_ids)
        if call.promise is not None:
            if not call.transfers:
                self.distributor.reserve(call.id, call.promise)
            return
        if call.has_agent:
            return
        if not event.is_live:
            campaign.machines.add(call.id)
        if event.answered_ms is None:
            campaign.dialling[call.id] = call.started_ms
        elif not call.transfers:
            campaign.greeted[call.id] = event.answered_ms

    def dialled(self, campaign: OpenCampaign, call: Call) -> None:
        """Count a call that was placed.

        Calls that may reach an agent are noted always, because the dial method may change. A call that one agent alone
        takes is no call for the others, and is not measured: the agent is kept for it.
        """
        if call.promise is not None:
            self.distributor.reserve(call.id, call.promise)
        if call.has_agent:
            return
        if campaign.plan.flow.queue_ids:
            campaign.dialling[call.id] = call.started_ms
        if campaign.is_paced:
            campaign.measured.dialled(call.started_ms, campaign.plan.abandon_hours * HOUR_MS)
        self._state.keep_figures(campaign)

    def taken_back(self, campaign: OpenCampaign, call: Call) -> None:
        """Subtract a call that was counted as placed, and never was."""
        if call.has_agent:
            return
        campaign.dialling.pop(call.id, None)
        if campaign.is_paced:
            campaign.measured.taken_back()
        self._state.keep_figures(campaign)

    def answered(self, _now_ms: int, event: CallAnswered) -> None:
        """Count an answered call after answering-machine detection has finished.

        A second report says that a person was taken for a machine.
        """
        call = self._state.calls.get(event.call_id)
        if call is None:
            return
        campaign = self._state.campaigns[call.plan.id]
        was_machine = event.is_live and call.id in campaign.machines
        if campaign.dialling.pop(event.call_id, None) is None and not was_machine:
            return
        if campaign.is_paced:
            campaign.measured.answered(call.started_ms, event.answered_ms, is_live=event.is_live)
            self._state.keep_figures(campaign)
        if was_machine:
            campaign.machines.discard(call.id)
            return
        if not event.is_live:
            campaign.machines.add(call.id)
        self._state.paced.change(campaign.plan.id)
        campaign.greeted[call.id] = event.answered_ms  # A machine that hears the survey can reach an agent.

    def ended(self, campaign: OpenCampaign, call: Call, outcome: CallOutcome) -> None:
        """Count a finished call. An answered call without a known detection result counts as answered by a person."""
        campaign.greeted.pop(call.id, None)
        campaign.machines.discard(call.id)
        was_unknown = campaign.dialling.pop(call.id, None) is not None
        if not campaign.is_paced or call.has_agent:
            self._state.paced.change(campaign.plan.id)
            return
        if outcome.is_live and was_unknown and outcome.answered_ms is not None:
            campaign.measured.answered(call.started_ms, outcome.answered_ms, is_live=True)
        elif not outcome.is_live:
            campaign.measured.failed()
        self._state.keep_figures(campaign)

    def _situation(self, campaign: OpenCampaign, now_ms: int, seen_ms: int) -> PacingInputs:
        plan = campaign.plan
        queue_ids = plan.flow.queue_ids
        staff = self.distributor.staff(queue_ids, now_ms)
        sharing = [self._state.campaigns[campaign_id] for campaign_id in self._state.paced.sharing(queue_ids)]
        return PacingInputs(
            now_ms=seen_ms,
            frequency=plan.frequency,
            next_dial_us=campaign.next_dial_us,
            agent_dial_rate=plan.agent_dial_rate,
            abandon_rate_max=plan.abandon_rate_max,
            first_answers=plan.first_answers,
            agents=staff.agents,
            idle=staff.idle,
            waiting=staff.waiting,
            dialling_ms=_in_order([member.dialling for member in sharing]),
            greeted_ms=_in_order([member.greeted for member in sharing]),
            bridged_ms=staff.bridged_ms,
            wrapping_ms=staff.wrapping_ms,
            shared_credit=self._shared_credit(campaign, sharing, now_ms) if campaign.keeps_share else math.inf,
            figures=campaign.measured.figures,
            averages=campaign.measured,
        )

    def _shared_credit(self, campaign: OpenCampaign, sharing: list[OpenCampaign], now_ms: int) -> float:
        """Return the smallest credit of the neighbours that have a call which may be abandoned, or may soon have one.

        Their calls count even if they have ended. One that calls nobody now is not harmed by its neighbours' calls, and
        is asked itself before it dials again.
        """
        least = math.inf
        for other in sharing:
            if other is campaign or not other.keeps_share:
                continue
            if other.in_progress or self._may_dial(other, now_ms):
                plan, figures = other.plan, other.measured.figures
                periods = figures.periods
                if periods and (len(periods) > 1 or not periods[0].from_ms <= now_ms < periods[0].until_ms):
                    _go_on(other, now_ms)  # Its own period may have ended since it was asked last.
                least = min(least, credit_of(plan.abandon_rate_max, figures, plan.first_answers))
        return least

    def _may_dial(self, campaign: OpenCampaign, now_ms: int) -> bool:
        """Return whether a campaign may dial now, as far as is known: else set `claim_first`."""
        plan, hopper = campaign.plan, campaign.hopper
        if campaign.status is not CampaignStatus.START or not plan.starting_ms <= now_ms < plan.expires_ms:
            return False
        if self._state.gateways[plan.gateway_id].is_down:
            return False
        if hopper.has_somebody(now_ms):
            return True
        self.claim_first = self.claim_first or hopper.claim_to_know()
        return False


def _go_on(campaign: OpenCampaign, now_ms: int) -> None:
    """Begin the period of this moment for a campaign that has dialled before."""
    plan = campaign.plan
    lasting_ms = plan.ring_limit_ms + plan.callmaxduration_s * 1_000 + _SETTLING_MS
    campaign.measured.go_on(now_ms, plan.abandon_hours * HOUR_MS, lasting_ms)


def _in_order(moments: list[dict[int, int]]) -> tuple[int, ...]:
    """Return the moments of the calls of some campaigns, most often of one, in order."""
    found: list[int] = []
    for each in moments:
        found += each.values()
    return tuple(sorted(found))


def is_paced_by_agents(plan: CampaignPlan) -> bool:
    """Return whether a campaign dials for agents."""
    return plan.dial_method is not DialMethod.FIXED_RATE
