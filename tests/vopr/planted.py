"""Planted bugs: small changes that break the service, which the fault simulator must find.

`seed` is the first seed that finds the bug. It only saves time: `make vopr` tries all seeds.
"""

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import pytest
from msgspec import structs
from sqlalchemy import Connection, false

from dialer.domain.calls.effects import KeepWish
from dialer.domain.calls.events import Report
from dialer.domain.calls.plans import CampaignPlan
from dialer.domain.engine import dialling, engine, plain_dials, retry
from dialer.domain.engine.b_legs import BLegs
from dialer.domain.engine.called_off import CalledOff
from dialer.domain.engine.credit import Account
from dialer.domain.engine.engine import Engine
from dialer.domain.engine.gateway_load import GatewayLoad
from dialer.domain.engine.hopper import Hopper
from dialer.domain.engine.openings import Openings
from dialer.domain.engine.person_verdicts import PersonVerdicts
from dialer.domain.engine.preview_orders import PreviewOrders
from dialer.domain.engine.previews import Previews
from dialer.domain.engine.state import EngineState
from dialer.domain.engine.watchdog import Watchdog
from dialer.domain.queueing.agents import AgentState
from dialer.domain.rules.call_again import AgainOutcome, NotAgain
from dialer.domain.rules.dial_rules import ALLOWED
from dialer.domain.words.enums import CampaignStatus
from dialer.runtime.steps import coordinator, recovery
from dialer.runtime.steps.step_extent import StepExtent
from dialer.store.database.service_state import State
from dialer.store.journal import recorder
from dialer.store.journal.call_counters import CallCounts
from dialer.store.journal.rows import CdrRow
from dialer.store.journal.unwritten_rows import UnwrittenRows
from dialer.store.queries import calls_in_progress
from dialer.store.queries.load_engine import Loader
from dialer.store.rows.joining import call_again, contact_collection
from dialer.store.rows.wishes import call_off
from tests.runtime.broken import Wrapped, b_legs_have_no_cdr, changes_are_not_noticed, the_list_is_not_read, wrap
from tests.vopr import run

Patch = pytest.MonkeyPatch


class Planted(NamedTuple):
    """A bug: its name, a function that plants it, and the first seed that finds it."""

    name: str
    plant: Callable[[Patch], None]
    seed: int


def _plans(**changes: Callable[[CampaignPlan], object]) -> Callable[[Patch], None]:
    """Return a function that makes the worker read campaigns with changed settings."""

    def plant(patch: Patch) -> None:
        def around(plan_of: Wrapped) -> Wrapped:
            def plan(*arguments: Any) -> CampaignPlan:  # noqa: ANN401 - the arguments of `_plan`
                read: CampaignPlan = plan_of(*arguments)
                return structs.replace(read, **{name: change(read) for name, change in changes.items()})

            return plan

        wrap(patch, Loader, "_plan", around)

    return plant


def _late_agents_call(patch: Patch) -> None:
    """Call a person when the time is over, whatever the campaign says."""

    def call(self: PreviewOrders, campaign: Any, offered: Any, now_ms: int) -> None:  # noqa: ANN401 - as `_time_over`
        self._want(campaign, offered, now_ms)

    patch.setattr(PreviewOrders, "_time_over", call)


def _looks_are_forgotten(patch: Patch) -> None:
    patch.setattr(PreviewOrders, "_restore", lambda *_: None)


def _callers_are_forgotten(patch: Patch) -> None:
    patch.setattr(Previews, "restore_call", lambda *_: None)


def _dnc_is_skipped_on_retries(patch: Patch) -> None:
    def around(verdict: Wrapped) -> Wrapped:
        def judged(self: PersonVerdicts, campaign: Any, person: Any, *rest: Any) -> Any:  # noqa: ANN401 - as `of`
            return ALLOWED if person.attempts else verdict(self, campaign, person, *rest)

        return judged

    wrap(patch, PersonVerdicts, "of", around)


def _dnc_is_known_from_the_start_only(patch: Patch) -> None:
    """Ignore a request in a call to not be called again, where campaigns have claimed the subscriber."""
    patch.setattr(EngineState, "called_off", property(lambda _: CalledOff(), lambda *_: None), raising=False)


def _wishes_go_on_named_lists_only(patch: Patch) -> None:
    """Lose the wishes of callees whose campaign names no list, and keep all others from other campaigns."""

    def around(_keep: Wrapped) -> Wrapped:
        def keep(connection: Connection, wish: KeepWish, now_ms: int) -> None:
            call_off(connection, (wish.dnc_id,), wish.number, wish.proof, now_ms)

        return keep

    wrap(patch, recorder, "keep_wish", around)


