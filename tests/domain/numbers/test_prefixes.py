"""Tests of the prefixes of numbers for a carrier."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.domain.calls.plans import GatewayPlan
from dialer.domain.numbers.normal_form import normalise
from dialer.domain.numbers.prefixes import dialled_number, number_given
from tests.domain.workers import Fleet, plan
from tests.gateways import FIRST

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
    gateway = GatewayPlan(FIRST, addprefix="00", removeprefix="+")
    fleet = Fleet(plan(), callees=[[("+12025550111", "")]], gateway=gateway).run()
    (call,) = fleet.dials
    assert (call.dialled, call.subscriber.number) == ("0012025550111", "+12025550111")
    assert [(cdr.phone_number, cdr.hangup_cause_q850) for cdr in fleet.store.cdrs] == [("+12025550111", 17)]


@pytest.mark.parametrize("number", ["+493012345678", "+390612345678", "+551123456789", "+12025550100", "+442079460000"])
@pytest.mark.parametrize("removeprefix", ["+", "00", "9", "+49", "++", "+,00"])
def test_a_number_that_keeps_the_prefix_which_is_taken_off_is_that_number(number: str, removeprefix: str) -> None:
    """Carriers write a plus for numbers that come in, though they want none for those that are dialled."""
    assert number_given(number, removeprefix=removeprefix) == number


texts = st.one_of(
    st.text(max_size=80), st.text("+0123456789 #", max_size=24), st.from_regex(r"[+]{0,3}(00)?49[0-9]{0,14}")
)


@given(texts, texts, st.lists(texts, max_size=4))
def test_no_text_of_a_carrier_raises(number: str, addprefix: str, removed: list[str]) -> None:
    """Any text of a carrier is a number in its normal form, or none."""
    given_ = number_given(number, addprefix=addprefix, removeprefix=",".join(removed))
    assert given_ in {"", normalise(given_ or NUMBER, None)}


@given(st.sampled_from(["+493012345678", "+12025550100", "+551123456789"]), prefixes, st.lists(prefixes, max_size=4))
def test_to_undo_the_prefixes_of_a_dial_raises_nothing(number: str, addprefix: str, removed: list[str]) -> None:
    """The prefixes may make it another number, but raise nothing."""
    dialled = dialled_number(number, addprefix=addprefix, removeprefix=",".join(removed))
    found = number_given(dialled, addprefix=addprefix, removeprefix=",".join(removed))
    assert found in {"", normalise(found or NUMBER, None)}
