"""Tests of carriers that want no call for a while: their gateway rests, or one person is called later."""

from pathlib import Path

import pytest

from dialer.domain.sessions.leg_protocol import Ended
from dialer.domain.words.enums import Cause
from dialer.store.tables import Cdr, Gateway, Subscriber
from tests.runtime.line_house import AFTERNOON_MS, LineHouse

pytestmark = pytest.mark.usefixtures("quiet")
NUMBERS = ("+12025550101", "+12025550102", "+12025550103")


@pytest.fixture
def house(tmp_path: Path) -> LineHouse:
    return LineHouse(tmp_path)


async def refused(house: LineHouse, cause: Cause, asked_s: int = 600) -> None:
    """Start a campaign over a line that refuses the first call for ten minutes, if nothing else is said."""
    survey_id = house.survey({"type": 1, "audiofile_id": house.recording(3_000)})
    await house.started(survey_id, house.phonebook(*NUMBERS), frequency=1, maxretry=1, intervalretry=30)
    await house.pass_s(1)
    (key,) = house.side.phones
    house.side.lines[0].hear(key, Ended(0, cause, retry_after_ms=asked_s * 1_000))
    del house.side.phones[key]


def dials_s(house: LineHouse) -> list[tuple[str, int]]:
    """Return the number and the second of each call that is over, in their order."""
    rows = sorted(house.rows(Cdr), key=lambda row: row["id"])
    return [(row["phone_number"], (row["starting_date"] - AFTERNOON_MS) // 1_000) for row in rows]


def rests_until_s(house: LineHouse) -> int:
    rests_until_ms: int = house.row(Gateway, house.gateway_id)["rests_until_ms"]
    return (rests_until_ms - AFTERNOON_MS) // 1_000


async def test_a_gateway_whose_carrier_wants_no_calls_gets_none(house: LineHouse) -> None:
    await refused(house, Cause.TEMPORARY_FAILURE, 240)
    await house.pass_s(230)
    assert dials_s(house) == [(NUMBERS[0], 0)]
    assert 240 <= rests_until_s(house) <= 242
    await house.pass_s(400)
    assert len(dials_s(house)) == 4
    assert min(second for _, second in dials_s(house)[1:]) >= 240
    assert house.findings() == []


async def test_a_carrier_that_wants_no_calls_for_an_hour_gets_one_after_five_minutes(house: LineHouse) -> None:
    """Only if that is refused, too, nothing is dialled for an hour."""
    await refused(house, Cause.TEMPORARY_FAILURE, 3_600)
    await house.pass_s(295)
    assert (dials_s(house), house.side.phones) == ([(NUMBERS[0], 0)], {})
    assert 300 <= rests_until_s(house) <= 302
    for _ in range(10):
        await house.pass_s(0 if house.side.phones else 1)
    (key,) = house.side.phones
    house.side.lines[0].hear(key, Ended(0, Cause.TEMPORARY_FAILURE, retry_after_ms=3_600_000))
    del house.side.phones[key]
    await house.pass_s(5)
    assert 3_900 <= rests_until_s(house) <= 3_912
    await house.pass_s(3_500)
    assert (len(dials_s(house)), house.side.phones) == (2, {})
    assert house.findings() == []


async def test_a_person_who_is_busy_for_a_while_is_called_after_it_and_the_others_at_once(house: LineHouse) -> None:
    await refused(house, Cause.USER_BUSY)
    await house.pass_s(1_000)
    found = dials_s(house)
    assert [number for number, _ in found] == [NUMBERS[0], NUMBERS[1], NUMBERS[2], NUMBERS[0]]
    assert [second <= 200 for _, second in found] == [True, True, True, False]
    assert found[-1][1] >= 600
    assert {row["count_attempt"] for row in house.rows(Subscriber)} == {1, 2}