def _a_repeated_report_is_handled(patch: Patch) -> None:
    def around(handle: Wrapped) -> Wrapped:
        def forgetful(self: Engine, now_ms: int, event: Any) -> Any:  # noqa: ANN401 - as the engine's
            if isinstance(event, Report) and (call := self._calls.get(event.call_id)):
                call.last_seq = 0
            return handle(self, now_ms, event)

        return forgetful

    wrap(patch, Engine, "handle", around)


def _reports_of_unknown_calls_are_handled(patch: Patch) -> None:
    def around(handle: Wrapped) -> Wrapped:
        def credulous(self: Engine, now_ms: int, event: Any) -> Any:  # noqa: ANN401 - as the engine's
            if not isinstance(event, Report) or event.call_id in self._calls:
                return handle(self, now_ms, event)
            effects: list[Any] = []
            self._state.emit = effects.append
            self._handlers[type(event)](now_ms, event)
            return effects

        return credulous

    wrap(patch, Engine, "handle", around)


def _holds_are_not_released(patch: Patch) -> None:
    def around(reserve: Wrapped) -> Wrapped:
        return lambda self, user_id, amount: reserve(self, user_id, max(amount, 0))

    wrap(patch, UnwrittenRows, "reserve", around)


def _money_is_a_float(patch: Patch) -> None:
    def around(bill: Wrapped) -> Wrapped:
        def charged(call: Any, outcome: Any) -> Any:  # noqa: ANN401 - as `bill`
            found = bill(call, outcome)
            return structs.replace(found, cost=found.cost * 1.1) if found.cost else found

        return charged

    wrap(patch, engine, "bill", around)


def _calls_in_progress_are_lost_at_recovery(patch: Patch) -> None:
    patch.setattr(recovery, "attempts_in_progress", lambda *_: [])


def _windows_are_those_of_the_service(patch: Patch) -> None:
    def around(window: Wrapped) -> Wrapped:
        return lambda self, key, now_ms: window(self, "" if key != "?" else key, now_ms)

    wrap(patch, Hopper, "_window", around)


def _windows_close_too_late(patch: Patch) -> None:
    def around(window: Wrapped) -> Wrapped:
        def longer(self: Hopper, key: str, now_ms: int) -> Any:  # noqa: ANN401 - a window
            found = window(self, key, now_ms)
            return structs.replace(found, until_ms=found.until_ms + 3_600_000) if found.is_open else found

        return longer

    wrap(patch, Hopper, "_window", around)


def _one_call_a_second_too_many(patch: Patch) -> None:
    def around(renew: Wrapped) -> Wrapped:
        def more(self: GatewayLoad, plan: Any, *rest: Any) -> None:  # noqa: ANN401 - as `renew`
            renew(self, structs.replace(plan, max_cps=plan.max_cps and plan.max_cps + 1), *rest)

        return more

    wrap(patch, GatewayLoad, "renew", around)


def _channels_are_not_counted(patch: Patch) -> None:
    def around(renew: Wrapped) -> Wrapped:
        def unlimited(self: GatewayLoad, plan: Any, *rest: Any) -> None:  # noqa: ANN401 - as `renew`
            renew(self, structs.replace(plan, max_channels=0), *rest)

        return unlimited

    wrap(patch, GatewayLoad, "renew", around)


def _calling_hours_are_ignored(patch: Patch) -> None:
    def around(renew: Wrapped) -> Wrapped:
        def at_any_hour(self: GatewayLoad, plan: Any, *rest: Any) -> None:  # noqa: ANN401 - as `renew`
            renew(self, structs.replace(plan, hours=None), *rest)

        return at_any_hour

    wrap(patch, GatewayLoad, "renew", around)


def _all_gateways_are_simulated(patch: Patch) -> None:
    """Deceive the guard too, so that only the observer can find the dials."""
    patch.setattr(calls_in_progress, "_is_simulated", lambda _: True)


def _some_calls_are_not_counted(patch: Patch) -> None:
    """Forget a call of a step in which several ended, so that only the counters are wrong."""

    def around(write: Wrapped) -> Wrapped:
        def sometimes(self: CallCounts, connection: Connection) -> None:
            if len(self._legs) > 1:
                self._legs.pop()
            write(self, connection)

        return sometimes

    wrap(patch, CallCounts, "write", around)


def _one_retry_too_many(patch: Patch) -> None:
    def around(after_failure: Wrapped) -> Wrapped:
        def again(call: Any, outcome: Any) -> Any:  # noqa: ANN401 - as `disposition`
            call.plan = structs.replace(call.plan, maxretry=call.plan.maxretry + 1)
            return after_failure(call, outcome)

        return again

    wrap(patch, retry, "_after_failure", around)


