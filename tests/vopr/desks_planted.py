"""Planted bugs of desks and of calls that come in, which the fault simulator must find."""

from collections.abc import Callable
from typing import Any, Final

import pytest
from msgspec import structs
from sqlalchemy import delete

from dialer.domain.billing.charge import Rate
from dialer.domain.calls.call_recording import RecordingPlan, TapeState
from dialer.domain.engine import consultations, inbound
from dialer.domain.engine.calls_on_hold import Holds
from dialer.domain.engine.consultations import Consultations
from dialer.domain.engine.desk_orders import DeskOrders
from dialer.domain.engine.desks import Desks
from dialer.domain.engine.engine import Engine
from dialer.domain.engine.preview_orders import PreviewOrders
from dialer.domain.engine.previews import Previews
from dialer.domain.engine.state import OpenCampaign
from dialer.domain.engine.transfers import Transfers
from dialer.domain.queueing.agents import AgentState
from dialer.domain.queueing.call_distributor import CallDistributor
from dialer.domain.queueing.kept_agents import KeptAgents
from dialer.domain.queueing.skills import Skills
from dialer.domain.words.enums import AgentStatus
from dialer.store.journal.recorder import EffectRecorder
from dialer.store.journal.transfers import CallCentreRows
from dialer.store.tables import CallDraft
from tests.runtime.broken import Wrapped, wrap
from tests.vopr import worlds
from tests.vopr.planted import Planted

Patch = pytest.MonkeyPatch


def _is_parted(transfers: Transfers, call: Any, transfer: Any) -> bool:  # noqa: ANN401 - of the engine
    """Return whether the agent of a transfer has ordered another transfer of the call."""
    agent = transfers._agents.get(transfer.agent_id or 0)  # noqa: SLF001 - of the engine
    return agent is not None and agent.transfer_call_id == call.id


def _unless_parted(name: str) -> Callable[[Patch], None]:
    """Return a function that leaves out a step when the leg of an agent ends who has transferred the call."""

    def plant(patch: Patch) -> None:
        def around(step: Wrapped) -> Wrapped:
            def left_out(self: Transfers, call: Any, transfer: Any, *rest: Any, **more: bool) -> None:  # noqa: ANN401 - as the step
                if not _is_parted(self, call, transfer):
                    step(self, call, transfer, *rest, **more)

            return left_out

        wrap(patch, Transfers, name, around)

    return plant


def _parted_legs_go_on(patch: Patch) -> None:
    patch.setattr(Desks, "moved", lambda self, now_ms, event: self.reached(now_ms, event.reached))


def _orders_are_kept(patch: Patch) -> None:
    """Let the rows of agents keep orders that were performed, so that a restart performs them again."""

    def around(keep: Wrapped) -> Wrapped:
        def kept(self: CallCentreRows, effect: Any) -> None:  # noqa: ANN401 - as `keep_agent`
            keep(self, structs.replace(effect, ended_hang_up_id=None, ended_transfer_id=None))

        return kept

    wrap(patch, CallCentreRows, "keep_agent", around)


def _orders_are_forgotten_at_a_crash(patch: Patch) -> None:
    def around(read: Wrapped) -> Wrapped:
        def forgetful(self: DeskOrders, before: Any, agent: Any) -> None:  # noqa: ANN401 - plans of agents
            is_new = before is not None
            read(self, before, agent if is_new else structs.replace(agent, hang_up_call_id=None, transfer_call_id=None))

        return forgetful

    wrap(patch, DeskOrders, "read", around)


def _promises_in_calls_are_forgotten(patch: Patch) -> None:
    patch.setattr(Engine, "_say_outcome", lambda *_: None)


def _agents_who_owe_an_outcome_get_calls(patch: Patch) -> None:
    def is_free(self: AgentState, now_ms: int) -> bool:
        return self.is_on_duty and self.talk is None and self.figures.free_at_ms <= now_ms

    patch.setattr(AgentState, "is_free", is_free)


def _drafts_end_with_their_calls(patch: Patch) -> None:
    def around(record: Wrapped) -> Wrapped:
        def forgetful(self: EffectRecorder, effect: Any) -> Any:  # noqa: ANN401 - as `_record_call`
            self._rows.at_work().execute(delete(CallDraft).where(CallDraft.callrequest_id == effect.call.id))
            return record(self, effect)

        return forgetful

    wrap(patch, EffectRecorder, "_record_call", around)


def _agents_who_have_left_their_desks_get_calls(patch: Patch) -> None:
    patch.setattr(AgentState, "is_on_duty", property(lambda self: self.plan.status != AgentStatus.LOGGED_OUT))


def _agents_are_free_twice(patch: Patch) -> None:
    def around(released: Wrapped) -> Wrapped:
        def twice(self: CallDistributor, now_ms: int, call_id: int, rest_ms: int, **owes: bool) -> int | None:
            agent_id: int | None = released(self, now_ms, call_id, rest_ms, **owes)
            if agent_id is not None and self._agent(agent_id).plan.transfer_call_id == call_id:
                self._talks[call_id] = agent_id
                released(self, now_ms, call_id, rest_ms, **owes)
            return agent_id

        return twice

    wrap(patch, CallDistributor, "released", around)


def _holds_stay_when_a_call_is_transferred(patch: Patch) -> None:
    patch.setattr(Holds, "ended", Holds._count)  # noqa: SLF001 - as above


def _third_persons_stay(patch: Patch) -> None:
    patch.setattr(Consultations, "talk_ended", lambda *_: None)


