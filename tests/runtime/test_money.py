"""Tests of holds, charges and releases: the audit finds no difference at any moment of a busy day."""

import tempfile
from pathlib import Path

import anyio
from hypothesis import given, settings
from hypothesis import strategies as st

from dialer.domain.words.enums import CallRequestStatus, CampaignStatus, TransferStatus
from dialer.store.reconciliation.reconcile import audit
from dialer.store.tables import (
    CallRequest,
    Campaign,
    Cdr,
    LedgerEntry,
    Payment,
    RateCardLine,
    SmsMessage,
    Transfer,
    User,
)
from tests.runtime.centre import centre
from tests.runtime.house import CENTS, House
from tests.sizes import examples

CARD = ("49", "4930", "612", "1202", "33199000001", "33199000002")
"""Prefixes of the callees, of a transfer's number and of an agent's number."""


def held_by_rows(house: House) -> int:
    """Return the sum of the holds of all attempts in progress."""
    calling = {row["id"]: row for row in house.rows(CallRequest) if row["status"] == CallRequestStatus.CALLING}
    legs = [row for row in house.rows(Transfer) if row["callrequest_id"] in calling]
    texts = [row["hold"] for row in house.rows(SmsMessage) if row["ended_ms"] is None]
    open_legs = [row["hold"] for row in legs if row["status"] != TransferStatus.OVER]
    return int(sum(row["hold"] for row in calling.values()) + sum(open_legs) + sum(texts))


def check(house: House) -> None:
    """Check I3 and I4, by hand and by the audit."""
    user = house.row(User, house.user_id)
    entries = house.rows(LedgerEntry)
    assert user["balance"] == sum(row["amount"] for row in entries)
    assert user["balance"] >= user["held"] == held_by_rows(house) >= 0
    assert len({row["reference"] for row in entries}) == len(entries)
    assert house.database.read_now(audit).differences == []


async def day(steps: list[tuple[int, int, bool]]) -> None:
    """Run a busy call centre with a changing rate card, restarts, payments, and an aborted campaign."""
    with tempfile.TemporaryDirectory() as folder:
        house = await centre(Path(folder))
        for seconds, rate, restarts in steps:
            prefix = CARD[rate % len(CARD)]
            if prefix not in {row["prefix"] for row in house.rows(RateCardLine)}:
                house.price(prefix, rate, connection_fee=rate // 3, first_increment=1 + rate % 70, next_increment=7)
            await house.advance(seconds)
            check(house)
            if restarts:
                house.restart()
            house.pay(rate)
        if house.row(Campaign, 1)["status"] in (CampaignStatus.START, CampaignStatus.PAUSE):
            await house.move(1, CampaignStatus.ABORT)
        check(house)
        house.database.close()


@settings(max_examples=examples(6))
@given(st.lists(st.tuples(st.integers(1, 200), st.integers(0, 9 * CENTS), st.booleans()), min_size=1, max_size=5))
def test_holds_and_balances_are_the_sums_of_their_rows_at_every_moment(steps: list[tuple[int, int, bool]]) -> None:
    anyio.run(day, steps)


async def test_the_day_is_one_that_money_moves_on(tmp_path: Path) -> None:
    """Check that the day has charges of all kinds at several rates, and holds."""
    house = await centre(tmp_path)
    for place, prefix in enumerate(CARD, 1):
        house.price(prefix, place * CENTS, connection_fee=place * 100, first_increment=7 * place, next_increment=place)
    await house.advance(60)
    assert house.row(User, house.user_id)["held"] > 0
    await house.advance(6 * 3_600)
    check(house)
    assert house.row(User, house.user_id)["held"] == 0
    assert {row["kind"] for row in house.rows(LedgerEntry)} == {"payment", "refund", "call", "sms"}
    assert {(row["leg_type"], row["call_rate"]) for row in house.rows(Cdr) if row["call_cost"]} >= {
        (1, 2 * CENTS),
        (1, 3 * CENTS),
        (1, 4 * CENTS),
        (2, 6 * CENTS),
    }
    assert len(house.rows(Payment)) == 2
    house.database.close()
