"""Tests of campaigns that need a consent: what the check counts, and whom recycling and calling again leave out."""

from typing import Final

from sqlalchemy import update

from dialer.app.campaigns.call_again import judge_chunk
from dialer.domain.rules.call_again import AgainOutcome, NotAgain
from dialer.domain.words.enums import CampaignStatus
from dialer.domain.words.enums import SubscriberStatus as S
from dialer.store.database.database import Database
from dialer.store.tables import Campaign
from tests.api.builders import Estate
from tests.api.harness import NOW_MS, Caller
from tests.api.routes.test_recycle import people, recycle, statuses
from tests.console.building import store

JOINS, IS_IN_IT = "+12025550100", "+12025550122"
FIRST, SECOND = "+12025550000", "+12025550001"
REFUSED: Final = {"status": S.NOT_AUTHORIZED, "status_reason": "no_consent"}


def agreed(caller: Caller, number: str, **fields: object) -> str:
    url: str = caller.create("consent", phone_number=number, kind="express", **fields)["url"]
    return url


def test_the_check_counts_who_has_agreed(alice: Caller, bob: Caller, estate: Estate) -> None:
    url = estate.campaign["url"]
    assert alice.get(f"{url}check/", forecast="false")["consent"] is None
    alice.change(url, phonebook=[estate.phonebook["url"]], purpose="sales", requires_consent="express")
    agreed(bob, JOINS)
    agreed(alice, JOINS, purposes=["survey"])
    agreed(alice, "+12025550199")
    found = alice.get(f"{url}check/", forecast="false")
    assert found["consent"] == {"needed": 2, "covered": 0}
    (finding,) = [one for one in found["findings"] if one["code"] == "no_consent"]
    assert (finding["level"], finding["field"]) == ("warning", "requires_consent")
    assert finding["message"].startswith("2 people have not given the consent that the campaign needs")
    first = agreed(alice, JOINS, purposes=["sales"])
    agreed(alice, IS_IN_IT)
    found = alice.get(f"{url}check/", forecast="false")
    assert (found["consent"], "no_consent" in {one["code"] for one in found["findings"]}) == (
        {"needed": 2, "covered": 2},
        False,
    )
    alice.change(first, withdrawn_date="2026-11-18T11:06:40Z")
    assert alice.get(f"{url}check/", forecast="false")["consent"] == {"needed": 2, "covered": 1}


def test_the_check_of_a_campaign_that_is_over_counts_nobody(alice: Caller, estate: Estate, database: Database) -> None:
    url = estate.campaign["url"]
    alice.change(url, phonebook=[estate.phonebook["url"]], requires_consent="express")
    assert alice.get(f"{url}check/", forecast="false")["consent"] == {"needed": 2, "covered": 0}
    over = update(Campaign).where(Campaign.id == estate.campaign["id"]).values(status=CampaignStatus.END)
    store(database, over)
    found = alice.get(f"{url}check/", forecast="false")
    assert (found["consent"], "no_consent" in {one["code"] for one in found["findings"]}) == (None, False)


def test_recycling_leaves_people_until_they_have_agreed(alice: Caller, estate: Estate, database: Database) -> None:
    ids = people(estate, database, REFUSED, REFUSED)
    alice.change(estate.campaign["url"], requires_consent="express")
    assert recycle(estate, status=["NOT_AUTHORIZED"])["kept"] == {"no_consent": 2}
    agreed(alice, SECOND)
    found = recycle(estate, status=["NOT_AUTHORIZED"])
    assert (found["recycled"], found["kept"]) == (1, {"no_consent": 1})
    assert statuses(database, ids) == [S.NOT_AUTHORIZED, S.PENDING]
    alice.change(estate.campaign["url"], requires_consent="")
    assert recycle(estate, status=["NOT_AUTHORIZED"])["recycled"] == 1


def test_a_campaign_that_calls_people_again_takes_those_who_have_agreed_since(
    alice: Caller, estate: Estate, database: Database
) -> None:
    ids = people(estate, database, REFUSED, REFUSED)
    alice.change(estate.campaign["url"], requires_consent="express")
    agreed(alice, SECOND)
    over = {"status": int(CampaignStatus.END)}
    database.write_now(lambda c: c.execute(Campaign.__table__.update().values(over)))
    judged = database.read_now(lambda c: judge_chunk(c, estate.campaign["id"], now_ms=NOW_MS))
    assert (judged.people, judged.kept) == ({ids[1]: AgainOutcome.CONSENTED}, {NotAgain.NO_CONSENT: 1})
