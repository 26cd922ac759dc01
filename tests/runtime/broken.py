"""Two users of one service, and planted bugs that each break a rule for one of them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest
from msgspec import structs

from dialer.domain.calls import call_effects, campaign_effects, effects
from dialer.domain.calls.disposition import Disposition
from dialer.domain.engine import dialling, engine, plain_dials
from dialer.domain.engine.credit import Account
from dialer.domain.engine.engine import Engine
from dialer.domain.engine.gateway_load import GatewayLoad
from dialer.domain.engine.hopper import Hopper
from dialer.domain.engine.openings import Openings
from dialer.domain.engine.person_verdicts import PersonVerdicts
from dialer.domain.rules.dial_rules import ALLOWED
from dialer.domain.words.enums import CampaignStatus, SubscriberStatus
from dialer.domain.words.reasons import CampaignReason, SubscriberReason
from dialer.runtime.steps.live_engine import LiveEngine
from dialer.store.journal import claims
from dialer.store.journal.recorder import EffectRecorder
from dialer.store.journal.rows import CdrRow
from dialer.store.journal.unwritten_rows import UnwrittenRows
from dialer.store.queries.load_engine import Loader
from dialer.store.tables import Gateway, User
from tests.runtime.house import ALL_ANSWER, CENTS, House

Patch = pytest.MonkeyPatch
Wrapped = Callable[..., Any]
Plant = Callable[[Patch], None]
ANN: Final = 1
BOB: Final = 2
TALK: Final = {"type": 1, "script": "word " * 75}
"""30 s."""
ANNS: Final = [f"+1202555{number:04d}" for number in range(1_000, 1_004)]
BOBS: Final = [f"+1202556{number:04d}" for number in range(1_000, 1_004)]


def street(folder: Path) -> House:
    """Build a service with two users, Ann and Bob. Every callee answers and listens for 30 seconds."""
    house = House(folder)
    house.change(Gateway, house.gateway_id, parameters=ALL_ANSWER)
    house.add(User, username="bob", password_hash="-", call_rate=2 * CENTS)
    as_bob(house, lambda: house.pay(100 * CENTS))
    return house


def as_bob(house: House, work: Callable[[], Any]) -> Any:  # noqa: ANN401 - the result of `work`
    """Run `work` as Bob."""
    house.user_id = BOB
    try:
        return work()
    finally:
        house.user_id = ANN


async def both_start(house: House, **settings: object) -> tuple[int, int]:
    """Start a campaign of four callees for each user; `settings` are those of Ann's campaign."""
    anns = house.campaign(house.survey(TALK), house.phonebook(*ANNS), **settings)
    bobs: int = as_bob(house, lambda: house.campaign(house.survey(TALK), house.phonebook(*BOBS)))
    await house.move(bobs, CampaignStatus.START)
    await house.move(anns, CampaignStatus.START)
    return anns, bobs


def wrap(patch: Patch, owner: object, name: str, around: Callable[[Wrapped], Wrapped]) -> None:
    """Replace a function by a wrapped version."""
    patch.setattr(owner, name, around(getattr(owner, name)))


def plans(**changes: object) -> Plant:
    """Return a bug: the engine sees changed settings of Ann's campaigns."""

    def plant(patch: Patch) -> None:
        def around(open_campaign: Wrapped) -> Wrapped:
            def opened(self: Openings, now_ms: int, event: Any) -> None:  # noqa: ANN401 - an event
                if event.plan.user_id == ANN:
                    event = structs.replace(event, plan=structs.replace(event.plan, **changes))
                open_campaign(self, now_ms, event)

            return opened

        wrap(patch, Openings, "open_campaign", around)

    return plant


def effects_become(change: Callable[[effects.Effect], list[effects.Effect]]) -> Plant:
    """Return a bug: `change` replaces the effects that the engine emits."""

    def plant(patch: Patch) -> None:
        def around(handle: Wrapped) -> Wrapped:
            def handled(self: Engine, now_ms: int, event: Any) -> list[effects.Effect]:  # noqa: ANN401 - an event
                return [one for effect in handle(self, now_ms, event) for one in change(effect)]

            return handled

        wrap(patch, Engine, "handle", around)

    return plant


def is_anns(effect: Any) -> bool:  # noqa: ANN401 - an effect of a call
    """Return whether an effect concerns a call of Ann's."""
    return bool(effect.call.plan.user_id == ANN)


def nobody_is_taken_off_the_hopper(patch: Patch) -> None:
    """Plant a bug: in Ann's campaign, subscribers in a call are called again."""

    def around(take: Wrapped) -> Wrapped:
        return lambda self: None if self._campaign_id == ANN else take(self)

    wrap(patch, Hopper, "take", around)


def an_attempt_is_left_out(patch: Patch) -> None:
    def around(new_call: Wrapped) -> Wrapped:
        def later(engine_state: Any, campaign: Any, *others: Any) -> Any:  # noqa: ANN401 - as `new_call`
            for one in others:
                if campaign.plan.user_id == ANN and hasattr(one, "attempts"):
                    one.attempts += 1
            return new_call(engine_state, campaign, *others)

        return later

    wrap(patch, dialling, "new_call", around)
    wrap(patch, plain_dials, "new_call", around)


def everybody_is_called_again(patch: Patch) -> None:
    def around(disposition: Wrapped) -> Wrapped:
        def again(call: Any, outcome: Any) -> Any:  # noqa: ANN401 - as `disposition`
            found = disposition(call, outcome)
            if call.plan.user_id != ANN:
                return found
            return Disposition(
                SubscriberStatus.PENDING, SubscriberReason.BUSY, found.failures + 1, 0, outcome.ended_ms + 1_000
            )

        return again

    wrap(patch, engine, "disposition", around)


