"""Tests of the normal form of phone numbers."""

import phonenumbers
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from dialer.domain.numbers.by_the_library import normal_form_of, parse
from dialer.domain.numbers.normal_form import (
    _SHAPE,
    NUMBER_INPUT_MAX,
    NumberError,
    NumberProblem,
    _unpunctuated,
    is_number,
    is_possible,
    normalise,
)
from tests.domain.numbers.numbering import examples, inland_examples, inland_numbers, numbers, parsed_by_the_library


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
        ("0014152000007", "US", "+14152000007"),
        ("0014152000007", None, "+14152000007"),
        ("00 1 (415) 200-0007", "DE", "+14152000007"),
        ("011 44 20 7946 0000", "US", "+442079460000"),
        ("011 44 20 7946 0000", None, "+442079460000"),
        ("011 49 170 123456789", None, "+49170123456789"),
        ("011 234 5678", "ZA", "+27112345678"),
        ("011 234 5678", None, "0112345678"),
        ("011 15-2345-6789", None, "0111523456789"),
        ("011 15-2345-6789", "AR", "+5491123456789"),
        ("00999123456", None, "00999123456"),
        ("+10014152000007", None, "+10014152000007"),
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
        "1 2" + " " * NUMBER_INPUT_MAX,
        "0x123",
        "123;456",
    ],
)
def test_an_invalid_number_is_refused(number: str) -> None:
    with pytest.raises(NumberError):
        normalise(number, None)


digits = st.text("0123456789", min_size=3, max_size=15)


@given(digits, st.booleans(), st.sampled_from([None, "FR", "US", "IT"]))
def test_the_normal_form_is_its_own(number: str, has_plus: bool, region: str | None) -> None:  # noqa: FBT001 - drawn
    normal = normalise(f"+{number}" if has_plus else number, region)
    assert normalise(normal, region if not normal.startswith("+") else None) == normal


@given(st.text() | st.text("+0123456789 .-()[]"), st.sampled_from([None, "FR"]))
def test_any_input_becomes_digits_with_an_optional_plus_or_is_refused(number: str, region: str | None) -> None:
    try:
        normal = normalise(number, region)
    except NumberError:
        return
    bare = normal.removeprefix("+")
    assert bare.isascii()
    assert bare.isdigit()
    assert 3 <= len(bare) <= 15


def assert_as_by_the_library(number: str, region: str | None) -> None:
    """Assert that tables of numbers that begin alike give the normal form that the library alone gives."""
    try:
        bare = number if _SHAPE.match(number) else _unpunctuated(number, number)
    except NumberError:
        assert not is_number(number)
    else:
        assert normalise(number, region) == normal_form_of.__wrapped__(bare, region), (number, region)


def normal_form(number: str, region: str | None) -> str | None:
    """Return the normal form; None for what is no number."""
    try:
        return normalise(number, region)
    except NumberError:
        return None


@given(numbers())
def test_a_number_in_full_has_the_normal_form_that_the_library_gives(number: str) -> None:
    assert_as_by_the_library(number, None)


@given(inland_numbers())
def test_a_number_as_dialled_in_a_country_has_the_normal_form_that_the_library_gives(number: tuple[str, str]) -> None:
    assert_as_by_the_library(*number)


def test_so_has_every_example_of_every_plan() -> None:
    for number in examples():
        assert_as_by_the_library(number, None)
    for number, region in inland_examples():
        assert_as_by_the_library(number, region)


@given(inland_numbers(), st.lists(st.sampled_from([" ", "-", ".", "", " (", ") "]), min_size=24, max_size=24))
def test_punctuation_changes_nothing(number: tuple[str, str], between: list[str]) -> None:
    digits, region = number
    spelt = "".join(mark + digit for mark, digit in zip(between, digits, strict=False))
    assume(len(spelt) <= NUMBER_INPUT_MAX and len(digits) >= 3)
    assert normal_form(spelt, region) == normal_form(digits, region)


