"""Tests of `dialer apply --url`: the same plan, messages and rights, over the API of a running service."""

from pathlib import Path
from typing import Any, Final

import httpx
import pytest

from dialer.commands.remote_account import RemoteAccount
from dialer.testing import DialerService
from tests.commands.conftest import Outcome, Run
from tests.end_to_end.service import wav
from tests.patience import ANSWER_S_MAX

RECORDS: Final = """\
recordings:
  - {name: Hello, file: sounds/hello.wav}
  - {name: Again, file: sounds/again.wav}
dnc_lists:
  - {name: Never, numbers: [+12025550111]}
phonebooks:
  - name: Patients
    contacts: [{contact: +12025550101, full_name: Ada}]
    contacts_file: {file: patients.csv, columns: {Phone: contact}}
surveys:
  - name: Reminder
    sections:
      - {question: Hello, audiofile: Hello, branches: {0: 2}}
      - {question: Bye, audiofile: Again}
campaigns:
  - {name: Spring, survey: Reminder, gateway: GATEWAY, phonebooks: [Patients], dnc: Never, frequency: 30}
"""
DIGITS: Final = "Enter 3 to 15 digits with an optional leading +."
COMMAND: Final = ("apply", "records.yaml")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, dialer_service: DialerService) -> Path:
    (tmp_path / "sounds").mkdir()
    for name in ("hello", "again"):
        (tmp_path / "sounds" / f"{name}.wav").write_bytes(wav(1))
    (tmp_path / "patients.csv").write_text("Phone,day\n+12025550102,Monday\nnone,x\n")
    (tmp_path / "records.yaml").write_text(RECORDS.replace("GATEWAY", dialer_service.gateway["name"]))
    return tmp_path


def remote(run: Run, service: DialerService, *options: str, key: str | None = None) -> Outcome:
    return run(*COMMAND, "--url", service.url, *(options or ("--yes",)), DIALER_API_KEY=key or service.key)


def test_files_are_applied_over_the_api_and_a_second_time_change_nothing(
    run: Run, dialer_service: DialerService
) -> None:
    planned = remote(run, dialer_service, "--dry-run")
    assert (planned.code, planned.err) == (0, "")
    assert planned.out.splitlines() == [
        "+ recording Hello: new",
        "    file: sounds/hello.wav",
        "+ recording Again: new",
        "    file: sounds/again.wav",
        "+ do-not-call list Never: new",
        "    numbers: 1",
        "+ phonebook Patients: new",
        "    contacts: 1",
        "    patients.csv: 1 new, 0 there already, 1 refused",
        f"      patients.csv:3: refused: contact: 'none' has no digits. {DIGITS}",
        "+ survey Reminder: new",
        "    sections: 2",
        "+ campaign Spring: new",
        "    frequency: 30",
        f"    gateway: {dialer_service.gateway['name']}",
        "    survey: Reminder",
        "    dnc: Never",
        "    phonebooks: Patients",
        "6 new, 0 changed, 0 unchanged",
    ]
    assert [dialer_service.count(path) for path in ("audio-files", "phonebook", "campaigns")] == [0, 0, 0]
    done = remote(run, dialer_service)
    assert (done.code, done.out, done.err) == (0, planned.out, "Done.\n")
    recordings = list(dialer_service.every_page("audio-files"))
    assert [(row["name"], _sound(dialer_service, row)) for row in recordings] == [("Hello", wav(1)), ("Again", wav(1))]
    people = [
        (row["contact"], row["full_name"], row["additional_vars"]) for row in dialer_service.every_page("contact")
    ]
    assert people == [("+12025550101", "Ada", "{}"), ("+12025550102", "", '{"day":"Monday"}')]
    again = remote(run, dialer_service)
    assert (again.code, again.err, again.out.splitlines()[-1]) == (0, "", "0 new, 0 changed, 6 unchanged")
    assert remote(run, dialer_service, "--yes", "--json").data["people"][0]["result"]["duplicates"] == 1


def _sound(service: DialerService, row: dict[str, Any]) -> bytes:
    return httpx.get(f"{row['url']}download/", headers=service.headers, trust_env=False, timeout=ANSWER_S_MAX).content


