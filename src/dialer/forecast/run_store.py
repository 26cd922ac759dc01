"""The store of one run of a forecast: it has subscribers for the engine, and adds up what becomes of the campaign."""

from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from dialer.domain.billing.money import format_money
from dialer.domain.calls import agent_effects, call_effects, campaign_effects, effects, text_effects
from dialer.domain.calls.plans import Call, CallOutcome, Subscriber
from dialer.domain.figures.digest import RunningDigest
from dialer.domain.figures.statistics import HOUR_MS
from dialer.domain.forecast.rehearsed_rules import RuleCost
from dialer.domain.numbers.listed_forms import has_no_country, listed_forms
from dialer.domain.words.enums import AmdStatus, CampaignStatus, LegType
from dialer.forecast.queue_figures import QueueTally
from dialer.forecast.stage import ForecastStage, Opening
from dialer.sim.memory_store import MemoryStore
from dialer.sim.report import show_date
from dialer.store.journal.agent_calls import for_agents
from dialer.store.queries.do_not_call import hashed
from dialer.store.queries.survey_results import counted_name

if TYPE_CHECKING:
    from dialer.forecast.contact_memory import ContactMemory

_IGNORED: Final = (
    *(call_effects.AnswerCall, text_effects.SendText, text_effects.KeepText, text_effects.DropText),
    *(
        agent_effects.KeepAgent,
        agent_effects.KeepQueue,
        campaign_effects.KeepFigures,
        campaign_effects.KeepBreaker,
        call_effects.KeepLine,
    ),
    *(
        campaign_effects.ExpectCallBack,
        call_effects.RefuseInbound,
        call_effects.TakeBackCall,
        agent_effects.KeepPreview,
    ),
)
"""Effects that no figure of a forecast depends on, or that only lines cause."""
AMOUNTS_KEPT: Final = 1_024
"""Number of amounts whose text is kept: most calls cost what others do."""
_A_LEG: Final = int(LegType.A_LEG)
_B_LEG: Final = int(LegType.B_LEG)
_PERSON: Final = int(AmdStatus.PERSON)
_MACHINE: Final = AmdStatus.MACHINE
_shown: Final = lru_cache(maxsize=AMOUNTS_KEPT)(format_money)


class Stop(NamedTuple):
    """The moment at which a campaign stopped dialling, in milliseconds since the epoch, and the reason."""

    at_ms: int
    reason: str


class Counters(NamedTuple):
    """The counters of a campaign from the forecast on; money in integers of 1e-5."""

    calls: int
    """Calls that are over, or text messages whose delivery is decided."""
    answered: int
    completed: int
    cost: int
    live_answered: int
    """Calls answered by a person whose survey leads to queues, of which `abandoned` is a part."""
    abandoned: int
    machine_answered: int = 0
    """Answered calls that detection takes for those of machines."""


