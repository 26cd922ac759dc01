"""Names in braces."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.domain.text import fill


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ("Dear {full_name}", "Dear Ada King Byrne"),
        ("Dear {first_name}", "Dear Ada"),
        ("Dear {last_name}", "Dear King Byrne"),
        ("{city}, {rooms} rooms, {tags}", 'Rome, 3 rooms, ["a"]'),
        ("Dear {nobody}!", "Dear !"),
        ("{city}{city}", "RomeRome"),
        ("{ci ty} {} {city", "{ci ty} {} {city"),
        ("{nested}", "{city}"),
        ("no names", "no names"),
    ],
)
def test_a_name_is_replaced_once_and_an_unknown_one_removed(text: str, filled: str) -> None:
    variables = '{"city": "Rome", "rooms": 3, "tags": ["a"], "nested": "{city}"}'
    assert fill(text, "Ada King Byrne", variables) == filled


def test_variables_go_before_the_name() -> None:
    assert fill("{first_name}", "Ada Byrne", '{"first_name": "Augusta"}') == "Augusta"


@given(st.text(), st.text(), st.text() | st.just("[]") | st.just('{"a": NaN}'))
def test_whatever_is_stored_is_a_text(text: str, full_name: str, additional_vars: str) -> None:
    assert isinstance(fill(f"{text}{{a}}", full_name, additional_vars), str)
