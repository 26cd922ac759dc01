"""Tests of invariants about to be broken: nothing is committed, and only that user's campaigns stop."""

import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any, Final

import pytest
from structlog.testing import capture_logs

from dialer.domain.calls.call_events import CallEnded
from dialer.domain.calls.events import Event
from dialer.domain.rules.invariants import Rule
from dialer.domain.words.enums import CallRequestStatus, CampaignStatus, SubscriberStatus
from dialer.runtime.steps.kernel import Kernel
from dialer.runtime.steps.quarantine import CALLS_MAX
from dialer.runtime.steps.worker import Worker
from dialer.sim.carrier import SimulatedCarrier
from dialer.store.reconciliation.reconcile import audit
from dialer.store.tables import CallRequest, Campaign, Cdr, DncContact, Gateway, LedgerEntry, Subscriber, User
from tests.runtime import broken
from tests.runtime.broken import ANN, ANNS, BOB, BOBS, Plant, both_start, plans, street
from tests.runtime.house import CENTS, DAY_MS, MONDAY_NOON_MS, House

ROOT: Final = Path(__file__).parents[2]
STOPPED: Final = (CampaignStatus.PAUSE, "invariant")
DONE: Final = (CampaignStatus.END, "completed")
CLOSED: Final = {"daily_start_time": "01:00:00", "daily_stop_time": "02:00:00"}


@pytest.fixture
def both(tmp_path: Path) -> Any:  # noqa: ANN401 - an iterator of a service
    """Return a service with two users, Ann and Bob."""
    one = street(tmp_path)
    yield one
    one.database.close()


def ends(house: House) -> list[tuple[int, str]]:
    """Return the status and the reason of Ann's campaign and of Bob's."""
    return [(row["status"], row["status_reason"]) for row in house.rows(Campaign)]


def differences(house: House) -> list[Any]:
    """Return the findings of the audit."""
    return list(house.database.read_now(audit).differences)


def rules(house: House) -> set[str]:
    """Return the rules that were about to be broken."""
    return set(house.worker.figures().broken)


async def pass_seconds(house: House, seconds: int) -> None:
    """Let time pass in steps of a second, as a running clock does."""
    for _ in range(seconds):
        await house.advance(1)


async def check_start_again(house: House, campaign_id: int) -> None:
    """Check that, without the bug, a start resumes the campaign, and all campaigns end."""
    await house.move(campaign_id, CampaignStatus.START)
    await house.advance(3_600)
    assert ends(house) == [DONE, DONE]
    assert {row["status"] for row in house.rows(Subscriber)} <= {
        SubscriberStatus.SENT,
        SubscriberStatus.NOT_AUTHORIZED,
    }
    assert [row["held"] for row in house.rows(User)] == [0, 0]
    assert differences(house) == []


@pytest.mark.parametrize(
    ("rule", "plant", "settings"),
    [
        (Rule.ATTEMPTS, broken.nobody_is_taken_off_the_hopper, {}),
        (Rule.ATTEMPTS, broken.an_attempt_is_left_out, {}),
        (Rule.ATTEMPTS, broken.everybody_is_called_again, {}),
        (Rule.CDRS, broken.cdrs_are_written_twice, {}),
        (Rule.CDRS, broken.cdrs_are_lost, {}),
        (Rule.LEDGER, broken.holds_are_not_released, {}),
        (Rule.LEDGER, broken.calls_are_not_charged, {}),
        (Rule.CREDIT, broken.calls_cost_more_than_is_held, {}),
        (Rule.CREDIT, broken.money_is_a_float, {}),
        (Rule.LIMITS, plans(max_aleg=0), {"max_aleg": 2}),
        (Rule.LIMITS, plans(frequency=120), {}),
        (Rule.LIMITS, broken.gateways_have_no_limits, {"frequency": 600}),
        (Rule.LIMITS, broken.ended_calls_are_counted, {}),
        (Rule.MOVES, broken.campaigns_become_new, {}),
        (Rule.ENDED_ONCE, broken.calls_end_twice, {}),
    ],
)
async def test_a_broken_rule_stops_its_users_campaigns_and_no_others(
    both: House, monkeypatch: pytest.MonkeyPatch, rule: Rule, plant: Plant, settings: dict[str, Any]
) -> None:
    if plant is broken.gateways_have_no_limits:
        both.change(Gateway, both.gateway_id, max_channels=6, max_cps=4)
    with monkeypatch.context() as patch:
        plant(patch)
        anns, _ = await both_start(both, **settings)
        await both.advance(3_600)
        assert ends(both) == [STOPPED, DONE]
        assert (rules(both), both.worker.problem()) == ({rule}, None)
        assert differences(both) == []
    both.restart()
    await check_start_again(both, anns)