class RunStore(MemoryStore):
    """The `CampaignStore` of one run of a forecast. It answers and counts as the rows of the service would."""

    def __init__(self, stage: ForecastStage) -> None:
        self._contacts: Final = _contacts_of(stage)
        """The contacts that rules count; None without a rule, which then cost nothing."""
        super().__init__(copies=True)
        self._listed: Final = stage.listed
        self._number_key: Final = stage.number_key
        self._called_off: Final[set[str]] = set()
        """Numbers that were put on a do-not-call list in the run."""
        self._has_forms = stage.number_key is not None or any(map(has_no_country, self._listed))
        self._campaign: Final = self._open(stage.campaign_id, stage.people, (self._listed, self._called_off))
        if stage.openings:
            self.open_until(stage.openings[0])
        self.stop: Stop | None = None
        """The last move of the campaign by the engine."""
        self._calls = self._answered = self._cost = self._live_answered = self._abandoned = 0
        self._machines = 0
        self.digest: Final = RunningDigest()
        self._add_line: Final = self.digest.add
        self._now_ms: Final = stage.now_ms
        self.answers: Final[Counter[tuple[int, str]]] = Counter()
        """The number of times each answer was given, by section and answer."""
        self.hours: Final[defaultdict[int, list[int]]] = defaultdict(lambda: [0, 0])
        """Calls or messages, and their price, by hour since the epoch."""
        self.starts: Final = array("q")
        """The beginning of each call, or message of a campaign of messages, that ends after the forecast begins."""
        self.ends: Final = array("q")
        """The ends of the same, in the same order."""
        self.queues: Final = QueueTally(stage.world.agents, stage.queues)

    def _all_recorders(self) -> dict[type, Callable[[Any, int], None] | None]:
        return {
            **super()._all_recorders(),
            **dict.fromkeys(_IGNORED),
            call_effects.FinishCall: self._record_finish,
            call_effects.FinishInbound: self._record_inbound,
            text_effects.FinishText: self._record_text,
            call_effects.FinishLeg: self._record_leg,
            call_effects.KeepTransfer: self._record_transfer,
            campaign_effects.MoveCampaign: self._record_move,
            **({} if self._contacts is None else self._recorders_of_contacts(self._contacts)),
        }

    def _recorders_of_contacts(self, contacts: "ContactMemory") -> dict[type, Callable[[Any, int], None] | None]:
        """Return the functions of effects of which rules learn."""

        def dialled(effect: call_effects.Dial, now_ms: int) -> None:
            contacts.dialled(effect.call)
            self._record_dial(effect, now_ms)

        def finished(effect: call_effects.FinishCall, now_ms: int) -> None:
            contacts.ended(effect)
            self._record_finish(effect, now_ms)

        def came_in(effect: call_effects.FinishInbound, now_ms: int) -> None:
            contacts.ended(effect)
            self._record_inbound(effect, now_ms)

        def put_back(effect: campaign_effects.PutBack, now_ms: int) -> None:
            if effect.is_held:
                contacts.put_back(effect, now_ms)
            self._record_put_back(effect, now_ms)

        return {
            call_effects.Dial: dialled,
            call_effects.FinishCall: finished,
            call_effects.FinishInbound: came_in,
            campaign_effects.PutBack: put_back,
            text_effects.SendText: lambda effect, _: contacts.dialled(effect.message),
        }

    @property
    def held(self) -> tuple[RuleCost, ...]:
        """The costs of contact rules so far, in the order of the rules' ids."""
        return () if self._contacts is None else self._contacts.costs()

    def _hold(self, found: Sequence[Subscriber]) -> None:
        if self._contacts is not None:
            self._contacts.hold(found)

    def open_until(self, opening: Opening) -> None:
        """Let those subscribers exist whose contacts are collected by an opening."""
        self._campaign.last_id = opening.last_id

    @property
    def counters(self) -> Counters:
        """The counters of the run so far."""
        return Counters(
            self._calls,
            self._answered,
            self._campaign.completed,
            self._cost,
            self._live_answered,
            self._abandoned,
            self._machines,
        )

    def _is_listed(self, number: str, lists: Sequence[AbstractSet[str]]) -> bool:
        if super()._is_listed(number, lists):
            return True
        key = self._number_key
        return key is not None and any(hashed(key, form) in self._listed for form in listed_forms(number))

    def _record_finish(self, effect: call_effects.FinishCall, _now_ms: int) -> None:
        call, outcome, cost, after = effect.call, effect.outcome, effect.bill.cost, effect.disposition
        if call.parts:
            self._count_message(call, cost)
            self._keep_span(call, outcome)
        else:
            self._record_call(effect)
            if call.plan.flow.queue_ids:
                live, abandoned = for_agents(call, outcome)
                self._live_answered += live
                self._abandoned += abandoned
            self._machines += outcome.answered_ms is not None and outcome.amd_status is _MACHINE
        self._calls += 1
        self._answered += outcome.answered_ms is not None or outcome.delivered_ms is not None
        self._cost += cost
        self._settle(call.plan.id, call.subscriber, after, after.due_ms)

    def _record_inbound(self, effect: call_effects.FinishInbound, _now_ms: int) -> None:
        self._record_call(effect)

    def _record_call(self, effect: call_effects.FinishCall | call_effects.FinishInbound) -> None:
        call, outcome, bill = effect.call, effect.outcome, effect.bill
        hour = self.hours[call.started_ms // HOUR_MS]
        hour[0] += call.attempt > 0
        hour[1] += bill.cost
        self._add_line(
            (
                call.callid,
                call.callerid,
                call.did_number or call.subscriber.number,
                show_date(call.started_ms),
                bill.duration,
                bill.billsec,
                _shown(bill.cost),
                bill.billed_duration,
                int(outcome.cause),
                _A_LEG,
                int(outcome.amd_status),
            )
        )
        self._keep_span(call, outcome)
        for result in outcome.results:
            self.answers[result.section_id, counted_name(result)] += 1

    def _keep_span(self, call: Call, outcome: CallOutcome) -> None:
        if outcome.ended_ms > self._now_ms:
            self.starts.append(call.started_ms)
            self.ends.append(outcome.ended_ms)

    def _record_leg(self, effect: call_effects.FinishLeg, _now_ms: int) -> None:
        transfer, bill = effect.transfer, effect.bill
        started_ms = transfer.started_ms or 0
        self.hours[started_ms // HOUR_MS][1] += bill.cost
        self._add_line(
            (
                transfer.callid,
                effect.call.subscriber.number,
                transfer.number,
                show_date(started_ms),
                bill.duration,
                bill.billsec,
                _shown(bill.cost),
                bill.billed_duration,
                int(effect.outcome.cause),
                _B_LEG,
                _PERSON,
            )
        )
        self._cost += bill.cost
        self.queues.leg_finished(effect)

    def _record_text(self, effect: text_effects.FinishText, _now_ms: int) -> None:
        self._count_message(effect.message, effect.bill.cost)
        self._cost += effect.bill.cost

    def _count_message(self, message: Call, cost: int) -> None:
        hour = self.hours[message.started_ms // HOUR_MS]
        hour[0] += 1
        hour[1] += cost

    def _record_transfer(self, effect: call_effects.KeepTransfer, _now_ms: int) -> None:
        self.queues.transfer_kept(effect.transfer)

    def _record_move(self, effect: campaign_effects.MoveCampaign, now_ms: int) -> None:
        if effect.status is not CampaignStatus.START:
            self.stop = Stop(now_ms, effect.reason)

    def _record_wish(self, effect: effects.KeepWish, _now_ms: int) -> None:
        self._called_off.add(effect.number)
        self._has_forms = self._has_forms or has_no_country(effect.number)


def _contacts_of(stage: ForecastStage) -> "ContactMemory | None":
    if stage.ruled is None:
        return None
    from dialer.forecast.contact_memory import ContactMemory  # noqa: PLC0415 - few campaigns have rules

    return ContactMemory(stage.ruled, stage.history, stage.expires_ms)
