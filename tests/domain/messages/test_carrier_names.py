"""Tests of names that carriers give to messages, and spell in another way in receipts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.domain.messages.carrier_names import name_meant, plain_name, plain_names_meant


@pytest.mark.parametrize(
    ("name", "names", "meant"),
    [
        ("AB1C03", ("Ab1c03", "other"), "Ab1c03"),
        ("ab1c03", ("ab1c03", "AB1C03"), "ab1c03"),
        ("Ab1c03", ("ab1c03", "AB1C03"), None),
        ("0000703489", ("000abc01",), "000abc01"),
        ("000ABC01", ("703489",), "703489"),
        ("0000000123", ("123",), "123"),
        ("16", ("10",), None),
        ("10", ("16",), None),
        ("1234", ("4d2", "1234"), "1234"),
        ("a-7", ("A-7",), "A-7"),
        ("", ("0",), None),
        ("0", ("000",), None),
        ("x", (), None),
    ],
)
def test_a_name_means_itself_or_the_only_one_alike(name: str, names: tuple[str, ...], meant: str | None) -> None:
    assert name_meant(name, names) == meant


@given(number=st.integers(1, 2**64 - 1), zeros=st.integers(0, 5), is_capital=st.booleans())
def test_a_number_is_found_in_the_other_base_if_its_hexadecimal_digits_show_it(
    number: int, zeros: int, *, is_capital: bool
) -> None:
    in_hex = f"{zeros * '0'}{number:x}"
    in_hex = in_hex.upper() if is_capital else in_hex
    shows = not f"{number:x}".isdigit()
    assert name_meant(f"{number:010}", (in_hex,)) == (in_hex if shows or f"{number:x}" == str(number) else None)
    assert name_meant(in_hex, (str(number),)) == (str(number) if shows or f"{number:x}" == str(number) else None)


@given(st.text(max_size=70))
def test_any_name_is_among_those_that_it_means_unless_it_is_only_zeros(name: str) -> None:
    plain = plain_name(name)
    assert plain_names_meant(name) >= ({plain} if plain else set())
