"""A service of two users, and rows of the first one that somebody edits while calls are in progress."""

import contextlib
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

from sqlalchemy import Table

from dialer.domain.words.enums import CampaignStatus
from dialer.store.tables import SMS, CallerId, CallerIdGroup, Campaign, Cdr, Did, Gateway, RateCardLine, Row, User
from tests.runtime.house import ALL_ANSWER, CENTS
from tests.runtime.line_house import LineHouse
from tests.runtime.text_side import FAKE_TEXTS

ANN: Final = 1
BOB: Final = 2
ANNS: Final = tuple(f"+1202555{number:04d}" for number in range(1_000, 1_008))
BOBS: Final = tuple(f"+1202556{number:04d}" for number in range(1_000, 1_004))
NONSENSE: Final[tuple[object, ...]] = ("nonsense", -1, 2**62, "", None, b"\xff", '{"a":[1]}', 0.5)
"""Values that no version of dialer has written."""
OF_THE_SERVICE: Final = frozenset(
    {
        *("service_state", "fleet_change", "fleet_worker", "gateway_slice", "cps_returned", "seat", "shard"),
        *("audit_log", "console_session", "request_allowance", "wrong_password", "set_aside_report", "subscriber_move"),
    }
)
"""Tables whose rows are nobody's."""


async def street(folder: Path) -> LineHouse:
    """Return a service in which both users have calls in progress: Ann's over a line, with agents and texts."""
    house = LineHouse(folder)
    texts = house.add(Gateway, medium=SMS, name="texts", protocol=FAKE_TEXTS)
    queue = house.queue(house.agent(contact="1001", wrap_up_time=2), strategy=1, max_wait_time=30)
    survey_id = house.survey(
        {"type": 10, "sms_text": "hello"},
        {"type": 1, "audiofile_id": house.recording(2_000)},
        {"type": 6, "queue_id": queue, "audiofile_id": house.recording(1_000)},
        branches={0: {"0": 1}, 1: {"0": 2}},
    )
    group_id = house.add(CallerIdGroup, name="numbers")
    house.add(CallerId, user_id=ANN, callerid_group_id=group_id, areacode="202", callerid_num="+12025550199")
    price = {"rate": 3 * CENTS, "first_increment": 30, "next_increment": 6, "connection_fee": 0}
    house.add(RateCardLine, user_id=ANN, prefix="1", **price)
    house.change(User, ANN, rate_card_version=1)
    settings = {
        "callerid_group_id": group_id,
        "frequency": 60,
        "sms_gateway_id": texts,
        "dnc_id": house.dnc_list(),
        "maxretry": 1,
    }
    anns = house.campaign(survey_id, house.phonebook(*ANNS), **settings)
    house.add(Did, user_id=ANN, is_assigned=True, did_number="+12025550199", campaign_id=anns)
    house.user_id = house.add(User, username="bob", password_hash="-", call_rate=2 * CENTS)
    house.pay(100 * CENTS)
    simulated = house.add(Gateway, name="simulated", protocol="sim", parameters=ALL_ANSWER)
    talk = house.survey({"type": 1, "script": "word " * 20})
    bobs = house.campaign(talk, house.phonebook(*BOBS), aleg_gateway_id=simulated, frequency=6)
    house.user_id = ANN
    house.start(anns)
    house.start(bobs)
    await house.pass_s(5)
    return house


def edit(folder: Path, table: Table, column: str, value: object) -> bool:
    """Write a value into a column of Ann's first row, as another program would. Return False if that is refused."""
    with closing(sqlite3.connect(folder / "dialer.db", isolation_level=None)) as other:
        other.execute("PRAGMA foreign_keys=OFF")
        whose = f"WHERE user_id = {ANN}" if "user_id" in table.c else ""
        first = f'(SELECT min(id) FROM "{table.name}" {whose})'  # noqa: S608 - our own names, as below
        with contextlib.suppress(sqlite3.IntegrityError):
            changed = other.execute(f'UPDATE "{table.name}" SET "{column}" = ? WHERE id = {first}', (value,))  # noqa: S608
            return changed.rowcount > 0
    return False


def columns() -> Iterator[tuple[Table, str]]:
    """Yield every column of every table that has rows of users."""
    for table in Row.metadata.sorted_tables:
        if table.name not in OF_THE_SERVICE:
            yield from ((table, column.name) for column in table.c if column.name != "id")


async def bobs_calls_go_on(house: LineHouse) -> list[str]:
    """Let a minute pass in each of two processes, and return what is wrong with Bob's campaign."""
    wrong = []
    for seconds in (20, 100):
        try:
            await house.pass_s(seconds)
        except Exception as error:  # noqa: BLE001 - it is a finding
            wrong.append(f"{type(error).__name__}: {error}"[:200])
            return wrong
        if house.worker.problem() is not None:
            wrong.append(f"problem {house.worker.problem()}")
        house.restart()
    called = {row["phone_number"] for row in house.rows(Cdr) if row["user_id"] == BOB}
    if called != set(BOBS) or house.row(Campaign, 2)["status"] != CampaignStatus.END:
        wrong.append(f"called {len(called)}, status {house.row(Campaign, 2)['status']}")
    return wrong
