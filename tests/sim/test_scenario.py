"""Tests of scenario files: valid contents, and the message for an invalid one."""

from datetime import time
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.domain.calling_times.calendars import Calendar
from dialer.domain.calls.plans import CampaignPlan, Subscriber
from dialer.domain.survey.callflow import CallFlow
from dialer.domain.survey.survey import Prompt, Section, Survey
from dialer.domain.words.enums import AmdBehavior, SectionType
from dialer.sim.scenario import MESSAGE_LENGTH_MAX, ScenarioError, parse_scenario
from dialer.sim.simulation import CAMPAIGN_ID, DNC_ID, GATEWAY_ID, SMS_GATEWAY_ID, USER_ID, Simulation, dnc_numbers
from tests.sim.scenes import START_MS

EXAMPLE: Final = Path(__file__).parents[2] / "examples" / "reminder.json"
SECTION: Final = {"id": 1, "question": "Hello"}


def document(**parts: Any) -> bytes:  # noqa: ANN401 - any part of the document
    smallest = {
        "start": "2026-11-20T10:00:00Z",
        "survey": {"sections": [SECTION]},
        "contacts": [{"contact": "+12025550100"}],
    }
    return msgspec.json.encode(smallest | parts)


def sections(**fields: Any) -> dict[str, Any]:  # noqa: ANN401 - any field of a section
    return {"survey": {"sections": [SECTION | fields]}}


def test_the_example_is_a_scenario() -> None:
    scenario = parse_scenario(EXAMPLE.read_bytes())
    assert (len(scenario.contacts), scenario.population is not None) == (3, True)


def test_the_smallest_scenario_has_the_defaults_of_the_api() -> None:
    plan = Simulation(parse_scenario(document())).plan
    section = Section(1, SectionType.PLAY_MESSAGE, "Hello", Prompt())
    assert plan.flow.survey == Survey((section,))
    assert msgspec.structs.replace(plan, flow=None) == CampaignPlan(
        CAMPAIGN_ID,
        USER_ID,
        GATEWAY_ID,
        None,  # type: ignore[arg-type] # a call flow is not compared by value; its survey was, above
        starting_ms=START_MS,
        expires_ms=START_MS + 86_400_000,
        dnc_id=DNC_ID,
        dnc_ids=(DNC_ID,),
        is_simulated=True,
        sms_gateway_id=SMS_GATEWAY_ID,
    )


def test_every_field_of_a_campaign_and_a_section_arrives() -> None:
    campaign = {
        "frequency": 90,
        "max_aleg": 7,
        "max_xfer": 3,
        "strategy": "erlang",
        "agent_dial_rate": 1.5,
        "abandon_rate_max": 2,
        "abandon_from_first": True,
        "abandon_hours": 24,
        "calltimeout": 20,
        "callmaxduration": 60,
        "maxretry": 2,
        "intervalretry": 61,
        "completion_maxretry": 1,
        "completion_intervalretry": 62,
        "daily_start_time": "09:30:00",
        "daily_stop_time": "18:00:00",
        "weekdays": ["monday", "friday"],
        "startingdate": "2026-11-20T12:00:00",
        "expirationdate": "2026-11-20T11:30:00Z",
        "callerid": "+3312345",
        "voicemail": True,
        "amd_behavior": 2,
        "voicemail_audio_seconds": 1.5,
    }
    section = {
        "id": 9,
        "question": "How much?",
        "type": 4,
        "script": "Say it",
        "audio_seconds": 2,
        "invalid_audio_seconds": 0.25,
        "retries": 3,
        "timeout": 0,
        "key_1": "one",
        "key_2": "",
        "rating_laps": 5,
        "validate_number": False,
        "number_digits": 4,
        "min_number": 1,
        "max_number": 2,
        "completed": True,
        "phonenumber": "+12025550199",
        "queue": 5,
        "confirm_script": "Press 1",
        "confirm_key": "1",
        "conference": "room",
        "sms_text": "Thanks",
        "agent_url": "wss://agent.example/",
        "agent_parameters": ["order_id", "first_name"],
        "disclosure_audio_seconds": 1.5,
        "patience": 7,
        "on_completed": "hangup",
        "branches": {"any": 9, "timeout": None},
    }
    parts = {"campaign": campaign, "survey": {"sections": [section]}, "timezone": "Europe/Paris", "queues": [{"id": 5}]}
    plan = Simulation(parse_scenario(document(**parts))).plan
    assert plan.flow.survey.sections == (
        Section(
            id=9,
            type=SectionType.CAPTURE_DIGITS,
            question="How much?",
            prompt=Prompt(2_000, "Say it"),
            invalid_prompt=Prompt(250),
            retries=3,
            timeout_ms=1_000,
            key_labels={"1": "one"},
            rating_laps=5,
            validate_number=False,
            number_digits=4,
            min_number=1,
            max_number=2,
            completed=True,
            phonenumber="+12025550199",
            queue_id=5,
            confirm_script="Press 1",
            confirm_key="1",
            conference="room",
            sms_text="Thanks",
            agent_url="wss://agent.example/",
            agent_parameters="order_id, first_name",
            disclosure_prompt=Prompt(1_500),
            patience_ms=7_000,
            on_completed="hangup",
            record_pause=True,  # As a section of digits is, if nobody says otherwise.
            branches={"any": 9, "timeout": None},
        ),
    )
    flow = CallFlow(plan.flow.survey)
    assert msgspec.structs.replace(plan, flow=flow) == CampaignPlan(
        id=CAMPAIGN_ID,
        user_id=USER_ID,
        gateway_id=GATEWAY_ID,
        flow=flow,
        # 12:00 in Paris is 11:00 UTC, and the campaign expires half an hour later.
        starting_ms=START_MS + 3_600_000,
        expires_ms=START_MS + 5_400_000,
        calendar=Calendar((True, False, False, False, True, False, False), time(9, 30), time(18)),
        service_zone="Europe/Paris",
        frequency=90,
        max_aleg=7,
        ring_limit_ms=20_000,
        callmaxduration_s=60,
        maxretry=2,
        intervalretry_ms=61_000,
        completion_maxretry=1,
        completion_intervalretry_ms=62_000,
        callerid="+3312345",
        amd=AmdBehavior.HUMAN_ONLY,
        voicemail_prompt=Prompt(1_500),
        dnc_id=DNC_ID,
        dnc_ids=(DNC_ID,),
        is_simulated=True,
        sms_gateway_id=SMS_GATEWAY_ID,
        max_xfer=3,
        strategy="erlang",
        agent_dial_rate=1.5,
        abandon_rate_max=0.02,
        first_answers=0,
        abandon_hours=24,
    )


