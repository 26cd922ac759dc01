"""Tests of the check of a campaign with numbers whose area code nobody knows."""

from tests.api.builders import Estate


def test_numbers_of_an_area_code_that_nobody_knows_are_counted(estate: Estate) -> None:
    """Toll-free numbers are known, and may be anywhere."""
    alice, phonebook = estate.owner, estate.phonebook["url"]
    alice.change(estate.campaign["url"], phonebook=[phonebook])
    for number in ("+14365550100", "+14365550101", "+16215550100", "+18005550100", "+12025550100"):
        alice.create("contact", contact=number, phonebook=phonebook)
    answer = alice.get(f"{estate.campaign['url']}check/", forecast="false")
    (found,) = (one for one in answer["findings"] if one["code"] == "unknown_area")
    assert (found["level"], found["field"]) == ("warning", "phonebook")
    assert found["message"].startswith("3 numbers have area codes whose place is not known (+1436, +1621).")