def _callees_stay_on_hold(patch: Patch) -> None:
    """Leave the callee on hold when the third person is gone."""

    def around(ended: Wrapped) -> Wrapped:
        def left(self: Consultations, now_ms: int, event: Any) -> None:  # noqa: ANN401 - as `leg_ended`
            with pytest.MonkeyPatch.context() as inner:
                inner.setattr(consultations, "open_transfer", lambda _: None)
                ended(self, now_ms, event)

        return left

    wrap(patch, Consultations, "leg_ended", around)


def _hang_ups_are_not_obeyed(patch: Patch) -> None:
    def around(perform: Wrapped) -> Wrapped:
        def deaf(self: DeskOrders, now_ms: int) -> None:
            self._calls = {}
            perform(self, now_ms)

        return deaf

    wrap(patch, DeskOrders, "perform", around)


def _agents_are_asked_while_they_dial(patch: Patch) -> None:
    def around(keep: Wrapped) -> Wrapped:
        def kept(self: KeptAgents, agent_id: int, *call_id: int) -> None:
            if call_id:
                self.let_go(agent_id)
            else:
                keep(self, agent_id)

        return kept

    wrap(patch, KeptAgents, "keep", around)


def _inbound_calls_are_charged(patch: Patch) -> None:
    patch.setattr(inbound, "FREE", Rate(60_000))


def _inbound_calls_count_as_dialled(patch: Patch) -> None:
    def around(finish: Wrapped) -> Wrapped:
        def counted(self: EffectRecorder, effect: Any, now_ms: int) -> None:  # noqa: ANN401 - as `_record_inbound`
            finish(self, effect, now_ms)
            self._rows.progress[effect.call.plan.id].calls += 1

        return counted

    wrap(patch, EffectRecorder, "_record_inbound", around)


def _manual_dials_ignore_max_aleg(patch: Patch) -> None:
    taken: Any = OpenCampaign.__dict__["places_taken"]
    patch.setattr(OpenCampaign, "places_taken", property(lambda self: 0 if self.wanted else taken.fget(self)))


def _abandoned_people_have_no_agent(patch: Patch) -> None:
    """Plant the bug in worlds that give callers up soon, and try again soon. Others do so once in a thousand seeds."""

    def often(limits_of: Wrapped) -> Wrapped:
        soon = {"abandoned_maxretry": 3, "abandoned_intervalretry": 20, "max_aleg": 0, "frequency": 300}
        return lambda dice: limits_of(dice) | soon

    def soon_given_up(queue: Wrapped) -> Wrapped:
        return lambda dice: queue(dice) | {"max_wait_time": 5, "max_wait_time_with_no_agent": 5}

    wrap(patch, worlds, "limits_of", often)
    wrap(patch, worlds, "_queue", soon_given_up)
    patch.setattr(Previews, "keep_agent", lambda *_: None)


def _looks_do_not_give_way(patch: Patch) -> None:
    patch.setattr(PreviewOrders, "give_way", lambda *_: False)


def _skills_are_not_looked_at(patch: Patch) -> None:
    patch.setattr(Skills, "has", lambda *_: True)


def _queues_record_from_the_answer_on(patch: Patch) -> None:
    def around(at_dial: Wrapped) -> Wrapped:
        def begun(self: RecordingPlan, callid: str) -> TapeState | None:
            return TapeState.KEEPING if self.queue_ids else at_dial(self, callid)

        return begun

    wrap(patch, RecordingPlan, "state_at_dial", around)


DESK_PLANTED: Final = (
    Planted("queues record what callees say before an agent answers", _queues_record_from_the_answer_on, 15),
    Planted("calls go to agents without their skills", _skills_are_not_looked_at, 187),
    Planted("third persons stay when the agent is gone", _third_persons_stay, 53),
    Planted("callees stay on hold when the third person is gone", _callees_stay_on_hold, 107),
    Planted("no agent is kept for people who were abandoned", _abandoned_people_have_no_agent, 95),
    Planted("callers wait beside an agent who looks at a person", _looks_do_not_give_way, 53),
    Planted("the leg of an agent who transfers goes on", _parted_legs_go_on, 35),
    Planted("the leg of an agent who transfers has no CDR", _unless_parted("_finish"), 35),
    Planted("an agent who transfers is not free again", _unless_parted("_free_agent"), 35),
    Planted("an agent who transfers is free again twice", _agents_are_free_twice, 35),
    Planted("orders are kept once they are performed", _orders_are_kept, 35),
    Planted("orders are forgotten at a crash", _orders_are_forgotten_at_a_crash, 134),
    Planted("promises in calls are forgotten", _promises_in_calls_are_forgotten, 54),
    Planted("agents who owe an outcome get calls", _agents_who_owe_an_outcome_get_calls, 78),
    Planted("drafts end with their calls", _drafts_end_with_their_calls, 53),
    Planted("agents who have left their desks get calls", _agents_who_have_left_their_desks_get_calls, 53),
    Planted("holds stay when a call is transferred", _holds_stay_when_a_call_is_transferred, 52),
    Planted("agents hang up in vain", _hang_ups_are_not_obeyed, 43),
    Planted("agents are asked while they dial", _agents_are_asked_while_they_dial, 53),
    Planted("calls that come in are charged", _inbound_calls_are_charged, 49),
    Planted("calls that come in count as dialled", _inbound_calls_count_as_dialled, 49),
    Planted("manual dials ignore max_aleg", _manual_dials_ignore_max_aleg, 29),
)
"""Bugs that only worlds with calls at desks, with manual dials, or with numbers that take calls, find."""
