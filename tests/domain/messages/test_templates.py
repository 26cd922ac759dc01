"""Tests of variables in braces."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.domain.messages.templates import FILLED_CHARACTERS_MAX, fill, variable


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


@pytest.mark.parametrize("tag", ["{contact}", "{phone_number}"])
@pytest.mark.parametrize(
    ("is_spoken", "filled"), [(True, "Call +1 2 0 2 5 5 5 0 1 0 0!"), (False, "Call +12025550100!")]
)
def test_the_number_is_written_as_it_is_dialled_and_spoken_digit_by_digit(
    tag: str,
    is_spoken: bool,  # noqa: FBT001 - a column of the table
    filled: str,
) -> None:
    assert fill(f"Call {tag}!", "Ada Byrne", "", "+12025550100", is_spoken=is_spoken) == filled


def test_a_variable_of_any_name_is_rendered_as_it_is() -> None:
    variables = '{"contact": "the desk", "order_id": 1207}'
    assert fill("{contact} {order_id}", "", variables, "+12025550100", is_spoken=True) == "the desk 1207"


@pytest.mark.parametrize(("name", "value"), [("desk", "+12025550100"), ("room", "12"), ("nothing", ""), ("nobody", "")])
def test_one_variable_is_found_by_its_name(name: str, value: str) -> None:
    assert variable('{"desk": " +12025550100", "room": 12, "nothing": null}', name) == value


@pytest.mark.parametrize("additional_vars", ["", "[]", "{", '"desk"'])
def test_json_that_is_no_object_has_no_variables(additional_vars: str) -> None:
    assert variable(additional_vars, "desk") == ""


@given(st.text(), st.text(), st.text() | st.just("[]") | st.just('{"a": NaN}'))
def test_any_stored_values_give_a_text(text: str, full_name: str, additional_vars: str) -> None:
    assert isinstance(fill(f"{text}{{a}}", full_name, additional_vars), str)


@given(
    st.lists(st.sampled_from(["{a}", "{b}", "{x}", "a ", "-"]), max_size=40), st.text(), st.text(), st.integers(0, 50)
)
def test_a_text_that_is_filled_up_to_a_limit_is_the_begin_of_the_whole(
    pieces: list[str], a: str, b: str, most: int
) -> None:
    whole = "".join({"{a}": a, "{b}": b, "{x}": ""}.get(piece, piece) for piece in pieces)
    variables = json.dumps({"a": a, "b": b})
    assert fill("".join(pieces), "Ada Byrne", variables) == whole
    assert fill("".join(pieces), "Ada Byrne", variables, most=most) == whole[:most]


def test_no_more_is_filled_than_a_limit() -> None:
    text, variables = "{a}" * 3_333, json.dumps({"a": "x" * 15_000})
    assert fill(text, "", variables, most=1_600) == "x" * 1_600
    assert fill(text, "", variables, is_spoken=True) == "x" * FILLED_CHARACTERS_MAX
