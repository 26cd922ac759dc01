"""Tests of the warning about people who have no hour that suits all their time zones."""

from typing import Final

from tests.api.routes.test_campaign_check import Bench, bench

__all__ = ["bench"]

RUSSIANS: Final = ("+79161234567", "+79161234568")
"""Mobile numbers of Russia, whose owners may be in any of its eleven zones."""


def test_people_without_a_common_hour_are_told_by_country(bench: Bench) -> None:
    for number in (*RUSSIANS, "+33612345678", "+4930901820"):
        bench.alice.create("contact", contact=number, phonebook=bench.estate.phonebook["url"])
    bench.alice.change(bench.url, daily_start_time="09:00:00", daily_stop_time="17:00:00")
    (found,) = bench.check(forecast="false")["findings"]
    assert (found["level"], found["code"], found["field"]) == ("warning", "no_common_hour", "daily_start_time")
    assert found["message"].startswith("2 people in Russia have no hour in which the window, the calling hours")
    bench.alice.change(bench.url, daily_start_time="00:00:00", daily_stop_time="23:59:59")
    assert bench.codes() == []
    assert bench.starts()


def test_the_law_of_a_country_can_leave_no_hour(bench: Bench) -> None:
    """French law ends at 20:00."""
    bench.is_real()
    bench.alice.create("contact", contact="+33612345678", phonebook=bench.estate.phonebook["url"])
    bench.alice.change(bench.url, daily_start_time="20:00:00", daily_stop_time="21:00:00")
    messages = [one["message"] for one in bench.check(forecast="false")["findings"] if one["code"] == "no_common_hour"]
    assert [message.partition(" has no hour")[0] for message in messages] == ["A person in France"]


def test_an_own_zone_gives_people_an_hour(bench: Bench) -> None:
    for number, zone in zip(RUSSIANS, ("Europe/Moscow", "Asia/Vladivostok"), strict=True):
        fields = {"contact": number, "phonebook": bench.estate.phonebook["url"], "tz_code": zone}
        bench.alice.create("contact", **fields)
    bench.alice.change(bench.url, daily_start_time="09:00:00", daily_stop_time="17:00:00")
    assert bench.codes() == []


def test_a_window_that_suits_nobody_is_told_once(bench: Bench) -> None:
    bench.is_real()
    bench.alice.change(bench.url, daily_start_time="22:00:00", daily_stop_time="23:00:00")
    assert "no_common_hour" not in [code for _, code, _ in bench.codes()]
