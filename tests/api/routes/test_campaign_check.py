"""Tests of the check of a campaign through the API. It is a Wednesday, 11:06:40 in UTC."""

import json
import re
from pathlib import Path
from typing import Any, Final

import pytest
from sqlalchemy import delete, true

from dialer.domain.survey.findings import FindingCode
from dialer.store.database.database import Database
from dialer.store.database.service_state import ServiceSettings, save_settings, save_speech
from dialer.store.tables import SMS, VOICE, Agent, Campaign, Gateway, Phonebook, Row, Subscriber, Tier, User
from tests.api.builders import Estate, stored
from tests.api.harness import NOW_MS, Caller, Json

HOUR_S: Final = 3_600


class Bench:
    """Alice's voice campaign, with a survey without findings, a contact, a caller ID and money."""

    def __init__(self, estate: Estate, database: Database) -> None:
        self.estate, self.database, self.alice = estate, database, estate.owner
        self.url: str = estate.campaign["url"]
        estate.admin.create("payment", amount=10, user="/rest-api/users/2/")
        self.remove(estate.branch)
        estate.owner.change(estate.section["url"], type=1, script="Hello")
        people = {"phonebook": [estate.phonebook["url"]], "callerid": "+12025550150", "purpose": "survey"}
        estate.owner.change(self.url, **people, carrier_maxretry=5)

    def row(self, model: type[Row], row_id: int, **columns: Json) -> None:
        table = model.__table__
        medium = columns.get("medium", VOICE)
        is_it = (table.c.id == row_id, true() if model is not Gateway else table.c.medium == medium)
        statement = table.update().where(*is_it).values(**columns)
        self.database.write_now(lambda connection: connection.execute(statement))

    def remove(self, record: Json) -> None:
        assert self.alice.request("DELETE", record["url"]).status_code == 204

    def is_real(self) -> None:
        self.row(Gateway, self.estate.gateway["id"], protocol="trunk")

    def check(self, url: str = "", **parameters: str) -> Any:  # noqa: ANN401 - JSON
        return self.alice.get(f"{url or self.url}check/", **parameters)

    def codes(self, url: str = "") -> list[tuple[str, str, str | None]]:
        """Return the findings without a forecast: level, code and field."""
        found = self.check(url, forecast="false")
        assert found["forecast"] == "not_asked"
        levels = [one["level"] for one in found["findings"]]
        assert (found["errors"], found["warnings"]) == (levels.count("error"), levels.count("warning"))
        return [(one["level"], one["code"], one["field"]) for one in found["findings"]]

    def starts(self, url: str = "") -> bool:
        answer = self.alice.request("PATCH", url or self.url, json={"status": 1})
        assert answer.status_code in {202, 400}
        return bool(answer.status_code == 202)


@pytest.fixture
def bench(estate: Estate, database: Database) -> Bench:
    return Bench(estate, database)


def warning(code: str, field: str | None) -> list[tuple[str, str, str | None]]:
    return [("warning", code, field)]


def error(code: str, field: str | None) -> list[tuple[str, str, str | None]]:
    return [("error", code, field)]


def test_a_campaign_without_mistakes_has_no_findings_and_starts(bench: Bench) -> None:
    counted = {"people": 2, "doubles": 0, "do_not_call": 0, "consent": None}
    assert bench.check() == {"errors": 0, "warnings": 0, "forecast": "done", "findings": [], **counted}
    assert bench.starts()


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"daily_start_time": "22:00:00", "daily_stop_time": "02:00:00"}, warning("over_midnight", "daily_stop_time")),
        (dict.fromkeys(("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"), False),
         warning("no_weekday", "monday")),
        ({"callerid": ""}, warning("no_callerid", "callerid")),
        ({"maxretry": 2, "intervalretry": 13 * HOUR_S}, warning("retries_too_late", "intervalretry")),
        ({"completion_maxretry": 1, "completion_intervalretry": 30 * HOUR_S},
         warning("retries_too_late", "completion_intervalretry")),
        ({"maxretry": 1, "intervalretry": HOUR_S, "daily_start_time": "11:07:00", "daily_stop_time": "11:30:00"},
         warning("retries_too_late", "intervalretry")),
        ({"maxretry": 20, "intervalretry": HOUR_S}, []),
    ],
)  # fmt: skip
def test_probable_mistakes_are_warnings_and_do_not_keep_it_from_starting(
    bench: Bench, fields: dict[str, Json], expected: list[tuple[str, str, str | None]]
) -> None:
    bench.alice.change(bench.url, **fields)
    assert bench.codes() == expected
    assert bench.starts()


