"""Tests of `dialer export account --url`: the file of the local command, over the API of a running service."""

from pathlib import Path
from typing import Final

import httpx
import pytest

from dialer.commands.remote_account import ServiceError
from dialer.commands.remote_export import RemoteExport
from dialer.domain.numbers.spellings import ERASED
from dialer.files.yaml_text import read_yaml
from dialer.testing import DialerService
from tests.commands.conftest import Run
from tests.end_to_end.service import wav

RECORDS: Final = """\
recordings: [{name: Hello, file: hello.wav}]
phonebooks: [{name: Patients, contacts_file: patients.csv}]
surveys: [{name: Reminder, sections: [{question: Hello, audiofile: Hello}]}]
"""


def test_an_exported_account_is_applied_again_and_changes_nothing(
    run: Run, dialer_service: DialerService, tmp_path: Path
) -> None:
    key = {"DIALER_API_KEY": dialer_service.key}
    url = ("--url", dialer_service.url)
    (tmp_path / "hello.wav").write_bytes(wav(1))
    people = [f"+1202555{line:04},Ada {line}" for line in range(100, 2_101)]
    (tmp_path / "patients.csv").write_text("\n".join(["contact,full_name", *people, ""]))
    (tmp_path / "records.yaml").write_text(RECORDS)
    assert run("apply", "records.yaml", *url, "--yes", **key).code == 0
    done = run("export", "account", *url, "-o", "out/spring.yaml", **key)
    assert (done.code, done.err) == (0, "out/spring.yaml is written, with 2 files beside it.\n")
    beside = tmp_path / "out" / "spring-files"
    assert sorted(path.name for path in beside.iterdir()) == ["hello.wav", "patients.csv"]
    assert (beside / "hello.wav").read_bytes() == wav(1)
    assert (beside / "patients.csv").stat().st_mode & 0o777 == 0o600
    assert (beside / "patients.csv").read_text().splitlines()[:2] == [
        "url,contact,full_name,tz_code,additional_vars",
        ",+12025550100,Ada 100,,{}",
    ]
    again = run("apply", "out/spring.yaml", *url, "--yes", **key)
    assert (again.code, again.out.splitlines()[-1]) == (0, "0 new, 0 changed, 3 unchanged")
    again = run("export", "account", *url, "-o", "out/again.yaml", **key)
    first, second = ((tmp_path / "out" / name).read_text() for name in ("spring.yaml", "again.yaml"))
    assert second == first.replace("spring-files", "again-files")


def test_without_a_file_the_text_is_printed(run: Run, dialer_service: DialerService, tmp_path: Path) -> None:
    key = {"DIALER_API_KEY": dialer_service.key}
    (tmp_path / "records.yaml").write_text("surveys: [{name: Reminder}]")
    assert run("apply", "records.yaml", "--url", dialer_service.url, "--yes", **key).code == 0
    printed = run("export", "account", "--url", dialer_service.url, **key)
    assert (printed.code, printed.err, read_yaml(printed.out, "x").plain()) == (
        0,
        "",
        {"surveys": [{"name": "Reminder"}]},
    )
    as_json = run("export", "account", "--url", dialer_service.url, "--json", **key)
    assert as_json.data == {"surveys": [{"name": "Reminder"}]}
    other = run("export", "account", "nobody", "--url", dialer_service.url, **key)
    assert (other.code, other.err.startswith("dialer: the service refuses (400): username: ")) == (1, True)


def test_options_that_do_not_fit_are_refused(run: Run) -> None:
    assert "--url for those of an API key" in run("export", "account").err
    assert "--key-file needs --url" in run("export", "account", "ann", "--key-file", __file__).err
    assert "TOML is read only" in run("export", "account", "--url", "http://x", "-o", "a.toml").err


@pytest.mark.parametrize("path", ["../key.wav", "a-files/../../key.wav", "/etc/key.wav", "a-files/..", "b-files/k.wav"])
def test_a_service_cannot_write_elsewhere(path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DIALER_API_KEY", "dk_1")

    def answer(request: httpx.Request) -> httpx.Response:
        assert request.url.path == "/rest-api/export/"
        beside = [{"path": path, "url": "http://x/rest-api/audio-files/1/download/"}]
        return httpx.Response(200, json={"username": "a", "files": [], "beside": beside})

    with (
        RemoteExport.open("http://x", None, None, httpx.MockTransport(answer)) as service,
        pytest.raises(ServiceError, match="which is not beside"),
    ):
        service.write_beside(tmp_path / "a.yaml")


def test_an_answer_without_a_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DIALER_API_KEY", "dk_1")
    transport = httpx.MockTransport(lambda _: httpx.Response(200, json={"username": "a", "files": [], "beside": []}))
    with (
        RemoteExport.open("http://x", None, None, transport) as service,
        pytest.raises(ServiceError, match="answers with no file"),
    ):
        service.write_beside(tmp_path / "a.yaml")


def test_the_key_is_sent_to_the_given_service_only_and_erased_numbers_are_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DIALER_API_KEY", "dk_1")
    asked: list[str] = []
    head = "id,url,dnc,phone_number,source,created_date,campaign,said"

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(str(request.url))
        if request.url.path.endswith("/export/"):
            beside = [{"path": "a-files/n.csv", "url": "https://other.example/rest-api/dnc-contact/?dnc=1&format=csv"}]
            files = [{"name": "a.yaml", "content": "{}\n"}]
            return httpx.Response(200, json={"username": "a", "files": files, "beside": beside})
        return httpx.Response(
            200, text=f"{head}\r\n1,u,d,+12025550111,text,2026-11-18T11:06:40Z,,STOP\r\n2,u,d,{ERASED},text,,,\r\n"
        )

    with RemoteExport.open("http://x/p", None, "ben", httpx.MockTransport(answer)) as service:
        assert service.write_beside(tmp_path / "a.yaml") == ("{}\n", 1)
    assert asked == [
        "http://x/p/rest-api/export/?username=ben&name=a",
        "http://x/p/rest-api/dnc-contact/?dnc=1&format=csv",
    ]
    assert (tmp_path / "a-files" / "n.csv").read_bytes() == (
        b"url,dnc,phone_number,source,created_date,said\r\n,,+12025550111,text,2026-11-18T11:06:40Z,STOP\r\n"
    )


def test_an_address_behind_that_of_the_service_gets_no_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DIALER_API_KEY", "dk_1")

    def answer(request: httpx.Request) -> httpx.Response:
        assert request.url.host == "x"
        beside = [{"path": "a-files/n.csv", "url": "http://x/rest-api/http://other.example/"}]
        return httpx.Response(200, json={"username": "a", "files": [], "beside": beside})

    with (
        RemoteExport.open("http://x", None, None, httpx.MockTransport(answer)) as service,
        pytest.raises(ServiceError, match="which is not its own"),
    ):
        service.write_beside(tmp_path / "a.yaml")
