"""Tests of text messages that a call asks for while their gateway has no room."""

from typing import Final

import msgspec
import pytest

from dialer.domain.billing.charge import Rate
from dialer.domain.calls import call_events, campaign_events, events, text_events
from dialer.domain.calls.campaign_effects import CheckNumber
from dialer.domain.calls.effects import Effect, WakeGateway
from dialer.domain.calls.plans import NOTHING_LENT, SMPP, Call, GatewayPlan, Lent, Subscriber
from dialer.domain.calls.text_effects import CheckText, DropText, KeepText, SendText
from dialer.domain.engine import call_messages
from dialer.domain.engine.engine import Engine
from dialer.domain.words.enums import CampaignStatus
from dialer.domain.words.reasons import TextReason
from tests.domain.workers import START_MS, plan
from tests.gateways import FIRST, TEXTS

ADA, BEN, CARL, DORA = "+3545550101", "+3545550102", "+3545550103", "+3545550104"
LIMITED: Final = GatewayPlan(TEXTS, max_cps=1, protocol=SMPP)


def engine_in_call(lent: Lent | None, *, dnc_ids: tuple[int, ...] = ()) -> Engine:
    """Return an engine with a call in progress, whose survey sends messages over a real gateway."""
    engine, campaign = Engine(seed=1, first_call_id=9), plan(sms_gateway_id=TEXTS, dnc_ids=dnc_ids)
    call = Call(7, "c", campaign, Subscriber(1, ADA, "Europe/Paris"), 1, START_MS, 45_000, 60_000, 0, Rate(0))
    for event in (
        campaign_events.AccountOpened(1, 1_000_000, 0, Rate(0)),
        campaign_events.GatewayOpened(GatewayPlan(FIRST)),
        campaign_events.GatewayOpened(LIMITED, lent=lent),
        campaign_events.CampaignOpened(campaign, CampaignStatus.PAUSE, 0, ()),
        call_events.CallRestored(call, START_MS),
    ):
        engine.handle(START_MS, event)
    return engine


def handled(engine: Engine, now_ms: int, event: events.Event, *, is_recorded: bool = True) -> list[Effect]:
    """Return the effects of an event. Look-ups of messages that wait are answered at once, as a driver does."""
    effects = engine.handle(now_ms, event)
    for effect in effects:
        if isinstance(effect, CheckText):
            found = text_events.TextChecked(
                effect.gateway_id, effect.message_id, is_recorded=is_recorded, is_on_dnc=effect.number == BEN
            )
            effects += engine.handle(now_ms, found)
    return effects


def request(engine: Engine, now_ms: int, number: str) -> list[Effect]:
    """Ask for a message, whose number is on no list; return the effects."""
    engine.handle(now_ms, text_events.TextRequested(7, number, "Hello"))
    return engine.handle(now_ms, campaign_events.NumberChecked(7, number, "Hello", is_on_dnc=False))


def sent(effects: list[Effect]) -> list[tuple[str, int]]:
    """Return number and time of the messages that are sent."""
    return [(one.message.subscriber.number, one.message.started_ms) for one in effects if isinstance(one, SendText)]


def dropped(effects: list[Effect]) -> list[tuple[str, bool]]:
    """Return the reason of each message that is not sent, and whether its record is to be deleted."""
    return [(one.reason, one.is_recorded) for one in effects if isinstance(one, DropText)]


def test_a_message_waits_until_its_worker_is_lent_a_part_of_the_gateway() -> None:
    engine = engine_in_call(NOTHING_LENT)
    (waiting,) = request(engine, START_MS, ADA)[:1]
    assert isinstance(waiting, KeepText)
    assert (waiting.message.id, waiting.message.text) == (9, "Hello")
    assert engine.engine_state.gateways[TEXTS].texts_waiting == 1
    opened = handled(engine, START_MS + 400, campaign_events.GatewayOpened(LIMITED, lent=Lent(0, 1)))
    (message,) = [one for one in opened if isinstance(one, SendText)]
    assert (message.message.id, message.message.started_ms, message.is_recorded) == (9, START_MS + 400, True)
    assert engine.engine_state.gateways[TEXTS].texts_waiting == 0


@pytest.mark.parametrize("is_ended", [False, True])
def test_messages_to_people_wait_for_their_turn_even_after_the_call(*, is_ended: bool) -> None:
    engine = engine_in_call(None)
    assert sent(request(engine, START_MS, ADA)) == [(ADA, START_MS)]
    waiting = request(engine, START_MS, CARL)
    assert [one for one in waiting if isinstance(one, SendText | WakeGateway)] == [WakeGateway(START_MS + 1_000, TEXTS)]
    if is_ended:
        engine.handle(START_MS + 500, campaign_events.CampaignClosed(1))
    assert sent(handled(engine, START_MS + 1_000, campaign_events.GatewayWoken(TEXTS))) == [(CARL, START_MS + 1_000)]