def cdrs_are_written_twice(patch: Patch) -> None:
    def around(add: Wrapped) -> Wrapped:
        def twice(self: UnwrittenRows, row: CdrRow) -> None:
            add(self, row)
            if row.user_id == ANN:
                add(self, row._replace(id=self.next_cdr_id, callid=f"{row.callid[:-1]}x"))

        return twice

    wrap(patch, UnwrittenRows, "add_cdr", around)


def cdrs_are_lost(patch: Patch) -> None:
    def around(add: Wrapped) -> Wrapped:
        return lambda self, row: None if row.user_id == ANN else add(self, row)

    wrap(patch, UnwrittenRows, "add_cdr", around)


def b_legs_have_no_cdr(patch: Patch) -> None:
    patch.setattr(EffectRecorder, "_record_leg", lambda *_: None)


def holds_are_not_released(patch: Patch) -> None:
    def around(reserve: Wrapped) -> Wrapped:
        return lambda self, user_id, amount: reserve(self, user_id, max(amount, 0) if user_id == ANN else amount)

    wrap(patch, UnwrittenRows, "reserve", around)


def calls_are_not_charged(patch: Patch) -> None:
    def around(charge: Wrapped) -> Wrapped:
        return lambda self, user_id, *others: None if user_id == ANN else charge(self, user_id, *others)

    wrap(patch, UnwrittenRows, "charge", around)


def _costs(cost: Callable[[int], object]) -> Plant:
    def plant(patch: Patch) -> None:
        def around(bill: Wrapped) -> Wrapped:
            def charged(call: Any, outcome: Any) -> Any:  # noqa: ANN401 - as `bill`
                found = bill(call, outcome)
                return structs.replace(found, cost=cost(found.cost)) if call.plan.user_id == ANN else found

            return charged

        wrap(patch, engine, "bill", around)

    return plant


def held_money_is_spent_again(patch: Patch) -> None:
    def around(offer: Wrapped) -> Wrapped:
        def rich(self: Account, plan: Any, *others: Any) -> Any:  # noqa: ANN401 - as `offer`
            held = self.held
            self.held = 0 if plan.user_id == ANN else held
            try:
                return offer(self, plan, *others)
            finally:
                self.held = held

        return rich

    wrap(patch, Account, "offer", around)


def the_list_is_not_asked(patch: Patch) -> None:
    """Plant a bug: the do-not-call list is not checked before a dial."""
    wrap(patch, PersonVerdicts, "of", lambda _: lambda *_: ALLOWED)


def the_list_is_not_read(patch: Patch) -> None:
    """Plant a bug: the do-not-call list is not checked at the claim."""

    def around(find: Wrapped) -> Wrapped:
        def found(*arguments: Any) -> list[Any]:  # noqa: ANN401 - as `_found`
            people: list[Any] = find(*arguments)
            for person in people:
                person.is_on_dnc = False
            return people

        return found

    wrap(patch, claims, "_found", around)


def every_number_may_be_called(patch: Patch) -> None:
    """Let accounts call any number."""
    patch.setattr(Account, "refuses", lambda *_: False)


def windows_are_always_open(patch: Patch) -> None:
    def around(window: Wrapped) -> Wrapped:
        return lambda self, key, now_ms: structs.replace(window(self, key, now_ms), is_open=True)

    wrap(patch, Hopper, "_window", around)


def changes_are_not_noticed(patch: Patch) -> None:
    """Plant a bug: the worker keeps what it read at its start."""
    patch.setattr(LiveEngine, "refresh", lambda self, connection, _touched: self.journal.begin(connection))


def gateways_have_no_limits(patch: Patch) -> None:
    def around(renew: Wrapped) -> Wrapped:
        def unlimited(self: GatewayLoad, plan: Any, *rest: Any) -> None:  # noqa: ANN401 - as `renew`
            renew(self, structs.replace(plan, max_channels=0, max_cps=0), *rest)

        return unlimited

    wrap(patch, GatewayLoad, "renew", around)


def ended_calls_are_counted(patch: Patch) -> None:
    """Plant a bug: ended calls of Ann's campaign are still counted as in progress."""

    def around(finish: Wrapped) -> Wrapped:
        def kept(self: Engine, now_ms: int, call: Any, outcome: Any) -> None:  # noqa: ANN401 - as `_finish_call`
            self.engine_state.campaigns[call.plan.id].in_progress += call.plan.user_id == ANN
            finish(self, now_ms, call, outcome)

        return kept

    wrap(patch, Engine, "_finish_call", around)


def _twice(effect: effects.Effect) -> list[effects.Effect]:
    return [effect, effect] if isinstance(effect, call_effects.FinishCall) and is_anns(effect) else [effect]


def _back_to_new(effect: effects.Effect) -> list[effects.Effect]:
    if isinstance(effect, call_effects.Dial) and is_anns(effect):
        return [effect, campaign_effects.MoveCampaign(effect.call.plan.id, CampaignStatus.NEW, CampaignReason.USER)]
    return [effect]


calls_end_twice: Final = effects_become(_twice)
campaigns_become_new: Final = effects_become(_back_to_new)
calls_cost_more_than_is_held: Final = _costs(lambda cost: cost + 10**9)
money_is_a_float: Final = _costs(float)


def _loads_as_started(loader: Wrapped) -> Wrapped:
    def started(*arguments: Any, **named: Any) -> Any:  # noqa: ANN401 - as `_campaign`
        found = loader(*arguments, **named)
        return structs.replace(found, status=CampaignStatus.START) if found.plan.user_id == ANN else found

    return started


def paused_campaigns_are_read_as_started(patch: Patch) -> None:
    wrap(patch, Loader, "_campaign", _loads_as_started)
