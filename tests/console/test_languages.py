"""Texts, dates and numbers in the language of whoever looks at the console."""

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest
from babel import Locale
from hypothesis import given
from hypothesis import strategies as st

from dialer.console.parts import rendering
from dialer.console.words.formats import FORMATS, DoubtfulNumberError
from dialer.console.words.language import language_of, read_entries, read_language, speak, viewers_language
from dialer.domain.words.languages import LANGUAGES
from tests.api.harness import NOW_MS, Caller
from tests.console.translations import REGIONS, TRANSLATED, problems, read, template
from tests.console.visitor import Visitor, words

ZONE = ZoneInfo("Europe/Berlin")
OTHER_WORDS = re.compile("gateway|passerelle|pasarela", re.IGNORECASE)
VALUE = re.compile(r"%\(\w+\)s")


@pytest.fixture(autouse=True)
def _in_english() -> Iterator[None]:
    before = viewers_language()
    yield
    speak(before)


@pytest.mark.parametrize("code", TRANSLATED)
def test_every_text_has_a_translation(code: str) -> None:
    """If this fails: `python -m tests.console.translations`, as CONTRIBUTING says."""
    assert problems(code) == []


@pytest.mark.parametrize("code", TRANSLATED)
def test_dates_and_numbers_are_those_of_the_common_locale_data(code: str) -> None:
    locale = Locale.parse(REGIONS.get(code, code))
    formats, symbols, months = FORMATS[code], locale.number_symbols["latn"], locale.months["format"]["abbreviated"]
    assert formats.date == locale.datetime_skeletons["yMMMd"].format
    assert formats.day == locale.datetime_skeletons["MMMd"].format
    assert formats.months == tuple(months[month] for month in range(1, 13))
    assert formats.percent == locale.percent_formats[None].suffix[0]
    assert formats.number("1,234.5") == f"1{symbols['group']}234{symbols['decimal']}5"


@pytest.mark.parametrize(
    ("accepted", "code"),
    [
        ("", "en"),
        ("de", "de"),
        ("de-AT,de;q=0.9,en;q=0.8", "de"),
        ("pt-PT", "pt"),
        ("nl,fr;q=0.5,en;q=0.4", "fr"),
        ("en;q=0.2, es ; q=0.7", "es"),
        ("de;q=0", "en"),
        ("nl, *", "en"),
        ("xx" * 1_000 + ",de", "en"),
    ],
)
def test_the_language_is_the_first_known_one_that_the_browser_asks_for(accepted: str, code: str) -> None:
    assert language_of({"headers": [(b"accept-language", accepted.encode())]}).code == code  # type: ignore[arg-type] # of a scope


@given(st.text(max_size=300))
def test_no_header_is_an_error(accepted: str) -> None:
    headers = [(b"accept-language", accepted.encode("latin-1", "replace"))]
    assert language_of({"headers": headers}).code in LANGUAGES  # type: ignore[arg-type] # of a scope


def test_a_choice_is_stronger_than_the_browser() -> None:
    scope = {"headers": [(b"accept-language", b"fr")]}
    assert language_of(scope, "de").code == "de"  # type: ignore[arg-type] # of a scope
    assert language_of(scope, "klingon").code == "fr"  # type: ignore[arg-type] # of a scope


def test_english_stays_as_it_was() -> None:
    assert rendering.moment(NOW_MS, ZONE) == "18 Nov 2026, 12:06"
    assert rendering.day_and_time(NOW_MS, ZONE) == "18 Nov 2026, 12:06:40"
    assert rendering.grouped(1_234_567) == "1,234,567"
    assert rendering.percentage(12.34) == "12.3 %"
    assert rendering.money(-123_456_789) == "\N{MINUS SIGN}1,234.57"


def test_german_has_its_own_dates_and_figures() -> None:
    speak(read_language("de"))
    assert rendering.moment(NOW_MS, ZONE) == "18. Nov. 2026, 12:06"
    assert rendering.soon(NOW_MS, NOW_MS + 90_000_000, ZONE) == "18. Nov., 12:06"
    assert rendering.grouped(1_234_567) == "1.234.567"
    assert rendering.percentage(12.34) == "12,3\xa0%"
    assert rendering.money(-123_456_789) == "\N{MINUS SIGN}1.234,57"


@given(st.integers(min_value=0, max_value=4_000_000_000_000))
def test_a_date_in_english_is_that_of_the_platform(at_ms: int) -> None:
    assert rendering.moment(at_ms, ZONE) == datetime.fromtimestamp(at_ms / 1_000, UTC).astimezone(ZONE).strftime(
        "%d %b %Y, %H:%M"
    )


@given(st.sampled_from(sorted(FORMATS)), st.decimals(-9_999_999, 9_999_999, places=5))
def test_a_number_is_read_as_it_is_written(code: str, number: Decimal) -> None:
    formats = FORMATS[code]
    assert Decimal(formats.read_number(formats.number(f"{number:,f}"))) == number
    assert Decimal(formats.read_number(formats.number(f"{number:f}"))) == number