def test_a_campaign_without_anybody_to_call(bench: Bench) -> None:
    bench.database.write_now(lambda connection: connection.execute(delete(Subscriber)))
    bench.remove(bench.estate.contact)
    assert bench.codes() == warning("no_contacts", "phonebook")
    bench.alice.change(bench.url, phonebook=[])
    assert bench.codes() == warning("no_phonebook", "phonebook")


def test_numbers_without_a_country_are_counted(bench: Bench) -> None:
    for number in ("2025550100", "2025550101"):
        bench.alice.create("contact", contact=number, phonebook=bench.estate.phonebook["url"])
    (found,) = bench.check(forecast="false")["findings"]
    assert (found["level"], found["code"], found["field"]) == ("warning", "no_country", "phonebook")
    assert found["message"].startswith("2 numbers have no country code (such as 202…).")


def test_one_number_without_a_country_is_shown_by_its_first_digits(bench: Bench) -> None:
    bench.alice.create("contact", contact="2025550100", phonebook=bench.estate.phonebook["url"])
    (found,) = bench.check(forecast="false")["findings"]
    assert found["message"].startswith("A number has no country code (202…).")


def test_a_transfer_to_a_queue_that_nobody_serves(bench: Bench) -> None:
    section, queue = bench.estate.section["url"], bench.estate.queue
    bench.alice.change(section, type=6, queue=queue["url"])
    assert "no_agents" not in [code for _, code, _ in bench.codes()]
    bench.database.write_now(lambda connection: connection.execute(delete(Tier)))
    (found,) = [one for one in bench.check(forecast="false")["findings"] if one["code"] == "no_agents"]
    assert found == {
        "level": "warning",
        "code": "no_agents",
        "field": None,
        "section": section,
        "message": f"No agent serves queue {queue['id']}, to which the section transfers calls. Assign an agent to it.",
        "keys": [],
    }


def test_the_findings_of_the_survey_are_among_them(bench: Bench) -> None:
    bench.alice.change(bench.estate.section["url"], type=6, script="")
    of_survey = bench.alice.get(f"{bench.estate.survey['url']}check/")["findings"]
    assert of_survey
    assert [{**one, "field": None} for one in of_survey] == bench.check()["findings"]
    assert bench.check()["forecast"] == "errors"
    assert not bench.starts()


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"expirationdate": "2026-11-18T11:06:40Z"}, error("expired", "expirationdate")),
        ({"dial_method": 2}, error("no_queue", "dial_method")),
    ],
)
def test_errors_keep_it_from_starting(
    bench: Bench, fields: dict[str, Json], expected: list[tuple[str, str, str | None]]
) -> None:
    bench.row(Campaign, bench.estate.campaign["id"], startingdate=NOW_MS - 1_000)
    bench.alice.change(bench.url, **fields)
    assert bench.codes() == expected
    assert not bench.starts()


def test_a_survey_that_sends_texts_needs_a_gateway_for_them(bench: Bench) -> None:
    bench.alice.change(bench.estate.section["url"], type=10, sms_text="thanks")
    assert ("error", "no_sms_gateway", "sms_gateway") in bench.codes()
    assert not bench.starts()


@pytest.mark.parametrize(
    ("fields", "allowed", "expected"),
    [
        ({"callerid": ""}, "", error("wrong_callerid", "callerid")),
        ({"callerid": "anonymous"}, "", error("wrong_callerid", "callerid")),
        ({"callerid": "2025550150"}, "", error("wrong_callerid", "callerid")),
        ({"callerid": "+1202555"}, "", error("wrong_callerid", "callerid")),
        ({"callerid": "+1 (202) 555-0150"}, "", []),
        ({"callerid": "+12025550150"}, "+12025550151, +1 202 555 0150", []),
        ({"callerid": "+12025550152"}, "+12025550151,+12025550150", error("wrong_callerid", "callerid")),
    ],
)
def test_people_are_shown_a_possible_number_that_the_gateway_allows(
    bench: Bench, fields: dict[str, Json], allowed: str, expected: list[tuple[str, str, str | None]]
) -> None:
    bench.estate.admin.change(bench.estate.gateway["url"], allowed_callerids=allowed)
    bench.is_real()
    bench.alice.change(bench.url, daily_start_time="09:00:00", daily_stop_time="20:00:00", **fields)
    assert bench.codes() == expected
    assert bench.starts() is (expected == [])