REGIONS = [None, "US", "DE", "FR", "IT", "ZA", "BR", "JP"]


def is_possible_inland(text: str, region: str | None) -> bool:
    """Return whether the library accepts digits as a number of a region. Some area codes begin with 011."""
    if region is None:
        in_full = parse(f"+{text.removeprefix('011')}")
        is_whole = in_full is not None and phonenumbers.is_possible_number(in_full)
        return text.startswith("011") and (len(text) <= 11 or not is_whole)
    try:
        reason = phonenumbers.is_possible_number_with_reason(phonenumbers.parse(text, region))
    except phonenumbers.NumberParseException:
        return False
    return reason == phonenumbers.ValidationResult.IS_POSSIBLE


@given(numbers(), st.sampled_from(["00", "011"]), st.sampled_from(REGIONS))
def test_a_number_and_its_inland_spelling_have_one_normal_form(number: str, prefix: str, region: str | None) -> None:
    spelt = number.replace("+", prefix)
    assume(len(number) <= 16 and parse(number) is not None and not is_possible_inland(spelt, region))
    try:
        normal = normalise(number, region)
    except NumberError:
        return
    assert normalise(spelt, region) == normal


@given(st.from_regex(r"(00|011)?[0-9]{3,15}", fullmatch=True, alphabet="0123456789"), st.sampled_from(REGIONS))
def test_the_normal_form_of_an_inland_spelling_is_its_own(number: str, region: str | None) -> None:
    try:
        normal = normalise(number, region)
    except NumberError:
        return
    assert normalise(normal, region) == normal


@pytest.mark.parametrize(
    ("number", "problem", "message"),
    [
        (" ", NumberProblem.EMPTY, "There is no number."),
        ("by post", NumberProblem.NO_DIGITS, "'by post' has no digits."),
        ("12a4", NumberProblem.WRONG_CHARACTER, "'12a4' has characters that no phone number has."),
        ("+12", NumberProblem.TOO_SHORT, "'+12' has fewer than 3 digits."),
        ("1" * 16, NumberProblem.TOO_LONG, "'1111111111111111' has more than 15 digits."),
        ("1" * 65, NumberProblem.TOO_LONG, f"'{'1' * 64}' has more than 64 characters."),
    ],
)
def test_an_error_tells_what_is_wrong_with_the_number(number: str, problem: NumberProblem, message: str) -> None:
    with pytest.raises(NumberError) as caught:
        normalise(number, None)
    right = "Enter 3 to 15 digits with an optional leading +."
    assert (caught.value.problem, str(caught.value)) == (problem, f"{message} {right}")


@given(numbers())
def test_a_number_is_possible_if_the_library_says_so(number: str) -> None:
    try:
        normal = normalise(number, None)
    except NumberError:
        return
    parsed = parsed_by_the_library(normal)
    reason = None if parsed is None else phonenumbers.is_possible_number_with_reason(parsed)
    assert is_possible(normal) == (reason == phonenumbers.ValidationResult.IS_POSSIBLE)


def test_a_number_without_a_country_counts_as_possible() -> None:
    assert is_possible("1001")


@pytest.mark.parametrize(
    ("number", "region", "normal"),
    [
        ("030/230 00 74", "DE", "+49302300074"),
        ("(030) 230-0074", "DE", "+49302300074"),
        ("+49 (0) 30 / 230.00.74", None, "+49302300074"),
        ("0049/30/2300074", None, "+49302300074"),
        ("04321/123456", "DE", "+494321123456"),
        ("030\u00a0230\u202f00\u200974", "DE", "+49302300074"),
        ("030\u20132300074", "DE", "+49302300074"),
        ("030\u2212230\u201100\u201574", "DE", "+49302300074"),
        ("\uff10\uff13\uff10\uff0d\uff12\uff13\uff10\uff10\uff10\uff17\uff14", "DE", "+49302300074"),
        ("\uff0b\uff14\uff19\u3000\uff13\uff10\u30002300074", None, "+49302300074"),
        ("tel:+49-30-2300074", None, "+49302300074"),
        ("Tel.: 030 2300074", "DE", "+49302300074"),
        ("'0170 1234567", "DE", "+491701234567"),
        ("\u20190170 1234567\u2019", "DE", "+491701234567"),
        ('="0170 1234567"', "DE", "+491701234567"),
        ("\u202a+49 170 1234567\u202c", None, "+491701234567"),
        ("+55 (11) 98888\u20107777", None, "+5511988887777"),
        ("06 12 34 56 78", "FR", "+33612345678"),
        ("612.345.678", "ES", "+34612345678"),
        ("1701234567", "DE", "+491701234567"),
    ],
)
def test_usual_spellings_are_read(number: str, region: str | None, normal: str) -> None:
    assert normalise(number, region) == normal