@pytest.mark.parametrize(
    ("code", "typed", "read"),
    [
        ("de", "12,50", "12.50"),
        ("de", "12.50", "12.50"),
        ("de", "1.234.567", "1234567"),
        ("de", "0.015", "0.015"),
        ("en", "0,015", "0,015"),
        ("de", "1,234", "1.234"),
        ("de", "1.234,5", "1234.5"),
        ("fr", "1\u202f234,5", "1234.5"),
        ("en", "1,234.5", "1234.5"),
        ("en", "12,50", "12,50"),
        ("de", "12,5,0", "12,5,0"),
        ("de", "a lot", "a lot"),
    ],
)
def test_a_number_that_was_typed_may_have_the_marks_of_the_language(code: str, typed: str, read: str) -> None:
    assert FORMATS[code].read_number(typed) == read


@pytest.mark.parametrize(("code", "typed", "decimals"), [("de", "1.234", "1,234"), ("en", "-12,345", "-12.345")])
def test_a_number_that_can_be_read_in_two_ways_is_not_guessed(code: str, typed: str, decimals: str) -> None:
    with pytest.raises(DoubtfulNumberError) as raised:
        FORMATS[code].read_number(typed)
    assert (raised.value.whole, raised.value.with_decimals) == (re.sub(r"[.,]", "", typed), decimals)


def test_a_doubtful_amount_is_asked_about_beside_its_field(admin: Visitor) -> None:
    admin.get("records/payment/new/")
    answer = admin.send("records/payment/", user="2", amount="1,234")
    assert answer.status_code == 400
    assert "It could be 1234 or 1.234. Write the one that you mean." in words(answer.text)
    assert 'value="1,234"' in answer.text


def test_an_amount_with_a_comma_is_taken_in_german_and_shown_with_one(admin: Visitor, api: Caller) -> None:
    admin.get("account/")
    admin.send("account/language/", language="de")
    admin.get("records/users/2/")
    version = re.search(r'name="version" value="([^"]*)"', admin.page)
    assert version is not None
    answer = admin.send("records/users/2/", version=version[1], call_rate="12,50")
    assert answer.status_code == 303, answer.text
    assert re.search(r'name="call_rate"[^>]* value="12,50"', admin.get("records/users/2/"))
    assert Caller(api.client, "admin").get("users/2/")["call_rate"] == 12.5


def test_a_text_with_a_number_escapes_values_and_takes_the_number_as_it_is_given() -> None:
    environment = rendering._environment()  # noqa: SLF001 - templates of files say no more
    text = environment.from_string('{{ ngettext("%(num)s call of %(who)s", "%(num)s calls of %(who)s", n, who=w) }}')
    assert text.render(n=1, w="<b>") == "1 call of &lt;b&gt;"
    assert text.render(n=1_234, w="<b>") == "1,234 calls of &lt;b&gt;"
    given_number = environment.from_string('{{ ngettext("%(num)s call", "%(num)s calls", n, num="many") }}')
    assert given_number.render(n=2) == "many calls"


def test_an_entry_of_a_catalogue_may_have_several_lines_and_forms() -> None:
    text = (
        'msgid ""\n"two "\n"lines"\nmsgstr "zwei \\"Zeilen\\"\\n"\n\n#: place\nmsgid "one"\nmsgid_plural "many"\n'
        'msgstr[0] "eins"\nmsgstr[1] "viele"\n\nmsgid "none"\nmsgstr ""\n'
    )
    assert dict(read_entries(text)) == {"two lines": ('zwei "Zeilen"\n',), "one": ("eins", "viele")}


def test_pages_have_one_word_for_a_carrier() -> None:
    """The API's `gateway` is a carrier on pages. Names of values in a sentence are none of its words."""
    of_sources = [form for message in template() for form in forms_of(message.id)]
    of_catalogues = [form for code in TRANSLATED for message in read(code) for form in forms_of(message.string)]
    other = [text for text in (*of_sources, *of_catalogues) if OTHER_WORDS.search(VALUE.sub("", text))]
    assert other == []
    assert OTHER_WORDS.search("Las pasarelas") is not None


def forms_of(text: str | Sequence[str] | None) -> Sequence[str]:
    """Return the forms of a text, which is one unless it is a plural."""
    return (text,) if isinstance(text, str) else text or ()


def test_a_user_chooses_a_language(alice: Visitor, api: Caller) -> None:
    assert '<html lang="en">' in alice.get("account/")
    assert alice.send("account/language/", language="de").status_code == 303
    assert '<html lang="de">' in alice.get("account/")
    assert '<option value="de" lang="de" selected>Deutsch</option>' in alice.page
    assert api.get("users/2/")["language"] == "de"
    assert alice.send("account/language/", language="").status_code == 303
    assert '<html lang="en">' in alice.get("account/")
    assert alice.send("account/language/", language="klingon").status_code == 404


def test_before_the_sign_in_the_browser_chooses(visitor: Visitor) -> None:
    assert '<html lang="fr">' in visitor.request("GET", "sign-in/", headers={"Accept-Language": "fr"}).text
    assert '<html lang="es">' in visitor.request("GET", "none/at/all/", headers={"Accept-Language": "es"}).text


def test_the_api_answers_in_english(api: Caller) -> None:
    english = api.request("GET", "users/999/")
    german = api.request("GET", "users/999/", headers={"Accept-Language": "de"})
    assert english.json() == german.json()


def test_a_live_part_is_made_for_each_language(alice: Visitor) -> None:
    english = alice.get("board/live/")
    german = alice.request("GET", "board/live/", headers={"Accept-Language": "de"}).text
    assert english == alice.get("board/live/")
    assert german != english
