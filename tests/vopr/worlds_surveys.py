"""Generated surveys: sections of every type, and branches without a loop that never asks for input."""

from collections.abc import Callable
from typing import Any, Final

from dialer.domain.survey.sections.table import SECTION_TYPES
from dialer.domain.words.enums import SectionType
from tests.vopr.dice import Dice

Values = dict[str, Any]
SECTIONS_MAX: Final = 6


def draw_survey(dice: Dice, survey_id: int, known: int, queues: int) -> tuple[list[Values], list[Values]]:
    """Draw the sections and branches of a survey; `known` is the number of sections of earlier surveys."""
    kinds = [dice.pick(list(SectionType)) for _ in range(dice.between(1, SECTIONS_MAX))]
    if dice.happens(35):
        kinds.insert(0, SectionType.CALL_TRANSFER)  # Random types alone give too few transfers.
    sections = [
        {"survey_id": survey_id, "order": place, **_section(dice, kind, queues)} for place, kind in enumerate(kinds)
    ]
    branches = [
        {"section_id": known + place + 1, "keys": key, "goto_id": target}
        for place, kind in enumerate(kinds)
        for key, target in _branches(dice, place, kind, known, len(kinds)).items()
    ]
    return sections, branches


def _section(dice: Dice, kind: SectionType, queues: int) -> Values:
    common: Values = {
        "type": int(kind),
        "question": "question",
        "script": "word " * dice.pick((0, 1, 8, 40)),
        "retries": dice.between(0, 2),
        "timeout": dice.between(1, 5),
        "completed": dice.happens(15),
    }
    details = _DETAILS.get(kind)
    return common if details is None else {**common, **details(dice, queues)}


def _transfer(dice: Dice, queues: int) -> Values:
    if dice.happens(65):
        return {"queue_id": dice.between(1, queues)}
    return {
        "phonenumber": dice.pick(("+33199000002", "+12025550111", "+12025550112", "+12025550121")),
        "confirm_script": dice.pick(("", "a call for you")),
        "confirm_key": dice.pick(("", "", "5")),
    }


_DETAILS: Final[dict[SectionType, Callable[[Dice, int], Values]]] = {
    SectionType.MULTI_CHOICE: lambda _dice, _queues: {"key_1": "yes", "key_2": "no"},
    SectionType.RATING: lambda dice, _queues: {"rating_laps": dice.pick((5, 12))},
    SectionType.CAPTURE_DIGITS: lambda dice, _queues: {"number_digits": dice.between(1, 3), "max_number": 99},
    SectionType.CALL_TRANSFER: _transfer,
    SectionType.CONFERENCE: lambda dice, _queues: {"conference": dice.pick(("", "room"))},
    SectionType.CONVERSATION: lambda dice, _queues: {
        "agent_url": "wss://agent.example/",
        "disclosure": dice.pick(("", "a program talks")),
        "timeout": dice.pick((5, 60)),
    },
    SectionType.SMS: lambda _dice, _queues: {"sms_text": "Thank you {contact}"},
}


def _branches(dice: Dice, place: int, kind: SectionType, known: int, count: int) -> dict[str, int | None]:
    """Draw the branches of a section. A section that asks may lead anywhere, others only forwards."""
    asks = SECTION_TYPES[kind].asks
    first = 0 if asks else place + 1
    targets: list[int | None] = [known + other + 1 for other in range(first, count)]
    keys = ("1", "2", "any", "timeout", "invalid") if asks else ("0", "timeout")
    return {key: dice.pick([*targets, *targets, None]) for key in keys if dice.happens(80)}
