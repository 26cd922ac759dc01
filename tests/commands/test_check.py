"""Tests of `dialer check`, as text and as JSON."""

from typing import Final

from dialer.store.tables import Gateway, User
from tests.commands.conftest import Run
from tests.runtime.house import ALL_ANSWER, House

VIRTUAL: Final = {"DIALER_CLOCK": "virtual", "DIALER_CLOCK_START": "2026-03-02T12:00:00Z"}
SHORT: Final = {"type": 1, "script": "word"}
NUMBER: Final = "+12025550123"


def test_it_lists_warnings_and_ends_well(run: Run, house: House) -> None:
    house.campaign(
        house.survey(SHORT), house.phonebook(NUMBER), callerid="+12025550150", purpose="survey", campaign_code="KQWZD"
    )
    assert run("check", "KQWZD", **VIRTUAL).out == "People: 1\nCampaign 1: no errors, no warnings\n"
    house.change(User, house.user_id, balance=0)
    found = run("check", "1", "--no-forecast", **VIRTUAL)
    warning = "There is no free balance, so the campaign pauses before its first call. An admin can record a payment."
    assert (found.code, found.err) == (0, "")
    assert found.out == f"warning  user: {warning}\nPeople: 1\nCampaign 1: no errors, 1 warning\n"


def test_an_error_is_the_exit_code(run: Run, house: House) -> None:
    house.change(Gateway, house.gateway_id, protocol="trunk")
    settings = {"daily_start_time": "09:00:00", "daily_stop_time": "20:00:00", "callerid": "sales", "purpose": "survey"}
    house.campaign(house.survey(SHORT), house.phonebook(NUMBER), **settings, carrier_maxretry=5)
    found = run("check", "1", **VIRTUAL)
    assert (found.code, found.err) == (1, "")
    assert found.out.splitlines() == [
        "error    callerid: 'sales' is not a possible phone number. Use the country code, as in +12025550150.",
        "People: 1",
        "Campaign 1: 1 error, no warnings",
    ]
    assert run("check", "1", "--json", **VIRTUAL).data == {
        "campaign_id": 1,
        "errors": 1,
        "warnings": 0,
        "findings": [
            {
                "level": "error",
                "code": "wrong_callerid",
                "section_id": None,
                "message": "'sales' is not a possible phone number. Use the country code, as in +12025550150.",
                "path": [],
                "field": "callerid",
            }
        ],
        "people": 1,
        "doubles": 0,
        "do_not_call": 0,
        "consent": None,
    }


def test_the_balance_is_compared_with_the_forecast(run: Run, house: House) -> None:
    house.change(Gateway, house.gateway_id, parameters=ALL_ANSWER)
    house.change(User, house.user_id, balance=1)
    house.campaign(house.survey(SHORT), house.phonebook(NUMBER), callerid="+12025550150", purpose="survey")
    lines = run("check", "1", **VIRTUAL).out.splitlines()
    assert lines[0].startswith("warning  user: The campaign is likely to cost 0.02000 (P50 of the forecast)")
    assert lines[1:] == ["People: 1", "Campaign 1: no errors, 1 warning"]
