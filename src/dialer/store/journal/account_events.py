"""The events that the steps of a worker cause. The observer takes part once an account keeps its events."""

from collections.abc import Callable, Iterable, Sequence
from operator import itemgetter
from typing import Any, Final, Generic, NamedTuple, TypeVar

from sqlalchemy import Connection, bindparam, select

from dialer.domain.billing.charge import Bill
from dialer.domain.calls import agent_effects, call_effects, campaign_effects, effects, text_effects
from dialer.domain.calls.plans import Call, CallOutcome
from dialer.domain.engine.state import EngineState
from dialer.domain.words.enums import AgentStatus, CampaignStatus, Consulted, LegType, MessageStatus, SubscriberStatus
from dialer.domain.words.exhaustive import exhaustive
from dialer.store.journal.account_figures import Charges, LineChanges
from dialer.store.journal.rows import CdrRow
from dialer.store.rows.account_events import EventRow, campaign_subject, event_row, named_campaign, write_events
from dialer.store.tables import Agent, Campaign, DncContact, Subscriber

_IGNORED: Final = (
    *(text_effects.KeepText, text_effects.DropText, agent_effects.KeepQueue),
    *(
        campaign_effects.KeepFigures,
        campaign_effects.KeepBreaker,
        campaign_effects.ExpectCallBack,
        call_effects.RefuseInbound,
    ),
    agent_effects.KeepPreview,
)
_FINAL: Final = {
    SubscriberStatus.COMPLETED: "subscriber.completed",
    SubscriberStatus.SENT: "subscriber.completed",
    SubscriberStatus.FAIL: "subscriber.failed",
    SubscriberStatus.ABORT: "subscriber.failed",
    SubscriberStatus.NOT_AUTHORIZED: "subscriber.failed",
}
_ASKED: Final = Consulted.ASKED
_MOVED: Final = {CampaignStatus.PAUSE: "campaign.paused", CampaignStatus.END: "campaign.ended"}
_HALTED: Final = select(Subscriber.id, Subscriber.status_reason).where(
    Subscriber.status == SubscriberStatus.ABORT, Subscriber.id.in_(bindparam("ids", expanding=True))
)


_Effect = TypeVar("_Effect")


class _Noted(NamedTuple, Generic[_Effect]):
    """An effect whose events are known at the end of the step, and its place in the step."""

    place: int
    effect: _Effect
    at_ms: int


