"""Tests of receipts that spell the name of a message in another way."""

from pathlib import Path

import pytest
from sqlalchemy import Connection

from dialer.store.database.touched import NOTHING, touch
from dialer.store.rows.live_legs import message_named, name_part
from dialer.store.tables import SmsMessage
from tests.runtime.test_fleet_texts import GATEWAY_ID, two_workers

pytestmark = pytest.mark.usefixtures("quiet")


@pytest.mark.parametrize(
    ("names", "told", "place"),
    [
        (("Ab1c03", "x"), "AB1C03", 0),
        (("Ab1c03", "aB1c03"), "AB1C03", None),
        (("Ab1c03", "aB1c03"), "aB1c03", 1),
        (("000abc01", "x"), "703489", 0),
        (("000abc01", "0000703489"), "703489", None),
        (("x", "703489"), "00ABC01", 1),
        (("10", "x"), "16", None),
        (("Ä1", "x"), "ä1", None),
        (("a", "x"), "0", None),
    ],
)
async def test_a_receipt_finds_the_only_message_whose_name_is_alike(
    tmp_path: Path, names: tuple[str, str], told: str, place: int | None
) -> None:
    async with two_workers(tmp_path) as house:
        ids = [row["id"] for row in house.rows(SmsMessage)]

        def found(connection: Connection) -> int | None:
            touch(connection, NOTHING)
            for message_id, name in zip(ids, names, strict=True):
                name_part(connection, GATEWAY_ID, message_id, name)
            return message_named(connection, GATEWAY_ID, told)

        assert house.database.write_now(found) == (None if place is None else ids[place])
