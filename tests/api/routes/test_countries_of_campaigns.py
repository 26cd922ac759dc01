"""Tests that the check of a campaign reads numbers without a country as those of the account's country."""

import pytest

from tests.api.routes.test_campaign_check import Bench, bench, error

__all__ = ["bench"]


@pytest.mark.parametrize(
    ("callerid", "expected"), [("(202) 555-0150", []), ("555-0150", error("wrong_callerid", "callerid"))]
)
def test_a_caller_id_without_a_country_is_one_of_the_accounts(
    bench: Bench, callerid: str, expected: list[tuple[str, str, str | None]]
) -> None:
    bench.estate.admin.change("users/2/", default_region="US")
    bench.estate.admin.change(bench.estate.gateway["url"], allowed_callerids="+12025550150")
    bench.is_real()
    bench.alice.change(bench.url, daily_start_time="09:00:00", daily_stop_time="20:00:00", callerid=callerid)
    assert bench.codes() == expected
    assert bench.starts() is (expected == [])


@pytest.mark.parametrize(("region", "codes"), [("DE", [("warning", "destination")]), ("FR", [])])
def test_a_transfer_goes_to_a_number_of_the_accounts_country(
    bench: Bench, region: str, codes: list[tuple[str, str]]
) -> None:
    """The digits are a number of France, and also one of Germany."""
    bench.estate.admin.change("users/2/", default_region=region, allowed_countries="US,FR")
    bench.alice.change(bench.estate.section["url"], type=6, script="", phonenumber="0199 009999")
    assert [code[:2] for code in bench.codes() if code[2] is None or "destination" in code[1]] == codes