@pytest.mark.parametrize(
    ("rule", "plant", "settings"),
    [
        (Rule.CALENDAR, broken.windows_are_always_open, CLOSED),
        (Rule.CALENDAR, plans(starting_ms=0), {"startingdate": MONDAY_NOON_MS + DAY_MS}),
        (Rule.CALENDAR, plans(expires_ms=2**62), {"expirationdate": MONDAY_NOON_MS + 1_500}),
    ],
)
async def test_nobody_is_dialled_outside_the_dates_and_the_window(
    both: House, monkeypatch: pytest.MonkeyPatch, rule: Rule, plant: Plant, settings: dict[str, Any]
) -> None:
    plant(monkeypatch)
    await both_start(both, **settings)
    await pass_seconds(both, 5)
    await both.advance(3_600)
    assert ends(both) == [STOPPED, DONE]
    assert (rules(both), both.worker.problem()) == ({rule}, None)
    ended_ms = settings.get("expirationdate", 0)
    dials = [row["started_ms"] for row in both.rows(CallRequest) if row["user_id"] == ANN]
    assert dials == [at_ms for at_ms in (MONDAY_NOON_MS, MONDAY_NOON_MS + 1_000) if at_ms < ended_ms]
    assert differences(both) == []


async def test_money_that_is_held_is_not_spent_again(both: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ann's balance pays for one call of half an hour, but not for two at once."""
    both.pay(-100_000 * CENTS + 61 * CENTS)
    broken.held_money_is_spent_again(monkeypatch)
    await both_start(both)
    await both.advance(3_600)
    assert ends(both) == [STOPPED, DONE]
    assert rules(both) == {Rule.CREDIT}
    assert (both.row(User, ANN)["balance"], both.row(User, ANN)["held"]) == (59 * CENTS, 0)
    assert differences(both) == []


@pytest.mark.parametrize("plant", [broken.the_list_is_not_asked, broken.the_list_is_not_read])
async def test_a_number_on_the_list_is_not_dialled(both: House, monkeypatch: pytest.MonkeyPatch, plant: Plant) -> None:
    dnc_id = both.dnc_list(ANNS[1])
    with monkeypatch.context() as patch:
        plant(patch)
        anns, _ = await both_start(both, dnc_id=dnc_id)
        await both.advance(3_600)
        assert ends(both) == [STOPPED, DONE]
        assert rules(both) == {Rule.DO_NOT_CALL}
        assert ANNS[1] not in {row["phone_number"] for row in both.rows(CallRequest)}
    await check_start_again(both, anns)
    assert ANNS[1] not in {row["phone_number"] for row in both.rows(CallRequest)}


async def test_a_callee_who_asks_not_to_be_called_is_not_dialled_by_campaigns_that_have_claimed_them(
    both: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The callee asks in the first campaign's call. The second has claimed them before, and misses the request."""
    dnc_id = both.dnc_list()
    broken.the_list_is_not_asked(monkeypatch)
    goodbye = both.survey({"type": 9, "script": "we will not call again"})
    phonebook_id = both.phonebook(ANNS[0])
    await both.started(goodbye, phonebook_id, dnc_id=dnc_id)
    await both.started(both.survey(broken.TALK), phonebook_id, dnc_id=dnc_id, startingdate=MONDAY_NOON_MS + 6_000)
    await pass_seconds(both, 30)
    assert ends(both) == [STOPPED, STOPPED]
    assert rules(both) == {Rule.DO_NOT_CALL}
    assert [row["number"] for row in both.rows(DncContact)] == [ANNS[0]]
    assert [row["campaign_id"] for row in both.rows(CallRequest)] == [1]


async def test_a_campaign_that_is_paused_does_not_dial(both: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is paused already, so it keeps its reason, and is set aside."""
    anns, _ = await both_start(both)
    await both.move(anns, CampaignStatus.PAUSE)
    dials = len(both.rows(CallRequest))
    broken.paused_campaigns_are_read_as_started(monkeypatch)
    both.restart()
    await both.advance(3_600)
    assert ends(both) == [(CampaignStatus.PAUSE, "user"), DONE]
    assert (rules(both), both.worker.problem()) == ({Rule.STARTED}, None)
    anns_dials = [row for row in both.rows(CallRequest) if row["user_id"] == ANN]
    assert len(anns_dials) == dials - len([row for row in both.rows(CallRequest)[:dials] if row["user_id"] == BOB])
    assert differences(both) == []


async def test_a_pause_that_was_not_noticed_is_noticed_at_the_commit(
    both: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    anns, _ = await both_start(both)
    broken.changes_are_not_noticed(monkeypatch)
    await both.move(anns, CampaignStatus.PAUSE)
    await both.advance(3_600)
    assert ends(both) == [(CampaignStatus.PAUSE, "user"), DONE]
    assert (rules(both), both.worker.problem()) == ({Rule.STARTED}, None)
    assert [row["phone_number"] for row in both.rows(CallRequest) if row["user_id"] == ANN] == ANNS[:1]
    assert differences(both) == []


async def test_calls_in_progress_end_and_are_charged_before_anything_is_set_aside(
    both: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The third dial breaks the rule. The first two calls go on, and are charged."""
    broken.plans(max_aleg=0)(monkeypatch)
    await both_start(both, max_aleg=2)
    await pass_seconds(both, 5)
    await both.advance(3_600)
    calls = [(row["phone_number"], row["call_cost"]) for row in both.rows(Cdr) if row["user_id"] == ANN]
    assert calls == [(number, 2 * CENTS) for number in ANNS[:2]]
    assert both.worker.figures().broken == Counter({Rule.LIMITS: 1})
    assert both.row(User, ANN)["held"] == 0


async def test_a_call_that_cannot_end_is_set_aside_and_the_others_end(both: House) -> None:
    """Its subscriber was set to COMPLETED during the call, which is final."""
    anns, _ = await both_start(both)
    await both.advance(2.5)
    both.change(Subscriber, 6, status=SubscriberStatus.COMPLETED)
    assert both.row(Subscriber, 6)["campaign_id"] == anns
    await both.advance(3_600)
    assert ends(both) == [STOPPED, DONE]
    assert both.worker.figures().broken == Counter({Rule.MOVES: 2})
    requests = {row["subscriber_id"]: row for row in both.rows(CallRequest) if row["user_id"] == ANN}
    assert requests.pop(6)["status"] == CallRequestStatus.CALLING
    assert {row["status"] for row in requests.values()} == {CallRequestStatus.SUCCESS}
    assert both.row(User, ANN)["held"] == 60 * CENTS
    assert both.row(Subscriber, 6)["status"] == SubscriberStatus.COMPLETED
    both.change(Subscriber, 6, status=SubscriberStatus.IN_PROCESS)
    await check_start_again(both, anns)


async def test_a_call_that_is_over_by_its_row_does_not_end_again(both: House) -> None:
    anns, _ = await both_start(both)
    await both.advance(2.5)
    (first, *_) = [row["id"] for row in both.rows(CallRequest) if row["user_id"] == ANN]
    values = {"status": CallRequestStatus.FAILURE, "ended_ms": both.now_ms(), "hold": 0}
    both.change(CallRequest, first, **values)
    await both.advance(3_600)
    assert ends(both) == [STOPPED, DONE]
    assert both.worker.figures().broken == Counter({Rule.ENDED_ONCE: 1})
    row = both.row(CallRequest, first)
    assert {name: row[name] for name in values} == values
    assert len([row for row in both.rows(Cdr) if row["user_id"] == ANN]) == len(ANNS[:3]) - 1
    assert both.worker.problem() is None
    assert anns == 1


async def test_a_cdr_that_is_there_already_is_not_written_again(both: House) -> None:
    """It does not stop other calls, as a database error would."""
    await both_start(both)
    await both.advance(2.5)
    first = next(row for row in both.rows(CallRequest) if row["user_id"] == ANN)
    zeros = dict.fromkeys(
        ("starting_date", "duration", "billsec", "call_cost", "billed_duration", "hangup_cause_q850"), 0
    )
    both.add(
        Cdr, id=10**9, user_id=ANN, callid=first["callid"], callerid="", phone_number="+1", leg_type=1, amd_status=1,
        subscriber_id=0, contact_id=None, **zeros,
    )  # fmt: skip
    await both.advance(3_600)
    assert ends(both) == [STOPPED, DONE]
    assert both.worker.figures().broken == Counter({Rule.CDRS: 2})
    assert [row["call_cost"] for row in both.rows(Cdr) if row["callid"] == first["callid"]] == [0]


async def test_an_attempt_that_is_there_already_is_not_made_again(both: House) -> None:
    """The second subscriber's first attempt was inserted by hand. The subscribers before it are dialled."""
    await both_start(both)
    await both.advance(0.5)
    second = next(row for row in both.rows(Subscriber) if row["number"] == ANNS[1])
    row = dict(next(row for row in both.rows(CallRequest) if row["user_id"] == ANN))
    both.add(CallRequest, **row | {"id": 10**9, "subscriber_id": second["id"], "hold": 0, "status": 2})
    await pass_seconds(both, 5)
    await both.advance(3_600)
    assert ends(both) == [STOPPED, DONE]
    assert both.worker.figures().broken == Counter({Rule.ATTEMPTS: 1})
    assert [row["phone_number"] for row in both.rows(Cdr) if row["user_id"] == ANN] == ANNS[:1]


async def test_a_charge_that_is_there_already_is_not_made_again(both: House) -> None:
    await both_start(both)
    await both.advance(2.5)
    first = next(row for row in both.rows(CallRequest) if row["user_id"] == ANN)
    reference = f"call:{first['callid']}"
    entry = {"user_id": ANN, "kind": "call", "amount": 0, "reference": reference}
    both.add(LedgerEntry, **entry)
    await both.advance(3_600)
    assert ends(both) == [STOPPED, DONE]
    assert rules(both) == {Rule.LEDGER}
    assert [row["amount"] for row in both.rows(LedgerEntry) if row["reference"] == reference] == [0]
    assert both.worker.problem() is None


async def test_an_account_that_was_tampered_with_dials_no_more_and_its_calls_end(both: House) -> None:
    """Its balance is lower than its holds. The calls end, are charged, and release their holds."""
    await both_start(both, maxretry=3)
    await both.advance(2.5)
    both.change(User, ANN, balance=10 * CENTS)
    await both.advance(1)
    assert both.worker.figures().broken == Counter({Rule.CREDIT: 1})
    await both.advance(3_600)
    assert ends(both) == [STOPPED, DONE]
    assert both.worker.figures().broken == Counter({Rule.CREDIT: 1})
    assert (both.row(User, ANN)["balance"], both.row(User, ANN)["held"]) == (4 * CENTS, 0)
    assert len([row for row in both.rows(LedgerEntry) if row["kind"] == "call" and row["user_id"] == ANN]) == 3


async def test_campaigns_that_keep_breaking_rules_are_set_aside_as_a_whole(
    both: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There are more calls than are set aside one by one. A start resumes them all."""
    numbers = [f"+1202557{place:04d}" for place in range(CALLS_MAX + 4)]
    with monkeypatch.context() as patch:
        anns = await both.started(both.survey(broken.TALK), both.phonebook(*numbers))
        bobs = broken.as_bob(both, lambda: both.campaign(both.survey(broken.TALK), both.phonebook(*BOBS)))
        await both.move(bobs, CampaignStatus.START)
        await both.advance(CALLS_MAX + 2)
        dialled = len([row for row in both.rows(CallRequest) if row["user_id"] == ANN])
        broken.calls_cost_more_than_is_held(patch)
        await both.advance(3_600)
        assert ends(both) == [STOPPED, DONE]
        assert both.worker.figures().broken == Counter({Rule.CREDIT: 1 + CALLS_MAX + 1})
        assert both.worker.calls_in_progress == 0
        assert [row for row in both.rows(Cdr) if row["user_id"] == ANN] == []
        assert both.row(User, ANN)["held"] == dialled * 60 * CENTS
        assert both.worker.problem() is None
    await check_start_again(both, anns)


@pytest.mark.parametrize(
    ("section", "number", "prefixes"),
    [
        (broken.TALK, "+19002345678", {"removeprefix": ""}),
        (broken.TALK, "19002345678", {"removeprefix": "+"}),
        ({"type": 6, "phonenumber": "+19002345678"}, ANNS[1], {"removeprefix": ""}),
    ],
)
async def test_numbers_that_the_account_may_not_call_are_not_dialled(
    both: House, monkeypatch: pytest.MonkeyPatch, section: dict[str, Any], number: str, prefixes: dict[str, str]
) -> None:
    both.change(Gateway, both.gateway_id, **prefixes)
    with monkeypatch.context() as patch:
        broken.every_number_may_be_called(patch)
        await both.started(both.survey(section), both.phonebook(number))
        bobs = broken.as_bob(both, lambda: both.campaign(both.survey(broken.TALK), both.phonebook(*BOBS)))
        await both.move(bobs, CampaignStatus.START)
        await both.advance(3_600)
        assert ends(both) == [STOPPED, DONE]
        assert rules(both) == {Rule.DESTINATION}
        assert "+19002345678" not in {row["phone_number"] for row in (*both.rows(CallRequest), *both.rows(Cdr))}
    assert differences(both) == []


@pytest.mark.parametrize(("rule", "plant"), [(Rule.LIMITS, plans(max_xfer=0)), (Rule.CDRS, broken.b_legs_have_no_cdr)])
async def test_b_legs_are_held_to_the_rules(
    both: House, monkeypatch: pytest.MonkeyPatch, rule: Rule, plant: Plant
) -> None:
    """All callees are transferred to a number at once."""
    transfer = both.survey({"type": 6, "phonenumber": "+12025550100"})
    with monkeypatch.context() as patch:
        plant(patch)
        anns = await both.started(transfer, both.phonebook(*ANNS), max_xfer=1)
        bobs = broken.as_bob(both, lambda: both.campaign(both.survey(broken.TALK), both.phonebook(*BOBS)))
        await both.move(bobs, CampaignStatus.START)
        await both.advance(3_600)
        assert ends(both) == [STOPPED, DONE]
        assert (rules(both), both.worker.problem()) == ({rule}, None)
        assert differences(both) == []
    both.restart()
    await check_start_again(both, anns)
    assert {row["leg_type"] for row in both.rows(Cdr) if row["user_id"] == ANN} == {1, 2}


async def test_a_subscriber_with_an_unknown_status_breaks_no_rule(both: House) -> None:
    """An unknown earlier status cannot be compared. The call ends, and the campaign goes on."""
    await both_start(both)
    await both.advance(2.5)
    both.change(Subscriber, 6, status=99)
    await both.advance(3_600)
    assert ends(both) == [DONE, DONE]
    assert rules(both) == set()


class RepeatingKernel(Kernel):
    """A kernel that receives the end of every call twice."""

    def _happen(self, at_ms: int, rank: int, key: int, sequence: int, event: Event) -> None:
        super()._happen(at_ms, rank, key, sequence, event)
        if isinstance(event, CallEnded):
            self._perform(self._engine.handle(self.now_ms, event))


async def test_reports_that_change_nothing_are_counted(both: House) -> None:
    """I10: the end of each of eight calls is reported twice, and counts once."""
    both.worker = Worker(
        both.database,
        both.worker.clock,
        seed=1,
        service_zone="UTC",
        new_carrier=SimulatedCarrier,
        new_kernel=lambda engine, carrier, store, now_ms: RepeatingKernel(engine, carrier, store, now_ms=now_ms),
    )
    await both_start(both)
    with capture_logs() as lines:
        await both.advance(3_600)
    assert ends(both) == [DONE, DONE]
    ended = [("CallEnded", row.callrequest_id) for row in both.rows(Cdr)]
    told = [(line["report"], line["call_id"]) for line in lines if line["event"] == "report_ignored"]
    assert sorted(told) == sorted(ended)
    assert len(both.rows(Cdr)) == both.worker.figures().reports_ignored == len(ANNS) + len(BOBS)
    assert rules(both) == set()


async def test_the_pause_outlives_a_restart(both: House, monkeypatch: pytest.MonkeyPatch) -> None:
    broken.plans(max_aleg=0)(monkeypatch)
    await both_start(both, max_aleg=2)
    await both.advance(5)
    both.restart()
    await both.advance(3_600)
    assert ends(both) == [STOPPED, DONE]
    assert both.worker.figures().broken == Counter()


def test_the_checks_are_there_without_assertions(tmp_path: Path) -> None:
    command = [sys.executable, "-O", "-m", "tests.runtime.optimised", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "assertions: False, [(2, 'invariant'), (4, 'completed')], {'I4': 1}, None"
