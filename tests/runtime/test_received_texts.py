"""Tests of text messages that come in: each is kept, and what may be a wish holds the number until somebody looks."""

from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from dialer.app.contacts.received_texts import Verdict, look_at
from dialer.app.erasure.erasure import erase_number
from dialer.domain.sessions.leg_protocol import TextReceived
from dialer.domain.words.enums import CampaignStatus, SubscriberStatus
from dialer.domain.words.roles import Role
from dialer.store.rows.old_calls import RemovalPlace, remove_old_calls
from dialer.store.tables import Campaign, DncContact, DncList, SmsMessage, SmsReceived, Subscriber, User
from tests.runtime.house import House
from tests.runtime.test_fleet_texts import EARLY, LATE, TwoWorkers, again, two_workers
from tests.runtime.test_messages import SAYS_STOP, texting

pytestmark = pytest.mark.usefixtures("quiet")
DOUBT = "Is this spam?"


def kept(house: House) -> list[tuple[Any, ...]]:
    """Return what is kept of each text message that came in."""
    names = ("user_id", "campaign_id", "number", "said", "understood", "verdict")
    return [tuple(row[name] for name in names) for row in house.rows(SmsReceived)]


async def hear(house: TwoWorkers, text: str, number: str = LATE) -> list[int]:
    """Let a text message come in after both accounts wrote, and campaigns of both that write to the person later."""
    await house.pass_s(61)
    later = [house.campaign(0, house.phonebook("+12025551003", LATE), **again(house, one)) for one in (1, 2)]
    await house.steps()
    house.tell("", TextReceived(number, "", text))
    await house.steps()
    return later


def reasons(house: House, campaign_ids: list[int]) -> list[tuple[int, str]]:
    """Return the states of the last person of each campaign, with the reasons."""
    rows = [row for row in house.rows(Subscriber) if row["campaign_id"] in campaign_ids and row["number"] == LATE]
    return [(row["status"], row["status_reason"]) for row in rows]


async def test_every_text_is_kept_for_each_account_that_wrote(tmp_path: Path) -> None:
    async with two_workers(tmp_path) as house:
        later = await hear(house, "yes I come\0")
        await house.pass_s(62)
        assert sorted(kept(house)) == [
            (1, 1, LATE, "yes I come", "other", ""),
            (2, 2, LATE, "yes I come", "other", ""),
        ]
        assert {row["sms_message_id"] for row in house.rows(SmsReceived)} < {
            row["id"] for row in house.rows(SmsMessage)
        }
        assert reasons(house, later) == [(SubscriberStatus.IN_PROCESS, "")] * 2
        assert house.rows(DncContact) == []


async def test_a_text_of_somebody_to_whom_nobody_wrote_is_kept_for_the_admin(tmp_path: Path) -> None:
    """It holds no number: no account is known to concern them."""
    async with two_workers(tmp_path) as house:
        house.change(User, 2, role=Role.ADMIN)
        for text in (DOUBT, "hello"):
            house.tell("", TextReceived("12025551009", "", text))
        await house.steps()
        assert [row[:5] for row in kept(house)] == [
            (2, None, "+12025551009", DOUBT, "perhaps"),
            (2, None, "+12025551009", "hello", "other"),
        ]
        assert house.rows(DncContact) == []


