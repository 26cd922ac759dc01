"""Tests of texts that bring a code: the code is hidden, and columns of lists are not."""

from dialer.domain.messages.confirmation_codes import CODE_PLACE, code_variables, shown_text
from dialer.domain.messages.templates import fill

ASKS = f"Your code is {CODE_PLACE}."


def test_a_code_is_filled_in_and_hidden() -> None:
    sent = fill(ASKS, "", code_variables("042137", is_spoken=False))
    assert (sent, shown_text(ASKS, sent)) == (
        "Your code is 042137.",
        "Your code is \u2022\u2022\u2022\u2022\u2022\u2022.",
    )
    assert fill(ASKS, "", code_variables("042137", is_spoken=True)) == "Your code is 0, 4, 2, 1, 3, 7."


def test_a_column_of_a_list_with_the_same_name_is_no_code() -> None:
    template, variables = "Show {confirmation code} at the door.", '{"confirmation code": "SPRING"}'
    sent = fill(template, "Ann", variables)
    assert sent == shown_text(template, sent) == "Show SPRING at the door."
    assert "SPRING" not in fill(ASKS, "Ann", variables)
