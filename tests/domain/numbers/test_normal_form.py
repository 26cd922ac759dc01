"""Phone numbers in their normal form."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.domain.numbers.normal_form import NUMBER_INPUT_MAX, NumberError, normalise, parse
from tests.domain.numbers.numbering import examples, numbers, parsed_by_the_library


@pytest.mark.parametrize(
    ("number", "region", "normal"),
    [
        ("+12025550100", None, "+12025550100"),
        ("+1 (202) 555-01.00", None, "+12025550100"),
        ("+44 (0)20 7946 0000", None, "+442079460000"),
        ("12025550100", None, "12025550100"),
        ("0199001234", None, "0199001234"),
        ("01 99 00 12 34", "FR", "+33199001234"),
        ("+12025550100", "FR", "+12025550100"),
        ("112", "FR", "+33112"),
        ("+999123456", None, "+999123456"),
        ("123", None, "123"),
        ("+43000000", None, "+430000"),
    ],
)
def test_a_number_in_its_normal_form(number: str, region: str | None, normal: str) -> None:
    assert normalise(number, region) == normal


@pytest.mark.parametrize(
    "number",
    [
        "",
        "+",
        "12",
        "+12",
        "1" * 16,
        "12a4",
        "++123",
        "1+23",
        "123\n",
        "\uff11\uff12\uff13\uff14",
        "1 2" + " " * NUMBER_INPUT_MAX,
        "0x123",
        "123;456",
    ],
)
def test_what_is_no_number_is_refused(number: str) -> None:
    with pytest.raises(NumberError):
        normalise(number)


digits = st.text("0123456789", min_size=3, max_size=15)


@given(digits, st.booleans(), st.sampled_from([None, "FR", "US", "IT"]))
def test_the_normal_form_is_its_own(number: str, has_plus: bool, region: str | None) -> None:  # noqa: FBT001 - drawn
    normal = normalise(f"+{number}" if has_plus else number, region)
    assert normalise(normal, region if not normal.startswith("+") else None) == normal


@given(st.text() | st.text("+0123456789 .-()[]"), st.sampled_from([None, "FR"]))
def test_whatever_is_sent_is_digits_with_an_optional_plus_or_refused(number: str, region: str | None) -> None:
    try:
        normal = normalise(number, region)
    except NumberError:
        return
    bare = normal.removeprefix("+")
    assert bare.isascii()
    assert bare.isdigit()
    assert 3 <= len(bare) <= 15


@given(numbers())
def test_a_number_consists_of_what_the_numbering_plans_say(number: str) -> None:
    """Most are taken apart without asking the library, and none otherwise than it would."""
    assert parse(number) == parsed_by_the_library(number)


def test_so_does_every_example_of_every_plan() -> None:
    for number in examples():
        assert parse(number) == parsed_by_the_library(number), number