@pytest.mark.parametrize("verdict", [Verdict.NOTHING, Verdict.DO_NOT_CALL])
async def test_a_person_in_doubt_is_not_written_to_until_somebody_has_looked(tmp_path: Path, verdict: str) -> None:
    """Both accounts hold the number at once, in campaigns that had claimed it, too. Each decides for itself."""
    async with two_workers(tmp_path) as house:
        later = await hear(house, DOUBT)
        await house.pass_s(62)
        assert reasons(house, later) == [(SubscriberStatus.NOT_AUTHORIZED, "held")] * 2
        assert {row["keeps_wishes_of"] for row in house.rows(DncList) if row["id"] not in {1, 2}} == {"held"}
        first = next(row["id"] for row in house.rows(SmsReceived) if row["user_id"] == 1)
        house.perform(partial(look_at, text_id=first, verdict=verdict, user_id=1))
        await house.steps()
        await house.pass_s(62)
        hers, other = reasons(house, later)
        assert other == (SubscriberStatus.NOT_AUTHORIZED, "held")
        own = {row["id"]: row["keeps_wishes_of"] for row in house.rows(DncList) if row["user_id"] == 1}
        lists = [own[row["dnc_id"]] for row in house.rows(DncContact) if row["dnc_id"] in own]
        (looked,) = (row for row in house.rows(SmsReceived) if row["id"] == first)
        assert (looked["verdict"], looked["looked_at_by_id"], looked["looked_at_ms"] is not None) == (verdict, 1, True)
        if verdict == Verdict.NOTHING:
            assert (hers, lists) == ((SubscriberStatus.IN_PROCESS, ""), [])
        else:
            assert (hers, lists) == ((SubscriberStatus.NOT_AUTHORIZED, "dnc"), ["account"])
        assert [worker.figures().broken for worker in house.workers] == [Counter(), Counter()]


async def test_a_number_is_held_until_its_last_text_was_looked_at(house: House) -> None:
    """A campaign that ended meanwhile for want of people goes on, and calls the person."""
    held = house.add(DncList, user_id=house.user_id, name="held", keeps_wishes_of="held")
    house.add(DncContact, dnc_id=held, user_id=house.user_id, phone_number=EARLY, number=EARLY, source="text")
    given = {"user_id": house.user_id, "gateway_id": 1, "phone_number": EARLY, "number": EARLY, "said": DOUBT}
    texts = [house.add(SmsReceived, **given, understood="perhaps") for _ in range(2)]
    campaign_id = await house.started(house.survey({"type": 1, "script": "word"}), house.phonebook(EARLY))
    await house.advance(30)
    (person,) = house.rows(Subscriber)
    assert (person["status"], person["status_reason"]) == (SubscriberStatus.NOT_AUTHORIZED, "held")
    assert house.row(Campaign, campaign_id)["status"] == CampaignStatus.END
    for text_id, entries in zip(texts, (1, 0), strict=True):
        house.perform(partial(look_at, text_id=text_id, verdict=Verdict.NOTHING, user_id=house.user_id))
        assert len(house.rows(DncContact)) == entries
    await house.worker.settle()
    await house.advance(600)
    (person,) = house.rows(Subscriber)
    assert person["status"] not in {SubscriberStatus.NOT_AUTHORIZED, SubscriberStatus.PENDING}


async def test_the_text_of_a_simulated_person_is_kept_and_erased_with_them(house: House) -> None:
    campaign_id = await texting(house, SAYS_STOP)
    await house.advance(60)
    assert kept(house) == [(house.user_id, campaign_id, SAYS_STOP, " Stop ", "stop", "")]
    erase_number(house.database, SAYS_STOP, lambda _: None, house.now_ms())
    (row,) = house.rows(SmsReceived)
    assert (row["phone_number"], row["number"], row["said"]) == ("erased",) * 3


def test_old_texts_are_removed_but_those_that_nobody_has_looked_at(house: House) -> None:
    given = {"user_id": house.user_id, "gateway_id": 1, "phone_number": EARLY, "number": EARLY, "said": "x"}
    for meaning, verdict in (("other", ""), ("stop", ""), ("perhaps", "nothing"), ("perhaps", "")):
        needs_person = (meaning, verdict) == ("perhaps", "")
        house.add(SmsReceived, **given, understood=meaning, verdict=verdict, needs_person=needs_person)
    place: RemovalPlace | None = RemovalPlace()
    while place is not None:
        work = partial(remove_old_calls, before_ms=house.now_ms() + 1, place=place, delete_file=lambda _: None)
        place = house.database.write_now(work).after
    assert [row[4:] for row in kept(house)] == [("perhaps", "")]
