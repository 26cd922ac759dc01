"""Tests of the check of a survey through the API."""

import pytest

from tests.api.harness import BASE, Caller, Json

NOTHING = {"errors": 0, "warnings": 0, "findings": []}


def section(alice: Caller, **fields: Json) -> Json:
    """Add a section to the survey."""
    return alice.create("section-template", **{"survey": "/rest-api/survey-template/1/", "question": "?"} | fields)


def branch(alice: Caller, section: Json, keys: str, goto: Json) -> None:
    alice.create("branching-template", section=section["url"], keys=keys, goto=goto["url"])


@pytest.fixture(autouse=True)
def _survey(alice: Caller) -> None:
    alice.create("survey-template", name="poll")


def test_every_finding_says_where_it_is_and_which_keys_lead_there(alice: Caller) -> None:
    asks = section(alice, order=1, type=2, script="Shall we connect you?", key_1="yes", key_2="no")
    transfers = section(alice, order=2, type=6)
    says = section(alice, order=3, type=1, question="Goodbye")
    lonely = section(alice, order=4, type=7)
    branch(alice, asks, "1", transfers)
    branch(alice, asks, "any", says)
    branch(alice, transfers, "timeout", says)
    assert alice.get("survey-template/1/check/") == {
        "errors": 1,
        "warnings": 2,
        "findings": [
            {
                "level": "error",
                "code": "no_destination",
                "section": f"{BASE}/section-template/{transfers['id']}/",
                "message": "The transfer has neither a phonenumber nor a queue.",
                "keys": ["1"],
            },
            {
                "level": "warning",
                "code": "missing_prompt",
                "section": f"{BASE}/section-template/{says['id']}/",
                "message": "There is neither an audiofile nor a script: the callee hears nothing.",
                "keys": ["any"],
            },
            {
                "level": "warning",
                "code": "unreachable",
                "section": f"{BASE}/section-template/{lonely['id']}/",
                "message": "No call can reach this section.",
                "keys": [],
            },
        ],
    }


def test_a_survey_without_sections_is_wrong_as_a_whole(alice: Caller) -> None:
    finding: Json = {
        "level": "error",
        "code": "no_sections",
        "section": None,
        "message": "The survey has no sections.",
        "keys": [],
    }
    assert alice.get("survey-template/1/check/") == {"errors": 1, "warnings": 0, "findings": [finding]}


@pytest.mark.parametrize("path", ["survey-template/1/check/", "survey-template/1/check"])
def test_a_survey_as_it_should_be_has_no_findings(alice: Caller, path: str) -> None:
    section(alice, type=7, script="Goodbye")
    assert alice.get(path) == NOTHING


def test_only_the_owner_and_admins_check_a_survey(admin: Caller, alice: Caller, bob: Caller) -> None:
    section(alice, type=7)
    assert admin.get("survey-template/1/check/") == NOTHING
    missing = (404, {"detail": "Not found."})
    assert bob.refused("GET", "survey-template/1/check/") == missing
    for record_id in ("2", "x", "0", "9" * 30):
        assert alice.refused("GET", f"survey-template/{record_id}/check/") == missing
    assert admin.client.get("/rest-api/survey-template/1/check/").status_code == 401
    assert alice.request("POST", "survey-template/1/check/", json={}).status_code == 405
