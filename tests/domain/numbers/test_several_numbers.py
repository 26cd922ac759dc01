"""Numbers of do-not-call lists are read kindly: every number in a text counts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.domain.numbers.normal_form import NUMBER_INPUT_MAX, NumberError, NumberProblem, normalise
from dialer.domain.numbers.several_numbers import Kindness, numbers_in, read_kindly

BERLIN, MOBILE, NEW_YORK = "+49302300074", "+491701234567", "+12125550100"


@pytest.mark.parametrize(
    ("text", "numbers", "kindness"),
    [
        ("030 2300074", [BERLIN], None),
        ("030 2300074 (privat)", [BERLIN], None),
        ("030 2300074 ext. 5", [BERLIN], Kindness.CUT_EXTENSION),
        ("030 2300074 x12", [BERLIN], Kindness.CUT_EXTENSION),
        ("030 2300074,,12#", [BERLIN], Kindness.CUT_EXTENSION),
        ("0302300074p12", [BERLIN], Kindness.CUT_EXTENSION),
        ("tel:+49-30-2300074;ext=12", [BERLIN], Kindness.CUT_EXTENSION),
        ("030 2300074#", [BERLIN], Kindness.REMARK),
        ("0302300074/12", [BERLIN], Kindness.REMARK),
        ("Ada, 030 2300074, after six", [BERLIN], Kindness.REMARK),
        ("fax: 030 2300074", [BERLIN], Kindness.REMARK),
        ("030 2300074 asked on 3 May", [BERLIN], Kindness.REMARK),
        ("030 2300074 / 0170 1234567", [BERLIN, MOBILE], Kindness.SEVERAL),
        ("030 2300074/0170 1234567", [BERLIN, MOBILE], Kindness.SEVERAL),
        ("030 2300074; 0170 1234567", [BERLIN, MOBILE], Kindness.SEVERAL),
        ("030 2300074, 0170 1234567 (privat)", [BERLIN, MOBILE], Kindness.SEVERAL),
        ("030 2300074 or 0170 1234567", [BERLIN, MOBILE], Kindness.SEVERAL),
        ("030 2300074 ext. 5 or 0170 1234567", [BERLIN, MOBILE], Kindness.SEVERAL),
        ("030 2300074\n0170 1234567", [BERLIN, MOBILE], Kindness.SEVERAL),
        ("+49 30 2300074 ::: +49 170 1234567", [BERLIN, MOBILE], Kindness.SEVERAL),
        ("+49302300074+491701234567", [BERLIN, MOBILE], Kindness.SEVERAL),
        ("030 2300074 0170 1234567", [BERLIN, MOBILE], Kindness.SEVERAL),
        ("030 2300074 / 0170 1234567 / +1 212 555 0100", [BERLIN, MOBILE, NEW_YORK], Kindness.SEVERAL),
        ("Tel. 030 2300074, Mobil 0170 1234567", [BERLIN, MOBILE], Kindness.SEVERAL),
        ("030 2300074 / 030 2300074", [BERLIN], Kindness.REMARK),
    ],
)
def test_what_can_be_a_number_is_one(text: str, numbers: list[str], kindness: Kindness | None) -> None:
    found = read_kindly(text, "DE")
    assert ([one.number for one in found.numbers], found.kindness) == (numbers, kindness)
    if kindness is Kindness.SEVERAL:
        assert [normalise(one.text, "DE") for one in found.numbers] == numbers


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", NumberProblem.EMPTY),
        ("by post", NumberProblem.NO_DIGITS),
        ("room 12", NumberProblem.WRONG_CHARACTER),
        ("4.91701E+11", NumberProblem.SHORTENED),
    ],
)
def test_a_text_without_a_number_says_why(text: str, problem: NumberProblem) -> None:
    with pytest.raises(NumberError) as caught:
        read_kindly(text, "DE")
    assert caught.value.problem is problem


@given(st.text() | st.text("+0123456789 .-()[]/,;x#p\n"), st.sampled_from([None, "FR", "US"]))
def test_a_strict_reading_is_kept_and_any_other_gives_numbers_or_an_error(text: str, region: str | None) -> None:
    try:
        found = read_kindly(text, region).numbers
    except NumberError:
        assert numbers_in(text, region) == []
        return
    assert numbers_in(text, region) == [one.number for one in found]
    assert all(len(one.text) <= NUMBER_INPUT_MAX for one in found)
    try:
        assert [one.number for one in found] == [normalise(text, region)]
    except NumberError:
        assert all(len(one.number.lstrip("+")) >= 3 for one in found)


NUMBERS = st.lists(
    st.from_regex(r"\+4930[1-9][0-9]{6}|\+1212[2-9][0-9]{6}", fullmatch=True, alphabet="+0123456789"),
    min_size=1,
    max_size=6,
    unique=True,
)


@given(NUMBERS, st.sampled_from([" / ", ", ", ";", "\n", " or ", " | ", " & ", " (privat) ", " ::: ", "  "]))
def test_every_number_of_a_list_is_found(numbers: list[str], between: str) -> None:
    assert numbers_in(between.join(numbers), None) == numbers