@pytest.mark.parametrize("protocol", ["sip", "freeswitch"])
def test_a_real_carrier_plays_recordings_only_and_needs_the_real_clock(bench: Bench, protocol: str) -> None:
    bench.row(Gateway, bench.estate.gateway["id"], protocol=protocol)
    bench.alice.change(bench.url, daily_start_time="09:00:00", daily_stop_time="20:00:00")
    assert bench.codes() == error("unplayable", "object_id")
    assert not bench.starts()
    settings = ServiceSettings("virtual", "UTC", None, "media", None)
    bench.database.write_now(lambda connection: save_settings(connection, settings, 0))
    assert bench.codes() == error("wrong_clock", "aleg_gateway") + error("unplayable", "object_id")


@pytest.mark.parametrize(
    ("why_not", "remedy"),
    [
        (None, ["Set audiofile, or let DIALER_SPEECH name a voice."]),
        ("espeak-ng is not installed", ["It cannot be spoken: espeak-ng is not installed. Set audiofile."]),
        ("x." * 200, [f"It cannot be spoken: {'x.' * 127}x. Set audiofile."]),
        ("", []),
    ],
)
def test_a_script_is_played_once_the_service_can_speak(bench: Bench, why_not: str | None, remedy: list[str]) -> None:
    settings = ServiceSettings("real", "UTC", None, "media", None)
    bench.database.write_now(lambda connection: save_settings(connection, settings, 0))
    bench.database.write_now(lambda connection: save_speech(connection, why_not))
    bench.row(Gateway, bench.estate.gateway["id"], protocol="sip")
    bench.alice.change(bench.url, daily_start_time="09:00:00", daily_stop_time="20:00:00")
    messages = [f"Section {bench.estate.section['id']} has a script and no recording. {one}" for one in remedy]
    assert [one["message"] for one in bench.check()["findings"]] == messages
    assert bench.starts() is (not remedy)


@pytest.mark.parametrize(
    ("contact", "key", "confirm", "remedies"),
    [
        ("", "5", "", ["Set contact."]),
        ("112.", "5", "", ["Set contact."]),
        ("1001", "5", "", []),
        ("101", "5", "", []),
        ("110", "5", "", []),
        ("911", "5", "", ["Set contact."]),
        ("1001", "#", "", ["Set another key."]),
        ("+12025550151", "5", "press five", ["Empty confirm_script, or let DIALER_SPEECH name a voice."]),
    ],
)
def test_over_a_real_carrier_agents_need_telephones_and_texts_a_voice(
    bench: Bench, contact: str, key: str, confirm: str, remedies: list[str]
) -> None:
    settings = ServiceSettings("real", "UTC", None, "media", None)
    bench.database.write_now(lambda connection: save_settings(connection, settings, 0))
    bench.row(Gateway, bench.estate.gateway["id"], protocol="freeswitch")
    bench.row(Agent, bench.estate.agent["id"], contact=contact)
    queue = bench.estate.queue["url"]
    bench.alice.change(
        bench.estate.section["url"], type=6, script="", queue=queue, confirm_key=key, confirm_script=confirm
    )
    bench.alice.change(bench.url, daily_start_time="09:00:00", daily_stop_time="20:00:00")
    messages = [one["message"] for one in bench.check(forecast="false")["findings"] if one["code"] == "unplayable"]
    assert [message.endswith(remedy) for message, remedy in zip(messages, remedies, strict=True)] == [True] * len(
        remedies
    )
    assert bench.starts() is (not remedies)


@pytest.mark.parametrize(
    ("areacode", "number", "callerid", "field"),
    [
        ("*", "+12025550199", "", None),
        ("202", "+12025550199", "", "callerid"),
        ("202", "+12025550199", "+12025550150", None),
        ("202", "sales", "+12025550150", "callerid_group"),
        ("*", "+12025550198", "", "callerid_group"),
    ],
)
def test_caller_ids_of_a_group_count_too(
    bench: Bench, areacode: str, number: str, callerid: str, field: str | None
) -> None:
    """A group without a caller ID for all numbers leaves some callees without one."""
    allowed = "+12025550199,+12025550150"
    bench.estate.admin.change(bench.estate.gateway["url"], allowed_callerids=allowed)
    bench.is_real()
    bench.alice.change(bench.estate.callerid["url"], areacode=areacode, callerid_num=number)
    group = bench.estate.callerid_group["url"]
    bench.alice.change(
        bench.url, callerid_group=group, callerid=callerid, daily_start_time="09:00:00", daily_stop_time="20:00:00"
    )
    assert bench.codes() == ([] if field is None else error("wrong_callerid", field))
    assert bench.starts() is (field is None)


