"""Tests of the senders of text messages: a number without a country code is never taken for another person's."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, event

from dialer.domain.sessions.leg_protocol import TextReceived
from dialer.domain.words.enums import SubscriberStatus
from dialer.domain.words.roles import Role
from dialer.store.rows.texts.text_senders import sender_of
from dialer.store.tables import DncContact, DncList, SmsReceived, Subscriber, User
from tests.databases import choice
from tests.runtime.house import House
from tests.runtime.test_fleet_texts import EARLY, GATEWAY_ID, LATE, TwoWorkers, again, two_workers

pytestmark = pytest.mark.usefixtures("quiet")
EGYPTIAN = "+2025551002"
"""A number of Egypt with the digits that LATE has within the United States."""


async def heard(house: TwoWorkers, *more: str, sender: TextReceived) -> list[int]:
    """Let a text message come in, once all have been written to, and start campaigns that write to LATE later."""
    house.change(User, 2, role=Role.ADMIN)
    if more:
        house.user_id = 1
        house.campaign(0, house.phonebook(*more), **again(house, 1) | {"frequency": 1_000})
    await house.pass_s(61)
    later = [house.campaign(0, house.phonebook("+12025551003", LATE), **again(house, one)) for one in (1, 2)]
    await house.steps()
    house.tell("", sender)
    await house.steps()
    await house.pass_s(62)
    assert [worker.figures().broken for worker in house.workers] == [Counter(), Counter()]
    return later


def listed(house: TwoWorkers) -> set[tuple[int, str, str]]:
    """Return the account, the wishes and the number of each entry of a list that keeps wishes."""
    lists = {row["id"]: (row["user_id"], row["keeps_wishes_of"]) for row in house.rows(DncList)}
    entries = [(*lists[row["dnc_id"]], row["number"]) for row in house.rows(DncContact)]
    return {entry for entry in entries if entry[1]}


def kept(house: TwoWorkers) -> list[tuple[Any, ...]]:
    """Return the account, the number and the meaning of each text message that is kept."""
    return sorted((row["user_id"], row["number"], row["understood"]) for row in house.rows(SmsReceived))


def words(house: TwoWorkers) -> list[tuple[int, str, str]]:
    """Return the account, the number and the words of each text message that is kept."""
    return sorted((row["user_id"], row["number"], row["said"]) for row in house.rows(SmsReceived))


def fate(house: TwoWorkers, campaign_ids: list[int]) -> list[tuple[int, str]]:
    rows = [row for row in house.rows(Subscriber) if row["campaign_id"] in campaign_ids and row["number"] == LATE]
    return [(row["status"], row["status_reason"]) for row in rows]


@pytest.mark.parametrize(
    "sender",
    [
        TextReceived("2025551002", "", "STOP", is_national=True),
        TextReceived("12025551002", "", "STOP", is_national=True),
        TextReceived("2025551002", "", "STOP"),
        TextReceived("12025551002", "", "STOP"),
        TextReceived("0012025551002", "", "STOP"),
    ],
)
async def test_a_stop_without_a_country_code_is_that_of_the_person_written_to(
    tmp_path: Path, sender: TextReceived
) -> None:
    async with two_workers(tmp_path) as house:
        later = await heard(house, sender=sender)
        assert listed(house) == {(1, "account", LATE), (2, "account", LATE)}
        assert fate(house, later) == [(SubscriberStatus.NOT_AUTHORIZED, "dnc")] * 2
        assert kept(house) == [(1, LATE, "stop"), (2, LATE, "stop")]


@pytest.mark.parametrize(
    ("other", "sender"),
    [
        ("+442025551002", TextReceived("2025551002", "", "STOP", is_national=True)),
        ("+442025551002", TextReceived("2025551002", "", "STOP")),
        (EGYPTIAN, TextReceived("2025551002", "", "STOP")),
    ],
)
async def test_a_stop_that_may_be_of_two_people_holds_both_until_somebody_looks(
    tmp_path: Path, other: str, sender: TextReceived
) -> None:
    async with two_workers(tmp_path) as house:
        later = await heard(house, other, sender=sender)
        assert listed(house) == {(1, "held", LATE), (2, "held", LATE), (1, "held", other)}
        assert fate(house, later) == [(SubscriberStatus.NOT_AUTHORIZED, "held")] * 2
        held = sorted(one[::2] for one in listed(house))
        assert kept(house) == sorted([*((*one, "perhaps") for one in held), (2, "", "perhaps")])
        # The sender is unknown, so no account reads text that may be for the other.
        assert words(house) == sorted([*((*one, "") for one in held), (2, "", "STOP")])
        assert {row["said"] for row in house.rows(DncContact)} == {""}


@pytest.mark.parametrize("text", ["STOP", "hello"])
async def test_the_end_of_a_number_is_its_owner_only_if_somebody_has_looked(tmp_path: Path, text: str) -> None:
    async with two_workers(tmp_path) as house:
        await heard(house, sender=TextReceived("5551002", "", text, is_national=True))
        held = [(1, LATE), (2, LATE)] if text == "STOP" else []
        assert listed(house) == {(account, "held", number) for account, number in held}
        assert words(house) == sorted([*((*one, "") for one in held), (2, "", text)])


@pytest.mark.parametrize("text", ["STOP", "hello"])
async def test_an_account_reads_whoever_may_be_one_of_its_own_people_only(tmp_path: Path, text: str) -> None:
    """Both numbers were written to by one account, so nobody else's words are in doubt."""
    async with two_workers(tmp_path) as house:
        house.change(User, 2, role=Role.ADMIN)
        house.user_id = 1
        mine = ("+12025551009", "+442025551009")
        house.campaign(0, house.phonebook(*mine), **again(house, 1) | {"frequency": 1_000})
        await house.pass_s(61)
        house.tell("", TextReceived("2025551009", "", text, is_national=True))
        await house.steps()
        assert words(house) == [(1, number, text) for number in mine]


