"""Tests of what the check says before a start: the first call, a voice that is missing, placeholders, kept surveys.

It is Wednesday, 11:06 in UTC and 06:06 in Washington.
"""

import json
from typing import Final

from sqlalchemy import update

from dialer.store.database.database import Database
from dialer.store.tables import User
from tests.api.harness import Caller
from tests.console.building import campaign, store
from tests.console.visitor import Visitor, words

LONGEST: Final = "x" * 1_600
PLAINLY: Final = "1,600 characters, 11 parts."
AS_BO: Final = f"1,600 characters, 11 parts, as Bo gets it. {LONGEST}"


def test_the_check_says_when_the_first_call_falls(alice: Visitor, api: Caller) -> None:
    hours = {"daily_start_time": "09:00:00", "daily_stop_time": "18:00:00", "expirationdate": "2026-11-28T00:00:00Z"}
    identity = campaign(api, started="no", **hours)
    first = "If it is started now: first call 14:00 (UTC), in 2 h 53 min. It is outside the campaign's window"
    assert first in alice.text(f"campaigns/{identity}/")
    assert "It is then 09:00 in America/New York" in alice.text(f"campaigns/{identity}/")
    german = words(alice.request("GET", f"campaigns/{identity}/", headers={"Accept-Language": "de"}).text)
    assert "Wird sie jetzt gestartet: erster Anruf 14:00 (UTC), in 2 h 53 min." in german
    api.change(f"campaigns/{identity}/", daily_start_time="00:00:00", daily_stop_time="23:59:59")
    assert "If it is started now, it begins at once." in alice.text(f"campaigns/{identity}/")
    api.change(f"campaigns/{identity}/", startingdate="2026-11-25T12:00:00Z")
    assert "If it is started now: first call 25 Nov, 12:00 (UTC), in 7 days" in alice.text(f"campaigns/{identity}/")
    api.change(f"campaigns/{identity}/", status="1")
    assert "If it is started now" not in alice.text(f"campaigns/{identity}/")


def test_the_check_of_a_simulated_campaign_says_that_there_is_no_voice(alice: Visitor, api: Caller) -> None:
    identity = campaign(api, started="no")
    silent = "The service has no voice, so texts of the survey are not heard."
    assert silent in alice.text(f"campaigns/{identity}/")
    api.change(f"campaigns/{identity}/", status="1")
    assert silent not in alice.text(f"campaigns/{identity}/")


def test_a_placeholder_that_no_list_has_is_told_at_once_and_links_to_its_section(alice: Visitor, api: Caller) -> None:
    book = api.create("phonebook", name="Spring")
    api.create("contact", contact="+12025550100", phonebook=book["url"], additional_vars='{"city": "Bonn"}')
    survey = api.create("survey-template", name="Hello")
    section = api.create("section-template", survey=survey["url"], type=1, question="Hello", script="From {stadt}.")
    path = f"surveys/{survey['id']}/"
    told = "No contact has a value for {stadt}. There are values for {city}"
    assert told in alice.text(path)
    assert told in alice.text(f"{path}?section={section['id']}")
    api.change(section["url"], script="From {city}.")
    assert "Everything can be played." in alice.text(path)


def test_an_error_of_a_section_leads_to_its_form(alice: Visitor, api: Caller) -> None:
    identity = campaign(api, started="no")
    section = api.get("section-template/")["results"][0]
    api.change(section["url"], script="From {stadt}.")
    page = alice.get(f"campaigns/{identity}/")
    assert f'<a href="/console/sections/{section["id"]}/">' in page
    assert "No contact has a value for {stadt}" in page


def test_a_section_says_which_campaigns_keep_the_old_survey(alice: Visitor, api: Caller) -> None:
    identity = campaign(api)
    survey, section = api.get("survey-template/")["results"][0], api.get("section-template/")["results"][0]
    kept = "These campaigns have begun, and keep the survey as it was then:"
    for path in (f"surveys/{survey['id']}/", f"surveys/{survey['id']}/?section={section['id']}"):
        assert kept in alice.text(path)
        assert f'<a href="/console/campaigns/{identity}/">' in alice.get(path)
    api.change(f"campaigns/{identity}/", status="3")
    assert kept not in alice.text(f"surveys/{survey['id']}/")


def test_a_comparison_that_is_refused_says_that_nothing_was_compared(alice: Visitor, api: Caller) -> None:
    identity = campaign(api)
    alice.get(f"campaigns/{identity}/what-if/")
    answer = alice.send(f"campaigns/{identity}/what-if/", frequency="many")
    assert answer.status_code == 400
    assert "Nothing was compared, and nothing has changed." in words(answer.text)
    assert 'value="many"' in answer.text


