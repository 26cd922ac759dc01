"""Tests of text messages that a call asks for while their gateway has no room."""

from typing import Final

import pytest

from dialer.domain import events
from dialer.domain.billing.money import Rate
from dialer.domain.effects import CheckNumber, Effect, SendText, WakeGateway
from dialer.domain.engine import Engine
from dialer.domain.enums import CampaignStatus
from dialer.domain.plans import NOTHING_LENT, SMPP, Call, GatewayPlan, Lent, Subscriber
from tests.domain.fleet import START_MS, plan

TEXTS: Final = 2
ADA, BEN = "+3545550101", "+3545550102"
LIMITED: Final = GatewayPlan(TEXTS, max_cps=1, protocol=SMPP)


def engine_in_call(lent: Lent | None, *, dnc_ids: tuple[int, ...] = ()) -> Engine:
    """Return an engine with a call in progress, whose survey sends messages over a real gateway."""
    engine, campaign = Engine(seed=1, first_call_id=9), plan(sms_gateway_id=TEXTS, dnc_ids=dnc_ids)
    call = Call(7, "c", campaign, Subscriber(1, ADA, "Europe/Paris"), 1, START_MS, 45_000, 60_000, 0, Rate(0))
    for event in (
        events.AccountOpened(1, 1_000_000, 0, Rate(0)),
        events.GatewayOpened(GatewayPlan(1)),
        events.GatewayOpened(LIMITED, lent=lent),
        events.CampaignOpened(campaign, CampaignStatus.PAUSE, 0, ()),
        events.CallRestored(call, START_MS),
    ):
        engine.handle(START_MS, event)
    return engine


def sent(effects: list[Effect]) -> list[tuple[str, int]]:
    """Return number and time of the messages that are sent."""
    return [(one.message.subscriber.number, one.message.started_ms) for one in effects if isinstance(one, SendText)]


def test_a_message_waits_until_its_worker_is_lent_a_part_of_the_gateway() -> None:
    engine = engine_in_call(NOTHING_LENT)
    assert sent(engine.handle(START_MS, events.TextRequested(7, ADA, "Hello"))) == []
    assert engine.board.gateways[TEXTS].texts_waiting == 1
    assert sent(engine.handle(START_MS + 400, events.GatewayOpened(LIMITED, lent=Lent(0, 1)))) == [
        (ADA, START_MS + 400)
    ]
    assert engine.board.gateways[TEXTS].texts_waiting == 0


@pytest.mark.parametrize("is_ended", [False, True])
def test_messages_to_people_wait_for_their_turn_even_after_the_call(*, is_ended: bool) -> None:
    engine = engine_in_call(None)
    assert sent(engine.handle(START_MS, events.TextRequested(7, ADA, "Hello"))) == [(ADA, START_MS)]
    waiting = engine.handle(START_MS, events.TextRequested(7, BEN, "Hello"))
    assert [one for one in waiting if isinstance(one, SendText | WakeGateway)] == [WakeGateway(START_MS + 1_000, TEXTS)]
    if is_ended:
        engine.handle(START_MS + 500, events.CampaignClosed(1))
    woken = engine.handle(START_MS + 1_000, events.GatewayWoken(TEXTS))
    assert sent(woken) == [(BEN, START_MS + 1_000)]


def test_a_message_waits_for_the_line_and_its_number_is_checked_again() -> None:
    engine = engine_in_call(None, dnc_ids=(5,))
    engine.handle(START_MS, events.LineLost(TEXTS, "the carrier asks to wait"))
    assert engine.handle(START_MS, events.TextRequested(7, ADA, "Hello")) == [CheckNumber(7, (5,), ADA, "Hello")]
    assert sent(engine.handle(START_MS, events.NumberChecked(7, ADA, "Hello", is_on_dnc=False))) == []
    found = engine.handle(START_MS + 10, events.LineFound(TEXTS))
    assert [one for one in found if isinstance(one, CheckNumber)] == [CheckNumber(7, (5,), ADA, "Hello")]
    assert sent(engine.handle(START_MS + 10, events.NumberChecked(7, ADA, "Hello", is_on_dnc=True))) == []
    assert engine.board.gateways[TEXTS].texts_waiting == 0