def test_contacts_come_first_and_every_number_once() -> None:
    contacts = [
        {"contact": "+1 202-555-0100", "full_name": "Ada Byrne", "additional_vars": {"day": "Monday"}},
        {"contact": "+12025550100"},
        {"contact": "+12025550101", "tz_code": "Asia/Tokyo"},
        {"contact": "+12025550102", "tz_code": "Nowhere/At_All"},
        {"contact": "555 0100"},
    ]
    population = {"size": 10, "patterns": ["+1202555010x"]}
    subscribers = Simulation(parse_scenario(document(contacts=contacts, population=population))).subscribers
    new_york = "America/New_York"
    assert subscribers[:4] == [
        Subscriber(1, "+12025550100", new_york, full_name="Ada Byrne", additional_vars='{"day":"Monday"}'),
        Subscriber(2, "+12025550101", "Asia/Tokyo@US"),
        Subscriber(3, "+12025550102", "?"),
        Subscriber(4, "5550100", ""),
    ]
    made_up = {(one.id, one.zone) for one in subscribers[4:]}
    assert made_up == {(subscriber_id, new_york) for subscriber_id in range(5, 12)}
    assert {one.number for one in subscribers[4:]} == {f"+1202555010{digit}" for digit in range(3, 10)}


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (b"", "Not valid JSON: Input data was truncated"),
        (b"[]", "Expected `object`, got `array`"),
        (b"{}", "Object missing required field `start`"),
        (document(strat=1), "Object contains unknown field `strat`"),
        (document(**{"a\nb": 1}), "Object contains unknown field `a\\nb`"),
        (document(**{"x" * 1_000: 1}), "Object contains unknown field `" + "x" * (MESSAGE_LENGTH_MAX - 31)),
        (document(start="tomorrow"), "start: Invalid RFC3339 encoded datetime"),
        (document(start="1969-01-01T00:00:00Z"), "start: The year must be after 1970 and before 2200."),
        (document(seed=-1), "seed: Expected `int` >= 0"),
        (document(timezone="Mars/Base"), "timezone: Not an IANA time zone, such as Europe/Berlin."),
        (document(contacts=[]), "contacts: The scenario has no contacts. Set contacts, population or both."),
        (
            document(contacts=[{"contact": "12"}]),
            "contacts[0].contact: '12' has fewer than 3 digits. Enter 3 to 15 digits with an optional leading +.",
        ),
        (document(dnc=["x"]), "dnc[0]: 'x' has no digits. Enter 3 to 15 digits with an optional leading +."),
        (document(account={"balance": "NaN"}), "account.balance: A valid number is required."),
        (document(account={"call_rate": -1}), "account.call_rate: Ensure that this amount is not negative."),
        (
            document(account={"rate_card": [{"prefix": "+44", "rate": 1}]}),
            r"account.rate_card[0].prefix: Expected `str` matching regex '^[0-9]{0,15}\\Z'",
        ),
        (
            document(account={"rate_card": [{"prefix": "44"}]}),
            "account.rate_card[0]: Object missing required field `rate`",
        ),
        (
            document(account={"rate_card": [{"prefix": "44", "rate": 1, "first_increment": 0}]}),
            "account.rate_card[0].first_increment: Expected `int` >= 1",
        ),
        (
            document(account={"rate_card": [{"prefix": "44", "rate": 1}, {"prefix": "44", "rate": 2}]}),
            "account.rate_card[1].prefix: This prefix already has a rate.",
        ),
        (
            document(account={"rate_card": [{"prefix": "44", "rate": "NaN"}]}),
            "account.rate_card[0].rate: A valid number is required.",
        ),
        (
            document(account={"rate_card": [{"prefix": "", "rate": 0, "connection_fee": -1}]}),
            "account.rate_card[0].connection_fee: Ensure that this amount is not negative.",
        ),
        (document(gateway={"max_cps": -1}), "gateway.max_cps: Expected `int` >= 0"),
        (
            document(gateway={"parameters": {"ring": -1}}),
            "gateway.parameters.ring: Must be a number of seconds from 0 to 86400.",
        ),
        (document(campaign={"frequency": 0}), "campaign.frequency: Expected `int` >= 1"),
        (
            document(campaign={"daily_stop_time": "00:00:00"}),
            "campaign.daily_stop_time: The daily window must not end when it begins.",
        ),
        (
            document(campaign={"daily_stop_time": "10:00:00Z"}),
            "campaign.daily_stop_time: Expected `time` with no timezone component",
        ),
        (document(campaign={"weekdays": ["funday"]}), "campaign.weekdays[0]: Invalid enum value 'funday'"),
        (
            document(campaign={"expirationdate": "2026-11-20T10:00:00Z"}),
            "campaign.expirationdate: The campaign must expire after its startingdate.",
        ),
        (document(survey={"sections": []}), "survey.sections: Expected `array` of length >= 1"),
        (document(survey={"sections": [SECTION, SECTION]}), "survey.sections: Two sections have the same id."),
        (
            document(**sections(confirm_key="12")),
            "survey.sections[0].confirm_key: Expected `str` matching regex '^[0-9*#]?\\\\Z'",
        ),
        (document(**sections(type=11)), "survey.sections[0].type: Invalid enum value 11"),
        (document(**sections(min_number=100)), "survey.sections: Section 1 has a min_number above its max_number."),
        (
            document(**sections(branches={"any": 2})),
            "survey.sections: Section 1 has a branch any to section 2, which does not exist.",
        ),
        (
            document(population={"size": 1, "patterns": ["+1202555"]}),
            "population.patterns: A pattern is a number with 1 to 9 x at its end, such as +1202555xxxx.",
        ),
        (
            document(population={"size": 111, "patterns": ["+120255501xx", "+1202555020x"]}),
            "population.size: The patterns have room for 110 numbers at most.",
        ),
    ],
)
def test_an_error_is_reported_in_one_line(wrong: bytes, message: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        Simulation(parse_scenario(wrong))
    assert str(caught.value) == message


json_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=6,
)


@given(
    st.binary()
    | st.dictionaries(
        st.sampled_from(
            ["start", "seed", "timezone", "account", "gateway", "campaign", "contacts", "population", "dnc"]
        ),
        json_values,
    ).map(lambda parts: document(**parts))
)
def test_any_bytes_are_a_scenario_or_refused(wrong: bytes) -> None:
    refusal = "in words"
    try:
        scenario = parse_scenario(wrong)
    except ScenarioError as error:
        refusal = str(error)
    else:
        assert parse_scenario(msgspec.json.encode(scenario)) == scenario
    assert refusal.isprintable()


def test_a_do_not_call_list_is_read_kindly() -> None:
    read = parse_scenario(document(dnc=["+1 202 555 0100 ext. 5", "+12025550101 / +12025550102", "02079460018"]))
    assert dnc_numbers(read) == {"+12025550100", "+12025550101", "+12025550102", "02079460018"}
