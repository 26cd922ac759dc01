"""Orders of agents about the persons at whom they look, and the ends of such looks without a call."""

from collections.abc import Iterable
from typing import Final, TypeVar

import msgspec

from dialer.domain.calls import campaign_events
from dialer.domain.calls.agent_effects import KeepPreview, OfferPerson
from dialer.domain.calls.campaign_effects import ClaimOffered, CountSubscribers, PutBack
from dialer.domain.calls.plans import Subscriber
from dialer.domain.engine.claims import Claims
from dialer.domain.engine.dialling import CampaignDialling
from dialer.domain.engine.person_verdicts import PersonVerdicts
from dialer.domain.engine.previews import Offered, Previews
from dialer.domain.engine.retry import AGAIN_MS
from dialer.domain.engine.state import ACTIVE, EngineState, OpenCampaign
from dialer.domain.queueing.call_distributor import CallDistributor
from dialer.domain.queueing.plans import AgentPlan, DeskAction, Preview, PreviewOrder
from dialer.domain.rules.dial_rules import Allowed
from dialer.domain.words.enums import CampaignStatus, SubscriberStatus
from dialer.domain.words.reasons import BreakCause, NoReason, SubscriberReason

SKIPS_MAX: Final = 3
"""Number of skips of a person after which nobody is shown the person again."""


