"""Tests of the settings that users change for themselves."""

from tests.api.harness import Caller


def test_a_manager_chooses_the_country_of_numbers_without_one(alice: Caller, bob: Caller, admin: Caller) -> None:
    assert alice.get("own-settings/") == {"default_region": "", "telephone": ""}
    answer = alice.request("PATCH", "own-settings/", json={"default_region": "de"})
    assert (answer.status_code, answer.json()) == (200, {"default_region": "DE", "telephone": ""})
    assert alice.get("own-settings/") == {"default_region": "DE", "telephone": ""}
    assert bob.get("own-settings/") == {"default_region": "", "telephone": ""}
    assert admin.get("users/2/")["default_region"] == "DE"
    alice.create("phonebook", name="book")
    alice.create("contact", phonebook=1, contact="030/230 00 74")
    assert len(alice.get("contact/", contact="+49302300074")["results"]) == 1
    alice.request("PATCH", "own-settings/", json={"default_region": "", "telephone": ""})
    assert alice.get("own-settings/") == {"default_region": "", "telephone": ""}


def test_an_admin_chooses_it_for_a_user(admin: Caller, alice: Caller) -> None:
    admin.change("users/2/", default_region="FR")
    assert alice.get("own-settings/") == {"default_region": "FR", "telephone": ""}


def test_a_country_that_is_none_is_refused(alice: Caller, admin: Caller) -> None:
    message = {"default_region": ["'QQ' is not a country. Enter its ISO 3166 code, such as US."]}
    assert alice.refused("PATCH", "own-settings/", default_region="QQ") == (400, message)
    assert admin.refused("PATCH", "users/2/", default_region="QQ") == (400, message)
    assert alice.refused("PATCH", "own-settings/")[0] == 400