def test_a_message_does_not_overtake_those_that_wait() -> None:
    engine = engine_in_call(None)
    for number in (ADA, CARL):
        request(engine, START_MS, number)
    later_ms = START_MS + 1_500
    assert sent(request(engine, later_ms, DORA)) == []
    assert sent(handled(engine, later_ms, campaign_events.GatewayWoken(TEXTS))) == [(CARL, later_ms)]
    assert sent(handled(engine, later_ms + 1_000, campaign_events.GatewayWoken(TEXTS))) == [(DORA, later_ms + 1_000)]


def test_a_message_waits_for_the_line_and_its_number_is_checked_again() -> None:
    engine = engine_in_call(None, dnc_ids=(5,))
    engine.handle(START_MS, call_events.LineLost(TEXTS, "the carrier asks to wait"))
    for number in (BEN, ADA):
        asked = engine.handle(START_MS, text_events.TextRequested(7, number, "Hello"))
        assert asked == [CheckNumber(7, 1, number, "Hello")]
        assert sent(engine.handle(START_MS, campaign_events.NumberChecked(7, number, "Hello", is_on_dnc=False))) == []
    found = handled(engine, START_MS + 10, call_events.LineFound(TEXTS))
    assert (dropped(found), sent(found)) == ([(TextReason.DNC, True)], [(ADA, START_MS + 10)])
    assert engine.engine_state.gateways[TEXTS].texts_waiting == 0


def test_a_message_whose_record_is_gone_is_not_sent() -> None:
    engine = engine_in_call(NOTHING_LENT)
    request(engine, START_MS, ADA)
    opened = handled(engine, START_MS, campaign_events.GatewayOpened(LIMITED, lent=Lent(0, 1)), is_recorded=False)
    assert (dropped(opened), sent(opened)) == ([(TextReason.ERASED, False)], [])


def test_the_messages_of_an_aborted_campaign_are_dropped() -> None:
    """Those of other campaigns keep waiting."""
    engine = engine_in_call(NOTHING_LENT)
    other = Call(3, "o", plan(2, sms_gateway_id=TEXTS), Subscriber(2, CARL, ""), 1, 0, 0, 0, 0, Rate(0), text="Hello")
    other.plan = msgspec.structs.replace(other.plan, gateway_id=TEXTS)
    engine.handle(START_MS, text_events.TextRestored(other))
    request(engine, START_MS, ADA)
    closed = engine.handle(START_MS, campaign_events.CampaignClosed(1, is_aborted=True))
    assert dropped(closed) == [(TextReason.ABORTED, True)]
    opened = handled(engine, START_MS + 400, campaign_events.GatewayOpened(LIMITED, lent=Lent(0, 1)))
    assert sent(opened) == [(CARL, START_MS + 400)]


@pytest.mark.parametrize(
    ("number", "text", "sms_rate", "reason"),
    [
        ("nobody", "Hello", 0, TextReason.INVALID_NUMBER),
        ("+12025", "Hello", 0, TextReason.INVALID_NUMBER),
        ("112", "Hello", 0, TextReason.EMERGENCY),
        (ADA, " ", 0, TextReason.NO_TEXT),
        (ADA, "Hello", 1_000_001, TextReason.NO_CREDIT),
    ],
)
def test_a_message_that_is_not_sent_has_a_reason(number: str, text: str, sms_rate: int, reason: TextReason) -> None:
    engine = engine_in_call(None)
    engine.handle(START_MS, campaign_events.AccountOpened(1, 1_000_000, 0, Rate(0), sms_rate))
    asked = engine.handle(START_MS, text_events.TextRequested(7, number, text))
    if isinstance(asked[0], CheckNumber):
        asked = engine.handle(START_MS, campaign_events.NumberChecked(7, asked[0].number, text, is_on_dnc=False))
    assert (dropped(asked), sent(asked)) == ([(reason, False)], [])


def test_without_a_gateway_or_room_in_the_queue_a_message_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = engine_in_call(NOTHING_LENT)
    monkeypatch.setattr(call_messages, "WAITING_MAX", 1)
    kept = request(engine, START_MS, ADA)
    assert [type(one) for one in kept] == [KeepText]
    assert dropped(request(engine, START_MS, ADA)) == [(TextReason.TOO_MANY, False)]
    engine.handle(START_MS, campaign_events.CampaignOpened(plan(), CampaignStatus.PAUSE, 0, ()))
    assert dropped(request(engine, START_MS, ADA)) == [(TextReason.NO_GATEWAY, False)]
