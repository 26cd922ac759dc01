"""Tests of the page of the service, and of its clock."""

import pytest

from dialer.time_zone_rules import RULES
from tests.api.harness import NOW_MS, Caller, FakeWorker
from tests.console.visitor import Visitor, words


def test_it_says_whether_dialling_works(admin: Visitor, alice: Visitor, worker: FakeWorker) -> None:
    assert "Dialling works." in admin.text("service/")
    worker.trouble = "<the disk is full>"
    assert "Dialling does not work: <the disk is full>" in admin.text("service/")
    alice.get("account/")
    assert alice.request("GET", "service/").status_code == 403
    assert alice.send("service/advance/", seconds="60").status_code == 403
    assert worker.clock.now_ms() == NOW_MS


def test_a_virtual_clock_is_advanced(admin: Visitor, worker: FakeWorker, client: object) -> None:  # noqa: ARG001 - it begins anew
    admin.get("service/")
    assert admin.send("service/advance/", seconds="600").status_code == 303
    assert worker.clock.now_ms() == NOW_MS + 600_000
    (entry,) = Caller(admin.client, "admin").get("audit-log/", action="advance")["results"]
    assert entry["resource"] == "clock"


@pytest.mark.parametrize("seconds", ["", "-1", "x", "1e9", "9" * 30, "99999999"])
def test_a_wrong_advance_says_so(admin: Visitor, worker: FakeWorker, seconds: str) -> None:
    admin.get("service/")
    answer = admin.send("service/advance/", seconds=seconds)
    assert (answer.status_code, 'role="alert"' in answer.text) == (400, True)
    assert worker.clock.now_ms() == NOW_MS


def test_a_clock_that_runs_is_not_advanced(admin: Visitor, worker: FakeWorker) -> None:
    admin.get("service/")
    worker.virtual.mode = "x60"
    assert admin.send("service/advance/", seconds="600").status_code == 409
    assert "It runs 60 times as fast as real time." in words(admin.get("service/"))


def test_it_shows_the_release_of_the_time_zones(admin: Visitor) -> None:
    shown = words(admin.get("service/"))
    assert f"Rules of time zones {RULES.version}, of the " in shown
    assert f"package tzdata: {RULES.package}; system: {RULES.system or 'unknown release'}" in shown
    assert "older than a year" not in shown


def test_old_rules_of_time_zones_are_a_warning(admin: Visitor, worker: FakeWorker) -> None:
    worker.virtual.set(NOW_MS + 3 * 366 * 86_400_000)
    assert "The rules of time zones are older than a year. Upgrade dialer" in words(admin.get("service/"))
