"""Tests of the way from a file to a campaign, and of what can be done with a campaign afterwards."""

import re

import pytest
from sqlalchemy import update

from dialer.domain.words.enums import SubscriberStatus
from dialer.store.database.database import Database
from dialer.store.tables import Subscriber
from tests.api.harness import Caller
from tests.console.building import campaign, store
from tests.console.test_importing import look, press
from tests.console.visitor import Visitor, words

FILE = b"contact,full_name\n+12025550111,Ann\nabc,Bad\n"


def test_a_file_and_a_text_become_a_campaign(alice: Visitor, admin: Visitor, api: Caller) -> None:
    admin.get("account/")
    look(alice, "new-campaign/", FILE, name="Spring")
    uploaded = press(alice, **{"import": "1"})
    survey = uploaded.headers["location"].removeprefix("/console/")
    assert survey.startswith("new-campaign/survey/?phonebook=1&imported=1&rejected=1&list=")
    assert "1 person imported. 1 line was refused. Download the refused lines" in alice.text(survey)
    asked = {"name": "Reminder", "message": "Hello {full_name}", "question": "Do you come?", "key_1": "yes"}
    made = alice.send("new-campaign/survey/", phonebook="1", **asked)
    settings = "/console/records/campaigns/new/?phonebook=1&object_id=1&name=Reminder"
    assert (made.status_code, made.headers["location"]) == (303, settings)
    sections = [(one["type"], one["question"], one["key_1"]) for one in api.get("section-template/")["results"]]
    assert sections == [(1, "Hello {full_name}", None), (2, "Do you come?", "yes"), (1, "Thank you. Goodbye.", None)]
    assert api.get("survey-template/1/check/")["findings"] == []
    assert "Ask your admin to add it under Lines" in alice.text(settings.removeprefix("/console/"))
    assert alice.send("new-campaign/gateway/").status_code == 403
    assert "Make a simulated carrier" in admin.text(settings.removeprefix("/console/"))
    chosen = {"phonebook": "1", "object_id": "1", "name": "Reminder", "next": "//elsewhere"}
    assert admin.send("new-campaign/gateway/", **chosen).headers["location"] == settings
    assert '<option value="1" selected>Simulator</option>' in alice.get(settings.removeprefix("/console/"))


@pytest.mark.parametrize(
    ("header", "contact", "name"),
    [
        (b"Name,Phone,City", "+12025550111", "Ann"),
        (b'\xef\xbb\xbf"Full Name";"Mobile-Number";"City"', "+12025550111", "Ann"),
        (b"Contact name\tcontact\tphone", "+12025550111", "Ann"),
        (b"name,number,phone", "+12025550222", "Ann"),
    ],
)
def test_columns_are_known_by_their_usual_names(
    alice: Visitor, api: Caller, header: bytes, contact: str, name: str
) -> None:
    delimiter = next(one for one in (b";", b"\t", b",") if one in header)
    line = delimiter.join([b"Ann", b"+12025550111", b"+12025550222"])
    look(alice, "new-campaign/", header + b"\r\n" + line, name="Spring")
    assert press(alice, **{"import": "1"}).status_code == 303
    (made,) = api.get("contact/")["results"]
    assert (made["contact"], made["full_name"]) == (contact, name)


def test_the_form_proposes_safe_hours_and_the_api_keeps_its_defaults(alice: Visitor, api: Caller) -> None:
    for path in ("campaigns", "sms-campaigns"):
        form = alice.get(f"records/{path}/new/")
        assert re.search(r'name="daily_start_time"[^>]* value="09:00(:00)?"', form)
        assert re.search(r'name="daily_stop_time"[^>]* value="20:00(:00)?"', form)
        assert re.search(r'name="saturday" type="checkbox" value="1" checked', form)
        assert not re.search(r'name="sunday" type="checkbox" value="1" checked', form)
    form = alice.get("records/campaigns/new/")
    assert re.search(r'name="maxretry"[^>]* value="2"', form)
    assert re.search(r'name="intervalretry"[^>]* value="2"', form)
    assert '<option value="3600" selected>hours</option>' in form
    assert '<option value="2" selected>People only</option>' in form
    assert '<option value="1" selected>A fixed number of calls a minute</option>' in form
    asked = alice.get("records/campaigns/new/?daily_stop_time=18:00:00")
    assert re.search(r'name="daily_stop_time"[^>]* value="18:00(:00)?"', asked)
    made = api.get(f"campaigns/{campaign(api, started='no')}/")
    assert (made["daily_start_time"], made["daily_stop_time"]) == ("00:00:00", "23:59:59")
    assert (made["sunday"], made["maxretry"], made["intervalretry"], made["amd_behavior"]) == (True, 0, 300, 1)


def test_the_form_proposes_to_dial_ahead_of_agents_if_the_survey_leads_to_a_queue(alice: Visitor, api: Caller) -> None:
    survey, queue = api.create("survey-template", name="Sales"), api.create("queue", name="Sales")
    section = {"survey": survey["url"], "type": 6, "question": "To sales", "queue": queue["url"]}
    api.create("section-template", **section)
    form = alice.get(f"records/campaigns/new/?object_id={survey['id']}")
    assert '<option value="3" selected>Ahead of free agents' in form
    assert fields_in_order(form)[:9] == [
        *("name", "purpose", "dial_method", "abandon_rate_max", "agent_dial_rate", "agent_script", "agent_fields"),
        *("crm_url", "dispositions"),
    ]
    plain = alice.get("records/campaigns/new/")
    assert fields_in_order(plain).index("frequency") < fields_in_order(plain).index("dial_method")
    identity = campaign(api, started="no")
    assert fields_in_order(alice.get(f"records/campaigns/{identity}/"))[2] != "dial_method"
    api.change(f"campaigns/{identity}/", object_id=str(survey["id"]))
    assert fields_in_order(alice.get(f"records/campaigns/{identity}/"))[2] == "dial_method"


