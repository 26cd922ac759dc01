"""Tests of `POST /rest-api/apply/`: files of records in one transaction, and the sounds that they need."""

import hashlib
import json
from pathlib import Path
from threading import Event
from typing import Any

import anyio
import anyio.to_thread
import pytest

from dialer.files import request_size
from dialer.files.applying import apply
from dialer.files.nodes import Node
from dialer.files.reading import read_text
from dialer.store.database.database import Database
from tests.api.at_once import app_on_this_loop, client_on_this_loop
from tests.api.crud.test_statements import heard
from tests.api.harness import Caller, FakeWorker
from tests.api.routes.test_audio import wav

pytestmark = pytest.mark.usefixtures("folder")


def file(content: str, name: str = "a.yaml") -> list[dict[str, str]]:
    return [{"name": name, "content": content}]


def sound(**members: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    return {"path": "h.wav", "sha256": 64 * "0", "size": 1, **members}


def sent(caller: Caller, **members: Any) -> tuple[int, Any]:  # noqa: ANN401 - JSON
    answer = caller.request("POST", "apply/", json=members)
    return answer.status_code, answer.json()


def test_a_dry_run_writes_nothing_and_its_plan_is_kept_to(alice: Caller) -> None:
    files = file("phonebooks: [{name: P, description: x, contacts_file: p.csv}]")
    status, planned = sent(alice, files=files, dry_run=True)
    assert (status, planned["records"], planned["missing"], planned["people"]) == (
        200,
        [{"kind": "phonebook", "name": "P", "action": "new", "lines": ["description: x"]}],
        [],
        [{"kind": "phonebook", "name": "P", "id": 0, "running": None}],
    )
    assert alice.get("phonebook/")["count"] == 0
    status, done = sent(alice, files=files, plan=planned["plan"])
    (phonebook,) = alice.get("phonebook/")["results"]
    assert (status, done["username"], done["people"][0]["id"]) == (200, "alice", phonebook["id"])
    assert sent(alice, files=files, plan=planned["plan"])[0] == 409
    assert sent(alice, files=files)[1]["records"][0]["action"] == "unchanged"


def test_records_of_others_are_neither_seen_nor_changed(alice: Caller, bob: Caller) -> None:
    sent(alice, files=file("surveys: [{name: Mine}]"))
    assert sent(bob, files=file("surveys: [{name: Mine, description: his}]"))[1]["records"][0]["action"] == "new"
    assert [row["description"] for row in alice.get("survey-template/")["results"]] == [None]
    wrong = "campaigns: [{name: C, survey: Others, gateway: g}]"
    sent(alice, files=file("surveys: [{name: Others}]"))
    status, refused = sent(bob, files=file(wrong))
    assert (status, refused["files"][0]) == (
        400,
        "a.yaml:1: campaigns[0].survey: there is no survey 'Others'; there are: Mine",
    )


def test_sounds_wait_for_their_user_and_are_taken_once_they_are_there(alice: Caller, bob: Caller, folder: Path) -> None:
    content = wav(0.5)
    digest = hashlib.sha256(content).hexdigest()
    asked = {
        "files": file("recordings: [{name: Hello, file: s/h.wav}]", "r/a.yaml"),
        "recordings": [{"path": "r/s/h.wav", "sha256": digest, "size": len(content)}],
    }
    assert sent(alice, **asked, dry_run=True)[1]["missing"] == ["r/s/h.wav"]
    assert sent(alice, **asked) == (409, {"detail": "Send these recordings before: r/s/h.wav"})
    for caller in (bob, alice):
        answer = caller.request("POST", "apply/recordings/", files={"audio_file": ("a.wav", content)})
        assert answer.json() == {"sha256": digest, "size": len(content), "duration_ms": 500}
        is_alice = caller is alice
        assert sent(alice, **asked, dry_run=True)[1]["missing"] == ([] if is_alice else ["r/s/h.wav"])
    assert sent(alice, **asked)[0] == 200
    (row,) = alice.get("audio-files/")["results"]
    assert (folder / row["audio_file"]).read_bytes() == content
    assert sent(alice, **asked)[1]["records"][0]["action"] == "unchanged"


def test_sounds_are_saved_and_compared_before_the_transaction_and_each_recording_has_a_file(
    alice: Caller, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = wav(0.5)
    alice.request("POST", "apply/recordings/", files={"audio_file": ("a.wav", content)})
    asked = {
        "files": file("recordings: [{name: A, file: h.wav}, {name: B, file: h.wav}]"),
        "recordings": [sound(sha256=hashlib.sha256(content).hexdigest(), size=len(content))],
    }
    seen: list[set[str]] = []

    def apply_and_see(*given: Any) -> Any:  # noqa: ANN401 - as the function that it stands for
        seen.append({one.name for one in folder.glob("*.wav")})
        return apply(*given)

    monkeypatch.setattr("dialer.api.actions.applying.apply", apply_and_see)
    assert sent(alice, **asked, dry_run=True)[1]["missing"] == []
    assert sent(alice, **asked)[0] == 200
    names = {row["audio_file"] for row in alice.get("audio-files/")["results"]}
    assert (seen, {one.name for one in folder.glob("*.wav")}, len(names)) == ([set(), names], names, 2)
    changed = file("recordings: [{name: A, file: h.wav}, {name: A, file: h.wav}]")
    assert sent(alice, **{**asked, "files": changed})[0] == 400
    assert {one.name for one in folder.glob("*.wav")} == names


@pytest.mark.parametrize("is_dry", [True, False])
@pytest.mark.parametrize("size", [0, 8_043])
def test_the_size_of_a_sound_is_that_of_its_content(alice: Caller, folder: Path, size: int, *, is_dry: bool) -> None:
    content = wav(0.5)
    alice.request("POST", "apply/recordings/", files={"audio_file": ("a.wav", content)})
    described = {"path": "h.wav", "sha256": hashlib.sha256(content).hexdigest(), "size": size}
    status, refused = sent(
        alice, files=file("recordings: [{name: Hello, file: h.wav}]"), recordings=[described], dry_run=is_dry
    )
    message = f"a.yaml:1: recordings[0].file: h.wav has {len(content)} bytes, not {size}"
    assert (status, refused) == (400, {"files": [message]})
    assert (alice.get("audio-files/")["count"], list(folder.glob("*.wav"))) == (0, [])


@pytest.mark.parametrize(
    ("members", "status", "message"),
    [
        ({}, 400, "missing required field `files`"),
        ({"files": []}, 200, ""),
        ({"files": [{"name": "a"}]}, 400, "missing required field `content`"),
        ({"files": file(""), "more": 1}, 400, "unknown field `more`"),
        ({"files": file("surveys: 1")}, 400, "a.yaml:1: surveys: expected a list, got a number, '1'"),
        ({"files": file("{}", "a.json") * 101}, 400, "101 files are too many: give 100 at most"),
        ({"files": file("recordings: [{name: A, file: a.wav}]")}, 400, "a.wav is not among the recordings of the req"),
        ({"files": file("recordings: [{name: A, file: /a.wav}]")}, 400, "'/a.wav' is absolute"),
        ({"files": [], "recordings": [sound(size=-(2**70))]}, 400, "Expected `int` >= 0 - at `$.recordings[0].size`"),
        ({"files": [], "recordings": [sound(size=20 * 1024**2 + 1)]}, 400, "Expected `int` <= 20971520 - at"),
        ({"files": [], "recordings": [sound(sha256="../x")]}, 400, "Expected `str` matching regex '^[0-9a-f]{64}$'"),
        ({"files": file("phonebooks: [{name: A, contacts_file: 1}]")}, 400, "contacts_file: expected a text, got a n"),
    ],
)
def test_a_wrong_request_has_a_message(alice: Caller, members: dict[str, Any], status: int, message: str) -> None:
    answer = alice.request("POST", "apply/", json=members)
    assert (answer.status_code, message in answer.text) == (status, True), answer.text


def test_a_request_has_few_values_and_people(alice: Caller) -> None:
    queues = [file(f"queues: [{{name: Q{place}, agents: [{'a,' * 1_997}]}}]")[0] for place in range(6)]
    lists = [file(f"dnc_lists: [{{name: N{place}, numbers: [{'1,' * 2_000}]}}]")[0] for place in range(7)]
    messages = [
        (
            "the files have more than 10000 values besides people, the most in one request: apply them one after the"
            " other"
        ),
        (
            "the files have more than 12000 contacts and numbers together, the most in one request: put long lists into"
            " CSV files, and name them here"
        ),
    ]
    for files, message in zip((queues, lists), messages, strict=True):
        assert sent(alice, files=files) == (400, {"files": [message]})


def test_nothing_is_read_beyond_the_limit_of_all_files_together(alice: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def noted(content: bytes, name: str, values_max: int) -> Node:
        read.append(name)
        return read_text(content, name, values_max)

    monkeypatch.setattr(request_size, "read_text", noted)
    books = ", ".join(f"{{name: B{place}}}" for place in range(990))
    files = [file(f"phonebooks: [{books}]", f"{place}.yaml")[0] for place in range(100)]
    assert sent(alice, files=files, dry_run=True)[0] == 400
    assert read == ["0.yaml", "1.yaml", "2.yaml", "3.yaml", "4.yaml", "5.yaml"][: len(read)]
    contacts = f"phonebooks: [{{name: B, contacts: [{'{contact: 1, notes: 1, city: 1, email: 1}, ' * 1_999}]}}]"
    read.clear()
    assert sent(alice, files=[*file(contacts)] * 9, dry_run=True)[0] == 400
    assert len(read) < 9


async def test_an_account_applies_one_request_at_a_time_and_holds_up_no_other(
    alice: Caller, database: Database, worker: FakeWorker, monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    """A request of one account is held while it is read. Further ones are refused, and those of others answered."""
    is_reading, may_go_on = Event(), Event()

    def held(content: bytes, name: str, values_max: int) -> Node:
        if name == "slow.yaml":
            is_reading.set()
            assert may_go_on.wait(30)
        return read_text(content, name, values_max)

    monkeypatch.setattr(request_size, "read_text", held)
    alice.create("phonebook", name="P")
    app = app_on_this_loop(database, worker, media_dir=folder)
    slow = {"files": file("phonebooks: [{name: P}]", "slow.yaml"), "dry_run": True}
    quick = {"files": file("phonebooks: [{name: P}]"), "dry_run": True}
    answers: list[int] = []
    async with client_on_this_loop(app, "alice") as first, client_on_this_loop(app, "bob") as other:

        async def send_slow() -> None:
            answers.append((await first.post("apply/", json=slow)).status_code)

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(send_slow)
            await anyio.to_thread.run_sync(is_reading.wait, 30)
            refused = await first.post("apply/", json=quick)
            assert (refused.status_code, refused.headers["retry-after"]) == (429, "5")
            assert refused.json()["detail"] == (
                "Another request of your account to apply files is under way. Try again when it has ended."
            )
            assert (await other.post("apply/", json=quick)).status_code == 200
            may_go_on.set()
        assert answers == [200]
        assert (await first.post("apply/", json=quick)).status_code == 200


@pytest.mark.parametrize(("key", "part"), [("phonebooks", "contacts"), ("dnc_lists", "numbers")])
def test_many_people_cost_hardly_more_statements_than_few(
    alice: Caller, database: Database, key: str, part: str
) -> None:
    costs = []
    for count in (2, 500):
        numbers = [f"+1202555{one:04}" for one in range(count)]
        people = [{"contact": number} for number in numbers] if part == "contacts" else numbers
        text = json.dumps({key: [{"name": f"{count} people", part: people}]})
        with heard(database) as statements:
            assert sent(alice, files=file(text, "a.json"))[0] == 200
        costs.append(len(statements))
    assert costs[1] - costs[0] < 10, costs


def test_other_bodies_and_sounds_are_refused(alice: Caller) -> None:
    assert alice.request("POST", "apply/", content=b"x", headers={"Content-Type": "text/yaml"}).status_code == 415
    assert (
        alice.request("POST", "apply/", content=b"{", headers={"Content-Type": "application/json"}).status_code == 400
    )
    no_sound = alice.request("POST", "apply/recordings/", files={"audio_file": ("a.wav", b"no")})
    assert (no_sound.status_code, list(no_sound.json())) == (400, ["audio_file"])
    assert alice.request("POST", "apply/recordings/", files={"other": ("a.wav", wav())}).status_code == 400


GOES_ROUND = """
surveys:
- name: Round
  sections:
  - {id: 1, type: play_message, question: First, script: One., branches: {0: 2}}
  - {id: 2, type: play_message, question: Second, script: Two., branches: {0: 1}}
phonebooks: [{name: Patients, contacts: [{contact: "+12025550101"}]}]
campaigns: [{name: Spring, survey: Round, gateway: Trunk, phonebooks: [Patients], callerid: "+12025550199"}]
"""


def test_a_survey_that_goes_round_without_asking_is_written_but_does_not_start(admin: Caller, alice: Caller) -> None:
    admin.create("gateway", name="Trunk")
    assert sent(alice, files=file(GOES_ROUND))[0] == 200
    message = "A loop never waits for the callee: 1, 2. The call is hung up after 100 sections."
    checked = [one for one in alice.get("campaigns/1/check/")["findings"] if one["level"] == "error"]
    assert [(one["code"], one["message"]) for one in checked] == [("loop", message)]
    status, refused = alice.refused("PATCH", "campaigns/1/", status=1)
    assert (status, message in str(refused)) == (400, True), refused


def test_a_question_that_is_asked_again_and_again_may_start(admin: Caller, alice: Caller) -> None:
    """A callee who presses nothing hears it until the longest call is over, or 10,000 sections are played."""
    admin.create("gateway", name="Trunk")
    asks = GOES_ROUND.replace("type: play_message", "type: multi_choice, key_1: yes").replace("{0: ", "{timeout: ")
    assert sent(alice, files=file(asks))[0] == 200
    assert [one["code"] for one in alice.get("campaigns/1/check/")["findings"] if one["level"] == "error"] == []
    alice.change("campaigns/1/", status=1)


@pytest.mark.parametrize("dry_run", [False, True])
def test_the_address_of_a_program_is_checked_as_everywhere(alice: Caller, *, dry_run: bool) -> None:
    talk = "{id: 1, type: 12, question: Talk, agent_url: 'wss://10.0.0.1/'}"
    status, errors = sent(alice, files=file(f"surveys: [{{name: S, sections: [{talk}]}}]"), dry_run=dry_run)
    assert status == 400
    assert "10.0.0.1 leads to no public address of another machine." in errors["files"][0]
    assert alice.get("survey-template/", name="S")["count"] == 0


def test_the_secret_of_a_program_is_in_no_line_of_a_plan(alice: Caller) -> None:
    def survey(secret: str) -> list[dict[str, str]]:
        talk = f"{{id: 1, type: 12, question: Talk, agent_url: 'ws://127.0.0.1/', agent_secret: {secret}}}"
        return file(f"surveys: [{{name: S, sections: [{talk}]}}]")

    first = sent(alice, files=survey("made-up-one"))
    second = sent(alice, files=survey("made-up-two"))
    assert (first[0], second[0]) == (200, 200), (first, second)
    assert "made-up" not in f"{first}{second}"
    assert [line for record in second[1]["records"] for line in record["lines"] if "secret" in line] != []
