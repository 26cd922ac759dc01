"""Tests of the prefixes of numbers for a carrier."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.domain.numbers.prefixes import dialled_number
from dialer.domain.plans import GatewayPlan
from tests.domain.fleet import Fleet, plan

NUMBER = "+12025550100"
prefixes = st.text("+0123456789#", max_size=4)


@pytest.mark.parametrize(
    ("addprefix", "removeprefix", "expected"),
    [
        ("", "", NUMBER),
        ("9", "", "9+12025550100"),
        ("", "+", "12025550100"),
        ("00", "+", "0012025550100"),
        ("011", "+1,+", "0112025550100"),  # The longest prefix that fits is removed.
        ("", "+, +1 ,+12", "025550100"),
        ("", "+44,+1202", "5550100"),
        ("", "1", NUMBER),  # The + is the first character, so a prefix must contain it to match.
        ("", "+44", NUMBER),
        ("", ",, ,", NUMBER),
        ("9", NUMBER, f"9{NUMBER}"),  # A prefix is shorter than the number.
    ],
)
def test_a_prefix_is_taken_off_and_another_put_before(addprefix: str, removeprefix: str, expected: str) -> None:
    assert dialled_number(NUMBER, addprefix=addprefix, removeprefix=removeprefix) == expected


@given(prefixes, st.lists(prefixes, max_size=4))
def test_a_number_is_never_emptied(addprefix: str, removed: list[str]) -> None:
    """The rest is the end of the number."""
    written = dialled_number(NUMBER, addprefix=addprefix, removeprefix=",".join(removed))
    assert written.startswith(addprefix)
    assert written != addprefix
    assert NUMBER.endswith(written[len(addprefix) :])


def test_the_carrier_gets_the_prefixes_and_the_callee_is_unchanged() -> None:
    """The number that is always busy is busy with all prefixes."""
    gateway = GatewayPlan(1, addprefix="00", removeprefix="+")
    fleet = Fleet(plan(), callees=[[("+12025550111", "")]], gateway=gateway).run()
    (call,) = fleet.dials
    assert (call.dialled, call.subscriber.number) == ("0012025550111", "+12025550111")
    assert [(cdr.phone_number, cdr.hangup_cause_q850) for cdr in fleet.store.cdrs] == [("+12025550111", 17)]