def _carriers_use_people_up(patch: Patch) -> None:
    patch.setattr(retry, "is_carriers_own", lambda *_: False)


def _unanswered_calls_are_charged(patch: Patch) -> None:
    def around(bill: Wrapped) -> Wrapped:
        def charged(call: Any, outcome: Any) -> Any:  # noqa: ANN401 - as `bill`
            is_unanswered = outcome.answered_ms is None and outcome.message_status is None
            return bill(call, structs.replace(outcome, answered_ms=call.started_ms) if is_unanswered else outcome)

        return charged

    wrap(patch, engine, "bill", around)


def _calls_have_two_cdrs(patch: Patch) -> None:
    def around(add: Wrapped) -> Wrapped:
        def twice(self: UnwrittenRows, row: CdrRow) -> None:
            add(self, row)
            add(self, row._replace(id=self.next_cdr_id, callid=f"{row.callid[:-1]}x"))

        return twice

    wrap(patch, UnwrittenRows, "add_cdr", around)


def _paused_campaigns_are_read_as_started(patch: Patch) -> None:
    def around(campaign_of: Wrapped) -> Wrapped:
        def started(*arguments: Any, **named: Any) -> Any:  # noqa: ANN401 - as `_campaign`
            return structs.replace(campaign_of(*arguments, **named), status=CampaignStatus.START)

        return started

    wrap(patch, Loader, "_campaign", around)


def _legs_take_their_channel_with_them(patch: Patch) -> None:
    def around(release: Wrapped) -> Wrapped:
        def kept(self: Any, call: Any, transfer: Any) -> None:  # noqa: ANN401 - as `release`
            release(self, call, transfer)
            if transfer.gateway_id:
                self._state.gateways[transfer.gateway_id].in_progress += 1

        return kept

    wrap(patch, BLegs, "release", around)


def _agents_take_two_calls(patch: Patch) -> None:
    patch.setattr(AgentState, "is_idle", lambda self, _now_ms: self.is_on_duty)


def _dials_come_twice_as_often(patch: Patch) -> None:
    def around(fixed_rate: Wrapped) -> Wrapped:
        return lambda frequency, due_us, now_ms: fixed_rate(frequency * 2, due_us, now_ms)

    wrap(patch, dialling, "fixed_rate", around)
    wrap(patch, plain_dials, "fixed_rate", around)


def _pacing_forgets_at_recovery(patch: Patch) -> None:
    def around(campaign_of: Wrapped) -> Wrapped:
        def forgotten(*arguments: Any, **named: Any) -> Any:  # noqa: ANN401 - as `_campaign`
            return structs.replace(campaign_of(*arguments, **named), next_dial_us=0)

        return forgotten

    wrap(patch, Loader, "_campaign", around)


def _held_money_is_spent_again(patch: Patch) -> None:
    def around(offer: Wrapped) -> Wrapped:
        def rich(self: Account, *arguments: Any) -> Any:  # noqa: ANN401 - as `offer`
            held, self.held = self.held, 0
            try:
                return offer(self, *arguments)
            finally:
                self.held = held

        return rich

    wrap(patch, Account, "offer", around)


def _answers_do_not_wait(patch: Patch) -> None:
    patch.setattr(StepExtent, "seconds_ahead", lambda _: 0.0)


def _decisions_are_far_ahead(patch: Patch) -> None:
    patch.setattr(run, "AHEAD_MS", (4_000,))


def _the_watchdog_sleeps(patch: Patch) -> None:
    patch.setattr(Watchdog, "woken", lambda *_: None)


def _ids_are_given_again_after_a_crash(patch: Patch) -> None:
    def around(open_state: Wrapped) -> Wrapped:
        def behind(connection: Connection, first_now_ms: int) -> State:
            state: State = open_state(connection, first_now_ms)
            return state._replace(last_cdr_id=max(0, state.last_cdr_id - 1))

        return behind

    wrap(patch, coordinator, "open_state", around)


def _aborted_calls_go_on(patch: Patch) -> None:
    def around(close: Wrapped) -> Wrapped:
        return lambda self, now_ms, event: close(self, now_ms, structs.replace(event, is_aborted=False))

    wrap(patch, Openings, "close_campaign", around)


def _cheap_calls_are_not_charged(patch: Patch) -> None:
    def around(charge: Wrapped) -> Wrapped:
        def seldom(self: UnwrittenRows, user_id: int, kind: str, cost: int, callid: str, now_ms: int) -> None:
            if kind != "call" or cost > 2_000:
                charge(self, user_id, kind, cost, callid, now_ms)

        return seldom

    wrap(patch, UnwrittenRows, "charge", around)


