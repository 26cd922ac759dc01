"""The status of a campaign: moved in one place, written once, told to the engine and to whoever listens."""

from collections.abc import Callable
from typing import Any, Final

import pytest

from dialer.app.campaigns.change import (
    abort_campaign,
    change_campaign,
    end_campaign,
    pause_campaign,
    start_campaign,
)
from dialer.app.work.errors import CampaignNotReadyError, InvalidFieldsError, RefusedError, UnknownRecordError
from dialer.app.work.events import AppEvent, CampaignAborted, CampaignEnded, CampaignPaused, CampaignStarted
from dialer.app.work.unit import UnitOfWork
from dialer.domain.words.enums import CampaignStatus, DialMethod, SubscriberStatus
from dialer.domain.words.states import IllegalMoveError
from dialer.store.database.touched import NOTHING, Touched
from dialer.store.tables import Campaign, CampaignPhonebook, Subscriber
from tests.app.using import Used, use, written
from tests.runtime.house import House

HELLO: Final = {"type": 1, "script": "Hello"}
PEOPLE: Final = ("+12025550100", "+12025550101")
TOUCHED: Final = Touched(campaigns=frozenset({1}))


@pytest.fixture
def campaign(house: House) -> House:
    """Return a house with campaign 1, which is not started."""
    house.campaign(house.survey(HELLO), house.phonebook(*PEOPLE))
    return house


def stands(house: House) -> tuple[int, str, int]:
    """Return the status of the campaign, its reason, and its number of contacts."""
    row = house.row(Campaign, 1)
    return row["status"], row["status_reason"], row["totalcontact"]


def test_a_start_collects_the_contacts_of_its_phonebooks(campaign: House) -> None:
    assert use(campaign, lambda unit: start_campaign(unit, 1)) == Used(TOUCHED, [CampaignStarted(1)])
    assert stands(campaign) == (CampaignStatus.START, "", 2)
    assert [row["number"] for row in campaign.rows(Subscriber)] == list(PEOPLE)


@pytest.mark.parametrize(
    ("move", "status", "event"),
    [
        (pause_campaign, CampaignStatus.PAUSE, CampaignPaused(1)),
        (abort_campaign, CampaignStatus.ABORT, CampaignAborted(1)),
        (end_campaign, CampaignStatus.END, CampaignEnded(1)),
    ],
)
def test_a_campaign_that_is_started_may_be_stopped_in_three_ways(
    campaign: House, move: Callable[[UnitOfWork, int], None], status: CampaignStatus, event: AppEvent
) -> None:
    use(campaign, lambda unit: start_campaign(unit, 1))
    assert use(campaign, lambda unit: move(unit, 1)) == Used(TOUCHED, [event])
    assert stands(campaign) == (status, "user", 2)
    waits = SubscriberStatus.ABORT if status is CampaignStatus.ABORT else SubscriberStatus.PENDING
    assert {row["status"] for row in campaign.rows(Subscriber)} == {waits}


def test_the_status_that_a_campaign_has_already_is_no_change(campaign: House) -> None:
    use(campaign, lambda unit: start_campaign(unit, 1))
    before = campaign.row(Campaign, 1)
    with written(campaign) as statements:
        assert use(campaign, lambda unit: start_campaign(unit, 1)) == Used(NOTHING, [])
    assert (campaign.row(Campaign, 1), statements) == (before, [])


@pytest.mark.parametrize("values", [{}, {"name": "autumn"}])
def test_status_and_fields_are_written_at_once(campaign: House, values: dict[str, Any]) -> None:
    with written(campaign) as statements:
        use(campaign, lambda unit: change_campaign(unit, 1, {"status": CampaignStatus.END, **values}))
    assert statements == ["UPDATE campaign"]


def test_a_start_is_judged_with_the_fields_that_come_with_it(campaign: House) -> None:
    expired = {"expirationdate": campaign.now_ms()}
    campaign.change(Campaign, 1, **expired)
    with pytest.raises(
        CampaignNotReadyError, match=r"^expirationdate: The campaign has expired\. Set a later expirationdate\.$"
    ):
        use(campaign, lambda unit: start_campaign(unit, 1))
    later = {"expirationdate": campaign.now_ms() + 1}
    use(campaign, lambda unit: change_campaign(unit, 1, {"status": CampaignStatus.START, **later}))
    assert stands(campaign)[0] == CampaignStatus.START


def test_a_refused_move_leaves_all_as_it_was(campaign: House) -> None:
    before = campaign.row(Campaign, 1)
    with pytest.raises(IllegalMoveError):
        use(campaign, lambda unit: pause_campaign(unit, 1))
    assert campaign.row(Campaign, 1) == before


def test_a_campaign_in_an_unknown_status_keeps_it_and_may_be_renamed(campaign: House) -> None:
    campaign.change(Campaign, 1, status=99)
    with pytest.raises(
        RefusedError, match=r"^Status 99 of the campaign is unknown to this version\. Use a newer version\.$"
    ):
        use(campaign, lambda unit: start_campaign(unit, 1))
    use(campaign, lambda unit: change_campaign(unit, 1, {"name": "autumn"}))
    assert (campaign.row(Campaign, 1)["status"], campaign.row(Campaign, 1)["name"]) == (99, "autumn")


def test_a_campaign_that_is_not_there_is_not_changed(house: House) -> None:
    with pytest.raises(UnknownRecordError, match=r"^There is no campaign 1\.$"):
        use(house, lambda unit: start_campaign(unit, 1))


def test_a_sealed_survey_without_a_queue_is_not_paced_by_agents(campaign: House) -> None:
    wanted = {"dial_method": DialMethod.PREDICTIVE}
    use(campaign, lambda unit: start_campaign(unit, 1))
    with pytest.raises(InvalidFieldsError, match="dial_method"):
        use(campaign, lambda unit: change_campaign(unit, 1, wanted))
    assert campaign.row(Campaign, 1)["dial_method"] == DialMethod.FIXED_RATE


def test_a_further_phonebook_of_a_started_campaign_is_collected(campaign: House) -> None:
    use(campaign, lambda unit: start_campaign(unit, 1))
    campaign.add(CampaignPhonebook, campaign_id=1, phonebook_id=campaign.phonebook("+12025550102"))
    assert use(campaign, lambda unit: change_campaign(unit, 1, {}, has_new_phonebooks=True)) == Used(TOUCHED, [])
    assert stands(campaign) == (CampaignStatus.START, "", 3)
