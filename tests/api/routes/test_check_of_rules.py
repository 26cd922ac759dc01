"""Tests that the check of a campaign warns of contact rules that are too strict for it."""

from dialer.store.tables import Gateway
from tests.api.routes.test_campaign_check import Bench, bench
from tests.runtime.test_contact_law import ALL_BUSY

__all__ = ["bench"]


def test_a_forecast_tells_that_a_rule_is_too_strict(bench: Bench) -> None:
    """All but one are busy, and may be called again in two days. The campaign ends tomorrow."""
    for place in range(4):
        bench.alice.create("contact", contact=f"+1202555{1000 + place}", phonebook=bench.estate.phonebook["url"])
    bench.row(Gateway, bench.estate.gateway["id"], parameters=ALL_BUSY)
    ends = {"expirationdate": "2026-11-19T11:12:00Z", "maxretry": 1, "intervalretry": 60}
    bench.alice.change(bench.url, **ends)
    assert "rules_too_strict" not in [one["code"] for one in bench.check()["findings"]]
    bench.alice.create("contact-rule", name="Two days", limit=1, period=2, unit="days")
    (found,) = [one for one in bench.check()["findings"] if one["code"] == "rules_too_strict"]
    assert (found["level"], found["field"]) == ("warning", "expirationdate")
    assert found["message"].startswith("5 of 6 people are called less often than the campaign allows: the")
    assert "“Two days”" in found["message"]
    assert "rules_too_strict" not in [one["code"] for one in bench.check(forecast="false")["findings"]]