def test_the_refusal_of_a_start_names_the_caller_id(bench: Bench) -> None:
    bench.is_real()
    bench.alice.change(bench.url, callerid="12")
    assert bench.alice.refused("PATCH", bench.url, status=1) == (
        400,
        {"callerid": ["'12' is not a possible phone number. Use the country code, as in +12025550150."]},
    )


@pytest.mark.parametrize(
    ("window", "expected"),
    [
        (("00:00:00", "23:59:59"), warning("wider_than_calling_hours", "daily_start_time")),
        (("08:00:00", "21:00:00"), []),
        (("07:59:59", "21:00:00"), warning("wider_than_calling_hours", "daily_start_time")),
        (("21:00:00", "23:00:00"), warning("never_open", "daily_start_time")),
        (
            ("22:00:00", "02:00:00"),
            [*warning("over_midnight", "daily_stop_time"), *warning("never_open", "daily_start_time")],
        ),
    ],
)
def test_a_window_is_compared_with_the_calling_hours(
    bench: Bench, window: tuple[str, str], expected: list[tuple[str, str, str | None]]
) -> None:
    bench.is_real()
    bench.alice.change(bench.url, daily_start_time=window[0], daily_stop_time=window[1])
    assert bench.codes() == expected


def test_a_forecast_tells_that_the_campaign_expires_first(bench: Bench) -> None:
    for place in range(20):
        bench.alice.create("contact", contact=f"+1202555{1000 + place}", phonebook=bench.estate.phonebook["url"])
    bench.alice.change(bench.url, frequency=1, expirationdate="2026-11-18T11:12:00Z")
    found = bench.check()
    assert (found["forecast"], [one["code"] for one in found["findings"]]) == ("done", ["expires_too_early"])
    assert found["findings"][0]["message"].startswith("In 3 of 3 forecasts the campaign expires")


def test_a_forecast_tells_that_the_balance_is_too_small(bench: Bench) -> None:
    bench.estate.admin.change(bench.estate.rate_card["url"], rate="5000")
    bench.row(Gateway, bench.estate.gateway["id"], parameters='{"answer": 1, "busy": 0, "rejected": 0, "invalid": 0}')
    found = bench.check()
    assert [(one["code"], one["field"]) for one in found["findings"]] == [("low_balance", "user")]
    assert "10.00000" in found["findings"][0]["message"]
    assert bench.check(forecast="0")["findings"] == []


def test_an_owner_who_has_nothing_to_pay_with_is_warned_before_the_start(bench: Bench) -> None:
    bench.row(User, 2, balance=100, held=100, call_rate=1)
    (found,) = bench.check(forecast="0")["findings"]
    assert (found["level"], found["code"], found["field"]) == ("warning", "no_balance", "user")
    for richer in ({"held": 99}, {"held": 100, "call_rate": 0}):
        bench.row(User, 2, **richer)
        assert bench.check(forecast="0")["findings"] == []


def test_a_campaign_that_is_over_has_no_forecast(bench: Bench) -> None:
    bench.alice.change(bench.url, status=4)
    assert bench.check()["forecast"] == "over"


