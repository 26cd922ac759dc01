"""SimulationStore: the records of a pure simulation: subscribers, call detail records and answers."""

from collections import Counter
from collections.abc import Callable
from typing import Any, Final

import msgspec

from dialer.domain.calls import agent_effects, call_effects, campaign_effects, text_effects
from dialer.domain.calls.plan_parts import SectionResult
from dialer.domain.calls.plans import Call, CallOutcome, Transfer
from dialer.domain.pacing.inputs import PacingFigures
from dialer.domain.words.enums import AmdStatus, CampaignStatus, LegType
from dialer.sim.memory_store import IN_PROCESS, MemoryStore


class SimulatedCdr(msgspec.Struct, frozen=True, gc=False):
    """Call detail record, with times in milliseconds since the epoch and money in integers of 1e-5."""

    callid: str
    callerid: str
    phone_number: str
    starting_ms: int
    duration: int
    billsec: int
    call_cost: int
    billed_duration: int
    hangup_cause_q850: int
    leg_type: int
    amd_status: AmdStatus
    callrequest_id: int | None
    campaign_id: int | None
    subscriber_id: int
    contact_id: int | None


class Closing(msgspec.Struct, frozen=True):
    """Time and reason of a campaign's own stop."""

    status: CampaignStatus
    reason: str
    at_ms: int


_IGNORED: Final = (
    *(text_effects.SendText, text_effects.KeepText, text_effects.DropText, call_effects.TakeBackCall),
    *(
        agent_effects.KeepAgent,
        agent_effects.KeepQueue,
        campaign_effects.KeepBreaker,
        call_effects.KeepLine,
        campaign_effects.ExpectCallBack,
    ),
    agent_effects.KeepPreview,
)
"""Effects that change nothing here: agents, queues and gateways have no rows."""
_FINISHED: Final = call_effects.FinishCall
_A_LEG: Final = LegType.A_LEG
"""A constant for every call. A lookup in an enumeration costs as much as a function call."""