@pytest.mark.parametrize(
    ("number", "problem"),
    [
        ("4.91701E+11", NumberProblem.SHORTENED),
        ("4,91701E+11", NumberProblem.SHORTENED),
        ("'4.9E11", NumberProblem.SHORTENED),
        ("030 2300074 ext. 12", NumberProblem.EXTENSION),
        ("+1 202 555 0100 x12", NumberProblem.EXTENSION),
        ("(11) 3333-4444 ramal 12", NumberProblem.EXTENSION),
        ("030 2300074 #12", NumberProblem.EXTENSION),
        ("tel:+1-202-555-0100;ext=12", NumberProblem.EXTENSION),
        ("030 123456/0170 4567890", NumberProblem.SEVERAL),
        ("030 123456 / +49 170 4567890", NumberProblem.SEVERAL),
        ("+49 30 123456 ::: +49 170 4567890", NumberProblem.SEVERAL),
        ("0302300074/12", NumberProblem.SEVERAL),
        ("030 123456\n0170 4567890", NumberProblem.SEVERAL),
        ("030 2300074 (ask for Ada 2)", NumberProblem.WRONG_CHARACTER),
        ("030 2300074 after six", NumberProblem.WRONG_CHARACTER),
        ("1-800-FLOWERS", NumberProblem.WRONG_CHARACTER),
        ("1800555 CALL", NumberProblem.WRONG_CHARACTER),
        ("l:2300074123", NumberProblem.WRONG_CHARACTER),
        ("fax: 030 2300074", NumberProblem.WRONG_CHARACTER),
        ("12345678@qq.com", NumberProblem.WRONG_CHARACTER),
        ("sip:bob@example.org", NumberProblem.NO_DIGITS),
        ("030 2300074,,12#", NumberProblem.EXTENSION),
        ("0302300074p12", NumberProblem.EXTENSION),
        ("0302300074w12#", NumberProblem.EXTENSION),
        ("030 2300074;5", NumberProblem.EXTENSION),
        ("\u0660\u0663\u0660\u0662\u0663\u0660\u0660\u0660\u0667\u0664 x\u0661\u0662", NumberProblem.EXTENSION),
        ("\u0664.\u0669E\u0661\u0661", NumberProblem.SHORTENED),
        ("#N/A", NumberProblem.NO_DIGITS),
    ],
)
def test_texts_that_are_not_one_number_say_why(number: str, problem: NumberProblem) -> None:
    with pytest.raises(NumberError) as caught:
        normalise(number, "DE")
    assert caught.value.problem is problem


@given(
    st.from_regex(r"\+[1-9][0-9]{6,13}", fullmatch=True, alphabet="+0123456789"),
    st.lists(st.sampled_from([" ", "\u00a0", "\u202f", "-", "\u2013", ".", "\u200e", ""]), min_size=14, max_size=14),
    st.sampled_from(["", "tel:", "'", "\u202a", "\u201c"]),
)
def test_a_usual_spelling_never_changes_the_digits(number: str, between: list[str], before: str) -> None:
    assume(is_number(number))
    spelt = before + number[0] + "".join(a + b for a, b in zip(number[1:], between, strict=False))
    assert normalise(spelt, None) == normalise(number, None)