class AccountEventRows:
    """Observer of a journal that writes the events of the accounts that keep them, with the step that caused them.

    The events of a step have the order of its effects.
    """

    def __init__(self) -> None:
        self._users: Final[set[int]] = set()
        self._place = 0
        self._events: list[tuple[int, EventRow]] = []
        self._moves: list[_Noted[campaign_effects.MoveCampaign]] = []
        self._agents: list[_Noted[agent_effects.KeepAgent]] = []
        self._refusals: list[_Noted[campaign_effects.RefuseSubscriber | campaign_effects.PutBack]] = []
        self._wishes: list[_Noted[effects.KeepWish]] = []
        self._completions: list[_Noted[campaign_effects.CompleteSubscriber]] = []
        self._waiting: list[_Noted[call_effects.FinishCall | call_effects.TakeBackCall]] = []
        """Attempts after which their subscribers wait for another one, unless they were halted meanwhile."""
        self._talks: Final[set[int]] = set()
        """The calls in which an agent talks."""
        self._charges: Final = Charges()
        self._lines: Final = LineChanges()
        handlers: dict[type, Callable[[Any, int], None] | None] = {
            **dict.fromkeys(_IGNORED),
            call_effects.Dial: lambda effect, now_ms: self._begun(effect.call, now_ms),
            call_effects.AnswerCall: lambda effect, now_ms: self._begun(effect.call, now_ms),
            text_effects.SendText: lambda effect, now_ms: self._begun(effect.message, now_ms),
            call_effects.TakeBackCall: self._taken_back,
            call_effects.FinishCall: self._finished,
            call_effects.FinishLeg: lambda effect, now_ms: self._charged(effect.call, effect.bill, now_ms),
            call_effects.KeepTransfer: self._transferred,
            call_effects.KeepLine: self._lines.note,
            call_effects.FinishInbound: lambda effect, now_ms: self._over(
                effect.call, effect.outcome, effect.bill, now_ms
            ),
            text_effects.FinishText: lambda effect, now_ms: self._over(
                effect.message, effect.outcome, effect.bill, now_ms
            ),
            campaign_effects.MoveCampaign: lambda effect, now_ms: self._note(self._moves, effect, now_ms),
            agent_effects.KeepAgent: self._kept,
            campaign_effects.PutBack: self._put_back,
            campaign_effects.RefuseSubscriber: lambda effect, now_ms: self._note(self._refusals, effect, now_ms),
            effects.KeepWish: lambda effect, now_ms: self._note(self._wishes, effect, now_ms),
            campaign_effects.CompleteSubscriber: lambda effect, now_ms: self._note(self._completions, effect, now_ms),
        }
        self.handlers: Final = exhaustive(effects.Recorded, handlers)

    def follow(self, user_id: int, *, keeps_events: bool) -> None:
        """Write the events of an account from now on, or no more."""
        (self._users.add if keeps_events else self._users.discard)(user_id)

    def restored(self, call: Call) -> None:
        """Take up the talk of a call that was in progress before: the events of its beginning are stored already."""
        self._talks.update(call.id for transfer in call.transfers if transfer.is_talk)

    def step_begun(self, connection: Connection) -> None:
        """Do nothing: events need no rows of the step."""

    def cdrs_written(self, cdrs: Sequence[CdrRow]) -> None:
        """Add the events of calls that came in and were not answered, which have a CDR only."""
        for cdr in cdrs:
            if cdr.user_id in self._users and cdr.callrequest_id is None and cdr.leg_type == LegType.A_LEG:
                data: dict[str, Any] = {
                    "state": "refused",
                    "cause": cdr.hangup_cause_q850,
                    "seconds": 0,
                    "cost": 0,
                    "is_inbound": True,
                }
                self._write(event_row(cdr.user_id, "call.ended", cdr.starting_date, f"cdr/{cdr.id}", **data))

    def step_closed(self, connection: Connection, engine_state: EngineState) -> None:  # noqa: ARG002 - no state is needed
        """Write the events of the step."""
        if self._users:
            for events in (
                *(self._campaigns, self._agents_of, self._refused, self._completed, self._answered, self._listed),
                self._halted,
            ):
                self._events.extend(events(connection))
            rows = [row for _, row in sorted(self._events, key=itemgetter(0))]
            rows += self._charges.take(connection)
            rows += self._lines.take(connection, self._users)
            write_events(connection, rows)
        for pending in (
            *(self._events, self._moves, self._agents, self._refusals, self._wishes, self._completions),
            self._waiting,
        ):
            pending.clear()

    def _note(self, where: list[_Noted[_Effect]], effect: _Effect, now_ms: int) -> None:
        self._place += 1
        where.append(_Noted(self._place, effect, now_ms))

    def _write(self, row: EventRow) -> None:
        self._place += 1
        self._events.append((self._place, row))

    def _begun(self, call: Call, now_ms: int) -> None:
        if call.plan.user_id in self._users:
            self._add(call, "message.sent" if call.parts else "call.started", now_ms, state="in_progress")

    def _taken_back(self, effect: call_effects.TakeBackCall, now_ms: int) -> None:
        call = effect.call
        if call.plan.user_id in self._users:
            self._add(call, "message.failed" if call.parts else "call.ended", now_ms, state="not_placed")
            if call.plan.trial_of_id is None:
                self._note(self._waiting, effect, now_ms)

    def _finished(self, effect: call_effects.FinishCall, now_ms: int) -> None:
        call, after = effect.call, effect.disposition
        if call.plan.user_id not in self._users:
            return
        self._over(call, effect.outcome, effect.bill, now_ms)
        kind = _FINAL.get(after.status)
        if call.plan.trial_of_id is not None:
            return
        if kind is not None:
            ids = (call.plan.id, call.subscriber.id)
            self._write(_of_subscriber(call.plan.user_id, kind, now_ms, *ids, after.status, after.reason))
        elif after.status is SubscriberStatus.PENDING:
            self._note(self._waiting, effect, now_ms)

    def _over(self, call: Call, outcome: CallOutcome, bill: Bill, now_ms: int) -> None:
        if call.plan.user_id not in self._users:
            return
        self._charged(call, bill, now_ms)
        if call.parts:
            # A message that was cut off before the carrier said anything has no status.
            status = outcome.message_status or MessageStatus.FAILED
            kind = "message.delivered" if status is MessageStatus.DELIVERED else "message.failed"
            if status is not MessageStatus.SENT:
                self._add(call, kind, now_ms, state=status.name.lower(), cost=bill.cost)
            return
        if outcome.answered_ms is not None:
            self._add(call, "call.answered", outcome.answered_ms, state="answered")
        state = "answered" if outcome.answered_ms is not None else "not_answered"
        self._add(
            call,
            "call.ended",
            outcome.ended_ms,
            state="aborted" if call.is_aborted else state,
            cause=int(outcome.cause),
            seconds=bill.billsec,
            cost=bill.cost,
        )

    def _transferred(self, effect: call_effects.KeepTransfer, now_ms: int) -> None:
        """Add the event of an agent who takes a call, once for each talk."""
        call, transfer = effect.call, effect.transfer
        if transfer.consulted is _ASKED:
            return
        if not transfer.is_talk:
            self._talks.discard(call.id)
        elif transfer.agent_id is not None and call.id not in self._talks:
            self._talks.add(call.id)
            if call.plan.user_id in self._users:
                self._add(call, "call.taken", now_ms, agent=transfer.agent_id, state="taken")

    def _charged(self, call: Call, bill: Bill, now_ms: int) -> None:
        if call.plan.user_id in self._users:
            self._charges.note(call.plan.user_id, bill.cost, now_ms)

    def _add(self, call: Call, kind: str, at_ms: int, **data: Any) -> None:  # noqa: ANN401 - JSON
        what = "message" if call.parts else "call"
        path = "sms-message" if call.parts else "callrequest"
        tried = call.plan.trial_of_id
        # No list shows a test and its subscriber, so its events name the campaign that is tried.
        subscriber_id = call.subscriber.id if tried is None else 0
        ids = {what: call.id, "subscriber": subscriber_id or None, "attempt": abs(call.attempt)}
        data = {**ids, "is_inbound": call.is_inbound, **data}
        named = call.plan.id if tried is None else tried
        self._write(event_row(call.plan.user_id, kind, at_ms, f"{path}/{call.id}", named, **data))

    def _kept(self, effect: agent_effects.KeepAgent, now_ms: int) -> None:
        if effect.status is not None:
            self._note(self._agents, effect, now_ms)

    def _put_back(self, effect: campaign_effects.PutBack, now_ms: int) -> None:
        if effect.status is SubscriberStatus.FAIL:
            self._note(self._refusals, effect, now_ms)

    def _campaigns(self, connection: Connection) -> Iterable[tuple[int, EventRow]]:
        owners = _owners(connection, Campaign, [effect.campaign_id for _, effect, _ in self._moves])
        for place, effect, at_ms in self._moves:
            user_id, kind = owners.get(effect.campaign_id), _MOVED.get(effect.status)
            if user_id in self._users and kind is not None:
                subject = campaign_subject(connection, effect.campaign_id)
                data = {"state": kind.partition(".")[2], "reason": str(effect.reason)}
                yield place, event_row(user_id, kind, at_ms, subject, effect.campaign_id, **data)

    def _agents_of(self, connection: Connection) -> Iterable[tuple[int, EventRow]]:
        owners = _owners(connection, Agent, [effect.agent_id for _, effect, _ in self._agents])
        for place, effect, at_ms in self._agents:
            user_id = owners.get(effect.agent_id)
            if user_id in self._users and effect.status is not None:
                data: dict[str, Any] = {"agent": effect.agent_id, "state": AgentStatus(effect.status).name.lower()}
                yield place, event_row(user_id, "agent.status", at_ms, f"agent/{effect.agent_id}", **data)

    def _refused(self, connection: Connection) -> Iterable[tuple[int, EventRow]]:
        owners = _owners(connection, Campaign, [effect.campaign_id for _, effect, _ in self._refusals])
        for place, effect, at_ms in self._refusals:
            user_id = owners.get(effect.campaign_id)
            if user_id in self._users:
                ids = (effect.campaign_id, effect.subscriber.id)
                status = (
                    effect.status if isinstance(effect, campaign_effects.PutBack) else SubscriberStatus.NOT_AUTHORIZED
                )
                yield place, _of_subscriber(user_id, "subscriber.failed", at_ms, *ids, status, effect.reason)

    def _completed(self, connection: Connection) -> Iterable[tuple[int, EventRow]]:
        """Yield events of people who completed a survey by calling in. Those who had completed it before have none."""
        columns = (Subscriber.id, Subscriber.campaign_id, Campaign.user_id)
        done: set[int] = set()
        for place, effect, at_ms in self._completions:
            is_theirs = (Subscriber.id == effect.subscriber_id) | (
                (Campaign.source_campaign_id == effect.campaign_id) & (Subscriber.number == effect.number)
            )
            query = select(*columns).join(Campaign, Campaign.id == Subscriber.campaign_id).where(is_theirs)
            query = query.where(Subscriber.status == SubscriberStatus.COMPLETED, Subscriber.updated_date == at_ms)
            query = query.where(Campaign.trial_of_id.is_(None))
            for subscriber_id, campaign_id, user_id in connection.execute(query.order_by(Subscriber.id)).all():
                if user_id in self._users and subscriber_id not in done:
                    done.add(subscriber_id)
                    ids = (campaign_id, subscriber_id)
                    after = (SubscriberStatus.COMPLETED, "")
                    yield place, _of_subscriber(user_id, "subscriber.completed", at_ms, *ids, *after)

    def _halted(self, connection: Connection) -> Iterable[tuple[int, EventRow]]:
        """Yield events of subscribers who are not called again, because their contact was changed during the call."""
        if not self._waiting:
            return
        waiting = {one.effect.call.subscriber.id for one in self._waiting}
        reasons = {row.id: row.status_reason for row in connection.execute(_HALTED, {"ids": list(waiting)})}
        for place, effect, at_ms in reversed(self._waiting):
            plan, subscriber_id = effect.call.plan, effect.call.subscriber.id
            reason = reasons.pop(subscriber_id, None)
            if reason is not None:
                after = (SubscriberStatus.ABORT, reason)
                yield place, _of_subscriber(plan.user_id, "subscriber.failed", at_ms, plan.id, subscriber_id, *after)

    def _answered(self, connection: Connection) -> Iterable[tuple[int, EventRow]]:
        """Yield events of text messages that were answered with a wish not to be written to."""
        for place, wish, at_ms in self._wishes:
            campaign_id = wish.answered_campaign_id
            if wish.user_id in self._users and campaign_id is not None:
                campaign_id = named_campaign(connection, campaign_id)
                subject = campaign_subject(connection, campaign_id)
                yield place, event_row(wish.user_id, "message.received", at_ms, subject, campaign_id, state="stop")

    def _listed(self, connection: Connection) -> Iterable[tuple[int, EventRow]]:
        """Yield events of numbers that wishes put on lists of their accounts. Numbers that were there have none.

        Lists of others have none either: another worker may write events of their accounts at the same time.
        """
        done: set[int] = set()
        for place, wish, at_ms in self._wishes:
            if wish.user_id is None or wish.user_id not in self._users:
                continue
            query = select(DncContact.id, DncContact.dnc_id).where(DncContact.user_id == wish.user_id)
            query = query.where(DncContact.number == wish.number, DncContact.created_date == at_ms)
            for entry_id, dnc_id in connection.execute(query.order_by(DncContact.id)).all():
                if entry_id not in done:
                    done.add(entry_id)
                    data = {"dnc_list": dnc_id, "entry": entry_id}
                    yield place, event_row(wish.user_id, "dnc.added", at_ms, f"dnc-contact/{entry_id}", **data)


def _owners(connection: Connection, table: type[Agent | Campaign], ids: Sequence[int]) -> dict[int, int]:
    """Return the accounts of records, by their ids, without trials of campaigns, which no list shows."""
    if not ids:
        return {}
    query = select(table.id, table.user_id).where(table.id.in_(set(ids)))
    rows = connection.execute(query if table is Agent else query.where(Campaign.trial_of_id.is_(None)))
    return {row.id: row.user_id for row in rows}


def _of_subscriber(
    user_id: int, kind: str, at_ms: int, campaign_id: int, subscriber_id: int, status: SubscriberStatus, reason: str
) -> EventRow:
    state = SubscriberStatus(status).name.lower()
    data = {"subscriber": subscriber_id, "state": state, "reason": str(reason)}
    return event_row(user_id, kind, at_ms, f"subscriber-list/{subscriber_id}", campaign_id, **data)