def test_a_key_without_the_right_is_refused_with_the_line(run: Run, dialer_service: DialerService) -> None:
    for scopes in (["read"], ["money"]):
        key = dialer_service.create("api-key", name=scopes[0], scopes=scopes)["key"]
        refused = remote(run, dialer_service, "--dry-run", key=key)
        assert refused == Outcome(
            2,
            "",
            "dialer: records.yaml:2: recordings[0]: This API key lacks the scope 'campaigns'. Use a key that has it.\n",
        )
    wrong = remote(run, dialer_service, key="nonsense")
    assert (wrong.code, wrong.out) == (1, "")
    assert wrong.err.startswith("dialer: the service does not accept the API key: ")
    assert run(*COMMAND, "--url", dialer_service.url, DIALER_API_KEY="") == Outcome(
        1, "", "dialer: there is no API key: set DIALER_API_KEY, or give --key-file\n"
    )


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("frequency: 30", "frequency: 0", ":16: campaigns[0].frequency: Ensure this value is greater than"),
        ("survey: Rem", "survey: Ram", ":16: campaigns[0].survey: there is no survey 'Raminder'; there are: Reminder"),
        ("gateway: ", "gatewy: ", ":16: campaigns[0].gatewy: unknown field 'gatewy'; did you mean gateway?"),
        ("hello.wav", "gone.wav", ":2: recordings[0].file: sounds/gone.wav cannot be read: No such file or directory"),
        ("hello.wav", "../patients.csv", ":2: recordings[0].file: sounds/../patients.csv: An MP3, WAV (PCM"),
        ("patients.csv", "p.csv", ":9: phonebooks[0].contacts_file.file: p.csv cannot be read: No such file or"),
        ("{Phone: contact}", "'x'", "patients.csv: "),
    ],
)
def test_a_wrong_file_has_the_messages_of_a_local_apply(
    run: Run, dialer_service: DialerService, folder: Path, before: str, after: str, message: str
) -> None:
    text = (folder / "records.yaml").read_text()
    assert before in text
    (folder / "records.yaml").write_text(text.replace(before, after, 1))
    wrong = remote(run, dialer_service)
    assert (wrong.code, wrong.out) == (2, "")
    assert message in wrong.err
    assert len(wrong.err.splitlines()) == 1
    assert [dialer_service.count(path) for path in ("audio-files", "phonebook", "campaigns")] == [0, 0, 0]


def test_options_of_one_place_are_refused_in_the_other(run: Run, dialer_service: DialerService, folder: Path) -> None:
    both = remote(run, dialer_service, "--user", "anna")
    assert (both.code, "--user is for the database of this machine" in both.err) == (2, True)
    (folder / "k").write_text(dialer_service.key)
    assert "--key-file needs --url" in run(*COMMAND, "--key-file", "k", "--yes").err
    assert "begins with http:// or https://" in run(*COMMAND, "--url", "dialer.example", "--key-file", "k").err
    asked = run(*COMMAND, "--url", dialer_service.url, "--key-file", "k")
    assert (asked.code, "give --yes, or --dry-run" in asked.err) == (2, True)


class Failing(httpx.BaseTransport):
    """A network that is cut before or after one of the requests of the command."""

    def __init__(self, at: int, *, is_answer_lost: bool) -> None:
        self._inner: Final = httpx.HTTPTransport()
        self._left = at
        self._is_answer_lost: Final = is_answer_lost

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self._left -= 1
        if self._left:
            return self._inner.handle_request(request)
        if self._is_answer_lost:
            self._inner.handle_request(request).read()
        raise httpx.ReadError("the connection was cut")


@pytest.mark.parametrize("is_answer_lost", [False, True])
@pytest.mark.parametrize("at", range(1, 6))
def test_an_apply_that_is_cut_off_says_what_is_done_and_can_be_run_again(
    run: Run,
    dialer_service: DialerService,
    monkeypatch: pytest.MonkeyPatch,
    at: int,
    *,
    is_answer_lost: bool,
) -> None:
    """The requests are: plan, plan of the list, one sound for both recordings, apply, import."""
    opened = RemoteAccount.open
    with monkeypatch.context() as patch:
        cut = Failing(at, is_answer_lost=is_answer_lost)
        patch.setattr(RemoteAccount, "open", lambda url, key, files: opened(url, key, files, cut))
        broken = remote(run, dialer_service)
    assert broken.code == 1
    assert "127.0.0.1 does not answer: the connection was cut" in broken.err
    is_applied = at == 5 or (at == 4 and is_answer_lost)
    assert dialer_service.count("campaigns") == is_applied
    is_planning = at <= 2
    assert ("Run the command again: what is done is not done twice." in broken.err) is not is_planning
    told = {
        3: "No record is changed, 0 of 2 recordings are sent, unless the answer was lost",
        4: "No record is changed, 2 of 2 recordings are sent, unless the answer was lost",
        5: "The records are changed; patients.csv is not imported, or in part",
    }
    assert told.get(at, "") in broken.err
    assert remote(run, dialer_service).code == 0
    assert [dialer_service.count(path) for path in ("audio-files", "contact", "campaigns")] == [2, 2, 1]
    assert remote(run, dialer_service).out.splitlines()[-1] == "0 new, 0 changed, 6 unchanged"


def test_changes_since_the_plan_are_not_overwritten(
    run: Run, dialer_service: DialerService, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    remote(run, dialer_service)
    text = (folder / "records.yaml").read_text()
    (folder / "records.yaml").write_text(text.replace("frequency: 30", "frequency: 40"))
    (campaign,) = dialer_service.every_page("campaigns")

    def agree(_: str) -> bool:
        dialer_service.change("campaigns", campaign["id"], frequency=50)
        return True

    monkeypatch.setattr("dialer.commands.apply._agrees", agree)
    refused = run(*COMMAND, "--url", dialer_service.url, DIALER_API_KEY=dialer_service.key)
    assert (refused.code, refused.err) == (
        1,
        "dialer: somebody has changed the records meanwhile: run the command again\n",
    )
    assert dialer_service.read("campaigns", campaign["id"])["frequency"] == 50


def test_a_service_that_is_not_there_is_told(run: Run) -> None:
    nobody = run(*COMMAND, "--url", "http://127.0.0.1:9", "--yes", DIALER_API_KEY="k")
    assert (nobody.code, nobody.err) == (1, "dialer: 127.0.0.1 does not answer: [Errno 111] Connection refused\n")
