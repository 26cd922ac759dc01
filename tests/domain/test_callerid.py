"""Which caller ID a callee is shown."""

from typing import Final

import pytest

from dialer.domain.callerid import choose_callerid
from dialer.domain.callflow import CallFlow
from dialer.domain.plans import CallerIdChoice, CampaignPlan
from dialer.domain.survey import Survey

OWN: Final = "+15550000"


def shown(number: str, *choices: tuple[str, str], turn: int = 0) -> str:
    """The caller ID from a group of (area code, caller ID)."""
    group = tuple(CallerIdChoice(*choice) for choice in choices)
    flow = CallFlow(Survey(()))
    return choose_callerid(CampaignPlan(1, 1, 1, flow, 0, 1, callerid=OWN, callerids=group), number, turn)


@pytest.mark.parametrize(
    ("number", "choices", "expected"),
    [
        ("+12025550100", (), OWN),
        ("+12025550100", (("1202", "A"), ("1", "B"), ("*", "C")), "A"),
        ("+12025550100", (("+1202", "A"), ("1", "B")), "A"),
        ("+12025550100", (("202", "A"), ("12", "B")), "A"),  # The national number begins with 202.
        ("+12125550100", (("202", "A"), ("*", "B")), "B"),
        ("+12125550100", (("202", "A"),), OWN),
        ("+12125550100", (("", "A"), ("*", "B")), "B"),
        ("+12125550100", (("", "A"),), OWN),
        ("2025550100", (("202", "A"), ("1202", "B")), "A"),
    ],
)
def test_the_longest_area_code_wins_then_the_wildcard_then_the_campaigns_own(
    number: str, choices: tuple[tuple[str, str], ...], expected: str
) -> None:
    assert shown(number, *choices) == expected


def test_equals_take_turns() -> None:
    group = (("1202", "A"), ("1202", "B"), ("1", "C"), ("1202", "D"))
    assert [shown("+12025550100", *group, turn=turn) for turn in range(4)] == ["A", "B", "D", "A"]
