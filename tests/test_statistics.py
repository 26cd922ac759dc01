"""Tests that docs/reference/statistics.md defines every figure of an answer."""

import re
from pathlib import Path
from typing import Final

import msgspec
import pytest

from dialer.api.routes.call_centre_shapes import AgentFiguresRead, QueueFiguresRead
from dialer.api.routes.statistics_shapes import FiguresRead
from dialer.domain.figures.statistics import WAITS_S, mean, percent, unit_cost, wait_class

DOCUMENT: Final = Path(__file__).parents[1] / "docs" / "reference" / "statistics.md"


@pytest.mark.parametrize(
    ("question", "shape"),
    [
        ("Which figures are there?", FiguresRead),
        ("Which figures has an agent?", AgentFiguresRead),
        ("Which figures has a queue?", QueueFiguresRead),
    ],
)
def test_every_figure_is_defined_in_the_order_of_the_answer(question: str, shape: type[msgspec.Struct]) -> None:
    _, _, rest = DOCUMENT.read_text("utf-8").partition(f"\n## {question}\n")
    section, _, _ = rest.partition("\n## ")
    assert tuple(re.findall(r"^\| `([a-z_]+)` \| \S", section, re.MULTILINE)) == shape.__struct_fields__


def test_every_threshold_of_the_service_level_is_named() -> None:
    *others, last = WAITS_S
    named = f"{', '.join(map(str, others))} or {last}".replace(" 20,", " 20 (the default),")
    assert named in DOCUMENT.read_text("utf-8").replace("\n", " ")


def test_rates_and_means_never_divide_by_zero() -> None:
    assert (percent(1, 3), percent(0, 5), percent(0, 0)) == (33.33, 0.0, None)
    assert (mean(7, 2), mean(0, 0)) == (3.5, None)
    assert (unit_cost(5, 2), unit_cost(4, 3), unit_cost(7, 0)) == (3, 1, None)


def test_a_wait_belongs_to_the_lowest_threshold_that_it_does_not_exceed() -> None:
    assert [wait_class(wait_ms) for wait_ms in (0, 2_000, 2_001, 600_000, 600_001)] == [2, 2, 5, 600, 0]