def test_the_length_of_a_text_is_told_as_its_first_person_gets_it(alice: Visitor, bob: Visitor, api: Caller) -> None:
    made = texts(api, "Dear {full_name}")
    alice.get("records/sms-campaigns/new/")
    told = (
        "150 characters, 3 parts, as Bo gets it. The alphabet of text messages lacks \u201c\u2013\u201d, so a part"
        " holds fewer characters. With \u201c-\u201d instead it has 1 part."
        " Dear Bo \u2013 " + "a" * 140
    )
    for text, length in (("Hello", "5 characters, 1 part."), ("Dear {full_name} \u2013 " + "a" * 140, told)):
        answer = alice.send("text-length/", campaign=str(made), text=text)
        assert (answer.status_code, words(answer.text)) == (200, length)
    bob.get("overview/")
    assert bob.send("text-length/", campaign=str(made), text="{full_name}").status_code == 404
    assert bob.send("text-length/", text="{city}").status_code == 200


def test_a_text_is_told_as_it_is_sent_which_is_at_most_1600_characters(alice: Visitor, api: Caller) -> None:
    made = texts(api, "{story}{story}")
    api.change("contact/1/", additional_vars=json.dumps({"story": "x" * 15_000}))
    alice.get("records/sms-campaigns/new/")
    for text, told in (("{story}" * 3, AS_BO), ("x" * 1_601, PLAINLY)):
        assert words(alice.send("text-length/", campaign=str(made), text=text).text) == told
    page = alice.text(f"campaigns/{made}/")
    assert f"Bo reads: {LONGEST} " in page
    assert "A text has 1 to 11 parts." in page


def test_the_check_of_texts_says_their_parts_and_their_cost(alice: Visitor, api: Caller, database: Database) -> None:
    made = texts(api, "Dear {full_name}: " + "a" * 160)
    assert "A text has 2 parts. That makes about 4 parts in all." in alice.text(f"campaigns/{made}/")
    assert "They cost about" not in alice.text(f"campaigns/{made}/")
    store(database, update(User).values(sms_rate=2_000))
    api.change(f"sms-campaigns/{made}/", text_message="Dear {full_name}: " + "a" * 148)
    assert "A text has 1 to 2 parts. That makes about 3 parts in all. They cost about 0.06." in alice.text(
        f"campaigns/{made}/"
    )


def texts(api: Caller, text: str) -> int:
    """Create a campaign of text messages to Bo and to Marie-Louise; return its id."""
    book = api.create("phonebook", name="Spring")
    for number, name in enumerate(("Bo", "Marie-Louise")):
        api.create("contact", contact=f"+120255501{number:02d}", full_name=name, phonebook=book["url"])
    gateway = Caller(api.client, "admin").create("sms-gateway", name="Texts", protocol="sim")
    values = {"name": "Texts", "text_message": text, "sms_gateway": gateway["url"]}
    made = api.create("sms-campaigns", **values, phonebook=[book["url"]])
    return int(made["id"])


def test_the_check_says_before_the_start_whether_the_balance_suffices(
    alice: Visitor, api: Caller, database: Database
) -> None:
    """A forecast with the money that there is knows the whole price, too. Four people cost 0.04."""
    identity = campaign(api, started="no")
    unknown, dear = "not known before a forecast", "The campaign is likely to cost 0.04 (P50 of the forecast)"
    assert unknown not in alice.text(f"campaigns/{identity}/")
    store(database, update(User).values(call_rate=1_000, balance=3_000))
    assert unknown in alice.text(f"campaigns/{identity}/")
    assert alice.send(f"campaigns/{identity}/forecast/").status_code == 303
    text = alice.text(f"campaigns/{identity}/")
    assert f"{dear}, but the free balance is 0.03. It pauses when that is used up." in text
    assert unknown not in text
    asked = api.get(f"campaigns/{identity}/check/")
    assert "low_balance" in [one["code"] for one in asked["findings"]]
    store(database, update(User).values(balance=4_000))
    assert "likely to cost" not in alice.text(f"campaigns/{identity}/")
    store(database, update(User).values(balance=3_999))
    api.change(f"campaigns/{identity}/", status="1")
    assert "likely to cost" not in alice.text(f"campaigns/{identity}/")


def test_the_check_of_texts_compares_their_price_with_the_balance(
    alice: Visitor, api: Caller, database: Database
) -> None:
    made = texts(api, "Hello")
    store(database, update(User).values(sms_rate=2_000, balance=3_000))
    dear = "The texts cost about 0.04, but the free balance is 0.03. The campaign pauses when that is used up."
    assert dear in alice.text(f"campaigns/{made}/")
    store(database, update(User).values(balance=4_000))
    assert "The texts cost about" not in alice.text(f"campaigns/{made}/")
