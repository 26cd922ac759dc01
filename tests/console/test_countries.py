"""Tests of the destinations of a user, chosen by the names of countries."""

import re
from collections.abc import Mapping

import phonenumbers
from sqlalchemy import update

from dialer.console.words.countries import countries_in_words, country_names
from dialer.store.database.database import Database
from dialer.store.tables import User
from tests.api.harness import Caller
from tests.console.building import store
from tests.console.visitor import Visitor, words

ALICE = "records/users/2/"


def chosen_in(page: str) -> list[str]:
    return re.findall(r'name="allowed_countries\.(\w+)" type="checkbox" value="1" checked', page)


def ticked(*codes: str) -> Mapping[str, str]:
    return {"allowed_countries": "", **{f"allowed_countries.{code}": "1" for code in codes}}


def test_every_country_with_numbers_has_a_name() -> None:
    names = country_names()
    assert names.keys() == set(phonenumbers.SUPPORTED_REGIONS)
    assert [code for code, name in names.items() if len(name) < 4] == []
    shown = list(names.values())
    assert len(set(shown)) == len(shown)
    assert shown[:3] == ["Afghanistan", "Åland Islands", "Albania"]
    assert shown[-1] == "Zimbabwe"


def test_countries_are_told_in_words() -> None:
    assert countries_in_words("") == "All countries"
    assert countries_in_words("US, DE") == "Germany, United States"
    assert countries_in_words("DE, ZZ") == "Germany, ZZ"


def test_an_admin_chooses_countries_by_name(admin: Visitor, api: Caller) -> None:
    root = Caller(api.client, "admin")
    assert "Now: All countries. Tick none to allow all countries." in admin.text(ALICE)
    assert '<span class="cut">Germany</span>' in admin.page
    assert chosen_in(admin.page) == []
    assert admin.send(ALICE, **ticked("US", "DE")).status_code == 303
    assert root.get("users/2/")["allowed_countries"] == "DE, US"
    assert "Now: Germany, United States." in admin.text(ALICE)
    assert chosen_in(admin.page) == ["DE", "US"]
    assert admin.send(ALICE, last_name="Lee").status_code == 303
    assert root.get("users/2/")["allowed_countries"] == "DE, US"
    assert admin.send(ALICE, **ticked()).status_code == 303
    assert root.get("users/2/")["allowed_countries"] == ""


def test_a_new_user_is_given_countries_by_name(admin: Visitor, api: Caller) -> None:
    assert "Now: All countries. Tick none to allow all countries." in admin.text("records/users/new/")
    assert '<span class="cut">Germany</span>' in admin.page
    assert chosen_in(admin.page) == []
    person = {"username": "dora", "password": "correct horse battery", "role": "manager", "enabled": "1"}
    assert admin.send("records/users/", **person, **ticked("US", "DE")).status_code == 303
    (made,) = [one for one in Caller(api.client, "admin").get("users/")["results"] if one["username"] == "dora"]
    assert made["allowed_countries"] == "DE, US"


def test_all_countries_can_be_ticked(admin: Visitor, api: Caller) -> None:
    admin.get(ALICE)
    assert admin.send(ALICE, **ticked(*country_names())).status_code == 303
    stored = Caller(api.client, "admin").get("users/2/")["allowed_countries"]
    assert len(stored.split(", ")) == len(country_names())


def test_an_unknown_country_is_refused_and_ticks_stay(admin: Visitor, api: Caller) -> None:
    admin.get(ALICE)
    answer = admin.send(ALICE, **ticked("DE", "ZZ"))
    assert (answer.status_code, chosen_in(answer.text)) == (400, ["DE"])
    assert "'ZZ' is not a country." in words(answer.text)
    assert Caller(api.client, "admin").get("users/2/")["allowed_countries"] == ""


def test_a_stored_country_without_a_name_does_not_become_all_countries(
    admin: Visitor, api: Caller, database: Database
) -> None:
    store(database, update(User).where(User.id == 2).values(allowed_countries="ZZ"))
    admin.get(ALICE)
    assert chosen_in(admin.page) == ["ZZ"]
    assert admin.send(ALICE, **ticked(*chosen_in(admin.page))).status_code == 400
    assert Caller(api.client, "admin").get("users/2/")["allowed_countries"] == "ZZ"


def test_an_admin_ticks_that_a_user_may_call_special_numbers(admin: Visitor, api: Caller) -> None:
    assert "May call premium-rate, shared-cost and satellite numbers" in admin.text(ALICE)
    assert 'name="allows_special" type="checkbox" value="1" aria-' in admin.page
    assert admin.send(ALICE, allows_special="1").status_code == 303
    assert Caller(api.client, "admin").get("users/2/")["allows_special"] is True
    assert 'name="allows_special" type="checkbox" value="1" checked' in admin.get(ALICE)


def test_countries_are_named_in_the_viewers_language(admin: Visitor) -> None:
    admin.client.headers["Accept-Language"] = "de"
    assert "Deutschland" in admin.text(ALICE)
    admin.client.headers["Accept-Language"] = "en"
    assert "Germany" in admin.text(ALICE)
