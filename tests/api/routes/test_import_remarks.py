"""Tests of what the reports of imports say of numbers that were read kindly, and of entries that protect nobody."""

from typing import Any

import pytest

from dialer.domain.rules.doubtful_entries import DoubtfulEntries
from dialer.store.database.database import Database
from dialer.store.queries import doubtful_entries as queries
from tests.api.harness import Caller
from tests.api.routes.test_campaign_check import Bench, bench

__all__ = ["bench"]

LIST = "phone_number\n+1 202 555 0100 ext. 5\n+12025550101 / +12025550102\nAnn +12025550103\n"
DOUBTFUL = "phone_number\n1001\n030 2300074\n+1202555\n+12025550104\n"
ITALIANS = "contact,full_name\n612345678,Ada\n3123456789,Bo\n+39 612345670,Cy\n"


def load(caller: Caller, path: str, content: str, **options: str) -> Any:  # noqa: ANN401 - JSON
    headers = {"Content-Type": "text/csv"}
    answer = caller.request("POST", path, content=content.encode(), params=options, headers=headers)
    assert answer.status_code == 200, answer.text
    return answer.json()


@pytest.fixture(autouse=True)
def _lists(request: pytest.FixtureRequest) -> None:
    if "bench" not in request.fixturenames:
        alice = request.getfixturevalue("alice")
        alice.create("phonebook", name="book")
        alice.create("dnc-list", name="list")


def test_the_report_of_a_list_says_what_was_read_how(alice: Caller) -> None:
    report = load(alice, "dnc-list/1/import/", LIST)
    assert (report["imported"], report["warned"]) == (4, 3)
    assert report["kinds"] == {"cut_extension": 1, "several_numbers": 1, "ignored_remark": 1}
    assert [(one["line"], one["kind"], one["value"]) for one in report["warnings"]] == [
        (2, "cut_extension", "+1 202 555 0100 ext. 5"),
        (3, "several_numbers", "+12025550101 / +12025550102"),
        (4, "ignored_remark", "Ann +12025550103"),
    ]
    again = load(alice, "dnc-list/1/import/", LIST)
    assert (again["imported"], again["duplicates"]) == (0, 4)


def test_entries_that_protect_nobody_are_a_loud_warning_with_a_count(alice: Caller) -> None:
    report = load(alice, "dnc-list/1/import/", DOUBTFUL)
    assert report["kinds"] == {"short_number": 1, "no_country": 1, "impossible_number": 1}
    told = [(one["kind"], one["reason"]) for one in report["file_warnings"]]
    assert [kind for kind, _ in told] == ["protects_nobody", "no_country"]
    assert told[0][1].startswith("2 numbers on do-not-call lists protect nobody")
    entries = alice.get("dnc-contact/", ordering="created_date")["results"]
    assert {one["phone_number"]: one["doubt"] for one in entries} == {
        "1001": "short_number",
        "030 2300074": "no_country",
        "+1202555": "impossible_number",
        "+12025550104": "",
    }
    (found,) = alice.get("dnc-contact/", doubt="no_country")["results"]
    assert found["phone_number"] == "030 2300074"


def test_a_number_with_its_country_has_no_doubt_any_more(alice: Caller) -> None:
    entry = alice.create("dnc-contact", dnc="/rest-api/dnc-list/1/", phone_number="030 2300074")
    assert alice.get(entry["url"])["doubt"] == "no_country"
    alice.change(entry["url"], phone_number="+49 30 2300074")
    assert alice.get(entry["url"])["doubt"] == ""


@pytest.mark.parametrize(("options", "kinds"), [({}, {"lost_zero": 2}), ({"mend_zeros": "true"}, {"mended_zero": 2})])
def test_zeros_that_a_spreadsheet_took_are_mended_if_asked(
    alice: Caller, options: dict[str, str], kinds: dict[str, int]
) -> None:
    report = load(alice, "phonebook/1/import/", ITALIANS, region="IT", **options)
    assert (report["imported"], report["kinds"]) == (3, kinds)
    stored = {one["full_name"]: one["contact"] for one in alice.get("contact/")["results"]}
    mended = {"Ada": "+390612345678", "Bo": "3123456789", "Cy": "+390612345670"}
    assert stored == (mended if options else {"Ada": "612345678", "Bo": "3123456789", "Cy": "+39 612345670"})


def test_a_list_gets_a_number_without_and_with_the_zero_that_it_has_lost(alice: Caller) -> None:
    report = load(alice, "dnc-list/1/import/", "phone_number\n612345678\n", region="IT")
    assert (report["imported"], report["kinds"]) == (2, {"mended_zero": 1})


def test_a_person_with_several_numbers_in_a_cell_is_remarked_on(alice: Caller) -> None:
    report = load(alice, "phonebook/1/import/", "contact\n+12025550101 / +12025550102\n")
    (remark,) = report["warnings"]
    assert (report["imported"], remark["kind"]) == (1, "several_numbers")
    assert remark["reason"] == "The cell has several numbers. The first is stored: +12025550101."


def test_the_check_of_a_campaign_counts_entries_that_protect_nobody(bench: Bench) -> None:
    bench.alice.change(bench.url, dnc=bench.estate.dnc["url"])
    path = f"dnc-list/{bench.estate.dnc['id']}/import/"
    assert not {"protects_nobody", "list_without_country"} & {code for _, code, _ in bench.codes()}
    load(bench.alice, path, DOUBTFUL)
    found = {code: (level, field) for level, code, field in bench.codes()}
    assert {found["protects_nobody"], found["list_without_country"]} == {("warning", "dnc")}
    assert bench.starts()


def test_the_statistics_of_a_campaign_count_entries_that_protect_nobody(bench: Bench) -> None:
    bench.alice.change(bench.url, dnc=bench.estate.dnc["url"])
    path = f"{bench.url}statistics/"
    assert bench.alice.get(path)["do_not_call"] == {"protects_nobody": 0, "without_country": 0, "warnings": []}
    load(bench.alice, f"dnc-list/{bench.estate.dnc['id']}/import/", DOUBTFUL)
    found = bench.alice.get(path)["do_not_call"]
    assert (found["protects_nobody"], found["without_country"]) == (2, 1)
    checked = [one["message"] for one in bench.check(forecast="false")["findings"] if one["field"] == "dnc"]
    assert found["warnings"] == checked
    assert bench.alice.get("statistics/")["do_not_call"] is None


def test_entries_are_counted_up_to_a_limit(bench: Bench, database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.alice.change(bench.url, dnc=bench.estate.dnc["url"])
    load(bench.alice, f"dnc-list/{bench.estate.dnc['id']}/import/", DOUBTFUL)
    monkeypatch.setattr(queries, "DOUBTFUL_MAX", 1)
    lists = [bench.estate.dnc["id"]]
    counted = database.read_now(lambda connection: queries.doubtful_entries(connection, lists))
    assert counted == DoubtfulEntries(1, 1, 1)
    messages = [one["message"] for one in bench.check(forecast="false")["findings"] if one["field"] == "dnc"]
    assert messages[0].startswith("At least 1 numbers on do-not-call lists protect nobody")
