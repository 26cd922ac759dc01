"""Tests of `dialer dev` as its user runs it: to the first finished call, signed in, and again with the same data."""

import re
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import httpx

from dialer.dev.reloading import Reloading
from tests.dev.patience import without_waiting
from tests.patience import ANSWER_S_MAX
from tests.test_server import DIALER

WORK_S_MAX = 180


def dev(folder: Path, typed: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [DIALER, "dev", "--port", "0", "--folder", str(folder / "dev"), *arguments],
        cwd=folder,
        input=typed,
        capture_output=True,
        text=True,
        timeout=WORK_S_MAX,
        check=False,
    )


@contextmanager
def running(folder: Path, *arguments: str) -> Iterator[IO[str]]:
    """Run `dialer dev`, and return what it prints. After `WORK_S_MAX` it is killed, so that nothing more is awaited."""
    command = [str(DIALER), "dev", *arguments, "--port", "0", "--folder", str(folder / "dev")]
    with subprocess.Popen(command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        limit = threading.Timer(WORK_S_MAX, process.kill)
        limit.start()
        try:
            yield process.stdout
        finally:
            process.stdin.write("q\n")
            process.stdin.close()
            code = process.wait(WORK_S_MAX)
            limit.cancel()
    assert code == 0


def figures(said: str) -> list[tuple[str, int, int]]:
    found = re.findall(r"^(\S+)  the clock .*; calls placed: (\d+), calls over: (\d+)$", said, re.MULTILINE)
    return [(now, int(calls), int(records)) for now, calls, records in found]


def test_one_command_shows_finished_calls_and_keeps_them(tmp_path: Path) -> None:
    first = dev(tmp_path, "d\nq\n")
    assert (first.returncode, without_waiting(first.stderr)) == (0, "")
    (_, calls, records), (_, later_calls, later_records) = figures(first.stdout)
    assert calls >= 10
    assert 0 < records <= min(calls, later_records)
    assert later_calls > calls
    second = dev(tmp_path, "q\n")
    assert figures(second.stdout) == [figures(first.stdout)[1]]
    fresh = dev(tmp_path, "q\n", "--fresh")
    assert [row[1:] for row in figures(fresh.stdout)] == [(calls, records)]


def exported(said: str) -> dict[str, str]:
    """Return the variables that programs are given, the address left out, which has another port each time."""
    (line,) = re.findall(r"^For programs: export (.+)$", said, re.MULTILINE)
    variables = dict(word.split("=", 1) for word in line.split())
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+", variables.pop("DIALER_URL"))
    return variables


def test_a_program_gets_a_key_which_is_kept(tmp_path: Path) -> None:
    first = exported(dev(tmp_path, "q\n").stdout)
    key_file = tmp_path / "dev" / "api.key"
    assert first == {"DIALER_API_KEY": key_file.read_text("utf-8").strip()}
    assert key_file.stat().st_mode & 0o077 == 0
    key_file.write_text("dk_of_somebody_else\n", "utf-8")
    again = exported(dev(tmp_path, "q\n").stdout)
    assert again == {"DIALER_API_KEY": key_file.read_text("utf-8").strip()}
    assert again["DIALER_API_KEY"] not in {first["DIALER_API_KEY"], "dk_of_somebody_else"}
    assert exported(dev(tmp_path, "q\n").stdout) == again


def test_a_program_reads_the_example_people_and_the_events_with_its_key(tmp_path: Path) -> None:
    with running(tmp_path) as said:
        line = next(line for line in said if line.startswith("For programs: "))
        url, key = (word.partition("=")[2] for word in line.split()[-2:])
        headers = {"Authorization": f"Bearer {key}"}
        with httpx.Client(
            base_url=f"{url}/rest-api/", headers=headers, trust_env=False, timeout=ANSWER_S_MAX
        ) as program:
            contacts = program.get("contact/").json()["results"]
            assert contacts[0]["full_name"] == "Nora, listens"
            assert all(contact["full_name"] for contact in contacts)
            assert program.patch("campaigns/1/", json={"status": 2}).status_code == 202
            assert program.get("events/").json()["results"][-1]["type"] == "campaign.paused"
            assert program.post("clock/advance/", json={"seconds": 60}).status_code == 200


def test_files_are_applied_and_again_when_they_are_saved(tmp_path: Path) -> None:
    file = tmp_path / "records.yaml"
    text = "surveys: [{name: Mine, description: One}]\ncampaigns: [{name: C, survey: Mine, gateway: New one}]\n"
    text += "phonebooks: [{name: People, contacts_file: people.csv}]\n"
    file.write_text(text, "utf-8")
    people = tmp_path / "people.csv"
    people.write_text("contact\n+12025550101\n", "utf-8")
    with running(tmp_path, "records.yaml") as said:
        assert "3 new, 0 changed, 0 unchanged\n" in said
        file.write_text(text.replace("One", "Two"), "utf-8")
        assert "    description: One → Two\n" in said
        assert "0 new, 1 changed, 2 unchanged\n" in said
        people.write_text("contact\n+12025550101\n+12025550102\n", "utf-8")
        assert any("people.csv: 1 new, 1 there already, 0 refused" in line for line in said)
        file.write_text(text.replace("survey: Mine", "survey: Yours"), "utf-8")
        assert any("there is no survey 'Yours'; there are: " in line for line in said)


def test_a_file_is_applied_once_for_each_time_that_it_or_a_file_that_it_names_is_saved(tmp_path: Path) -> None:
    file, beside = tmp_path / "records.yaml", tmp_path / "people.csv"
    applied: list[tuple[str, ...]] = []

    def apply() -> list[Path]:
        applied.append(tuple(one.read_text("utf-8") if one.exists() else "gone" for one in (file, beside)))
        return [beside]

    reloading = Reloading([file], apply)
    file.write_text("a", "utf-8")
    looks = [reloading.look(), reloading.look()]
    file.write_text("ab", "utf-8")
    looks += [reloading.look(), reloading.look()]
    beside.write_text("+1", "utf-8")
    looks += [reloading.look(), reloading.look()]
    beside.write_text("+12", "utf-8")
    file.unlink()
    looks += [reloading.look(), reloading.look()]
    assert looks == [True, False] * 4
    assert applied == [("a", "gone"), ("ab", "gone"), ("ab", "+1"), ("gone", "+12")]


def test_a_folder_of_somebody_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "dev").mkdir()
    (tmp_path / "dev" / "thesis.txt").write_text("years of work", "utf-8")
    refused = dev(tmp_path, "q\n", "--fresh")
    assert (refused.returncode, refused.stderr.count("\n")) == (1, 1)
    assert "was not made by dialer dev" in refused.stderr
    assert (tmp_path / "dev" / "thesis.txt").read_text("utf-8") == "years of work"


def test_the_link_signs_a_browser_in_once(tmp_path: Path) -> None:
    with running(tmp_path) as said:
        link = said.readline().split()[-1]
        api = said.readline().split()[2]
        console = api.replace("/rest-api/", "/console/")
        with httpx.Client(follow_redirects=True, trust_env=False, timeout=ANSWER_S_MAX) as browser:
            assert browser.get(link).status_code == 200
            for path in ("overview/", "campaigns/1/"):
                shown = browser.get(f"{console}{path}", follow_redirects=False)
                assert (shown.status_code, "Example campaign" in shown.text) == (200, True)
        with httpx.Client(follow_redirects=True, trust_env=False, timeout=ANSWER_S_MAX) as other:
            assert str(other.get(link).url).startswith(f"{console}sign-in/")
