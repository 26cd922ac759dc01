"""Archives of made-up campaigns, before a judge who knows only their rules: each call allowed, each wait necessary."""

import io
from collections.abc import Callable
from random import Random
from typing import Any, Final

import pytest

from dialer.app.campaigns.proof import begin_proof, proof_of
from dialer.app.campaigns.subscribers import delete_subscriber
from dialer.domain.words.contact_words import ON
from dialer.domain.words.enums import CampaignStatus
from dialer.store.database.service_state import ServiceSettings, save_settings
from dialer.store.media.folder import FolderMedia
from dialer.store.tables import SMS, CallRequest, Cdr, Consent, DncContact, Gateway, Subscriber
from tests.runtime.house import DAY_MS, MONDAY_NOON_MS, House
from tests.runtime.proof_judge import Judge
from tests.runtime.test_contact_rules import rule
from tests.sizes import PROVED_WORLDS

NUMBERS: Final = ("+33142345601", "+33142345602", "+34911234501", "+12025550100", "+13055550100", "+442071838750")
HOUR_S: Final = 3_600
UNITS: Final = {"hours": (2, 30), "days": (1, 3), "calendar_days": (1, 3)}


async def world(house: House, seed: int) -> list[int]:
    """Run three campaigns with rules, consents and wishes that a seed draws, for four days; return them."""
    draw = Random(seed)  # noqa: S311 - no secret
    settings = ServiceSettings("virtual", "UTC", None, str(house.media), None, ON)
    house.database.write_now(lambda connection: save_settings(connection, settings, house.now_ms()))
    house.restart()
    for _ in range(draw.randint(1, 3)):
        _add_rule(house, draw)
    for number in NUMBERS:
        for _ in range(draw.randint(1, 4)):
            _add_consent(house, draw, number)
    listed = house.dnc_list(*draw.sample(NUMBERS, 1))
    script = "word " * draw.randint(5, 40)
    survey = house.survey({"type": 1, "script": script}, {"type": 1, "script": script, "completed": True})
    campaigns = []
    for kinds in ([""], ["", "express"], ["", "express", "written"]):
        columns = _campaign(draw) | {"dnc_id": listed, "requires_consent": draw.choice(kinds)}
        book = house.phonebook(*draw.sample(NUMBERS, draw.randint(5, 6)))
        campaigns.append(await house.started(survey, book, **columns))
        await house.advance(draw.randint(1, 20) * HOUR_S)
    house.call_off(listed, draw.choice([number for number in NUMBERS if number not in _listed(house)]))
    await house.advance(3 * 24 * HOUR_S)
    return campaigns


def _campaign(draw: Random) -> dict[str, Any]:
    return {
        "purpose": draw.choice(["", "sales", "survey", "debt"]),
        "maxretry": draw.randint(1, 6),
        "intervalretry": draw.choice([1_800, 2 * HOUR_S, 9 * HOUR_S]),
        "completion_maxretry": draw.randint(1, 6),
        "completion_intervalretry": draw.choice([HOUR_S, 6 * HOUR_S]),
        "expirationdate": MONDAY_NOON_MS + 30 * DAY_MS,
        "end_when_done": False,
    }


def _add_rule(house: House, draw: Random) -> None:
    unit = draw.choice(sorted(UNITS))
    after = draw.choice(["", "", "conversation"])
    columns = {"counts": draw.choice(["attempts", "answers", "conversations"]), "after": after}
    limit = draw.randint(0, 1) if after else draw.randint(1, 3)
    purposes, country = draw.choice(["", "", "sales", "survey debt"]), draw.choice(["", "", "FR", "US"])
    where = {"purposes": purposes, "country": country, "scope": draw.choice(["account", "campaign"])}
    rule(
        house, most=limit, period=draw.randint(*UNITS[unit]), unit=unit, seconds=draw.randint(1, 4), **columns, **where
    )


