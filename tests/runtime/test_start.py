"""Tests of the requirements of a start: all errors are reported at once, and nothing changes before."""

from typing import Any, Final

import pytest
from sqlalchemy import update

from dialer.app.campaigns.change import start_campaign
from dialer.app.campaigns.readiness import FINDINGS_NAMED_MAX
from dialer.app.work.errors import CampaignNotReadyError
from dialer.domain.survey.sections.table import queue_ids_of
from dialer.domain.survey.survey import decode_survey
from dialer.domain.words.enums import CampaignStatus, DialMethod, SectionType
from dialer.domain.words.voices import ChosenVoice
from dialer.store.queries import sealed_surveys
from dialer.store.tables import SMS, Campaign, Gateway, Queue, SealedSurvey, SectionTemplate, SurveyTemplate
from tests.runtime.house import DAY_MS, MONDAY_NOON_MS, House

HELLO: Final = {"type": 1, "script": "Hello"}
WITHOUT_KEYS: Final = {"type": 2, "script": "Yes or no?"}
TO_NOWHERE: Final = {"type": 6}
NO_QUEUE: Final = "2 (progressive), 3 (predictive) and 4 (preview) need a survey that transfers calls to a queue."


def start(house: House, campaign_id: int) -> dict[str, list[str]]:
    """Start a campaign, and return the errors; empty if it has started."""
    status = CampaignStatus.START
    try:
        house.perform(lambda unit: start_campaign(unit, campaign_id))
    except CampaignNotReadyError as refusal:
        assert house.row(Campaign, campaign_id)["status"] == CampaignStatus.NEW
        assert house.rows(SealedSurvey) == []
        return refusal.errors
    assert house.row(Campaign, campaign_id)["status"] == status
    return {}


def to_queue(house: House) -> dict[str, Any]:
    """Return a section that transfers to a queue."""
    return {"type": 6, "queue_id": house.add(Queue, user_id=house.user_id, name="desk")}


def test_a_survey_with_warnings_is_played(house: House) -> None:
    """The second section is unreachable and silent."""
    assert start(house, house.campaign(house.survey(HELLO, {"type": 1}))) == {}


def test_a_campaign_keeps_the_voice_with_which_it_started(house: House) -> None:
    survey_id = house.survey(HELLO)
    assert start(house, house.campaign(survey_id)) == {}
    assert '"voice"' not in house.rows(SealedSurvey)[0]["document"]
    change = update(SurveyTemplate).values(language="de", voice_speed=150_000)
    house.perform(lambda unit: unit.connection.execute(change))
    campaign_id = house.campaign(survey_id)
    assert start(house, campaign_id) == {}
    house.perform(lambda unit: unit.connection.execute(update(SurveyTemplate).values(language="fr")))
    survey = decode_survey(house.row(SealedSurvey, campaign_id)["document"])
    assert [one.prompt.voice for one in survey.sections] == [ChosenVoice("de", "", 1.5)]


@pytest.mark.parametrize("section_type", SectionType)
def test_a_section_of_any_type_is_played(house: House, section_type: SectionType) -> None:
    section = {**HELLO, "type": section_type, "key_1": "one", "phonenumber": "+12025550100", "sms_text": "Hi"}
    section["agent_url"] = "wss://agent.example/"
    sms_gateway_id = house.add(Gateway, medium=SMS, name="texts")
    assert start(house, house.campaign(house.survey(section), sms_gateway_id=sms_gateway_id)) == {}


def test_a_survey_with_errors_is_not_played_and_each_is_named_with_its_section(house: House) -> None:
    survey_id = house.survey(HELLO, WITHOUT_KEYS, TO_NOWHERE)
    _, asks, transfers = (row["id"] for row in house.rows(SectionTemplate))
    assert start(house, house.campaign(survey_id)) == {
        "object_id": [
            f"Section {asks}: No input is valid: none of key_0 to key_9 is set.",
            f"Section {transfers}: The transfer has neither a phonenumber nor a queue.",
        ]
    }


@pytest.mark.parametrize("more", [0, 1])
def test_of_many_errors_the_first_are_named(house: House, more: int) -> None:
    survey_id = house.survey(*[TO_NOWHERE] * (FINDINGS_NAMED_MAX + more))
    messages = start(house, house.campaign(survey_id))["object_id"]
    rest = [f"And {more} more: the check of the survey template lists all."] if more else []
    assert messages[FINDINGS_NAMED_MAX:] == rest


def test_a_survey_that_is_empty_or_gone_cannot_be_played(house: House) -> None:
    for survey_id in (house.survey(), 4_711):
        assert start(house, house.campaign(survey_id)) == {"object_id": ["The survey has no sections."]}


@pytest.mark.parametrize("method", [DialMethod.PROGRESSIVE, DialMethod.PREDICTIVE])
def test_a_pace_by_agents_needs_a_transfer_to_a_queue(house: House, method: DialMethod) -> None:
    to_number = {"type": 6, "phonenumber": "+12025550100"}
    alone = house.campaign(house.survey(to_number), dial_method=method)
    assert start(house, alone) == {"dial_method": [NO_QUEUE]}
    assert start(house, house.campaign(house.survey(HELLO, to_queue(house)), dial_method=method)) == {}


def test_a_survey_that_sends_texts_needs_a_gateway_for_them(house: House) -> None:
    survey_id = house.survey({"type": 10, "sms_text": "Thanks"})
    message = "The survey sends text messages. Set sms_gateway."
    assert start(house, house.campaign(survey_id)) == {"sms_gateway": [message]}
    assert start(house, house.campaign(survey_id, sms_gateway_id=house.add(Gateway, medium=SMS, name="texts"))) == {}


def test_everything_that_is_missing_is_told_at_once(house: House) -> None:
    survey_id = house.survey(TO_NOWHERE, {"type": 10})
    past = {"expirationdate": MONDAY_NOON_MS - DAY_MS, "dial_method": 3}
    errors = start(house, house.campaign(survey_id, **past))
    assert set(errors) == {"expirationdate", "object_id", "dial_method", "sms_gateway"}


def test_a_later_start_uses_the_sealed_copy_of_the_survey(house: House) -> None:
    """The template has lost its transfer and is invalid, but the sealed copy has it."""
    campaign_id = house.campaign(house.survey(to_queue(house)), dial_method=DialMethod.PREDICTIVE)
    assert start(house, campaign_id) == {}
    (template,) = house.rows(SectionTemplate)
    house.change(SectionTemplate, template["id"], queue_id=None)
    house.change(Campaign, campaign_id, status=CampaignStatus.PAUSE)
    assert start(house, campaign_id) == {}
    sealed = house.database.read_now(lambda c: sealed_surveys.sealed_survey(c, campaign_id))
    assert sealed is not None
    assert queue_ids_of(sealed) == {template["queue_id"]}


def test_a_transfer_and_a_text_are_sealed_as_they_are_drawn(house: House) -> None:
    fields = {
        "phonenumber": "+12025550100",
        "confirm_script": "Press 1",
        "confirm_key": "1",
        "conference": "room",
        "sms_text": "Thanks",
    }
    survey_id = house.survey({"type": 6, **to_queue(house), **fields})
    (section,) = house.database.read_now(lambda c: sealed_surveys.read_survey(c, survey_id)).sections
    assert {name: getattr(section, name) for name in ("queue_id", *fields)} == {"queue_id": 1, **fields}
