"""Tests that the OpenAPI document explains everything: descriptions, examples and names of values."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from litestar import Litestar
from litestar.testing import TestClient

from dialer.api.openapi.document import document
from tests.api.harness import Json

LACKING: frozenset[str] = frozenset(
    """
    Agent.contact Agent.parameters Agent.status AnswerForecast.answer AnswerForecast.count AnswerShare.count
    AnswerShare.percent AnswerShare.response AudioFile.audio_file AudioFile.user AudioFile.user_id
    BranchingTemplate.goto BranchingTemplate.keys BranchingTemplate.section CallRequest.attempt
    CallRequest.callerid CallRequest.callid CallRequest.campaign CallRequest.dialled_number CallRequest.did
    CallRequest.ending_date CallRequest.gateway_id CallRequest.hangup_cause_q850 CallRequest.phone_number
    CallRequest.starting_date CallRequest.status CallRequest.status_reason CallRequest.subscriber
    CallRequest.user CallerId.areacode CallerId.callerid_group CallerId.callerid_name CallerId.callerid_num
    CallerId.created_date CallerIdGroup.description Campaign.agent_dial_rate Campaign.aleg_gateway
    Campaign.amd_behavior Campaign.answered Campaign.callerid Campaign.callerid_group Campaign.calls
    Campaign.campaign_code Campaign.completed Campaign.completion_maxretry Campaign.cost
    Campaign.daily_start_time Campaign.daily_stop_time Campaign.description Campaign.dial_method Campaign.dnc
    Campaign.expirationdate Campaign.extra_data Campaign.friday Campaign.max_aleg Campaign.max_xfer
    Campaign.maxretry Campaign.monday Campaign.name Campaign.object_id Campaign.phonebook Campaign.saturday
    Campaign.sms_gateway Campaign.startingdate Campaign.status_reason Campaign.sunday Campaign.thursday
    Campaign.totalcontact Campaign.tuesday Campaign.voicemail Campaign.voicemail_audiofile Campaign.wednesday
    Cdr.amd_status Cdr.call_cost Cdr.callerid Cdr.callid Cdr.callrequest Cdr.campaign Cdr.contact_id
    Cdr.hangup_cause_q850 Cdr.leg_type Cdr.phone_number Cdr.starting_date Cdr.subscriber_id Clock.mode
    Clock.now Clock.seed ClockAdvance.seconds ClockAdvance.to Contact.additional_vars Contact.contact
    Contact.full_name Contact.phonebook CountSpread.p10 CountSpread.p50 CountSpread.p90 DateSpread.p10
    DateSpread.p50 DateSpread.p90 Did.campaign Did.did_number DncContact.dnc DncContact.phone_number
    Finding.code Finding.keys Finding.level Finding.message Finding.section Forecast.abandoned_percent
    Forecast.answered Forecast.calls Forecast.calls_in_progress_peak Forecast.campaign_id Forecast.completed
    Forecast.cost Forecast.finish_date Forecast.first_seed Forecast.now Forecast.per_seed Forecast.sections
    Forecast.seeds Forecast.stop_reasons Forecast.subscribers Gateway.addprefix Gateway.description
    Gateway.max_channels Gateway.max_cps Gateway.parameters Gateway.protocol Gateway.removeprefix
    Gateway.rests_until Health.status ImportReport.duplicates ImportReport.errors ImportReport.imported
    ImportReport.rejected ImportReport.warned ImportReport.warnings Ledger.amount Ledger.created_date
    Ledger.kind Ledger.reference Ledger.user MoneySpread.p10 MoneySpread.p50 MoneySpread.p90 Payment.amount
    Payment.created_date Payment.description Payment.user PercentSpread.p10 PercentSpread.p50
    PercentSpread.p90 Phonebook.description Queue.abandoned_resume_allowed Queue.discard_abandoned_after
    Queue.manager Queue.max_wait_time Queue.max_wait_time_with_no_agent
    Queue.max_wait_time_with_no_agent_time_reached Queue.moh_sound Queue.record_template Queue.strategy
    Queue.tier_rule_no_agent_no_wait Queue.tier_rule_wait_multiply_level Queue.tier_rule_wait_second
    Queue.tier_rules_apply Queue.time_base_score RateCard.connection_fee RateCard.prefix RateCard.user
    ReportRow.count ReportRow.name RowRemark.kind RowRemark.line RowRemark.reason RowRemark.value
    SectionAggregate.answers SectionAggregate.others SectionAggregate.question SectionAggregate.section
    SectionAggregate.section_id SectionAggregate.total SectionAggregate.type SectionForecast.answers
    SectionForecast.question SectionForecast.section_id SectionTemplate.audiofile SectionTemplate.completed
    SectionTemplate.conference SectionTemplate.confirm_key SectionTemplate.confirm_script
    SectionTemplate.invalid_audiofile SectionTemplate.key_0 SectionTemplate.key_1 SectionTemplate.key_2
    SectionTemplate.key_3 SectionTemplate.key_4 SectionTemplate.key_5 SectionTemplate.key_6
    SectionTemplate.key_7 SectionTemplate.key_8 SectionTemplate.key_9 SectionTemplate.max_number
    SectionTemplate.min_number SectionTemplate.number_digits SectionTemplate.order SectionTemplate.phonenumber
    SectionTemplate.question SectionTemplate.queue SectionTemplate.rating_laps SectionTemplate.retries
    SectionTemplate.script SectionTemplate.sms_text SectionTemplate.survey SectionTemplate.type
    SectionTemplate.validate_number SeedForecast.abandoned_percent SeedForecast.answered SeedForecast.calls
    SeedForecast.calls_in_progress_peak SeedForecast.completed SeedForecast.cost SeedForecast.digest
    SeedForecast.finish_date SeedForecast.seed SeedForecast.stop_reason SmsCampaign.callerid
    SmsCampaign.callmaxduration SmsCampaign.cost SmsCampaign.daily_start_time SmsCampaign.daily_stop_time
    SmsCampaign.delivered SmsCampaign.description SmsCampaign.dnc SmsCampaign.expirationdate
    SmsCampaign.friday SmsCampaign.maxretry SmsCampaign.monday SmsCampaign.name SmsCampaign.phonebook
    SmsCampaign.saturday SmsCampaign.sent SmsCampaign.sms_campaign_code SmsCampaign.sms_gateway
    SmsCampaign.startingdate SmsCampaign.status_reason SmsCampaign.sunday SmsCampaign.text_message
    SmsCampaign.thursday SmsCampaign.totalcontact SmsCampaign.tuesday SmsCampaign.wednesday
    SmsGateway.addprefix SmsGateway.description SmsGateway.max_cps SmsGateway.parameters SmsGateway.protocol
    SmsGateway.removeprefix SmsGateway.rests_until SmsMessage.callerid SmsMessage.callrequest
    SmsMessage.campaign SmsMessage.contact SmsMessage.cost SmsMessage.delivery_date SmsMessage.dialled_number
    SmsMessage.message_id SmsMessage.parts SmsMessage.phone_number SmsMessage.send_date SmsMessage.status
    SmsMessage.text_message Subscriber.additional_vars Subscriber.campaign Subscriber.contact
    Subscriber.count_attempt Subscriber.duplicate_contact Subscriber.full_name Subscriber.gmt_offset
    Subscriber.last_attempt Subscriber.status Subscriber.status_reason Subscriber.tz_code Subscriber.waits_for
    Subscriber.waits_until SurveyAggregate.campaign SurveyAggregate.sections SurveyCheck.errors
    SurveyCheck.findings SurveyCheck.warnings SurveyResult.callid SurveyResult.callrequest
    SurveyResult.campaign SurveyResult.created_date SurveyResult.question SurveyResult.record_file
    SurveyResult.response SurveyResult.section_id SurveyResult.section_type SurveyTemplate.description
    Tier.agent Tier.level Tier.position Tier.queue Transfer.agent Transfer.answer_date Transfer.callrequest
    Transfer.ending_date Transfer.is_abandoned Transfer.joined_date Transfer.phone_number Transfer.place
    Transfer.queue Transfer.reason Transfer.section_id Transfer.starting_date Transfer.status User.balance
    User.call_rate User.email User.first_name User.last_name User.sms_rate User.username
    forecast_campaign.first_seed forecast_campaign.seeds forecast_sms_campaign.first_seed
    forecast_sms_campaign.seeds upload_audio.audio_file upload_audio.name upload_audio.user_id
    """.split()
)
"""Properties that may still lack a description or an example, as `Schema.field` without Read, Write or Change."""


@pytest.fixture(scope="session")
def described(client_of_session: TestClient[Litestar]) -> Json:
    return document(client_of_session.app)


def properties(described: Json) -> Iterator[tuple[str, Json]]:
    """Yield every property of every named schema, and of every body that has no named schema."""
    for name, schema in described["components"]["schemas"].items():
        for field, found in schema.get("properties", {}).items():
            yield f"{re.sub('(Read|Write|Change)$', '', name)}.{field}", found
    for name, body in bodies(described):
        for field, found in body["schema"].get("properties", {}).items():
            yield f"{name}.{field}", found


def is_exemplified(found: Json) -> bool:
    """Return whether a property has an example, by itself or by the named schema of its values."""
    return "examples" in found or "$ref" in found or "$ref" in found.get("items", {})


def operations(described: Json) -> Iterator[Json]:
    for item in described["paths"].values():
        yield from item.values()


def bodies(described: Json) -> Iterator[tuple[str, Json]]:
    """Yield the content of every body, by the id of its operation."""
    for operation in operations(described):
        for part in (operation.get("requestBody", {}), *operation["responses"].values()):
            for found in part.get("content", {}).values():
                yield operation["operationId"], found


def parameters(described: Json) -> Iterator[tuple[str, Json]]:
    for operation in operations(described):
        for found in operation.get("parameters", []):
            yield f"{operation['operationId']} {found['name']}", found


def enumerations(node: Any, name: str = "") -> Iterator[tuple[str, Json]]:  # noqa: ANN401 - JSON values
    """Yield every schema that lists its values, by its place in the document."""
    if isinstance(node, list):
        for item in node:
            yield from enumerations(item, name)
    if isinstance(node, dict):
        if isinstance(node.get("enum"), list):
            yield name, node
        for key, item in node.items():
            if key not in {"example", "examples"}:
                yield from enumerations(item, f"{name}/{key}")


def test_every_property_has_a_description_and_an_example(described: Json) -> None:
    """Declare them with `description=` and `example=` in `api/records/`, or with `msgspec.Meta` in a struct."""
    lacking = {
        name for name, found in properties(described) if not (found.get("description") and is_exemplified(found))
    }
    assert sorted(lacking - LACKING) == []
    assert sorted(LACKING - lacking) == [], "these have both, so they can leave the list"


def test_every_parameter_has_a_description_and_an_example(described: Json) -> None:
    assert [name for name, found in parameters(described) if not found.get("description")] == []


def test_every_header_has_a_description_and_an_example(described: Json) -> None:
    answers = [answer for operation in operations(described) for answer in operation["responses"].values()]
    answers += described["components"]["responses"].values()
    found = {**described["components"]["headers"]}
    for answer in answers:
        found |= {name: header for name, header in answer.get("headers", {}).items() if "$ref" not in header}
    assert [name for name, header in found.items() if not (header.get("description") and "example" in header)] == []


def test_every_enumeration_names_and_explains_its_values(described: Json) -> None:
    """Explain a new enumeration in `dialer.domain.meanings`, or in the `meanings` of a `TextChoice`."""
    for name, schema in enumerations(described):
        names, meanings = schema.get("x-enum-varnames", []), schema.get("x-enum-descriptions", [])
        assert len(names) == len(set(names)) == len(meanings) == len(schema["enum"]), name
        assert all(re.fullmatch("[A-Z][A-Z0-9_]*", varname) for varname in names), name