@pytest.mark.parametrize(
    ("written_to", "sender", "number"),
    [
        ((), TextReceived("2025550407", "", "STOP", is_national=True), ""),
        ((), TextReceived("2025550407", "", "STOP"), "+2025550407"),
        ((), TextReceived("12025550407", "", "STOP"), "+12025550407"),
        ((EGYPTIAN,), TextReceived("2025551002", "", "STOP", is_national=True), None),
        ((), TextReceived("50407", "", "STOP", is_national=True), ""),
        ((), TextReceived("Shop 2", "", "STOP", is_national=True), ""),
    ],
)
async def test_a_stop_of_nobody_who_was_written_to_blocks_no_stranger(
    tmp_path: Path, written_to: tuple[str, ...], sender: TextReceived, number: str | None
) -> None:
    """An admin reads it, and decides. Without a plus nobody knows in which country the sender is."""
    async with two_workers(tmp_path) as house:
        await heard(house, *written_to, sender=sender)
        blocked = {entry[2] for entry in listed(house)}
        assert blocked.isdisjoint({EGYPTIAN, "+2025550407", "+12025550407", EARLY})
        if number is not None:
            assert (blocked, kept(house)) == (set(), [(2, number, "perhaps")])


async def test_a_stop_of_a_stranger_with_a_country_code_holds_for_everybody(tmp_path: Path) -> None:
    async with two_workers(tmp_path) as house:
        await heard(house, sender=TextReceived("+12025550407", "", "STOP"))
        assert listed(house) == {(2, "service", "+12025550407")}


@pytest.mark.skipif(choice.is_postgresql(), reason="reads the plan of SQLite")
def test_a_sender_is_found_by_the_last_digits_however_many_messages_a_gateway_has(house: House) -> None:
    def plans(connection: Connection) -> list[str]:
        asked: list[tuple[str, Any]] = []
        event.listen(
            connection, "before_cursor_execute", lambda _, __, query, given, *___: asked.append((query, given))
        )
        sender_of(connection, GATEWAY_ID, TextReceived("2025551002", "", "STOP"))
        found = [
            connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {query}", given).all() for query, given in tuple(asked)
        ]
        return [str(row[-1]) for rows in found for row in rows if "sms_message" in str(row[-1])]

    found = house.database.read_now(plans)
    assert any("ix_sms_message_last_digits" in one for one in found)
    assert not any("ix_sms_message_gateway_id_send_date" in one or one.startswith("SCAN") for one in found), found
