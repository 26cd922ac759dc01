"""EffectRecorder: turns the effects of a journal into rows."""

from collections.abc import Callable
from typing import Any, Final

from dialer.domain.calls import agent_effects, call_effects, campaign_effects, effects, text_effects
from dialer.domain.calls.plan_parts import SaidCallBack
from dialer.domain.words.enums import SubscriberStatus
from dialer.domain.words.exhaustive import exhaustive
from dialer.store.journal import rows
from dialer.store.journal.agent_hours import AgentHours
from dialer.store.journal.call_recordings import recording_of
from dialer.store.journal.campaign_moves import keep_wish, move_campaign
from dialer.store.journal.completions import complete
from dialer.store.journal.contact_waits import not_kept_yet, waits_of
from dialer.store.journal.previews import put_back
from dialer.store.journal.queue_hours import QueueHours
from dialer.store.journal.said_call_backs import said_call_back
from dialer.store.journal.unmade_attempts import delete_attempt
from dialer.store.journal.unwritten_rows import UnwrittenRows

_COMPLETED: Final = SubscriberStatus.COMPLETED
"""A constant for every end, where a lookup in an enumeration is slow."""


class EffectRecorder:
    """The recorder of one journal. Its rows wait among the unwritten ones."""

    def __init__(self, unwritten: UnwrittenRows) -> None:
        self._rows: Final = unwritten
        self.queue_hours: Final = QueueHours()
        self.agent_hours: Final = AgentHours()

    def recorders(self) -> dict[type, Callable[[Any, int], None]]:
        """Return functions by the type of each effect. Each takes the effect and the time."""
        recorders: dict[type, Callable[[Any, int], None]] = {
            call_effects.Dial: self._record_dial,
            call_effects.AnswerCall: lambda effect, _: self._rows.dialled.update({effect.call.id: effect.call}),
            text_effects.SendText: self._record_text,
            text_effects.KeepText: lambda effect, _: self._rows.waiting_texts.waits(effect.message),
            text_effects.DropText: lambda effect, _: self._rows.waiting_texts.dropped(effect),
            call_effects.TakeBackCall: self._take_back,
            call_effects.FinishCall: self._record_finish,
            call_effects.FinishInbound: self._record_inbound,
            campaign_effects.CompleteSubscriber: self._complete_subscriber,
            text_effects.FinishText: self._record_text_finish,
            call_effects.FinishLeg: self._record_leg,
            call_effects.KeepTransfer: self._keep_transfer,
            agent_effects.KeepAgent: self._keep_agent,
            agent_effects.KeepPreview: self._keep_preview,
            campaign_effects.PutBack: self._put_back,
            agent_effects.KeepQueue: lambda effect, _: self._rows.call_centre.keep_queue(effect),
            campaign_effects.KeepFigures: lambda effect, _: self._rows.call_centre.keep_figures(effect),
            campaign_effects.KeepBreaker: lambda effect, _: self._rows.gateways.keep_breaker(effect),
            call_effects.KeepLine: lambda effect, now_ms: self._rows.gateways.keep_line(now_ms, effect),
            campaign_effects.ExpectCallBack: lambda effect, _: self._rows.call_backs.append(rows.call_back(effect)),
            call_effects.RefuseInbound: self._refuse_inbound,
            campaign_effects.RefuseSubscriber: self._record_refusal,
            campaign_effects.MoveCampaign: lambda effect, now_ms: move_campaign(self._rows.at_work(), effect, now_ms),
            effects.KeepWish: lambda effect, now_ms: keep_wish(self._rows.at_work(), effect, now_ms),
        }
        return exhaustive(effects.Recorded, recorders)

    def _keep_agent(self, effect: agent_effects.KeepAgent, now_ms: int) -> None:
        self.agent_hours.kept(self._rows.at_work(), effect, now_ms)
        self._rows.call_centre.keep_agent(effect)

    def _keep_preview(self, effect: agent_effects.KeepPreview, now_ms: int) -> None:
        self.agent_hours.previewed(self._rows.at_work(), effect, now_ms)
        self._rows.previews.keep(effect)

    def _put_back(self, effect: campaign_effects.PutBack, now_ms: int) -> None:
        self._rows.flush_subscribers()
        put_back(self._rows.at_work(), effect, now_ms)
        if effect.is_held:
            whom = effect.subscriber
            waits = waits_of(effect.campaign_id, whom.id, whom.held, now_ms)
            if any(wait.until_ms is None for wait in waits):  # It is looked at again and again until a call ends.
                self._rows.flush()
                waits = not_kept_yet(self._rows.at_work(), waits, whom.number)
            self._rows.waits += waits

    def _record_dial(self, effect: call_effects.Dial, _now_ms: int) -> None:
        call = effect.call
        if call.parts:
            self._rows.messages.sent(call)
        else:
            self._rows.dialled[call.id] = call
        self._rows.place(call, rows.called(call, self._rows.subscribers.get(call.subscriber.id)))
        if effect.callerid_turns:
            self._rows.gateways.keep_turns(call.plan.id, effect.callerid_turns)
        if call.subscriber.consents is not None:
            self._rows.uses_consents(call.subscriber.consents, call.started_ms)
        progress = self._rows.progress[call.plan.id]
        progress.calls += 1
        progress.next_dial_us = effect.next_dial_us
        self._rows.reserve(call.plan.user_id, call.hold)

    def _record_text(self, effect: text_effects.SendText, _now_ms: int) -> None:
        self._rows.messages.sent(effect.message)
        self._rows.reserve(effect.message.plan.user_id, effect.message.hold)
        self._rows.waiting_texts.sent(effect)

    def _take_back(self, effect: call_effects.TakeBackCall, now_ms: int) -> None:
        """Delete the row of an attempt that was never made, and make its subscriber due again."""
        self._rows.flush()
        call = effect.call
        last_ms = delete_attempt(self._rows.at_work(), call)
        row = rows.after_call(effect, now_ms, self._rows.subscribers.get(call.subscriber.id))
        self._rows.place(call, row._replace(attempts=call.attempt - 1, dialled_ms=last_ms))
        self._rows.progress[call.plan.id].calls -= 1
        self._rows.reserve(call.plan.user_id, -call.hold)

    def _record_finish(self, effect: call_effects.FinishCall, _now_ms: int) -> None:
        """Record the end of an attempt, with its changes to the subscriber, the campaign's counters and the balance."""
        call, outcome, cost = effect.call, effect.outcome, effect.bill.cost
        ended_ms, user_id, progress = outcome.ended_ms, call.plan.user_id, self._rows.progress[call.plan.id]
        if call.parts:
            self._rows.messages.finished(call, outcome, cost)
            self._rows.counts.message(call, outcome, cost)
        else:
            row = self._record_call(effect)
            progress.live_answered += row.is_for_agents
            progress.abandoned += row.is_abandoned
        self._rows.place(call, rows.after_call(effect, ended_ms, self._rows.subscribers.get(call.subscriber.id)))
        if call.call_back is not None:
            self._keep_said_call_back(effect, call.call_back)
        progress.answered += outcome.answered_ms is not None or outcome.delivered_ms is not None
        progress.completed += effect.disposition.status is _COMPLETED
        progress.cost += cost
        if cost:
            self._rows.charge(user_id, "sms" if call.parts else "call", cost, call.callid, ended_ms)
        self._rows.reserve(user_id, -call.hold)

    def _keep_said_call_back(self, effect: call_effects.FinishCall, said: SaidCallBack) -> None:
        """Keep the call-back that an agent has promised in a call, if its end lets the subscriber wait for it."""
        if effect.disposition.status is SubscriberStatus.PENDING:
            self._rows.said_call_backs.append(said_call_back(effect.call, said))
            if effect.outcome.is_completed:
                self._rows.completed_before_call_back.append((effect.call.id,))

    def _record_inbound(self, effect: call_effects.FinishInbound, _now_ms: int) -> None:
        self._record_call(effect)

    def _complete_subscriber(self, effect: campaign_effects.CompleteSubscriber, now_ms: int) -> None:
        self._rows.flush()
        for campaign_id in complete(self._rows.at_work(), effect, now_ms):
            self._rows.progress[campaign_id].completed += 1

    def _record_text_finish(self, effect: text_effects.FinishText, _now_ms: int) -> None:
        message, cost = effect.message, effect.bill.cost
        self._rows.messages.finished(message, effect.outcome, cost)
        self._rows.counts.message(message, effect.outcome, cost)
        self._rows.progress[message.plan.id].cost += cost
        self._rows.charge(message.plan.user_id, "sms", cost, message.callid, effect.outcome.ended_ms)
        self._rows.reserve(message.plan.user_id, -message.hold)

    def _record_call(self, effect: call_effects.FinishCall | call_effects.FinishInbound) -> rows.CdrRow:
        call = effect.call
        if self._rows.dialled.pop(call.id, None) is not None:
            self._rows.requests_over.append(rows.over(effect))
            self._rows.over.append(call)
        else:
            self._rows.requests_ended.append(rows.end(effect))
            self._rows.ended.append((call, effect.outcome.ended_ms))
        row = rows.cdr(self._rows.next_cdr_id, effect)
        self._rows.add_cdr(row)
        plans = call.plan.recording
        by_itself = plans.share or plans.is_on_demand or plans.queue_ids
        is_recorded = call.sound_store is not None or by_itself or call.transfers
        if is_recorded and (recording := recording_of(call, effect.outcome)) is not None:
            self._rows.call_recordings.append(recording)
        elif call.sound_store is not None:
            self._rows.untold_recordings.append(call.callid)
        for transfer in call.transfers if call.plan.trial_of_id is None else ():  # A test is no caller of a queue.
            self.queue_hours.left(transfer)
        for result in effect.outcome.results:
            self._rows.results.append(rows.result(call, result))
            if result.recording_ms is not None and not call.is_over_line:
                self._rows.recorded.append((result.response, result.recording_ms))
        return row

    def _record_leg(self, effect: call_effects.FinishLeg, now_ms: int) -> None:
        plan, cost = effect.call.plan, effect.bill.cost
        self._rows.add_cdr(rows.leg_cdr(self._rows.next_cdr_id, effect))
        self._rows.progress[plan.id].cost += cost
        self._rows.charge(plan.user_id, "call", cost, effect.transfer.callid, now_ms)

    def _keep_transfer(self, effect: call_effects.KeepTransfer, now_ms: int) -> None:
        self.agent_hours.transferred(self._rows.at_work(), effect, now_ms)
        self._rows.reserve(effect.call.plan.user_id, self._rows.transfers.keep(effect))

    def _refuse_inbound(self, effect: call_effects.RefuseInbound, now_ms: int) -> None:
        self._rows.add_cdr(rows.refused_cdr(self._rows.next_cdr_id, effect, now_ms))

    def _record_refusal(self, effect: campaign_effects.RefuseSubscriber, now_ms: int) -> None:
        status = int(SubscriberStatus.NOT_AUTHORIZED)
        self._rows.refusals.append(rows.RefusalRow(status, effect.reason, 0, now_ms, effect.subscriber.id))