def fields_in_order(page: str) -> list[str]:
    """Return the names of the fields of a record's form, in their order, from its name on."""
    found = re.findall(r'<(?:input|select|textarea) id="(\w+)" name="\1"', page)
    return found[found.index("name") :]


def test_the_check_counts_a_number_of_two_lists_once(alice: Visitor, api: Caller) -> None:
    identity = campaign(api, started="no")
    made = api.get(f"campaigns/{identity}/")
    books = [api.create("phonebook", name=name)["url"] for name in ("One", "Two")]
    for book in books:
        for number in range(3):
            api.create("contact", contact=f"+120255501{number:02d}", phonebook=book)
    api.create("contact", contact="+12025550177", phonebook=books[0])
    api.change(made["url"], phonebook=books)
    text = alice.text(f"campaigns/{identity}/")
    assert "4 people join it at the start. 3 further entries of the lists have the same numbers" in text
    found = api.get(f"campaigns/{identity}/check/?forecast=false")
    assert (found["people"], found["doubles"]) == (4, 3)
    api.change(made["url"], phonebook=books[:1])
    assert "4 people join it at the start. If it is" in alice.text(f"campaigns/{identity}/")


def test_the_check_subtracts_people_whom_do_not_call_lists_protect(alice: Visitor, api: Caller) -> None:
    identity = campaign(api, started="no")
    dnc = api.create("dnc-list", name="No")
    api.create("dnc-contact", dnc=dnc["url"], phone_number="+12025550100")
    assert "do-not-call lists and are not called" not in alice.text(f"campaigns/{identity}/")
    api.change(f"campaigns/{identity}/", dnc=dnc["url"])
    text = alice.text(f"campaigns/{identity}/")
    assert "4 people join it at the start. 1 of these people is on a do-not-call list and is not called." in text
    assert "That leaves 3." in text
    found = api.get(f"campaigns/{identity}/check/?forecast=false")
    assert (found["people"], found["doubles"], found["do_not_call"]) == (4, 0, 1)


def test_a_file_without_people_leaves_no_phonebook(alice: Visitor, api: Caller) -> None:
    look(alice, "new-campaign/", b"contact\nabc\n", name="Spring")
    answer = press(alice, **{"import": "1"})
    assert (answer.status_code, "has a number that can be called. 'abc'" in words(answer.text)) == (400, True)
    assert 'value="Spring"' in answer.text
    assert api.get("phonebook/")["count"] == 0


def test_a_phonebook_without_a_name_has_that_of_its_file(alice: Visitor, api: Caller) -> None:
    look(alice, "new-campaign/", FILE, "Kunden 2026.csv")
    press(alice, **{"import": "1"})
    assert api.get("phonebook/")["results"][0]["name"] == "Kunden 2026"


def test_a_question_needs_answers_and_answers_a_question(alice: Visitor, api: Caller) -> None:
    alice.get("new-campaign/survey/")
    for fields in ({"question": "Why?"}, {"key_1": "yes"}):
        answer = alice.send("new-campaign/survey/", name="Survey", message="Hello", **fields)
        assert (answer.status_code, "Hello" in answer.text) == (400, True)
    assert api.get("survey-template/")["count"] == 0


def test_a_campaign_is_copied(alice: Visitor, bob: Visitor, api: Caller) -> None:
    campaign(api, name="Spring")
    alice.get("campaigns/1/")
    copied = alice.send("campaigns/1/copy/")
    assert copied.headers["location"] == "/console/campaigns/2/"
    page = alice.get("campaigns/2/")
    assert ('id="check"' in page, 'name="action" value="start"' in page) == (True, True)
    assert (api.get("campaigns/2/")["name"], api.get("campaigns/2/")["status"]) == ("Spring (copy)", 0)
    bob.get("account/")
    assert bob.send("campaigns/1/copy/").status_code == 404


def test_people_who_were_not_reached_are_called_again(
    alice: Visitor, bob: Visitor, api: Caller, database: Database
) -> None:
    campaign(api)
    failed = update(Subscriber).where(Subscriber.id <= 3)
    store(database, failed.values(status=SubscriberStatus.FAIL, count_attempt=1))
    alice.get("campaigns/1/recycle/")
    counted = alice.send("campaigns/1/recycle/", action="count", **{"status.4": "1"})
    assert "These would be called again In all 3 Not reached 3" in words(counted.text)
    assert len(api.get("subscriber-list/?status=4")) == 3
    done = alice.send("campaigns/1/recycle/", action="recycle", **{"status.4": "1"})
    assert "These are called again In all 3" in words(done.text)
    assert len(api.get("subscriber-list/?status=4")) == 0
    assert alice.send("campaigns/1/recycle/", action="recycle").status_code == 400
    bob.get("account/")
    assert bob.send("campaigns/1/recycle/", action="recycle", **{"status.4": "1"}).status_code == 404
