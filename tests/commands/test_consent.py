"""Tests of `dialer consent`: files of consents, there and back."""

import csv
import io
from pathlib import Path

from tests.commands.conftest import Run
from tests.commands.test_users import create

LINES = """phone_number,kind,purposes,given_date,how,evidence,hours
+33142345601,express,sales survey,2027-01-10T09:00:00Z,web_form,"Box ticked: yes, call me",18:00-20:30
'+33 1 42 34 56 02,written,,2026-01-10T09:00:00Z,,=signed,
by post,express,,,,,
+33142345603,spoken,,,,,
"""


def exported(run: Run, username: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(run("consent", "export", "--user", username).out)))


def test_a_file_is_imported_exported_and_imported_again(run: Run, tmp_path: Path) -> None:
    create(run, "anna")
    create(run, "ben")
    file = tmp_path / "agreed.csv"
    file.write_text(LINES, encoding="utf-8")
    done = run("consent", "import", str(file), "--user", "anna")
    assert (done.code, "2 consents were added, and 2 lines were wrong." in done.err) == (1, True)
    assert ("line 4: phone_number: " in done.err, "line 5: kind: " in done.err) == (True, True)
    names = ("phone_number", "kind", "purposes", "given_date", "how", "evidence", "hours")
    found = [{name: row[name] for name in names} for row in exported(run, "anna")]
    first, second = found
    assert first == {
        "phone_number": "+33142345601",
        "kind": "express",
        "purposes": "sales survey",
        "given_date": "2027-01-10T09:00:00Z",
        "how": "web_form",
        "evidence": "Box ticked: yes, call me",
        "hours": "18:00-20:30",
    }
    assert (second["how"], second["evidence"], second["purposes"]) == ("import", "'=signed", "")
    assert exported(run, "ben") == []
    again = tmp_path / "again.csv"
    again.write_text(run("consent", "export", "--user", "anna").out, encoding="utf-8")
    done = run("consent", "import", str(again), "--user", "ben")
    assert (done.code, done.err.strip()) == (0, "2 consents were added, and 0 lines were wrong.")
    assert [{name: row[name] for name in names} for row in exported(run, "ben")] == found
    done = run("consent", "import", str(again), "--user", "ben")
    assert done.err.strip() == "0 consents were added, 2 were there already, and 0 lines were wrong."
    assert len(exported(run, "ben")) == 2


def test_a_file_without_moments_and_with_links_of_elsewhere(run: Run, tmp_path: Path) -> None:
    create(run, "anna")
    file = tmp_path / "agreed.csv"
    head = "phone_number,kind,given_date,audio_file,callrequest\n"
    file.write_text(head + "+33142345601,express,2026-01-10T09:00:00Z,7,9\n+33142345602,express,,,\n", encoding="utf-8")
    done = run("consent", "import", str(file), "--user", "anna")
    assert (done.code, "line 3: given_date: This field is required." in done.err) == (1, True)
    assert [(row["audio_file"], row["callrequest"]) for row in exported(run, "anna")] == [("", "")]
    assert run("erase", "+33142345601", "--yes").code == 0
    assert exported(run, "anna") == []


def test_a_file_without_the_fields_and_an_unknown_user_are_refused(run: Run, tmp_path: Path) -> None:
    create(run, "anna")
    file = tmp_path / "numbers.csv"
    file.write_text("number\n+33142345601\n", encoding="utf-8")
    refused = run("consent", "import", str(file), "--user", "anna")
    assert (refused.code, "does not name given_date, kind, phone_number" in refused.err) == (2, True)
    assert run("consent", "import", str(file), "--user", "carl").code == 2
    assert run("consent", "import", str(tmp_path / "none.csv"), "--user", "anna").code == 2
    assert exported(run, "anna") == []
