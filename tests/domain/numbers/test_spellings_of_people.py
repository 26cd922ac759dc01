"""Spellings of numbers by people, spreadsheets and exporters of many countries are read as one number."""

import unicodedata

import phonenumbers
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.domain.numbers.emergency import spells_emergency
from dialer.domain.numbers.normal_form import normalise

BERLIN = "+49302300074"
SCRIPTS = {
    "ARABIC-INDIC DIGIT",
    "EXTENDED ARABIC-INDIC DIGIT",
    "DEVANAGARI DIGIT",
    "BENGALI DIGIT",
    "THAI DIGIT",
    "KHMER DIGIT",
    "MYANMAR DIGIT",
    "FULLWIDTH DIGIT",
    "GUJARATI DIGIT",
    "TAMIL DIGIT",
}
NAMES_OF_DIGITS = ["ZERO", "ONE", "TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT", "NINE"]


def in_script(text: str, script: str) -> str:
    """Return a text with its digits in another script, by their names in Unicode."""
    return "".join(unicodedata.lookup(f"{script} {NAMES_OF_DIGITS[int(c)]}") if c.isdigit() else c for c in text)


@pytest.mark.parametrize("script", sorted(SCRIPTS))
@pytest.mark.parametrize(("text", "region"), [("+49 30 2300074", None), ("030/230-00 74", "DE"), ("0302300074", "DE")])
def test_digits_of_all_scripts_are_digits(script: str, text: str, region: str | None) -> None:
    assert normalise(in_script(text, script), region) == BERLIN


@pytest.mark.parametrize(
    "text",
    [
        # decimals and thousands of spreadsheets
        "302300074.0",
        "302300074,0",
        "302300074,00",
        "302300074.00 ",
        "'302300074.0",
        "302,300,074",
        "302,300,074.00",
        "302.300.074,00",
        "302 300 074,00",
        "302'300'074",
        "302\u2019300\u2019074.00",
        "49302300074.0",
        "+49302300074.0",
        "\u0663\u0660\u0662\u0663\u0660\u0660\u0660\u0667\u0664\u066b\u0660",
        # labels of exporters, addresses and links
        "p:+49302300074",
        "p:+49 30 2300074",
        "tel:+49-30-2300074",
        "tel://0302300074",
        "TEL: 030 2300074",
        "Tel 030 2300074",
        "T: 030 2300074",
        "callto:+49302300074",
        "sip:+49302300074@carrier.example;user=phone",
        "sips:0302300074@10.0.0.1:5061",
        "whatsapp:+49302300074",
        "49302300074@c.us",
        "49302300074@s.whatsapp.net",
        "https://wa.me/49302300074?text=Hello",
        "https://api.whatsapp.com/send?phone=49302300074&text=1",
        "\u0442\u0435\u043b.: 030 2300074",
        "\u7535\u8bdd\uff1a030 2300074",
        "\u0647\u0627\u062a\u0641: 030 2300074",
        "\u05d8\u05dc\u05e4\u05d5\u05df: 030 2300074",
        "\u092b\u093c\u094b\u0928: 030 2300074",
        # remarks
        "030 2300074 (privat)",
        "030-2300074 [B\u00fcro]",
        "(privat) 030 2300074",
        "030 2300074 mobil",
        # the plus
        "0049302300074",
        "+0049 30 2300074",
        "\uff0b49 30 2300074",
        "49 30 2300074+",
        "\u200f\u0664\u0669\u0663\u0660\u0662\u0663\u0660\u0660\u0660\u0667\u0664+",
    ],
)
def test_a_number_in_berlin_is_one_number(text: str) -> None:
    assert normalise(text, "DE") == BERLIN


@pytest.mark.parametrize(
    ("text", "region", "number"),
    [
        ("+52 1 55 1234 5678", None, "+525512345678"),
        ("5215512345678", "MX", "+525512345678"),
        ("044 55 1234 5678", "MX", "+525512345678"),
        ("045 33 1234 5678", "MX", "+523312345678"),
        ("01 55 1234 5678", "MX", "+525512345678"),
        ("01 800 123 4567", "MX", "+528001234567"),
        ("55 1234 5678", "MX", "+525512345678"),
        ("5215512345678@c.us", None, "+525512345678"),
        ("+52 55 1234 5678", None, "+525512345678"),
        ("011 15 2345-6789", "AR", "+5491123456789"),
        ("+54 11 15 2345 6789", None, "+5491123456789"),
        ("+54 9 11 2345-6789", None, "+5491123456789"),
        ("+54 9 11 15 2345-6789", None, "+5491123456789"),
        ("+54 9 351 15 234-5678", None, "+5493512345678"),
        ("0351 15 234-5678", "AR", "+5493512345678"),
        ("9 11 2345 6789", "AR", "+5491123456789"),
        ("0 15 11 98765-4321", "BR", "+5511987654321"),
        ("0xx11 98765-4321", "BR", "+5511987654321"),
        ("(0XX11) 3333-4444", "BR", "+551133334444"),
        ("+55 0 15 11 98765-4321", None, "+5511987654321"),
        ("+55 (011) 98765-4321", None, "+5511987654321"),
    ],
)
def test_older_and_local_habits_of_a_country_lead_to_one_number(text: str, region: str | None, number: str) -> None:
    assert normalise(text, region) == number
    assert phonenumbers.is_valid_number(phonenumbers.parse(number))


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("2025550100", "+12025550100"),
        ("202.555.0100", "+12025550100"),
        ("202555.0100", "+12025550100"),
        ("202-555-0100", "+12025550100"),
    ],
)
def test_zeros_at_the_end_of_a_number_are_no_decimals(text: str, number: str) -> None:
    assert normalise(text, "US") == number


@pytest.mark.parametrize("text", ["112.0", "911,00", "p:112", "tel:911", "112 (test)", "sip:911@carrier.example"])
def test_no_spelling_hides_an_emergency_number(text: str) -> None:
    assert spells_emergency(text, "DE")


@given(
    st.sampled_from(sorted(phonenumbers.SUPPORTED_REGIONS)),
    st.sampled_from(["{}", "{}.0", "{},00", "p:{}", "tel:{}", "{} (privat)", "\u200e{}\u200f", "'{}"]),
    st.sampled_from(["E164", "INTERNATIONAL", "NATIONAL"]),
    st.sampled_from(sorted(SCRIPTS)),
)
def test_the_example_of_every_country_is_one_number_in_all_of_them(
    region: str, around: str, form: str, script: str
) -> None:
    example = phonenumbers.example_number(region)
    assert example is not None
    in_full = phonenumbers.format_number(example, phonenumbers.PhoneNumberFormat.E164)
    spelt = phonenumbers.format_number(example, getattr(phonenumbers.PhoneNumberFormat, form))
    if around in {"{}.0", "{},00"}:
        spelt = "".join(c for c in spelt if c.isdigit() or c == "+")
    assert normalise(around.format(spelt), region) == in_full
    assert normalise(in_script(around.format(spelt), script), region) == in_full