def test_a_large_campaign_has_no_forecast(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dialer.api.routes.campaign_check.CHECK_PEOPLE_MAX", 1)
    assert bench.check()["forecast"] == "too_large"


def test_a_campaign_of_text_messages_is_checked_too(bench: Bench) -> None:
    url = bench.estate.sms_campaign["url"]
    assert bench.codes(url) == [
        ("error", "no_text", "text_message"),
        ("warning", "no_callerid", "callerid"),
        ("warning", "no_list_for_wishes", "dnc"),
        ("warning", "no_purpose", "purpose"),
    ]
    assert not bench.starts(url)
    bench.row(Gateway, bench.estate.sms_gateway["id"], medium=SMS, protocol="smpp")
    fields: dict[str, Json] = {"text_message": "Come!", "phonebook": [bench.estate.phonebook["url"]]}
    hours = {"daily_start_time": "09:00:00", "daily_stop_time": "20:00:00"}
    bench.alice.change(url, **fields, **hours, callerid="Salon Ann", purpose="information")
    assert bench.codes(url) == [("warning", "no_list_for_stop", "dnc")]
    assert bench.starts(url)
    bench.alice.change(url, status=2)
    bench.alice.change(url, dnc=bench.estate.dnc["url"])
    assert bench.codes(url) == []
    bench.alice.change(url, callerid="The salon of Ann")
    assert bench.codes(url) == error("wrong_callerid", "callerid")
    assert not bench.starts(url)


def test_a_password_that_goes_over_http_is_a_warning(bench: Bench) -> None:
    way = {"url": "http://carrier.example/", "username": "u", "password": "p", "query": {"n": "{number}"}}
    bench.row(Gateway, bench.estate.sms_gateway["id"], medium=SMS, protocol="http", parameters=json.dumps(way))
    bench.alice.change(bench.estate.campaign["url"], sms_gateway=bench.estate.sms_gateway["url"])
    assert ("warning", "plain_http", "sms_gateway") in bench.codes()
    safe = json.dumps({**way, "url": "https://carrier.example/"})
    bench.row(Gateway, bench.estate.sms_gateway["id"], medium=SMS, parameters=safe)
    assert "plain_http" not in {code for _, code, _ in bench.codes()}


def test_only_its_owner_sees_it_and_a_wrong_parameter_is_named(bench: Bench, bob: Caller) -> None:
    assert bob.request("GET", f"{bench.url}check/").status_code == 404
    assert bob.request("GET", "campaigns/x/check/").status_code == 404
    answer = bench.alice.request("GET", f"{bench.url}check/?forecast=maybe")
    assert (answer.status_code, answer.json()) == (400, {"forecast": ["Must be a valid boolean."]})


@pytest.mark.parametrize("allowed", ["12", "+12025550150, sales", "+12025550150;+12025550151"])
def test_a_gateway_allows_possible_numbers_only(bench: Bench, allowed: str) -> None:
    status, errors = bench.estate.admin.refused("PATCH", bench.estate.gateway["url"], allowed_callerids=allowed)
    assert (status, list(errors)) == (400, ["allowed_callerids"])


def test_a_gateway_allows_so_many_numbers(bench: Bench) -> None:
    allowed = ",".join(["+12025550150"] * 1_001)
    assert bench.estate.admin.refused("PATCH", bench.estate.gateway["url"], allowed_callerids=allowed) == (
        400,
        {"allowed_callerids": ["There are 1001 caller IDs. Use at most 1000."]},
    )


def test_a_gateway_for_texts_allows_names(bench: Bench) -> None:
    gateway = bench.estate.sms_gateway["url"]
    bench.estate.admin.change(gateway, allowed_callerids="Salon Ann, +12025550150")
    assert bench.alice.get(gateway)["allowed_callerids"] == "Salon Ann, +12025550150"


def test_people_whom_no_agent_can_serve_for_want_of_a_skill(bench: Bench) -> None:
    section, queue, alice = bench.estate.section["url"], bench.estate.queue["url"], bench.alice
    alice.change(section, type=6, queue=queue)
    alice.change(queue, skill_field="language")
    (agent,) = {one["agent"] for one in alice.get("tier/", queue="1")["results"]}
    for place, language in enumerate(["Spanish", "spanish", "Basque", ""]):
        variables = {"language": language}
        alice.create("contact", contact=f"+1202555017{place}", phonebook=bench.estate.phonebook["url"],
                     additional_vars=variables)  # fmt: skip

    def said() -> list[str]:
        return [one["message"] for one in bench.check(forecast="false")["findings"] if one["code"] == "no_skill"]

    assert [message.split(". ")[0] for message in said()] == [
        "2 of the people need an agent with the skill Spanish, and no agent of queue 1 has it",
        "1 of the people need an agent with the skill Basque, and no agent of queue 1 has it",
    ]
    alice.change(agent, skills="Basque\nSPANISH")
    assert (said(), alice.get(agent)["skills"]) == ([], "Basque, SPANISH")
    alice.change(queue, skills="Loans")
    assert said() == ["No agent of queue 1 has the skills that its calls need: Loans. Give them to an agent."]


def test_another_phonebook_of_the_campaign_counts(bench: Bench) -> None:
    """One phonebook is empty, the other is not."""
    empty = stored(bench.database, Phonebook, user_id=2, name="empty", description="")
    bench.alice.change(bench.url, phonebook=[bench.estate.phonebook["url"], f"/rest-api/phonebook/{empty}/"])
    assert bench.codes() == []


def test_the_page_about_the_check_has_every_code_of_a_campaign() -> None:
    page = (Path(__file__).parents[3] / "docs" / "campaign-check.md").read_text("utf-8")
    codes = {code for line in page.splitlines() if line.startswith("| `") for code in re.findall("`([a-z_]+)`", line)}
    of_survey = set(FindingCode) - {*list(FindingCode)[list(FindingCode).index(FindingCode.NO_AGENTS) :]}
    assert set(FindingCode) - of_survey <= codes