def _add_consent(house: House, draw: Random, number: str) -> None:
    given_ms = MONDAY_NOON_MS + draw.randint(-900 * DAY_MS, DAY_MS)
    ends = {name: draw.choice([None, None, MONDAY_NOON_MS + draw.randint(-DAY_MS, 3 * DAY_MS)]) for name in _ENDS}
    texts = {"evidence": "signed", "evidence_url": "", "withdrawn_how": ""}
    kind, purposes = draw.choice(["opt_in", "express", "written"]), draw.choice(["", "", "sales", "survey debt"])
    columns = {"user_id": house.user_id, "phone_number": number, "number": number, "kind": kind, "purposes": purposes}
    house.add(Consent, given_date=given_ms, **ends, **texts, **columns)


_ENDS: Final = ("expiration_date", "withdrawn_date")


def _listed(house: House) -> set[str]:
    return {row["number"] for row in house.rows(DncContact)}


def judged(house: House, campaign_id: int) -> Judge:
    begun = house.database.read_now(lambda connection: begin_proof(connection, campaign_id, house.now_ms()))
    archive = proof_of(house.database.read_now, begun, FolderMedia(house.media))
    return Judge(io.BytesIO(b"".join(archive.members()) + archive.end()))


@pytest.mark.parametrize("seed", range(PROVED_WORLDS))
async def test_each_call_was_allowed_and_each_wait_is_necessary(house: House, seed: int) -> None:
    judges = [judged(house, campaign_id) for campaign_id in await world(house, seed)]
    assert [judge.complaints() for judge in judges] == [[], [], []]
    assert sum(len(judge.members["calls"]) for judge in judges) > 3, "something was judged"


async def test_a_wait_of_the_past_stays_in_the_archive_with_its_rule_and_its_end(house: House) -> None:
    rule_id = rule(house, most=1, period=1, unit="days")
    survey = house.survey({"type": 1, "script": "word"})
    long = {"expirationdate": MONDAY_NOON_MS + 30 * DAY_MS, "end_when_done": False}
    await house.started(survey, house.phonebook(NUMBERS[0]), **long)
    await house.advance(60)
    campaign_id = await house.started(survey, house.phonebook(*NUMBERS[:2]), **long)
    await house.advance(2 * 24 * HOUR_S)
    judge = judged(house, campaign_id)
    assert judge.complaints() == []
    (wait,) = (one for one in judge.members["decisions"] if one["decision"] == "frequency")
    called = {one["phone_number"]: one["at"] for one in judge.members["decisions"] if one["decision"] == "called"}
    assert (wait["rule"], wait["row"], wait["phone_number"]) == (rule_id, "", NUMBERS[0])
    assert called[NUMBERS[0]] == wait["until"]


async def test_each_call_and_each_text_names_the_consent_on_which_it_relied(house: House) -> None:
    texts = {"evidence": "signed", "evidence_url": "", "withdrawn_how": "", "purposes": ""}
    given = {"user_id": house.user_id, "phone_number": NUMBERS[0], "number": NUMBERS[0], **texts}
    weak, ended, first, _ = (
        house.add(Consent, given_date=1, kind=kind, expiration_date=until_ms, **given)
        for kind, until_ms in (("opt_in", None), ("written", 2), ("written", None), ("written", None))
    )
    survey = house.survey({"type": 1, "script": "word"})
    calls = await house.started(survey, house.phonebook(*NUMBERS[:2]), requires_consent="express")
    free = await house.started(survey, house.phonebook(*NUMBERS[:2]))
    gateway_id = house.add(Gateway, name="texts", protocol="sim", medium=SMS)
    sent = {"medium": SMS, "sms_gateway_id": gateway_id, "text_message": "Hello", "requires_consent": "opt_in"}
    sms = await house.started(survey, house.phonebook(NUMBERS[0]), **sent)
    await house.advance(60)
    decided = [
        [one.get("consent", one["decision"]) for one in judged(house, each).members["decisions"]]
        for each in (calls, free, sms)
    ]
    assert decided == [[first, "no_consent"], [None, None], [weak]]
    assert ended not in decided[0]


