"""Tests of second legs over lines: transfers to numbers and to agents' telephones, seen from both sides."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest
import structlog
from sqlalchemy import RowMapping

from dialer.domain.enums import CampaignStatus
from dialer.domain.line import Ask, Bridge, Clear, Hold, Play
from dialer.store.tables import (
    Agent,
    CallRequest,
    Cdr,
    Gateway,
    LedgerEntry,
    LiveLeg,
    Subscriber,
    SurveyResult,
    Transfer,
    User,
)
from tests.runtime.line_house import LineHouse
from tests.vopr.faults import Fault

COMPARED: Final = (CallRequest, Cdr, SurveyResult, Subscriber, User, Transfer, Agent)
OTHER: Final = "+12025559999"
BUSY: Final = "+12025550111"
TARGETS: Final = (
    OTHER,
    BUSY,
    "+12025550112",  # rings until the limit
    "+12025550113",  # rejects
    "+12025550114",  # has no such number
    "+12025550115",  # is congested
    "+12025550118",  # hangs up after a second
    "+12025550121",  # talks until it is cut
    "+12025550110",  # is a machine
)
PATIENT: Final[dict[str, Any]] = {"outcome": "answer", "ring": 4, "keys": []}
"""Answers 5 s after the dial, and hears everything."""


def caller(place: int) -> str:
    return f"+1202556{place:04}"


CALLERS: Final = {caller(place): PATIENT for place in range(len(TARGETS))} | {
    caller(20): PATIENT | {"hang_up_after": 20},
    caller(21): PATIENT | {"hang_up_after": 4},
}
BEHAVIOUR: Final[dict[str, Any]] = {"ring": 3, "talk": [10, 40], "key_delay": 2, "numbers": CALLERS}
CONFIRM: Final = {"confirm_script": "press five", "confirm_key": "5", "timeout": 3}


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """Write no log: each failed step is planned, and to print it takes a second."""
    before = structlog.get_config()
    structlog.configure(logger_factory=structlog.ReturnLoggerFactory(), processors=[])
    yield
    structlog.configure(**before)


@pytest.fixture
def house(tmp_path: Path) -> LineHouse:
    return LineHouse(tmp_path, behaviour=BEHAVIOUR)


def without_id(row: RowMapping) -> str:
    return str({name: value for name, value in row.items() if name != "id"})


async def transferring(house: LineHouse, *numbers: str, **section: object) -> int:
    """Start a campaign of 2 s of prompt and a transfer, after which 3 s are played if it succeeded, else 8 s."""
    survey_id = house.survey(
        {"type": 6, "audiofile_id": house.recording(2_000), "phonenumber": OTHER, **section},
        {"type": 7, "audiofile_id": house.recording(3_000)},
        {"type": 7, "audiofile_id": house.recording(8_000)},
        branches={0: {"0": 1, "timeout": 2}},
    )
    phonebook_id = house.phonebook()
    for number in numbers:
        place = list(CALLERS).index(number)
        target = TARGETS[place] if place < len(TARGETS) else OTHER
        variables = msgspec.json.encode({"transfer_phonenumber": target}).decode()
        house.contact(phonebook_id, number, additional_vars=variables)
    return await house.started(survey_id, phonebook_id, callmaxduration=120, calltimeout=20, frequency=600)


def cdrs(house: LineHouse) -> list[tuple[int, int, int, int]]:
    """Return type, duration, billed seconds and cause of each CDR."""
    return [(row["leg_type"], row["duration"], row["billsec"], row["hangup_cause_q850"]) for row in house.rows(Cdr)]


def reasons(house: LineHouse) -> list[str]:
    return [row["reason"] for row in house.rows(Transfer)]


def is_clean(house: LineHouse) -> bool:
    """Tell whether nothing is left: no leg, no hold, no difference."""
    left = (house.rows(LiveLeg), house.side.phones, house.findings(), house.row(User, house.user_id)["held"])
    assert left == ([], {}, [], 0)
    return True


async def compared(tmp_path: Path, limits: dict[str, Any], *, queued: bool, **section: object) -> None:
    """Check that a campaign of all callers leaves the rows of a simulated one."""
    left = []
    for place in ("line", "simulated"):
        (tmp_path / place).mkdir()
        house = LineHouse(tmp_path / place, behaviour=BEHAVIOUR)
        is_simulated = {"protocol": "sim", "parameters": msgspec.json.encode(BEHAVIOUR).decode()}
        house.change(Gateway, house.gateway_id, **limits, **(is_simulated if place == "simulated" else {}))
        if queued:
            agents = [
                house.agent(contact="+12025550150", parameters='{"talk": 20, "answer": 2}', wrap_up_time=5),
                house.agent(contact="1001", parameters='{"talk": [5, 50], "answer": [3, 30]}', status=3),
            ]
            section["queue_id"] = house.queue(*agents, strategy=2, max_wait_time=60)
        await transferring(house, *CALLERS, **section)
        await house.pass_s(600)
        left.append([sorted(map(without_id, house.rows(model))) for model in COMPARED])
        if place == "line":
            assert is_clean(house)
            assert len(house.side.seconds) > 1
        house.database.close()
    assert left[0] == left[1]
    assert len(left[0][1]) > len(CALLERS)


@pytest.mark.parametrize(
    ("section", "limits"),
    [({}, {"max_cps": 0}), (CONFIRM, {"max_cps": 0}), ({}, {"max_cps": 2, "max_channels": 14})],
)
async def test_transfers_over_a_line_leave_the_rows_of_simulated_ones(
    tmp_path: Path, section: dict[str, object], limits: dict[str, Any]
) -> None:
    await compared(tmp_path, limits, queued=False, **section)


async def test_agents_over_a_line_leave_the_rows_of_simulated_ones(tmp_path: Path) -> None:
    await compared(tmp_path, {"max_cps": 0}, queued=True)
