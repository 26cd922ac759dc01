"""Tests of long text messages that come in part by part: they are joined before they are read, and none is lost."""

from collections import Counter
from itertools import permutations
from pathlib import Path
from typing import Final

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection, update

from dialer.app.erasure.erasure import erase_number
from dialer.domain.sessions.leg_protocol import TextPart, TextReceived
from dialer.store.database.touched import NOTHING, touch
from dialer.store.rows.texts import text_parts
from dialer.store.rows.texts.incoming_texts import add_news, delete_news, waiting_news
from dialer.store.rows.texts.text_parts import PARTS_WAIT_MS
from dialer.store.tables import SmsReceived, TextNews
from tests.runtime.house import House
from tests.runtime.test_fleet_texts import GATEWAY_ID, LATE, two_workers

pytestmark = pytest.mark.usefixtures("quiet")
SAID: Final = ("Please sto", "p sending me m", "essages")


def part(number: int, text: str = "", *, count: int = 3, reference: str = "0/2a", sender: str = LATE) -> TextReceived:
    """Return a part of a text; without a text, of the usual one."""
    return TextReceived(sender, "", text or SAID[number - 1], part=TextPart(reference, number, count))


def said(house: House) -> list[tuple[str, str]]:
    """Return the words and the meaning of each text message that is kept for the first account."""
    return [(row["said"], row["understood"]) for row in house.rows(SmsReceived) if row["user_id"] == 1]


@pytest.mark.parametrize("order", list(permutations((1, 2, 3))))
@pytest.mark.parametrize("is_repeated", [False, True])
async def test_a_wish_in_parts_is_one_wish_in_any_order(
    tmp_path: Path, order: tuple[int, ...], *, is_repeated: bool
) -> None:
    """The parts come over two connections. A carrier repeats those whose answer was lost."""
    async with two_workers(tmp_path) as house:
        await house.pass_s(61)
        for place, number in enumerate(order):
            for _ in range(2 if is_repeated and place < 2 else 1):
                house.lines[f"w{place % 2 + 1}"].exchange.heard(0, "", part(number))
                await house.steps()
        assert (said(house), house.rows(TextNews)) == ([("Please stop sending me messages", "stop")], [])
        assert [worker.figures().broken for worker in house.workers] == [Counter(), Counter()]


async def test_parts_that_never_become_whole_are_read_alone_after_a_minute(tmp_path: Path) -> None:
    async with two_workers(tmp_path) as house:
        await house.pass_s(61)
        for number, text in ((1, "Hello there"), (3, "STOP")):
            house.lines["w1"].exchange.heard(0, "", part(number, text))
        await house.steps()
        await house.pass_s(58)
        assert (said(house), len(house.rows(TextNews))) == ([], 2)
        await house.pass_s(3)
        assert (said(house), house.rows(TextNews)) == ([("Hello there", "other"), ("STOP", "stop")], [])


def test_parts_that_two_processes_hear_at_once_are_joined_after_a_minute(house: House) -> None:
    """Neither sees the other's row, so both keep their part."""
    for number in (2, 1):
        heard = msgspec.json.encode(part(number, count=2)).decode()
        house.add(TextNews, gateway_id=1, key="", heard=heard, is_text=True, part_of="both", told_ms=5_000)
    read = house.database.write_now(lambda connection: hear_all(connection, [], 5_000))
    assert read == [(LATE, "Please stop sending me m")]
    assert house.rows(TextNews) == []


def hear_all(connection: Connection, heard: list[TextReceived], now_ms: int) -> list[tuple[str, str]]:
    """Let texts come in at a moment, and return sender and words of those that are read until two minutes later."""
    touch(connection, NOTHING)
    read = []
    for one in heard:
        assert add_news(connection, GATEWAY_ID, "", one, now_ms)
    for at_ms in (now_ms, now_ms + PARTS_WAIT_MS):
        found, odd = waiting_news(connection, at_ms)
        assert odd == []
        read += [(news.heard.number, news.heard.text) for news in found if isinstance(news.heard, TextReceived)]
        delete_news(connection, [news.id for news in found])
    return read


@pytest.mark.parametrize(("ahead_ms", "is_read"), [(5, False), (PARTS_WAIT_MS, False), (PARTS_WAIT_MS + 1, True)])
def test_only_a_clock_that_was_turned_back_ends_the_wait_of_a_part(
    house: House, ahead_ms: int, *, is_read: bool
) -> None:
    """Another process may store a part a moment after this one has read its clock: it waits as any other does."""

    def read(connection: Connection) -> int:
        touch(connection, NOTHING)
        add_news(connection, GATEWAY_ID, "", part(1, count=2), 100_000 + ahead_ms)
        return len(waiting_news(connection, 100_000)[0])

    assert house.database.write_now(read) == int(is_read)