def _those_who_are_done_are_called_again(patch: Patch) -> None:
    def around(judged: Wrapped) -> Wrapped:
        def again(*arguments: Any) -> Any:  # noqa: ANN401 - as `judge`
            verdict = judged(*arguments)
            return AgainOutcome.NO_ANSWER if verdict in {NotAgain.DONE, NotAgain.REFUSED} else verdict

        return again

    wrap(patch, call_again, "judge", around)


def _wishes_are_forgotten_when_people_are_called_again(patch: Patch) -> None:
    patch.setattr(call_again, "on_dnc", lambda *_: set())


def _late_contacts_may_be_those_who_were_not_chosen(patch: Patch) -> None:
    patch.setattr(contact_collection, "was_called_before", lambda *_: false())


PLANTED: Final = (
    Planted("the DNC list is not checked on retries", _dnc_is_skipped_on_retries, 12),
    Planted(
        "a callee who asks not to be called again is called by campaigns that have claimed them",
        _dnc_is_known_from_the_start_only,
        12,
    ),
    Planted("the DNC list is not checked at all", the_list_is_not_read, 0),
    Planted("wishes go on the lists that a campaign names only", _wishes_go_on_named_lists_only, 9),
    Planted("a repeated report is handled", _a_repeated_report_is_handled, 52),
    Planted("reports of unknown calls are handled", _reports_of_unknown_calls_are_handled, 8),
    Planted("holds are not released", _holds_are_not_released, 0),
    Planted("money is a float", _money_is_a_float, 0),
    Planted("calls in progress are lost at recovery", _calls_in_progress_are_lost_at_recovery, 9),
    Planted("windows are judged by the service's clock", _windows_are_those_of_the_service, 7),
    Planted("windows close too late", _windows_close_too_late, 10),
    Planted("max_aleg is ignored", _plans(max_aleg=lambda _: 0), 1),
    Planted("max_xfer is off by one", _plans(max_xfer=lambda plan: plan.max_xfer and plan.max_xfer + 1), 14),
    Planted("max_cps is off by one", _one_call_a_second_too_many, 14),
    Planted("max_channels is ignored", _channels_are_not_counted, 0),
    Planted("calling hours are ignored", _calling_hours_are_ignored, 0),
    Planted("all gateways count as simulated", _all_gateways_are_simulated, 8),
    Planted("one retry too many", _one_retry_too_many, 0),
    Planted("carriers use people up", _carriers_use_people_up, 2),
    Planted("unanswered calls are charged", _unanswered_calls_are_charged, 0),
    Planted("calls have two CDRs", _calls_have_two_cdrs, 0),
    Planted("B-legs have no CDR", b_legs_have_no_cdr, 3),
    Planted("paused campaigns dial", _paused_campaigns_are_read_as_started, 6),
    Planted("a pause, a payment or a DNC entry is not noticed", changes_are_not_noticed, 4),
    Planted("B-legs keep their channel", _legs_take_their_channel_with_them, 20),
    Planted("agents take two calls", _agents_take_two_calls, 27),
    Planted("campaigns dial twice as often", _dials_come_twice_as_often, 0),
    Planted("pacing forgets whenever something changes", _pacing_forgets_at_recovery, 7),
    Planted("held money is spent again", _held_money_is_spent_again, 29),
    Planted("silent calls are not given up", _the_watchdog_sleeps, 17),
    Planted("ids are given again after a crash", _ids_are_given_again_after_a_crash, 1),
    Planted("aborted calls go on", _aborted_calls_go_on, 49),
    Planted("cheap calls are not charged", _cheap_calls_are_not_charged, 2),
    Planted("campaigns dial after their expiration date", _plans(expires_ms=lambda plan: plan.expires_ms + 10**9), 50),
    Planted("calls are missing in the statistics", _some_calls_are_not_counted, 0),
    Planted("campaigns dial before their starting date", _plans(starting_ms=lambda _: 0), 7),
    Planted("those who are done are called again", _those_who_are_done_are_called_again, 8),
    Planted("wishes are forgotten when people are called again", _wishes_are_forgotten_when_people_are_called_again, 1),
    Planted("late contacts may be those who were not chosen", _late_contacts_may_be_those_who_were_not_chosen, 78),
    Planted("a person is called when nobody decided in time", _late_agents_call, 27),
    Planted("what agents see is forgotten after a crash", _looks_are_forgotten, 27),
    Planted("the agent of a call is forgotten after a crash", _callers_are_forgotten, 27),
)
AHEAD_PLANTED: Final = (
    Planted("answers do not wait for what was decided ahead", _answers_do_not_wait, 12),
    Planted("decisions are as far ahead as a clock that was set back", _decisions_are_far_ahead, 45),
)
"""Bugs that only steps find that decide ahead."""
