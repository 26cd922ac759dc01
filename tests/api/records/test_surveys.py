"""Survey templates, their sections and branches."""

import pytest

from tests.api.builders import Estate
from tests.api.harness import BASE, NOW, Caller

NO_OBJECT = ["Invalid hyperlink - Object does not exist."]


def test_a_section_has_defaults_for_all_but_its_question(alice: Caller, estate: Estate) -> None:
    section = alice.create("section-template", survey=estate.survey["url"], question="How are you?", key_1="")
    assert section == {
        "id": 2,
        "url": f"{BASE}/section-template/2/",
        "order": 1,
        "type": 1,
        "question": "How are you?",
        "script": "",
        "audiofile": None,
        "retries": 0,
        "timeout": 5,
        **{f"key_{digit}": None for digit in range(10)},
        "rating_laps": 9,
        "validate_number": True,
        "number_digits": 2,
        "min_number": 0,
        "max_number": 99,
        "phonenumber": None,
        "conference": None,
        "sms_text": None,
        "confirm_script": None,
        "confirm_key": None,
        "completed": False,
        "queue": None,
        "agent_url": None,
        "agent_parameters": None,
        "disclosure": None,
        "disclosure_audiofile": None,
        "patience": 20,
        "on_completed": None,
        "record_pause": False,
        "created_date": NOW,
        "updated_date": NOW,
        "survey": estate.survey["url"],
        "invalid_audiofile": None,
    }
    assert alice.get("branching-template/", section_id=2)["count"] == 0


def test_a_change_is_judged_by_the_whole_section(alice: Caller, estate: Estate) -> None:
    wrong = (400, {"max_number": ["Ensure this value is greater than or equal to min_number."]})
    assert alice.refused("PATCH", estate.section["url"], min_number=100) == wrong
    assert alice.refused("PATCH", estate.section["url"], max_number=-1)[1].keys() == {"max_number"}
    alice.change(estate.section["url"], min_number=100, max_number="100")


def test_a_section_stays_in_its_survey(alice: Caller, estate: Estate) -> None:
    other = alice.create("survey-template", name="other")
    refusal = (400, {"survey": ["This field may not be changed."]})
    assert alice.refused("PATCH", estate.section["url"], survey=other["url"]) == refusal
    alice.change(estate.section["url"], survey=estate.survey["id"], question="Well?")
    assert alice.get(estate.section["url"])["question"] == "Well?"


@pytest.mark.parametrize("keys", ["0", "007", "any", "invalid", "timeout"])
def test_a_branch_is_for_digits_or_for_a_word(alice: Caller, estate: Estate, keys: str) -> None:
    fields = {"keys": keys, "section": estate.section["url"]}
    assert alice.create("branching-template", **fields, goto=None)["keys"] == keys


@pytest.mark.parametrize("keys", ["", "else", "1,2", "#", "\u0661", "1" * 16])
def test_other_keys_can_never_be_pressed(alice: Caller, estate: Estate, keys: str) -> None:
    status, errors = alice.refused("POST", "branching-template/", keys=keys, section=estate.section["url"])
    assert (status, list(errors)) == (400, ["keys"])


def test_an_error_names_the_keys_that_can_be_pressed(alice: Caller, estate: Estate) -> None:
    refusal = {"keys": ['"else" is not an answer. Use 1 to 15 digits, or one of: any, invalid, timeout.']}
    answer = alice.refused("POST", "branching-template/", keys="else", section=estate.section["url"])
    assert answer == (400, refusal)


def test_a_section_has_one_branch_for_its_keys(alice: Caller, estate: Estate) -> None:
    refusal = (400, {"keys": ["The section has a branch for '1' already. Change that branch."]})
    assert alice.refused("POST", "branching-template/", keys="1", section=estate.section["url"]) == refusal
    other = alice.create("branching-template", keys="2", section=estate.section["url"])
    assert alice.refused("PATCH", other["url"], keys="1") == refusal


def test_a_branch_stays_in_its_survey_and_ignores_the_name_of_one(alice: Caller, estate: Estate) -> None:
    survey = alice.create("survey-template", name="other")
    foreign = alice.create("section-template", survey=survey["url"], question="?")
    near = alice.create("section-template", survey=estate.survey["url"], question="?")
    assert alice.refused("PATCH", estate.branch["url"], goto=foreign["url"]) == (400, {"goto": NO_OBJECT})
    answer = alice.request("PATCH", estate.branch["url"], json={"goto": near["url"], "survey": survey["url"]})
    assert (answer.status_code, answer.headers["x-ignored-fields"]) == (202, "survey")
    assert alice.get(estate.branch["url"])["goto"] == near["url"]
    assert alice.request("DELETE", near["url"]).status_code == 204
    assert alice.get(estate.branch["url"])["goto"] is None


def test_deleting_a_survey_deletes_what_it_is_made_of(alice: Caller, estate: Estate) -> None:
    assert alice.request("DELETE", estate.campaign["url"]).status_code == 200
    assert alice.request("DELETE", estate.survey["url"]).status_code == 204
    for record in (estate.section, estate.branch):
        assert alice.refused("GET", record["url"])[0] == 404


def test_a_description_may_be_null(alice: Caller) -> None:
    survey = alice.create("survey-template", name="poll", description=None)
    assert (survey["description"], survey["user"]) == (None, f"{BASE}/users/2/")
    refusal = (400, {"description": ["This field may not be null."]})
    assert alice.refused("POST", "phonebook/", name="x", description=None) == refusal


def test_a_survey_has_a_language_and_a_voice(alice: Caller) -> None:
    survey = alice.create("survey-template", name="poll")
    assert [survey[name] for name in ("language", "voice", "voice_speed")] == ["", "", 1]
    changed = alice.request(
        "PATCH", survey["url"], json={"language": " pt-BR ", "voice": "pt+f2", "voice_speed": "1.5"}
    )
    assert changed.status_code == 202
    stored = alice.get(survey["url"])
    assert [stored[name] for name in ("language", "voice", "voice_speed")] == ["pt-BR", "pt+f2", 1.5]
    least = {"voice_speed": ["Ensure this value is greater than or equal to 0.50000."]}
    assert alice.refused("PATCH", survey["url"], voice_speed=0.49) == (400, least)
    most = {"voice_speed": ["Ensure this value is less than or equal to 2."]}
    assert alice.refused("PATCH", survey["url"], voice_speed=2.01) == (400, most)
    for field, text in (
        ("language", "German!"),
        ("language", "d"),
        ("voice", "../x"),
        ("voice", "-v"),
        ("voice", "a b"),
    ):
        status, errors = alice.refused("PATCH", survey["url"], **{field: text})
        assert (status, list(errors)) == (400, [field])
