"""Tests that equal databases, seeds and clocks give equal rows, for all steps, restarts and hash seeds."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Awaitable, Callable
from enum import Enum
from functools import partial
from pathlib import Path
from typing import Any, Final

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dialer.store.tables import (
    Agent,
    CallRequest,
    Campaign,
    Cdr,
    DncContact,
    Gateway,
    Queue,
    Row,
    SmsMessage,
    Subscriber,
    SurveyResult,
    Transfer,
    User,
)
from tests.runtime.centre import centre, digest
from tests.runtime.house import CENTS, House
from tests.sizes import examples

HOURS = 3
SECTIONS = (
    {"type": 1, "script": "good day {first_name} this is a call about your appointment"},
    {"type": 2, "script": "press one or two", "key_1": "yes", "key_2": "no", "retries": 1},
    {"type": 3, "script": "how many stars", "rating_laps": 5, "completed": True},
    {"type": 9, "script": "we will not call again"},
)
BRANCHES: dict[int, dict[str, int | None]] = {0: {"0": 1}, 1: {"1": 2, "2": 3, "timeout": None}, 2: {"any": None}}


def number(place: int) -> str:
    """Return a number of one of three countries in three zones."""
    prefix = ("+1202555", "+4930123", "+6129123")[place % 3]
    return f"{prefix}{place:04d}"


async def busy_house(folder: Path) -> House:
    """Start three campaigns on two small gateways, with one do-not-call list and too little money."""
    house = House(folder, seed=42)
    house.change(Gateway, house.gateway_id, max_channels=4, max_cps=1, parameters='{"listen": 0.8}')
    other_id = house.add(Gateway, name="other", max_channels=3)
    dnc_id = house.dnc_list(number(3))
    survey_id = house.survey(*SECTIONS, branches=BRANCHES)
    house.pay(150 * CENTS - 100_000 * CENTS)
    settings = {"dnc_id": dnc_id, "maxretry": 2, "intervalretry": 300, "frequency": 47, "callmaxduration": 120}
    window = {"daily_start_time": "08:30:00", "daily_stop_time": "18:00:00"}
    retries = {"completion_maxretry": 1, "completion_intervalretry": 400, "voicemail": True, "amd_behavior": 2}
    books = [house.phonebook(*(number(place) for place in range(low, low + 60))) for low in (0, 30, 60)]
    await house.started(survey_id, books[0], **settings)
    await house.started(survey_id, books[1], **settings, **window, aleg_gateway_id=other_id)
    await house.started(survey_id, books[2], **settings, **retries, max_aleg=2)
    return house


class Then(Enum):
    """The event after a step."""

    NOTHING = 0
    RESTART = 1
    A_WRITE = 2
    """Another process writes, so the worker reads all rows again."""


Step = tuple[float, Then]
Edit = tuple[type[Row], int, dict[str, Any]]
EDITS: Final[tuple[Edit, ...]] = (
    *((Agent, agent_id, {"status": status}) for agent_id in (1, 2, 3, 4) for status in (1, 2, 3, 4)),
    *((Agent, 2, {"parameters": parameters}) for parameters in ("{}", '{"answer": 9}', '{"talk": 5, "answer": 0}')),
    (Agent, 1, {"wrap_up_time": 30, "contact": ""}),
    *((Queue, queue_id, {"strategy": strategy}) for queue_id in (1, 2) for strategy in (1, 3, 6, 8)),
    (Queue, 1, {"max_wait_time": 5}),
    (Queue, 2, {"tier_rules_apply": False, "max_wait_time_with_no_agent": 5}),
    (Queue, 1, {"discard_abandoned_after": 100, "abandoned_resume_allowed": False}),
    *((Campaign, campaign_id, {"dial_method": method}) for campaign_id in (2, 3) for method in (1, 2, 3)),
    *((Campaign, campaign_id, {"max_xfer": most}) for campaign_id in (1, 2) for most in (0, 1)),
    *((Campaign, 1, {"sms_gateway_id": gateway_id}) for gateway_id in (None, 1)),
    (Campaign, 1, {"calltimeout": 10, "dnc_id": None}),
    (Campaign, 2, {"agent_dial_rate": 300_000}),
    (Gateway, 1, {"max_channels": 5, "max_cps": 3}),
    (User, 1, {"call_rate": 1_000}),
)
"""Edits of the call centre during its calls."""
HOUSES: Final[dict[str, Callable[[Path], Awaitable[House]]]] = {"busy": busy_house, "centre": centre}


async def run(name: str, steps: list[Step]) -> str:
    """Return the digest of the rows after three hours in these steps of seconds."""
    with tempfile.TemporaryDirectory() as folder:
        house = await HOUSES[name](Path(folder))
        end_ms = house.now_ms() + HOURS * 3_600_000
        for seconds, then in steps:
            await house.advance(min(seconds, (end_ms - house.now_ms()) / 1_000))
            if then is Then.RESTART:
                house.restart()
            elif then is Then.A_WRITE:
                house.database.write_now(lambda _: None)
        await house.worker.advance(end_ms)
        result = digest(house)
        house.database.close()
        return result


async def test_the_busy_house_is_busy(tmp_path: Path) -> None:
    """The compared rows include calls, answers, retries, refusals and a campaign without credit."""
    house = await busy_house(tmp_path)
    await house.advance(HOURS * 3_600)
    assert {row["status_reason"] for row in house.rows(Campaign)} >= {"no_credit"}
    assert {row["attempt"] for row in house.rows(CallRequest)} >= {1, 2, 3}
    assert {row["status_reason"] for row in house.rows(Subscriber)} >= {"dnc", "busy", "machine"}
    assert len(house.rows(SurveyResult)) > 50
    house.database.close()


async def test_the_centre_is_busy(tmp_path: Path) -> None:
    """The compared rows include transfers of all outcomes, inbound calls, texts, recordings and conferences."""
    house = await centre(tmp_path)
    await house.advance(HOURS * 3_600)
    transfers = house.rows(Transfer)
    assert {row["reason"] for row in transfers} >= {"", "gave_up", "no_answer", "no_credit", "max_xfer", "gateway_full"}
    assert {row["agent_id"] for row in transfers} >= {None, 1, 2, 3}
    assert any(row["is_abandoned"] for row in transfers)
    assert {row["section_type"] for row in house.rows(SurveyResult)} == {2, 5, 6, 8, 9, 10}
    assert any(row["attempt"] < 0 for row in house.rows(CallRequest))
    assert any(row["campaign_id"] is None for row in house.rows(Cdr))
    assert {row["status"] for row in house.rows(SmsMessage)} >= {"Delivered", "Failed"}
    assert all(row["calls"] > 40 for row in house.rows(Campaign))
    assert len(house.rows(DncContact)) > 1
    assert house.row(User, house.user_id)["held"] == 0
    house.database.close()


_seconds = st.one_of(st.floats(0.001, 30), st.integers(1, 300), st.integers(1, 3_000))
_steps = st.lists(st.tuples(_seconds, st.sampled_from(Then)), max_size=12)


@pytest.fixture(scope="module", params=HOUSES)
def in_one_step(request: pytest.FixtureRequest) -> tuple[str, str]:
    """Return the name of a service, and its digest after a single step."""
    return request.param, anyio.run(run, request.param, [])


@settings(max_examples=examples(3))
@given(steps=_steps)
def test_steps_and_restarts_change_nothing(in_one_step: tuple[str, str], steps: list[Step]) -> None:
    """Many steps with restarts end with the rows of a single step."""
    name, expected = in_one_step
    assert anyio.run(run, name, steps) == expected


async def edited(edits: list[tuple[float, Edit]], *, restarts: bool) -> str:
    """Return the digest of the call centre after some edits, each some seconds after another, and two hours."""
    with tempfile.TemporaryDirectory() as folder:
        house = await centre(Path(folder))
        for seconds, (model, row_id, values) in edits:
            await house.advance(seconds)
            house.change(model, row_id, **values)
            if restarts:
                house.restart()
        await house.advance(7_200)
        result = digest(house)
        house.database.close()
        return result


@settings(max_examples=examples(3))
@given(edits=st.lists(st.tuples(st.floats(0.001, 90), st.sampled_from(EDITS)), min_size=1, max_size=25))
def test_restarts_after_edits_change_nothing(edits: list[tuple[float, Edit]]) -> None:
    """Decisions depend on the rows, and not on the time at which they were read."""
    without, with_restarts = (partial(edited, edits, restarts=restarts) for restarts in (False, True))
    assert anyio.run(without) == anyio.run(with_restarts)


def test_the_hash_seed_changes_nothing() -> None:
    """Two processes with different hash seeds write equal rows."""
    program = (
        f"import anyio; from {__name__} import HOUSES, run, Then;"
        " print([anyio.run(run, name, [(1_000, Then.RESTART)]) for name in HOUSES])"
    )
    digests = set()
    for hash_seed in ("1", "4711"):
        environment = os.environ | {"PYTHONHASHSEED": hash_seed}
        finished = subprocess.run(
            [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
        )
        digests.add(finished.stdout.strip())
    assert len(digests) == 1
