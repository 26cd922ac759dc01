"""Tests of money: exact, rounded half up, never more than the balance."""

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.domain.billing.charge import Rate
from dialer.domain.billing.money import MONEY_LIMIT, MONEY_SCALE, MoneyError, format_money, parse_money

AMOUNT_MAX = MONEY_LIMIT * MONEY_SCALE - 1
rates = st.builds(
    Rate,
    per_minute=st.integers(0, 10**9),
    first_increment_s=st.integers(1, 120),
    next_increment_s=st.integers(1, 120),
    connection_fee=st.integers(0, 10**6),
)


@given(st.integers(-AMOUNT_MAX, AMOUNT_MAX))
def test_an_amount_is_read_as_it_is_written(amount: int) -> None:
    assert parse_money(format_money(amount)) == amount


@given(st.integers(-AMOUNT_MAX, AMOUNT_MAX))
def test_an_amount_is_written_as_a_decimal_with_five_places(amount: int) -> None:
    assert format_money(amount) == f"{Decimal(amount).scaleb(-5):.5f}".replace("-0.00000", "0.00000")


@pytest.mark.parametrize(
    ("value", "amount"),
    [(1, 100_000), (0.1, 10_000), ("0.00001", 1), (" 2.50 ", 250_000), (Decimal(-3), -300_000), ("1e2", 10_000_000)],
)
def test_a_number_or_a_numeric_string_is_an_amount(value: object, amount: int) -> None:
    assert parse_money(value) == amount


@pytest.mark.parametrize(
    "value",
    [
        True,
        None,
        "",
        "x",
        "NaN",
        "Infinity",
        "-inf",
        float("nan"),
        "0.000001",
        "1.0000000000000000000000000000000001",
        10**7,
        "-1e7",
        "1E+999999",
        "1e-1000100",
        "0.1e1000001",
        "-1e-999999999",
        "1e-99999999999999999999",
        "1_000",
        "\u0663",
        "1\u0660.5",
        "0x10",
        ".",
        "1" * 41,
        [1],
    ],
)
def test_anything_else_is_none(value: object) -> None:
    with pytest.raises(MoneyError):
        parse_money(value)


@given(st.text() | st.integers() | st.floats() | st.decimals())
def test_any_value_is_an_amount_in_bounds_or_refused(value: object) -> None:
    try:
        amount = parse_money(value)
    except MoneyError:
        return
    assert abs(amount) <= AMOUNT_MAX


written = st.builds(
    "{}{}{}{}".format,
    st.sampled_from(["", "+", "-"]),
    st.from_regex(r"[0-9]{1,9}(\.[0-9]{0,9})?|\.[0-9]{1,9}", fullmatch=True),
    st.sampled_from(["", "e", "E-", "e+"]),
    st.just("") | st.integers(0, 12).map(str) | st.integers(10**5, 10**12).map(str),
)


@given(written)
def test_an_accepted_amount_is_exactly_the_decimal_that_was_written(text: str) -> None:
    """The exact value is computed from the digits and the exponent, in integers."""
    try:
        amount = parse_money(text)
    except MoneyError:
        return
    digits, _, exponent = text.lower().partition("e")
    assert int(exponent or 0) <= 12 or not digits.strip("+-.0")
    whole, _, rest = digits.partition(".")
    shift = min(int(exponent or 0), 12)
    assert Fraction(amount, MONEY_SCALE) == Fraction(int(f"{whole}{rest}"), 10 ** len(rest)) * Fraction(10) ** shift


@given(rates, st.integers(-10, 100_000))
def test_whole_increments_are_billed_no_more_than_needed(rate: Rate, billsec: int) -> None:
    """The expected seconds are counted increment by increment."""
    billed, increment = 0, rate.first_increment_s
    while billed < billsec:
        billed += increment
        increment = rate.next_increment_s
    assert rate.billed_duration(billsec) == billed


@given(rates, st.integers(1, 100_000))
def test_a_price_is_the_exact_one_rounded_half_up(rate: Rate, billed_s: int) -> None:
    exact = Fraction(rate.per_minute * billed_s, 60)
    rounded = rate.cost(billed_s) - rate.connection_fee
    assert -Fraction(1, 2) < exact - rounded < Fraction(1, 2) or exact - rounded == -Fraction(1, 2)


def test_nothing_is_charged_for_a_call_that_was_not_answered() -> None:
    rate = Rate(per_minute=6_000, connection_fee=500)
    assert (rate.billed_duration(0), rate.cost(0)) == (0, 0)


@pytest.mark.parametrize(
    ("per_minute", "first", "following", "billsec", "billed", "cost"),
    [
        (6_000, 60, 60, 1, 60, 6_000),
        (6_000, 60, 60, 61, 120, 12_000),
        (6_000, 30, 6, 31, 36, 3_600),
        (1, 30, 6, 30, 30, 1),  # Half of the smallest unit is rounded up.
        (1, 6, 1, 29, 29, 0),
    ],
)
def test_examples_worked_out_by_hand(
    per_minute: int, first: int, following: int, billsec: int, billed: int, cost: int
) -> None:
    rate = Rate(per_minute, first, following)
    assert (rate.billed_duration(billsec), rate.cost(rate.billed_duration(billsec))) == (billed, cost)


@given(rates, st.integers(-100, 10**9), st.integers(1, 5_000))
def test_the_longest_call_that_can_be_paid_for(rate: Rate, money: int, wanted_s: int) -> None:
    def fits(talk_s: int) -> bool:
        return rate.cost(rate.billed_duration(talk_s)) <= money

    affordable_s = rate.affordable_s(money, wanted_s)
    assert 0 <= affordable_s <= wanted_s
    assert affordable_s == 0 or fits(affordable_s)
    assert affordable_s == wanted_s or not fits(affordable_s + 1)