class PreviewOrders:
    """Orders that were read with agents and are not performed yet, and the looks that they are about.

    An order names the person and the time since when the agent sees them. One about another look does nothing.
    """

    def __init__(
        self,
        engine_state: EngineState,
        distributor: CallDistributor,
        previews: Previews,
        claims: Claims,
        dialling: CampaignDialling,
    ) -> None:
        self._state: Final = engine_state
        self._distributor: Final = distributor
        self._previews: Final = previews
        self._claims: Final = claims
        self._dialling: Final = dialling
        self._verdicts: Final = PersonVerdicts(engine_state)
        self._orders: Final[dict[int, PreviewOrder]] = {}

    # --- what has changed ------------------------------------------------------------------------------------------

    def read(self, agent: AgentPlan) -> None:
        """Note the order of an agent. The agent of a new engine looks at the same person as before."""
        previews = self._previews
        preview = None if agent.id in previews.agents else _read(agent.preview, Preview)
        if preview is not None:
            self._restore(agent.id, preview)
        previews.agents[agent.id] = agent
        self._orders.pop(agent.id, None)
        order = _read(agent.preview_order, PreviewOrder)
        if order is not None:
            self._orders[agent.id] = order
        if agent.id in previews.offers:
            previews.touched.add(agent.id)

    def close_agent(self, now_ms: int, agent_id: int) -> None:
        """Discard the preview and the orders of a deleted agent."""
        self._orders.pop(agent_id, None)
        self._previews.agents.pop(agent_id, None)
        self._previews.touched.discard(agent_id)
        if agent_id in self._previews.offers:
            self._return(agent_id, now_ms)

    def queue_changed(self) -> None:
        """Look again at all agents who look at a person: some may serve a queue no more."""
        self._previews.touched.update(self._previews.offers)

    def campaign_opened(self, campaign: OpenCampaign) -> None:
        """Read the persons again at whom agents look for a campaign that was read, as their rows may have changed."""
        for agent_id, offered in self._previews.offers.items():
            preview = offered.preview
            if preview.campaign_id == campaign.plan.id:
                campaign.offered[preview.subscriber_id] = agent_id
                offered.is_claimed = True
                self._previews.touched.add(agent_id)
                self._claims.make(ClaimOffered(preview.campaign_id, agent_id, offered.subscriber))

    def number_stopped(self, now_ms: int, number: str) -> None:
        """End the previews of a person who wishes not to be called."""
        looks = self._state.contacts.looks.get(number)
        if looks:
            self._previews.touched.update(looks)
            self._previews.wake(now_ms)

    def contacted(self) -> None:
        """Read persons again at whom agents look, and with whom a contact was made that a rule may count."""
        contacts = self._state.contacts
        for agent_id in sorted(contacts.met):
            offered = self._previews.offers.get(agent_id)
            campaign = None if offered is None else self._state.campaigns.get(offered.preview.campaign_id)
            if offered is None or campaign is None or not offered.is_known:
                continue
            if contacts.outdate(campaign.plan.ruled, offered.subscriber):
                self._claims.make(ClaimOffered(campaign.plan.id, agent_id, offered.subscriber))
        contacts.met.clear()

    def decided(self, now_ms: int, event: campaign_events.PersonDecided) -> None:
        """Perform the order of a simulated agent."""
        self._orders[event.agent_id] = event.order
        self.follow(now_ms)

    def claimed(self, now_ms: int, event: campaign_events.OfferedClaimed) -> None:
        """Continue the preview of a person whose row was read again."""
        offered = self._previews.offers.get(event.agent_id)
        campaign = self._state.campaigns.get(event.campaign_id)
        if offered is not None and campaign is not None and offered.preview.campaign_id == event.campaign_id:
            if event.subscriber is None:
                self._previews.end(event.agent_id)
                self._dialling.wake_at(campaign, now_ms)
            else:
                event.subscriber.read_at = self._state.contacts.last
                self._known(campaign, offered, event.subscriber, now_ms)
        self._claims.answered(now_ms)

    def _known(self, campaign: OpenCampaign, offered: Offered, subscriber: Subscriber, now_ms: int) -> None:
        was_known = offered.is_known
        self._previews.know(offered, subscriber)
        agent = self._previews.agents.get(offered.agent_id)
        if was_known or offered.preview.is_chosen:
            self._previews.touched.add(offered.agent_id)
            self._previews.wake(now_ms)
        elif agent is not None:
            self._previews.show(campaign, offered)
            self._state.emit(OfferPerson(campaign.plan.gateway_id, agent, offered.preview))

    def _restore(self, agent_id: int, preview: Preview) -> None:
        if preview.call_id is not None:
            self._previews.calls[preview.call_id] = agent_id
        else:
            unknown = Subscriber(preview.subscriber_id, "", "")
            self._previews.offers[agent_id] = Offered(agent_id, preview, unknown, is_known=False)
            self._distributor.kept.keep(agent_id)
        self._previews.touched.add(agent_id)

    # --- what follows ----------------------------------------------------------------------------------------------

    def follow(self, now_ms: int) -> None:
        """Perform the orders, and end what is outdated or lasts too long."""
        previews = self._previews
        late = set(previews.limits.pop_due(now_ms))
        agent_ids = sorted(previews.touched | self._orders.keys() | late)
        previews.touched.clear()
        for agent_id in agent_ids:
            order = self._orders.pop(agent_id, None)
            if order is not None and order.action is DeskAction.DIAL:
                self._choose(agent_id, order, now_ms)
            elif agent_id in previews.offers:
                self._follow(previews.offers[agent_id], order, now_ms, is_late=agent_id in late)
            else:
                self._tidy(agent_id, has_order=order is not None)
        previews.wake(previews.limits.next_ms)

    def _tidy(self, agent_id: int, *, has_order: bool) -> None:
        """Forget a call that ended while no engine ran, and an order about nobody."""
        calls = [call_id for call_id, caller in self._previews.calls.items() if caller == agent_id]
        gone = [call_id for call_id in calls if call_id not in self._state.calls]
        for call_id in gone:
            del self._previews.calls[call_id]
        if gone or (has_order and not calls):
            self._state.emit(KeepPreview(agent_id, None))

    def _follow(self, offered: Offered, order: PreviewOrder | None, now_ms: int, *, is_late: bool) -> None:
        campaign = self._standing(offered)
        if campaign is None:
            self._return(offered.agent_id, now_ms)
        elif not isinstance(verdict := self._verdicts.of(campaign, offered.subscriber, now_ms), Allowed):
            self._previews.end(offered.agent_id)
            self._dialling.answer(campaign, offered.subscriber, verdict, now_ms)
            self._dialling.wake_at(campaign, now_ms)
        elif offered.preview.is_chosen or (order is not None and _is_about(order, offered.preview)):
            if order is not None and order.action is DeskAction.SKIP:
                self._skip(campaign, offered, now_ms)
            else:
                self._want(campaign, offered, now_ms)
        elif is_late and offered.agent_id not in campaign.wanted:
            self._time_over(campaign, offered, now_ms)
        elif order is not None:
            self._state.emit(KeepPreview(offered.agent_id, offered.preview))

    def _standing(self, offered: Offered) -> OpenCampaign | None:
        """Return the campaign of a person at whom an agent looks; None if the agent may not call them any more."""
        campaign = self._state.campaigns.get(offered.preview.campaign_id)
        if campaign is None or campaign.status is not CampaignStatus.START or not campaign.is_previewed:
            return None
        may_dial = self._distributor.may_dial(offered.agent_id, campaign.plan.flow.queue_ids)
        return campaign if may_dial and offered.is_known else None

    def give_way(self, now_ms: int) -> bool:
        """End the looks of agents for whom callers wait. Return whether there were any: their queues may ask them now.

        An agent who wants to call the person goes on.
        """
        looking = {agent_id for agent_id, one in self._previews.offers.items() if self._may_give_way(one)}
        wanted = self._distributor.wanted_of(looking, now_ms) if looking else []
        for agent_id in wanted:
            self._return(agent_id, now_ms)
        return bool(wanted)

    def make_way(self, now_ms: int, agent_ids: Iterable[int]) -> None:
        """End the looks of agents whom others consult, but for those who want to call the person."""
        for agent_id in agent_ids:
            looks = self._previews.offers.get(agent_id)
            if looks is not None and agent_id not in self._orders and self._may_give_way(looks):
                self._return(agent_id, now_ms)

    def _may_give_way(self, offered: Offered) -> bool:
        campaign = self._state.campaigns.get(offered.preview.campaign_id)
        is_wanted = campaign is not None and offered.agent_id in campaign.wanted
        return offered.is_known and not offered.preview.is_chosen and not is_wanted

    def _choose(self, agent_id: int, order: PreviewOrder, now_ms: int) -> None:
        """Let an agent call a person whom they have chosen, if they have no call."""
        previews = self._previews
        campaign, in_hand = self._state.campaigns.get(order.campaign_id), previews.offers.get(agent_id)
        if in_hand is not None and in_hand.preview.is_chosen:
            self._state.emit(KeepPreview(agent_id, in_hand.preview))
            self._follow(in_hand, None, now_ms, is_late=False)  # Their campaign may have been read again.
            return
        if in_hand is not None:
            self._return(agent_id, now_ms)
        is_taken = campaign is not None and order.subscriber_id in campaign.offered
        if campaign is None or is_taken or not self._distributor.may_dial(agent_id, campaign.plan.flow.queue_ids):
            self._tidy(agent_id, has_order=True)
            return
        preview = Preview(order.campaign_id, order.subscriber_id, order.given_ms, order.given_ms, is_chosen=True)
        unknown = Subscriber(order.subscriber_id, "", "")
        chosen = Offered(agent_id, preview, unknown, is_known=False, is_claimed=True)
        previews.show(campaign, chosen)
        self._state.emit(KeepPreview(agent_id, preview))
        self._claims.make(ClaimOffered(order.campaign_id, agent_id, unknown))

    def _want(self, campaign: OpenCampaign, offered: Offered, now_ms: int) -> None:
        self._previews.want(campaign, offered)
        self._dialling.consider(campaign, now_ms)

    def _skip(self, campaign: OpenCampaign, offered: Offered, now_ms: int) -> None:
        """Let a person wait whom an agent does not want to call. After `SKIPS_MAX` skips, nobody calls them."""
        subscriber = self._previews.end(offered.agent_id).subscriber
        subscriber.skips += 1
        if subscriber.skips < SKIPS_MAX:
            self._put_back(campaign, subscriber, now_ms, campaign.plan.intervalretry_ms, SubscriberReason.SKIPPED)
            return
        subscriber.due_ms = 0
        self._state.emit(PutBack(campaign.plan.id, subscriber, 0, SubscriberReason.SKIPPED, SubscriberStatus.FAIL))
        if campaign.in_progress == 0:
            self._state.emit(CountSubscribers(campaign.plan.id))
        self._dialling.wake_at(campaign, now_ms)

    def _time_over(self, campaign: OpenCampaign, offered: Offered, now_ms: int) -> None:
        """Call the person, or let them wait and send the agent on a break, who may have left the desk."""
        if campaign.plan.preview_calls:
            self._want(campaign, offered, now_ms)
            return
        self._previews.end(offered.agent_id)
        self._distributor.send_on_break(offered.agent_id, BreakCause.PREVIEW_OVER)
        self._put_back(campaign, offered.subscriber, now_ms, campaign.plan.intervalretry_ms)

    def _return(self, agent_id: int, now_ms: int) -> None:
        """End the look of an agent at a person, whom another agent may call at once."""
        offered = self._previews.end(agent_id)
        campaign = self._state.campaigns.get(offered.preview.campaign_id)
        if campaign is not None and campaign.status in ACTIVE and offered.is_known:
            # Somebody whom the agent has chosen may have a later time of their own, which stays.
            self._put_back(campaign, offered.subscriber, now_ms, offered.subscriber.due_ms - now_ms)

    def _put_back(
        self,
        campaign: OpenCampaign,
        subscriber: Subscriber,
        now_ms: int,
        pause_ms: int,
        reason: SubscriberReason | NoReason = "",
    ) -> None:
        """Let a person wait for a pause, or for another agent."""
        at_ms = now_ms + max(pause_ms, AGAIN_MS)
        self._dialling.put_back(campaign, PutBack(campaign.plan.id, subscriber, at_ms, reason), now_ms)
        self._dialling.wake_at(campaign, now_ms)


def _is_about(order: PreviewOrder, preview: Preview) -> bool:
    return (order.campaign_id, order.subscriber_id, order.given_ms) == (
        preview.campaign_id,
        preview.subscriber_id,
        preview.from_ms,
    )


_Kept = TypeVar("_Kept", Preview, PreviewOrder)


def _read(document: str, kind: type[_Kept]) -> _Kept | None:
    """Return what a row has as JSON; None for nothing, and for what a person wrote there who edited the row."""
    try:
        return msgspec.json.decode(document, type=kind) if document else None
    except msgspec.DecodeError:
        return None
