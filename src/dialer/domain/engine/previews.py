"""Previews: persons at whom agents look before they call or skip them."""

from collections.abc import Callable
from typing import Final

import msgspec
from msgspec.structs import replace

from dialer.domain.calls.agent_effects import KeepPreview, OfferPerson
from dialer.domain.calls.plans import Call, Subscriber
from dialer.domain.engine.state import EngineState, OpenCampaign
from dialer.domain.queueing.call_distributor import CallDistributor
from dialer.domain.queueing.moments import Moments
from dialer.domain.queueing.plans import AgentPlan, Preview
from dialer.domain.words.moments import NEVER_MS


class Offered(msgspec.Struct):
    """A person that an agent previews. No other agent sees or calls the person meanwhile."""

    agent_id: int
    preview: Preview
    subscriber: Subscriber
    is_known: bool = True
    """False until the row of the subscriber is read: after a restart, and for a person whom the agent has chosen."""
    is_claimed: bool = False
    """True if the campaign may have claimed the subscriber again since, because it was read again."""


class Previews:
    """The persons at whom agents look, and the calls that agents have placed to them since.

    The row of the agent names the person. So a restart restores what the agent sees, and what the agent has ordered.
    """

    def __init__(self, engine_state: EngineState, distributor: CallDistributor, wake: Callable[[int], None]) -> None:
        self._state: Final = engine_state
        self._distributor: Final = distributor
        self.agents: Final[dict[int, AgentPlan]] = {}
        self.offers: Final[dict[int, Offered]] = {}
        """The person at whom each agent looks."""
        self.calls: Final[dict[int, int]] = {}
        """The agent who has placed each call that has not come to a transfer."""
        self.limits: Final = Moments()
        """The time until which each agent has to decide."""
        self.touched: Final[set[int]] = set()
        """Agents who may have to be shown somebody else, or nobody."""
        self.wake: Final = wake
        """Schedule a look at all of this."""

    def may_go_on(self, campaign: OpenCampaign, now_ms: int) -> bool:
        """Return whether an agent has chosen to call a person, or is idle and can be shown one."""
        if campaign.wanted:
            return True
        return self._distributor.next_idle(campaign.plan.flow.queue_ids, now_ms) is not None

    def wanted(self, campaign: OpenCampaign) -> Offered | None:
        """Return the person whom an agent wants to call and has seen for the longest time; None if there is none."""
        wanted = [self.offers[agent_id] for agent_id in campaign.wanted]
        return min(wanted, key=lambda one: (one.preview.from_ms, one.agent_id), default=None)

    def offer(self, campaign: OpenCampaign, subscriber: Subscriber, now_ms: int) -> None:
        """Show a subscriber to the agent who has been idle for the longest time, if one is idle.

        A call-back that an agent has promised to take is shown to that agent, who is idle, as it is due.
        """
        promise = subscriber.promise_at(now_ms)
        queue_ids = campaign.plan.flow.queue_ids
        idle_id = self._distributor.next_idle(queue_ids, now_ms, subscriber.additional_vars)
        agent_id = idle_id if promise is None else promise.agent_id
        if agent_id is not None:
            plan = campaign.plan
            preview = Preview(plan.id, subscriber.id, now_ms, now_ms + plan.preview_ms)
            self.show(campaign, Offered(agent_id, preview, subscriber))
            self._state.emit(KeepPreview(agent_id, preview))
            self._state.emit(OfferPerson(plan.gateway_id, self.agents[agent_id], preview))

    def show(self, campaign: OpenCampaign, offered: Offered) -> None:
        """Begin the preview of a person by an agent, or continue it after a restart."""
        agent_id, preview = offered.agent_id, offered.preview
        self.offers[agent_id] = offered
        self._state.contacts.look(agent_id, offered.subscriber.number)
        campaign.offered[preview.subscriber_id] = agent_id
        self._distributor.kept.keep(agent_id)
        if not offered.preview.is_chosen:
            self.limits.expect(agent_id, preview.until_ms)
            self.wake(preview.until_ms)

    def know(self, offered: Offered, subscriber: Subscriber) -> None:
        """Note what was read of a person at whom an agent looks."""
        contacts = self._state.contacts
        contacts.look_away(offered.agent_id, offered.subscriber.number)
        offered.is_known, offered.subscriber = True, subscriber
        contacts.look(offered.agent_id, subscriber.number)

    def want(self, campaign: OpenCampaign, offered: Offered) -> None:
        """Note that the agent chose to call the person, which ends the time limit."""
        campaign.wanted.add(offered.agent_id)

    def dialled(self, campaign: OpenCampaign, offered: Offered, call: Call) -> None:
        """Keep the agent for the call that was placed to the person."""
        agent_id = offered.agent_id
        self._forget(campaign, agent_id)
        self._distributor.kept.keep(agent_id, call.id)
        self.calls[call.id] = agent_id
        self._state.emit(KeepPreview(agent_id, replace(offered.preview, call_id=call.id)))

    def keep_agent(self, campaign: OpenCampaign, call: Call) -> None:
        """Keep the agent with the call's skills who has been idle for the longest time, as if they had placed it.

        The agent who has looked at the person, or has promised to call them, is kept anyway.
        """
        placed_ms, person = call.started_ms, call.subscriber
        is_kept = person.id in campaign.offered or call.promise is not None
        queue_ids = campaign.plan.flow.queue_ids
        agent_id = None if is_kept else self._distributor.next_idle(queue_ids, placed_ms, person.additional_vars)
        if agent_id is not None:
            self._distributor.kept.keep(agent_id, call.id)
            self.calls[call.id] = agent_id
            preview = Preview(campaign.plan.id, person.id, placed_ms, placed_ms, call.id)
            self._state.emit(KeepPreview(agent_id, preview))

    def restore_call(self, call: Call) -> None:
        """Keep an agent for a call that was placed before a restart."""
        agent_id = self.calls.get(call.id)
        if agent_id is not None and not call.transfers:
            self._distributor.kept.keep(agent_id, call.id)

    def end(self, agent_id: int) -> Offered:
        """End an agent's preview of a person who is not called, and return the preview."""
        offered = self.offers[agent_id]
        self._forget(self._state.campaigns.get(offered.preview.campaign_id), agent_id)
        self._distributor.kept.let_go(agent_id)
        self._state.emit(KeepPreview(agent_id, None))
        return offered

    def reached(self, call_id: int) -> None:
        """Note that a previewed call has reached a transfer, so that its queue asks its agent first."""
        agent_id = self.calls.pop(call_id, None)
        if agent_id is not None:
            self._state.emit(KeepPreview(agent_id, None))
            if self._distributor.waiting_of(call_id) is None:
                self._distributor.kept.let_go(agent_id)

    def call_over(self, call_id: int, now_ms: int) -> None:
        """Show another person to the agent of a call that ended without a transfer."""
        agent_id = self.calls.pop(call_id, None)
        if agent_id is not None:
            self._state.emit(KeepPreview(agent_id, None))
            self._distributor.kept.let_go(agent_id)
            self.wake(now_ms)

    def touch(self, campaign: OpenCampaign, now_ms: int) -> None:
        """Read all previewed persons of a changed campaign again."""
        if campaign.offered:
            self.touched.update(campaign.offered.values())
            self.wake(now_ms)

    def judge_again(self, now_ms: int) -> None:
        """Look again at all persons at whom agents look: an account or a gateway has changed, which may forbid them."""
        if self.offers:
            self.touched.update(self.offers)
            self.wake(now_ms)

    def _forget(self, campaign: OpenCampaign | None, agent_id: int) -> None:
        offered = self.offers.pop(agent_id)
        self._state.contacts.look_away(agent_id, offered.subscriber.number)
        self.limits.expect(agent_id, NEVER_MS)
        if campaign is not None:
            if offered.is_claimed:
                campaign.hopper.drop(offered.subscriber)
            campaign.offered.pop(offered.preview.subscriber_id, None)
            campaign.wanted.discard(agent_id)
