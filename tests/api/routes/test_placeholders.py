"""Tests of placeholders through the API: what no contact has keeps a campaign from starting, and names itself."""

from typing import Any

import pytest

from tests.api.builders import Estate
from tests.api.harness import Caller, Json


class Texts:
    """Alice's campaigns to two contacts, of whom one has a plan."""

    def __init__(self, estate: Estate) -> None:
        self.alice: Caller = estate.owner
        self.section = self.alice.create("section-template", survey=self._survey(), question="Welcome", script="Hi")
        book = self.alice.create("phonebook", name="people")
        self.book = book["url"]
        for number, variables in (("+12025550171", {"plan": "gold"}), ("+12025550172", {})):
            self.alice.create(
                "contact", phonebook=book["url"], contact=number, full_name="Ada Byron", additional_vars=variables
            )
        fields = estate.campaign_fields() | {"object_id": str(self.survey["id"]), "phonebook": [book["url"]]}
        self.calls = self.alice.create("campaigns", **fields)["url"]
        self.texts = self.alice.create(
            "sms-campaigns",
            name="party",
            sms_gateway=estate.sms_gateway["url"],
            phonebook=[book["url"]],
            text_message="Hi",
        )["url"]

    def _survey(self) -> str:
        self.survey = self.alice.create("survey-template", name="poll")
        return str(self.survey["url"])

    def says(self, text: str) -> None:
        self.alice.change(self.section["url"], script=text)
        self.alice.change(self.texts, text_message=text)

    def findings(self, url: str) -> list[tuple[str, str, str | None, str]]:
        """Return the level, code, field and message of each finding about placeholders."""
        found = self.alice.get(f"{url}check/", forecast="false")["findings"]
        return [
            (one["level"], one["code"], one["field"], one["message"])
            for one in found
            if one["code"].endswith("_placeholder")
        ]

    def start(self, url: str) -> tuple[int, Json]:
        answer = self.alice.request("PATCH", url, json={"status": 1})
        return answer.status_code, answer.json() if answer.status_code == 400 else None


@pytest.fixture
def texts(estate: Estate) -> Texts:
    return Texts(estate)


UNKNOWN = "No contact has a value for {Plan}. Did you mean {plan}?"


def test_an_unknown_placeholder_keeps_a_campaign_of_calls_from_starting(texts: Texts) -> None:
    texts.says("Hi {full_name}, your {Plan} is ready")
    message = f"Section “Welcome”: {UNKNOWN}"
    assert texts.findings(texts.calls) == [("error", "unknown_placeholder", None, message)]
    assert texts.start(texts.calls) == (400, {"object_id": [message]})
    texts.says("Hi {full_name}, your {plan} is ready")
    lacking = "Section “Welcome”: 1 of 2 contacts has no value for {plan}: it is left out there."
    assert texts.findings(texts.calls) == [("warning", "empty_placeholder", None, lacking)]
    assert texts.start(texts.calls)[0] == 202


def test_a_campaign_of_texts_is_checked_alike(texts: Texts) -> None:
    texts.says("Hi {Plan} {first_name}")
    assert texts.findings(texts.texts) == [("error", "unknown_placeholder", "text_message", UNKNOWN)]
    assert texts.start(texts.texts) == (400, {"text_message": [UNKNOWN]})
    texts.says("Hi {first_name}")
    assert texts.start(texts.texts)[0] == 202
    texts.alice.change(texts.texts, status=2)
    texts.says("Hi {Plan}")
    assert texts.findings(texts.texts) == [("warning", "unknown_placeholder", "text_message", UNKNOWN)]
    assert texts.start(texts.texts)[0] == 202


def test_the_script_of_agents_is_checked_alike(texts: Texts) -> None:
    texts.alice.change(texts.calls, agent_script="Hi {Plan}")
    assert texts.findings(texts.calls) == [("error", "unknown_placeholder", "agent_script", UNKNOWN)]
    assert texts.start(texts.calls) == (400, {"agent_script": [UNKNOWN]})
    texts.alice.change(texts.calls, agent_script="Hi {first_name}")
    assert texts.start(texts.calls)[0] == 202
    texts.alice.change(texts.calls, agent_script="Hi {Plan}")
    assert texts.findings(texts.calls) == [("warning", "unknown_placeholder", "agent_script", UNKNOWN)]


def test_the_link_of_agents_is_checked_alike_and_knows_ids(texts: Texts) -> None:
    texts.alice.change(texts.calls, crm_url="https://crm.example/?plan={Plan}&call={call_id}&agent={ agent_id }")
    assert texts.findings(texts.calls) == [("error", "unknown_placeholder", "crm_url", UNKNOWN)]
    assert texts.start(texts.calls) == (400, {"crm_url": [UNKNOWN]})
    texts.alice.change(texts.calls, crm_url="https://crm.example/?name={first_name}&call={call_id}")
    assert texts.start(texts.calls)[0] == 202


def test_the_check_of_a_survey_knows_the_built_in_names_only(texts: Texts) -> None:
    texts.says("Hi {Full_Name}, {nosuch}, {name")
    found: Any = texts.alice.get(f"{texts.survey['url']}check/")
    assert (found["errors"], [one["code"] for one in found["findings"]]) == (
        0,
        ["unknown_placeholder", "wrong_placeholder"],
    )
    assert "Did you mean {full_name}?" in found["findings"][0]["message"]


def test_an_imported_column_is_known_as_its_contacts_are(texts: Texts) -> None:
    texts.says("Your order {Order number}")
    assert [found[:2] for found in texts.findings(texts.calls)] == [("warning", "wrong_placeholder")]
    csv = "contact,Order number\n+12025550181,17\n+12025550182,\n"
    headers = {"Content-Type": "text/csv"}
    assert texts.alice.request("POST", f"{texts.book}import/", content=csv, headers=headers).status_code == 200
    assert [found[3] for found in texts.findings(texts.calls)] == [
        "Section “Welcome”: 3 of 4 contacts have no value for {Order number}: it is left out there.",
        "Section “Welcome”: 2 contacts without {Order number} get it as it is written, with its braces.",
    ]
    texts.says("Your {plan}")
    for contact in texts.alice.get("contact/")["results"]:
        if "plan" in contact["additional_vars"]:
            texts.alice.change(contact["url"], additional_vars={})
    assert [found[:2] for found in texts.findings(texts.calls)] == [("error", "unknown_placeholder")]


def test_subscribers_without_a_phonebook_have_names_of_their_own(texts: Texts) -> None:
    texts.says("Your {nosuch}")
    assert texts.findings(texts.calls)[0][0] == "error"
    texts.alice.create(
        "subscriber-list", campaign=texts.calls, duplicate_contact="+12025550122", additional_vars={"nosuch": "x"}
    )
    assert texts.findings(texts.calls)[0][0] == "warning"
    assert texts.start(texts.calls)[0] == 202


@pytest.mark.parametrize("name", ["<script>alert(1)</script>", "\u202eplan", "x" * 64, "%(name)s", "🐙", "{"])
def test_hostile_names_are_only_shown(texts: Texts, name: str) -> None:
    texts.alice.create("contact", phonebook=texts.book, contact="+12025550173", additional_vars={name: "v"})
    texts.says(f"Hi {{{name}}} {{nosuch}} %s %(x)s")
    assert any(found[0] == "error" for found in texts.findings(texts.calls))
    assert texts.start(texts.calls)[0] == 400
