"""Tests of the parts of a text message, and of replies that mean STOP."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.domain.messages.sms_parts import GSM7_PART, GSM7_SINGLE, UCS2_PART, UCS2_SINGLE, parts_of


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", 1),
        ("a" * 160, 1),
        ("a" * 161, 2),
        ("a" * 306, 2),
        ("a" * 307, 3),
        # the euro sign takes an escape besides: 2 septets
        ("€" * 80, 1),
        ("€" * 81, 2),
        # 153 is odd, so an escape would be split at the end of a part: 76 signs go into each
        ("€" * 152, 2),
        ("€" * 153, 3),
        # one character beyond the alphabet makes the whole message UCS-2
        ("ж" * 70, 1),
        ("ж" * 71, 2),
        ("ж" * 134, 2),
        ("ж" * 135, 3),
        ("a" * 159 + "ж", 3),
        # a character beyond the basic plane is two units, and stays in one part
        ("😀" * 35, 1),
        ("😀" * 36, 2),
        ("😀" * 66, 2),
        ("😀" * 67, 3),
    ],
)
def test_the_parts_of_a_text(text: str, parts: int) -> None:
    """GSM-7 has 160 and 153 characters a part, UCS-2 has 70 and 67."""
    assert parts_of(text) == parts


@given(st.text(max_size=500), st.text(max_size=50))
def test_more_text_never_takes_fewer_parts(text: str, more: str) -> None:
    """There is at most one part for each character."""
    assert 1 <= parts_of(text) <= parts_of(text + more) <= max(1, len(text + more))


@given(st.text(alphabet="abc XYZ123@é", min_size=1, max_size=1_000))
def test_plain_texts_are_divided_evenly(text: str) -> None:
    """Without wide characters, the count is a division."""
    length = len(text)
    assert parts_of(text) == (1 if length <= GSM7_SINGLE else -(-length // GSM7_PART))
    cyrillic = "ж" * length
    assert parts_of(cyrillic) == (1 if length <= UCS2_SINGLE else -(-length // UCS2_PART))