class SimulationStore(MemoryStore):
    """Records of any number of simulated campaigns."""

    def __init__(self) -> None:
        super().__init__()
        self.cdrs: Final[list[SimulatedCdr]] = []
        """Call detail records, in the order in which the calls ended."""
        self.results: Final[list[tuple[int, SectionResult]]] = []
        """Survey answers, each with the id of its call request."""
        self.closings: Final[dict[int, Closing]] = {}
        """First stop of each campaign, by campaign id. Later moves follow from it."""
        self.transfers: Final[dict[str, tuple[Call, Transfer]]] = {}
        """Latest state of every transfer with its call, by the callid of the B-leg."""
        self.messages: Final[list[tuple[Call, CallOutcome]]] = []
        """Messages sent during calls, with their outcomes."""
        self.figures: Final[dict[int, PacingFigures]] = {}
        """Pacing figures of campaigns that dial for agents, by campaign id."""
        self.spent: Final[Counter[int]] = Counter()
        """Money spent by each user, in integers of 1e-5."""
        self.calls_in_progress = 0
        self.calls_in_progress_peak = 0

    def _all_recorders(self) -> dict[type, Callable[[Any, int], None] | None]:
        return {
            **super()._all_recorders(),
            **dict.fromkeys(_IGNORED),
            campaign_effects.MoveCampaign: self._record_move,
            call_effects.AnswerCall: self._record_answer,
            call_effects.FinishCall: self._record_call,
            call_effects.FinishInbound: self._record_call,
            call_effects.RefuseInbound: self._record_refused_inbound,
            call_effects.FinishLeg: self._record_leg,
            call_effects.KeepTransfer: self._record_transfer,
            text_effects.FinishText: self._record_message,
            campaign_effects.KeepFigures: self._record_figures,
        }

    def _record_dial(self, effect: call_effects.Dial, _now_ms: int) -> None:
        # Written out: a call of the method of the base would cost each simulated call as much as this.
        subscriber_id = effect.call.subscriber.id
        self._standings[subscriber_id] = IN_PROCESS
        self._waiting.pop(subscriber_id, None)
        self.calls_in_progress += 1
        if self.calls_in_progress > self.calls_in_progress_peak:  # noqa: PLR1730 - three times as fast as max()
            self.calls_in_progress_peak = self.calls_in_progress

    def _record_answer(self, _effect: call_effects.AnswerCall, _now_ms: int) -> None:
        """Count a call that came in. It changes nothing for the subscriber."""
        self.calls_in_progress += 1
        self.calls_in_progress_peak = max(self.calls_in_progress, self.calls_in_progress_peak)

    def _record_call(self, effect: call_effects.FinishCall | call_effects.FinishInbound, _now_ms: int) -> None:
        call, outcome, bill = effect.call, effect.outcome, effect.bill
        plan, subscriber = call.plan, call.subscriber
        self.cdrs.append(
            SimulatedCdr(
                call.callid,
                call.callerid,
                call.did_number or subscriber.number,
                call.started_ms,
                bill.duration,
                bill.billsec,
                bill.cost,
                bill.billed_duration,
                outcome.cause,
                _A_LEG,
                outcome.amd_status,
                call.id,
                plan.id,
                subscriber.id,
                subscriber.contact_id,
            )
        )
        for result in outcome.results:
            self.results.append((call.id, result))
        self.spent[plan.user_id] += bill.cost
        self.calls_in_progress -= 1
        if type(effect) is _FINISHED:
            after = effect.disposition
            self._settle(plan.id, subscriber, after, after.due_ms)

    def _record_refused_inbound(self, effect: call_effects.RefuseInbound, now_ms: int) -> None:
        self.cdrs.append(_refused_cdr(effect, now_ms))

    def _record_leg(self, effect: call_effects.FinishLeg, _now_ms: int) -> None:
        self.cdrs.append(_leg_cdr(effect))
        self.spent[effect.call.plan.user_id] += effect.bill.cost

    def _record_transfer(self, effect: call_effects.KeepTransfer, _now_ms: int) -> None:
        self.transfers[effect.transfer.callid] = (effect.call, effect.transfer)

    def _record_message(self, effect: text_effects.FinishText, _now_ms: int) -> None:
        self.messages.append((effect.message, effect.outcome))
        self.spent[effect.message.plan.user_id] += effect.bill.cost

    def _record_figures(self, effect: campaign_effects.KeepFigures, _now_ms: int) -> None:
        self.figures[effect.campaign_id] = effect.figures

    def _record_move(self, effect: campaign_effects.MoveCampaign, now_ms: int) -> None:
        self.closings.setdefault(effect.campaign_id, Closing(effect.status, effect.reason, now_ms))


def _refused_cdr(effect: call_effects.RefuseInbound, now_ms: int) -> SimulatedCdr:
    caller = effect.subscriber
    return SimulatedCdr(
        callid=effect.callid,
        callerid=caller.number,
        phone_number=effect.did_number,
        starting_ms=now_ms,
        duration=0,
        billsec=0,
        call_cost=0,
        billed_duration=0,
        hangup_cause_q850=effect.cause,
        leg_type=LegType.A_LEG,
        amd_status=AmdStatus.PERSON,
        callrequest_id=None,
        campaign_id=None,
        subscriber_id=caller.id,
        contact_id=caller.contact_id,
    )


def _leg_cdr(effect: call_effects.FinishLeg) -> SimulatedCdr:
    call, transfer, bill = effect.call, effect.transfer, effect.bill
    return SimulatedCdr(
        callid=transfer.callid,
        callerid=call.subscriber.number,
        phone_number=transfer.number,
        starting_ms=transfer.started_ms or 0,
        duration=bill.duration,
        billsec=bill.billsec,
        call_cost=bill.cost,
        billed_duration=bill.billed_duration,
        hangup_cause_q850=effect.outcome.cause,
        leg_type=LegType.B_LEG,
        amd_status=AmdStatus.PERSON,
        callrequest_id=call.id,
        campaign_id=call.plan.id,
        subscriber_id=call.subscriber.id,
        contact_id=call.subscriber.contact_id,
    )
