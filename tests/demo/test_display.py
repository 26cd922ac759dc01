import pytest

from dialer.demo.display import bar, share, strip


@pytest.mark.parametrize(
    ("part", "whole", "drawn"),
    [
        (0, 8, ""),
        (8, 8, "████"),
        (4, 8, "██"),
        (5, 8, "██▌"),
        (1, 1_000, "▏"),
        (0, 0, ""),
    ],
)
def test_a_bar_is_as_long_as_its_part_and_never_hides_one(part: int, whole: int, drawn: str) -> None:
    assert bar(part, whole, width=4).plain == drawn


def test_a_strip_shows_that_nothing_happened_apart_from_little() -> None:
    assert strip([0, 1, 50, 100], 100).plain == "·▁▄█"


def test_a_share_of_nothing_is_not_shown() -> None:
    assert (share(1, 3), share(0, 0)) == ("33.3%", "")