async def test_a_call_keeps_its_consent_when_the_person_is_deleted_from_the_campaign(house: House) -> None:
    """Each is called twice, and the service restarts in the midst of a first call."""
    texts = {"evidence": "signed", "evidence_url": "", "withdrawn_how": "", "purposes": "", "kind": "written"}
    for number in NUMBERS[:2]:
        house.add(Consent, user_id=house.user_id, phone_number=number, number=number, given_date=1, **texts)
    survey = house.survey({"type": 1, "script": "word " * 20}, {"type": 1, "script": "word", "completed": True})
    twice = {"maxretry": 1, "intervalretry": 60, "completion_maxretry": 1, "completion_intervalretry": 60}
    campaign_id = await house.started(survey, house.phonebook(*NUMBERS[:2]), requires_consent="express", **twice)
    while not house.rows(CallRequest):
        await house.advance(1)
    assert house.rows(Cdr) == []
    house.restart()
    await house.advance(10 * 60)
    before = judged(house, campaign_id)
    for person in house.rows(Subscriber):
        house.perform(lambda unit, key=person["id"]: delete_subscriber(unit, key))  # type: ignore[misc]
    after = judged(house, campaign_id)
    assert house.rows(CallRequest) == []
    assert sorted(one["consent"] for one in before.members["decisions"]) == [1, 1, 2, 2]
    assert (before.complaints(), after.complaints()) == ([], [])
    for member in ("decisions", "consents"):
        assert after.members[member] == before.members[member], member


async def held(house: House) -> Judge:
    """Return the archive of a campaign in which one person was called, one waits, and one lacks a consent."""
    rule(house, most=1, period=7, unit="days")
    survey = house.survey({"type": 1, "script": "word"})
    first, second = NUMBERS[:2]
    for number in (first, second):
        texts = {"evidence": "signed", "evidence_url": "", "withdrawn_how": "", "purposes": "", "kind": "written"}
        house.add(Consent, user_id=house.user_id, phone_number=number, number=number, given_date=1, **texts)
    long = {"expirationdate": MONDAY_NOON_MS + 30 * DAY_MS, "end_when_done": False}
    await house.started(survey, house.phonebook(second), **long)
    await house.advance(60)
    book = house.phonebook(first, second, NUMBERS[-1])
    campaign_id = await house.started(survey, book, requires_consent="express", **long)
    await house.advance(60)
    await house.move(campaign_id, CampaignStatus.PAUSE)
    return judged(house, campaign_id)


def _call_twice(judge: Judge) -> None:
    again = {**judge.members["calls"][0], "callid": "again"}
    judge.members["calls"].append(again)


def _shorten_wait(judge: Judge) -> None:
    (wait,) = (one for one in judge.members["decisions"] if one["decision"] == "frequency")
    wait["until"] = wait["until"].replace("-09T", "-08T")


def _lengthen_wait(judge: Judge) -> None:
    (wait,) = (one for one in judge.members["decisions"] if one["decision"] == "frequency")
    wait["until"] = wait["until"].replace("-09T", "-10T")


def _wish_before(judge: Judge) -> None:
    judge.members["wishes"].append({"phone_number": NUMBERS[0], "at": "2026-03-01T00:00:00Z"})


def _agree(judge: Judge) -> None:
    judge.members["consents"].append({**judge.members["consents"][0], "phone_number": NUMBERS[-1]})


def _agree_later(judge: Judge) -> None:
    for one in judge.members["consents"]:
        one["given_date"] = "2026-04-01T00:00:00Z"


PLANTED: Final[dict[Callable[[Judge], None], str]] = {
    _call_twice: "in spite of rule",
    _shorten_wait: "does not wait",
    _lengthen_wait: "longer than it holds",
    _wish_before: "in spite of a wish",
    _agree: "refused",
    _agree_later: "without a consent",
}


@pytest.mark.parametrize("plant", PLANTED, ids=lambda plant: plant.__name__)
async def test_the_judge_finds_what_is_planted(house: House, plant: Callable[[Judge], None]) -> None:
    judge = await held(house)
    assert judge.complaints() == []
    plant(judge)
    (complaint, *_) = judge.complaints()
    assert PLANTED[plant] in complaint
