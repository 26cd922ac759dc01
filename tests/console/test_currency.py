"""The currency of an account, wherever its money stands."""

import re
from collections.abc import Iterator
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest
from babel.core import get_global
from babel.numbers import format_currency, get_currency_symbol
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import update

from dialer.console.parts.rendering import money
from dialer.console.parts.sheets import SheetColumn, ValueKind, heads_of
from dialer.console.words.currency import PageCurrency, common_currency, page_currency, show_currency
from dialer.console.words.language import read_language, speak, viewers_language
from dialer.domain.words.currencies import CURRENCIES
from dialer.domain.words.languages import LANGUAGES
from dialer.store.database.database import Database
from dialer.store.tables import Campaign
from tests.api.harness import Caller
from tests.console.building import campaign, store
from tests.console.translations import REGIONS
from tests.console.visitor import Visitor, words

TENDERS = {
    name
    for ranges in get_global("territory_currencies").values()
    for name, _begin, end, is_tender in ranges
    if end is None and is_tender
}


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    before, currency = viewers_language(), page_currency()
    yield
    speak(before)
    show_currency(currency)


def test_every_currency_that_a_country_pays_in_is_known() -> None:
    assert CURRENCIES == TENDERS


@pytest.mark.parametrize("language", LANGUAGES)
def test_amounts_are_those_of_the_common_locale_data(language: str) -> None:
    speak(read_language(language))
    locale = REGIONS.get(language, language)
    for code in sorted(CURRENCIES):
        show_currency(PageCurrency(code))
        symbol = get_currency_symbol(code, locale)
        expected = format_currency(Decimal("1234.5"), code, locale=locale, currency_digits=False)
        if language == "en" and symbol[-1].isalpha():
            # The repository has a blank between letters and figures, which Babel leaves out.
            expected = expected.replace(symbol, f"{symbol}\xa0")
        assert money(123_450_000) == expected


def test_a_minus_stands_first_and_an_unknown_amount_has_no_currency() -> None:
    show_currency(PageCurrency("EUR"))
    assert (money(-150_000), money(None)) == ("\N{MINUS SIGN}€1.50", "\N{EN DASH}")
    show_currency(PageCurrency())
    assert money(150_000) == "1.50"


def test_heads_of_exported_amounts_have_the_code_and_those_of_times_the_zone() -> None:
    columns = [
        SheetColumn("Cost", ValueKind.MONEY),
        SheetColumn("Calls"),
        SheetColumn("Dialled", ValueKind.MOMENT),
    ]
    assert heads_of(columns, ZoneInfo("UTC")) == ["Cost", "Calls", "Dialled (UTC)"]
    show_currency(PageCurrency("EUR"))
    assert heads_of(columns, ZoneInfo("America/Lima")) == ["Cost (EUR)", "Calls", "Dialled (America/Lima)"]


@given(st.lists(st.sampled_from([None, "", "CHF", "EUR"])), st.sampled_from(["", "EUR"]))
def test_accounts_have_a_currency_in_common_only_if_each_has_it(codes: list[str | None], default: str) -> None:
    each = [code or default for code in codes if code is not None]
    common = common_currency(codes, default).code
    assert common == default if not each else {common} == set(each) or (common is None and len(set(each)) > 1)


def test_those_of_an_account_see_its_currency(
    alice: Visitor, bob: Visitor, vera: Visitor, admin: Visitor, api: Caller, database: Database
) -> None:
    root = Caller(api.client, "admin")
    identity = campaign(api, name="Spring")
    store(database, update(Campaign).where(Campaign.id == identity).values(cost=4_567_000, calls=9, answered=2))
    root.create("payment", user="/rest-api/users/2/", amount="50")
    root.change("users/2/", currency="eur", call_rate="0.02")
    assert root.get("users/2/")["currency"] == "EUR"
    for visitor in (alice, vera):
        text = visitor.text("money/")
        assert "Balance €50.00 €0.00 held" in text
        assert "€45.67 9 2 €22.84" in text
        assert "€45.67" in visitor.text("campaigns/")
    assert "Cost €" in alice.text(f"campaigns/{identity}/")
    assert "Cost €" in alice.text(f"campaigns/{identity}/report/")
    alice.get("account/")
    alice.send("account/language/", language="de")
    assert "45,67 € 9 2 22,84 €" in alice.text("money/")
    assert "€" not in bob.text("money/")
    text = admin.text("money/")
    assert "They have different currencies, so sums over all of them have none." in text
    assert "Balance 50.00 0.00 held" in text
    assert "€45.67 9 2 €22.84" in text
    for place in (f"campaigns/{identity}/", f"campaigns/{identity}/report/"):
        assert "Cost €" in admin.text(place)
    assert "€0.02" in admin.text("records/users/")
    assert "€50.00" in admin.text("records/payment/")
    assert "€50.00" in admin.text("records/ledger/")


def test_an_admin_sees_the_currency_that_all_accounts_have(admin: Visitor, api: Caller) -> None:
    root = Caller(api.client, "admin")
    for user in root.get("users/", page_size=100)["results"]:
        if user["username"] != "vera":
            root.change(f"users/{user['id']}/", currency="GBP")
    assert "vera" in admin.text("records/users/")
    assert "Balance £0.00" in admin.text("money/")
    assert "different currencies" not in admin.text("money/")
    assert "GBP" in words(admin.get("records/payment/new/"))
    assert "No currency is set." not in admin.text("money/")


def test_an_admin_without_a_currency_is_told_where_to_choose_it(admin: Visitor, alice: Visitor) -> None:
    assert "No currency is set. Choose one for each account, or DIALER_CURRENCY" in admin.text("money/")
    assert "No currency is set." not in alice.text("money/")


def test_a_wrong_currency_is_refused_beside_its_field(admin: Visitor, api: Caller) -> None:
    root = Caller(api.client, "admin")
    assert root.refused("PATCH", "users/2/", currency="XXX") == (
        400,
        {"currency": ["'XXX' is not a currency. Enter its ISO 4217 code, such as EUR."]},
    )
    assert api.request("PATCH", "users/2/", json={"currency": "EUR"}).status_code == 403
    text = words(admin.get("records/users/2/"))
    assert "Amounts are never converted: what was billed before keeps its figures." in text
    version = re.search(r'name="version" value="([^"]*)"', admin.page)
    assert version is not None
    answer = admin.send("records/users/2/", version=version[1], currency="QQQ")
    assert answer.status_code == 400
    assert "'QQQ' is not a currency. Enter its ISO 4217 code, such as EUR." in words(answer.text)
    assert root.get("users/2/")["currency"] == ""


def test_calls_for_each_idle_agent_are_no_money(alice: Visitor, api: Caller) -> None:
    """They are sent as amounts are, and have no currency beside them in a form."""
    Caller(api.client, "admin").change("users/2/", currency="EUR")
    form = alice.get("records/campaigns/new/")
    fields = re.findall(r'<div class="field".*?</div>', form, re.DOTALL)
    (field,) = (one for one in fields if 'name="agent_dial_rate"' in one)
    assert ("EUR" in field, "Calls for each idle agent" in field) == (False, True)
