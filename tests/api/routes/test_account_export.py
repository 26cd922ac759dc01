"""Tests of `GET /rest-api/export/`: an account as a file, which is applied and exported alike."""

from pathlib import Path
from typing import Any, Final

import pytest

from dialer.api.actions import exporting as export_action
from dialer.files import exporting
from tests.api.harness import Caller
from tests.api.routes.test_apply import sent
from tests.api.routes.test_audio import wav

pytestmark = pytest.mark.usefixtures("folder")
RECORDS: Final = """\
dnc_lists:
- name: Never
  numbers:
  - "+12025550111"
phonebooks:
- name: Patients
  contacts:
  - contact: "+12025550101"
    full_name: Ada
    additional_vars:
      day: Monday
surveys:
- name: Reminder
  sections:
  - id: 1
    type: multi_choice
    question: Will you come?
    key_1: yes
    branches:
      "1": 2
  - id: 2
    type: play_message
    question: Thanks
"""


def applied(caller: Caller, text: str = RECORDS) -> None:
    status, answer = sent(caller, files=[{"name": "a.yaml", "content": text}])
    assert status == 200, answer


def text_of(caller: Caller, **parameters: str) -> str:
    answer = caller.request("GET", "export/", params={**parameters, "format": "yaml"})
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/yaml"), answer.text
    text: str = answer.text
    return text


def test_what_is_exported_applied_elsewhere_and_exported_again_is_the_same(alice: Caller, bob: Caller) -> None:
    applied(alice)
    exported = alice.get("export/")
    assert exported == {
        "username": "alice",
        "files": [{"name": "alice.yaml", "content": text_of(alice)}],
        "beside": [],
    }
    assert sent(bob, files=exported["files"])[1]["records"][0]["action"] == "new"
    assert bob.get("export/?name=alice") == {**exported, "username": "bob"}
    assert {row["action"] for row in sent(alice, files=exported["files"])[1]["records"]} == {"unchanged"}


def test_sounds_and_long_lists_are_links(alice: Caller, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    monkeypatch.setattr(exporting, "PEOPLE_MAX", 1)
    applied(alice)
    alice.request("POST", "audio-files/", data={"name": "Héllo"}, files={"audio_file": ("a.wav", wav())})
    alice.create("contact", phonebook=1, contact="+12025550102")
    alice.create("dnc-contact", dnc=1, phone_number="+12025550112")
    answer = alice.get("export/?name=spring")
    base = answer["beside"][0]["url"].partition("/rest-api/")[0]
    assert [(one["path"], one["url"].removeprefix(base)) for one in answer["beside"]] == [
        ("spring-files/h-llo.wav", "/rest-api/audio-files/1/download/"),
        ("spring-files/never.csv", "/rest-api/dnc-contact/?dnc=1&format=csv"),
        ("spring-files/patients.csv", "/rest-api/contact/?phonebook=1&format=csv"),
    ]
    assert "contacts_file: spring-files/patients.csv\n" in answer["files"][0]["content"]
    assert alice.request("GET", "audio-files/1/download/").content == wav()
    refused = alice.request("GET", "export/", params={"format": "yaml"})
    assert (refused.status_code, refused.json()["detail"]) == (
        409,
        "A file holds at most 1 people of a list: give --output, and a CSV file beside it has them.",
    )
    assert folder.exists()


def test_an_admin_names_another_user_and_nobody_else_does(admin: Caller, alice: Caller, bob: Caller) -> None:
    applied(alice)
    assert text_of(admin, username="ALICE") == text_of(alice) == text_of(alice, username="Alice")
    assert text_of(bob) == "{}\n"
    for caller, name in ((bob, "alice"), (bob, "nobody"), (admin, "nobody"), (admin, "a\0"), (bob, "a\0")):
        refused = caller.request("GET", "export/", params={"username": name})
        assert (refused.status_code, list(refused.json())) == (400, ["username"])


def test_numbers_are_spelled_for_the_country_of_the_account(admin: Caller, alice: Caller) -> None:
    admin.change("users/2/", default_region="DE")
    applied(alice, 'phonebooks: [{name: P, contacts: [{contact: "030 123456"}]}]')
    assert text_of(admin, username="alice") == "phonebooks:\n- name: P\n  contacts:\n  - contact: 030 123456\n"


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"format": "toml"}, {"format": ["'toml' is not a format. Use one of json, yaml."]}),
        ({"name": "../a"}, {"name": ["Give 1 to 100 characters, none of which is a slash."]}),
        ({"name": ""}, {"name": ["Give 1 to 100 characters, none of which is a slash."]}),
    ],
)
def test_wrong_parameters_have_a_message(alice: Caller, parameters: dict[str, str], message: dict[str, Any]) -> None:
    answer = alice.request("GET", "export/", params=parameters)
    assert (answer.status_code, answer.json()) == (400, message)


def test_an_account_with_too_many_records_is_refused(alice: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export_action, "LOADED_MAX", 4)
    applied(alice)
    answer = alice.request("GET", "export/")
    assert (answer.status_code, "records, sections and people" in answer.json()["detail"]) == (409, True)


def test_lists_are_links_once_the_file_has_many_people(alice: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exporting, "PEOPLE_TOGETHER_MAX", 1)
    applied(alice)
    answer = alice.get("export/")
    assert [one["path"] for one in answer["beside"]] == ["alice-files/patients.csv"]
    assert answer["files"][0]["content"].startswith("dnc_lists:\n- name: Never\n  numbers:\n  - '+12025550111'\n")