@pytest.mark.parametrize("edited", ["", "{", "[]", '{"type":"Receipt","name":"x","status":"Sent"}'])
def test_a_part_whose_row_was_edited_stops_no_other_text(house: House, edited: str) -> None:
    """The other parts of its text are read when their time is over."""

    def read(connection: Connection) -> list[str]:
        touch(connection, NOTHING)
        add_news(connection, GATEWAY_ID, "", part(1, "A", count=2), 5_000)
        connection.execute(update(TextNews).values(heard=edited))
        add_news(connection, GATEWAY_ID, "", part(2, "B", count=2), 5_000)
        found, _ = waiting_news(connection, 5_000 + PARTS_WAIT_MS)
        return [one.heard.text for one in found if isinstance(one.heard, TextReceived)]

    assert house.database.write_now(read) == ["B"]


def test_texts_of_other_senders_and_references_are_not_mixed(house: House) -> None:
    other = "+12025551009"
    heard = [part(1, "A", count=2), part(1, "B", count=2, sender=other), part(1, "C", count=2, reference="8/002a")]
    heard += [part(2, "b", count=2, sender=other), part(2, "c", count=2, reference="8/002a"), part(2, "a", count=2)]
    read = house.database.write_now(lambda connection: hear_all(connection, heard, 5_000))
    assert read == [(other, "Bb"), (LATE, "Cc"), (LATE, "Aa")]


@pytest.mark.parametrize("name", ["PARTS_OF_SENDER_MAX", "PARTS_OF_GATEWAY_MAX", "PARTS_MAX"])
def test_parts_beyond_a_limit_are_read_alone_at_once(house: House, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(text_parts, name, 3)
    heard = [part(1, str(number), reference=f"8/{number}") for number in range(5)]
    read = house.database.write_now(lambda connection: hear_all(connection, heard, 5_000))
    assert read == [(LATE, text) for text in "34012"]


def test_a_reference_that_begins_again_loses_nothing(house: House) -> None:
    heard = [part(1, "A", count=2), part(1, "B", count=2), part(2, "a", count=2)]
    read = house.database.write_now(lambda connection: hear_all(connection, heard, 5_000))
    assert read == [(LATE, "B"), (LATE, "Aa")]


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    texts=st.lists(st.lists(st.text("abc", min_size=1, max_size=3), min_size=2, max_size=4), min_size=1, max_size=3),
    data=st.data(),
)
def test_nothing_is_lost_or_made_up(house: House, texts: list[list[str]], data: st.DataObject) -> None:
    """Some parts are lost on the way, and the rest comes in any order. Each character that came is read once."""
    parts = [
        part(number, text, count=len(pieces), reference=f"8/{place}")
        for place, pieces in enumerate(texts)
        for number, text in enumerate(pieces, 1)
    ]
    order = data.draw(st.permutations(parts))
    heard = order[: data.draw(st.integers(0, len(order)))]
    read = house.database.write_now(lambda connection: hear_all(connection, heard, 5_000))
    assert Counter("".join(text for _, text in read)) == Counter("".join(one.text for one in heard))
    if len(heard) == len(parts):
        assert sorted(text for _, text in read) == sorted("".join(pieces) for pieces in texts)


WHOLES = st.integers(-(2**53), 2**53) | st.integers(-2, 3)
WORDS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=300)


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(places=st.lists(st.tuples(WORDS, WHOLES, WHOLES, WORDS), min_size=1, max_size=4))
def test_nonsense_is_read_at_the_latest_after_a_minute(house: House, places: list[tuple[str, int, int, str]]) -> None:
    """No step fails for what a line says of parts, and nothing waits for longer."""
    heard = [TextReceived(sender, "", "x", part=TextPart(sender, *place)) for sender, *place, _ in places]
    read = house.database.write_now(lambda connection: hear_all(connection, heard, 5_000))
    assert 0 < sum(len(text) for _, text in read) <= len(heard)
    assert house.rows(TextNews) == []


async def test_parts_of_an_erased_person_go_with_them_and_those_of_others_wait_on(tmp_path: Path) -> None:
    person, other = "+12025550177", "+12025550188"
    async with two_workers(tmp_path) as house:
        await house.pass_s(61)
        for sender in (person.removeprefix("+"), other):
            house.lines["w1"].exchange.heard(0, "", part(1, f"Call {person}", sender=sender))
        await house.steps()
        assert len(house.rows(TextNews)) == 2
        erase_number(house.database, person, lambda _: None, house.now_ms())
        left = [msgspec.json.decode(row["heard"], type=TextReceived) for row in house.rows(TextNews)]
        assert [(heard.number, heard.text) for heard in left] == [(other, "Call erased")]
