"""Tests of the page of a number."""

from tests.api.harness import Caller
from tests.console.building import HOSTILE, campaign
from tests.console.visitor import Visitor


def test_it_tells_what_happened_in_each_campaign(alice: Visitor, bob: Visitor, api: Caller) -> None:
    campaign(api, name="Departures")
    campaign(api, name=HOSTILE)
    text = alice.text("number/?number=%2B1 (202) 555-0100")
    assert text.index('alert("x")') < text.index("Departures")
    assert text.count("It was not called yet.") == 2
    assert "<script>alert" not in alice.page
    assert "No campaign of yours has this number." in bob.text("number/?number=%2B12025550100")


def test_a_text_that_is_no_number_says_so(alice: Visitor) -> None:
    assert "A number in any spelling" in alice.get("number/")
    answer = alice.request("GET", "number/?number=<b>")
    assert (answer.status_code, "is not a phone number" in answer.text, "<b>" in answer.text) == (400, True, False)
