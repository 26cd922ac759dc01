"""Tests of rate cards: the longest prefix wins, and a hold covers every possible rate."""

from hypothesis import given
from hypothesis import strategies as st

from dialer.domain.billing.charge import Rate
from dialer.domain.billing.rates import NO_CARD, RateCard
from dialer.domain.engine.credit import Account
from tests.domain.billing.test_money import rates
from tests.domain.workers import Fleet, plan

DEFAULT = Rate(6_000)
digits = st.text("0123", max_size=6)


@given(st.dictionaries(digits, rates, max_size=12), st.text("0123", min_size=1, max_size=8), st.sampled_from(["", "+"]))
def test_the_longest_prefix_that_a_number_begins_with_counts(card: dict[str, Rate], number: str, plus: str) -> None:
    fitting = sorted((prefix for prefix in card if number.startswith(prefix)), key=len)
    written = plus + number
    assert RateCard(card).find(written) == (card[fitting[-1]] if fitting else None)
    assert Account(0, 0, DEFAULT, 0, RateCard(card)).rate_for(written) == (card[fitting[-1]] if fitting else DEFAULT)


def test_without_a_card_every_number_costs_the_same() -> None:
    assert Account(0, 0, DEFAULT, 0).rate_for("+12025550100") == DEFAULT
    assert not NO_CARD


def test_an_agent_has_the_price_of_a_number_only_if_their_contact_is_one() -> None:
    account = Account(0, 0, DEFAULT, 0, RateCard({"": Rate(1), "33": Rate(2)}))
    contacts = {"+33 1 99 00 00 01": 2, "+1 202 555 0100": 1, "331990": 6_000, "+33x": 6_000, "": 6_000}
    assert {contact: account.rate_for_agent(contact).per_minute for contact in contacts} == contacts


@given(st.lists(rates, min_size=1, max_size=4), st.integers(0, 10**8), st.integers(1, 3_000_000))
def test_a_hold_covers_the_leg_at_every_rate_that_it_may_have(those: list[Rate], money: int, wanted_ms: int) -> None:
    """The leg is as long as the dearest rate allows, and no longer than wanted."""
    offer = Account(money, 0, DEFAULT, 0).offer_dearest(those, wanted_ms)
    longest_s = min(rate.affordable_s(money, -(-wanted_ms // 1_000)) for rate in those)
    if offer is None:
        assert longest_s == 0
        return
    assert offer.talk_limit_ms == longest_s * 1_000
    assert offer.hold == max(rate.price(longest_s) for rate in those) == offer.rate.price(longest_s) <= money
    assert offer.rate in those


def test_calls_are_charged_by_the_card_and_held_for_by_it() -> None:
    """France has a fee and half minutes, Germany the user's rate. No call is longer than 45 s."""
    france = Rate(12_000, 30, 6, 500)
    fleet = Fleet(
        plan(callmaxduration_s=45),
        callees=[[("+33199000001", ""), ("+4930123450", "")]],
        rate=DEFAULT,
        card=RateCard({"33": france, "4": Rate(6_001), "49": DEFAULT}),
        parameters={"answer": 1, "machine": 0, "busy": 0, "rejected": 0, "invalid": 0},
    ).run()
    assert [(call.rate, call.hold) for call in fleet.dials] == [(france, 500 + 9_600), (DEFAULT, 6_000)]
    assert [cdr.call_cost for cdr in fleet.store.cdrs] == [france.price(fleet.store.cdrs[0].billsec), 6_000]
    assert fleet.store.cdrs[0].call_cost > 500
