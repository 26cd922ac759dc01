"""Errors are in the viewer's language: bad input into every form, once in English and once in German."""

import ast
import re
from collections.abc import Iterator

import pytest

from dialer.console.parts.sentences import in_viewers_words
from dialer.console.words.catalogue import PAGES
from dialer.console.words.language import read_language, speak, viewers_language
from dialer.domain.billing.money import MoneyAmount
from dialer.domain.words.enums import CampaignStatus
from dialer.domain.words.sentences import FieldName, Grouped, Listed, Moment, ResourceName, Sentence, StateName
from tests.api.harness import Caller
from tests.console.building import campaign
from tests.console.test_forms import POSTS, path_of, sent
from tests.console.translations import OF_PROGRAMS, SOURCES
from tests.console.visitor import Visitor, token_of, words

BAD_VALUES = ("", "-1", "9" * 20, "x" * 300)
"""Values that some kind of field refuses."""
_MESSAGE = re.compile(
    r'<p class="error"[^>]*>(.*?)</p>|class="(?:notice )?(?:bad|fair)"[^>]*>(.*?)</(?:li|p)>|<p>(.*?)</p>', re.DOTALL
)
_NAME = re.compile(r'<(?:input|select|textarea)\b[^>]*? name="([^"]+)"')
_OF_API = frozenset(
    {
        *("resources/crud/deleting.py", "resources/crud/ordering.py", "resources/crud/filters.py"),
        *("resources/crud/declaration.py", "resources/crud/ownership.py", "resources/crud/visibility.py"),
        *("resources/records/bulk.py", "api/answers/controller.py"),
        *("api/actions/applying.py", "api/actions/exporting.py"),
    }
)
"""Files whose errors only clients of the API and programmers see."""
_OF_PROGRAMMERS = frozenset(
    {
        "UnknownRecordError",
        "NoCampaignError",
        "StorageUnavailableError",
        "MediaError",
        "TypeError",
        "ValueError",
        "LookupError",
        "KeyError",
    }
)
"""Errors for which there are other words: of a record that is gone, and of a disk that is full."""
_WITH_ERRORS = (
    *("api/actions/*.py", "resources/crud/*.py", "resources/records/*.py", "app/**/*.py", "forecast/*.py"),
    *("domain/billing/*.py", "domain/numbers/*.py", "domain/words/states.py", "store/media/*.py"),
)


@pytest.fixture(autouse=True)
def _in_english() -> Iterator[None]:
    before = viewers_language()
    yield
    speak(before)


def messages(page: str) -> list[str]:
    """Return the messages on a page."""
    return [words("".join(found)) for found in _MESSAGE.findall(page)]


def in_both(visitor: Visitor, path: str, fields: dict[str, str], route: str = "") -> list[str]:
    """Send a form in English and in German; return the messages that are English in both."""
    shown = []
    for language in ("en", "de"):
        fields = {**fields, "csrf": token_of(visitor.page)}
        answer = visitor.request("POST", path, **sent(route, fields), headers={"Accept-Language": language})
        assert answer.status_code < 500, (path, fields)
        shown.append(messages(answer.text) if answer.status_code >= 400 else [])
    english, german = shown
    kept = set(english) & set(german)
    return [message for message in kept if re.search("[a-z]", message) and not message.startswith(OF_PROGRAMS)]


@pytest.mark.parametrize("path", sorted(PAGES))
def test_errors_of_records_are_translated(admin: Visitor, api: Caller, path: str) -> None:
    campaign(api)
    form = admin.request("GET", f"records/{path}/new/")
    if form.status_code != 200:
        return
    admin.page = form.text
    names = {name for name in _NAME.findall(form.text) if name not in {"csrf", "q"}}
    left = [
        message for value in BAD_VALUES for message in in_both(admin, f"records/{path}/", dict.fromkeys(names, value))
    ]
    assert sorted(set(left)) == []


@pytest.mark.parametrize("route", POSTS)
def test_errors_of_other_forms_are_translated(admin: Visitor, api: Caller, route: str) -> None:
    campaign(api)
    admin.get("account/")
    names = (
        *("number", "gateway", "password", "again", "current", "code", "callerid", "name", "text", "type", "keys"),
        *("language", "seeds", "to", "seconds", "state", "action", "order", "disposition", "call_back_date"),
    )
    left = [
        message
        for value in BAD_VALUES
        for message in in_both(admin, path_of(route), dict.fromkeys(names, value), route)
    ]
    assert sorted(set(left)) == []


@pytest.mark.parametrize("action", ["start", "pause", "stop", "abort", "nonsense"])
def test_findings_and_refusals_of_a_campaign_are_translated(alice: Visitor, api: Caller, action: str) -> None:
    identity = campaign(api, started="no")
    api.change(f"campaigns/{identity}/", startingdate="2026-11-01T00:00:00Z", expirationdate="2026-11-02T00:00:00Z")
    pages = [
        alice.request("GET", f"campaigns/{identity}/", headers={"Accept-Language": language}).text
        for language in ("en", "de")
    ]
    english, german = map(messages, pages)
    assert english
    assert set(english).isdisjoint(german)
    alice.get(f"campaigns/{identity}/")
    assert in_both(alice, f"campaigns/{identity}/state/", {"action": action}) == []


def test_values_of_sentences_are_shown_as_people_write_them() -> None:
    sentence = Sentence(
        "%(field)s %(resource)s %(state)s %(when)s %(listed)s %(amount)s %(count)s",
        field=FieldName("callerid"),
        resource=ResourceName("campaigns"),
        state=StateName(CampaignStatus, CampaignStatus.END),
        when=Moment("2026-11-18T12:06:40Z"),
        listed=Listed([1, Sentence("no other status")]),
        amount=MoneyAmount(123_456_789),
        count=Grouped(12_345),
    )
    assert sentence == "callerid campaigns 4 (END) 2026-11-18T12:06:40Z 1, no other status 1234.56789 12,345"
    speak(read_language("de"))
    assert in_viewers_words(sentence) == (
        "„Angezeigte Rufnummer“ Kampagne „Beendet“ 18. Nov. 2026, 12:06 1, kein anderer Zustand 1.234,57 12.345"
    )


def test_a_state_that_is_not_known_has_its_number() -> None:
    assert str(StateName(CampaignStatus, 99)) == "99 (unknown)"


def test_errors_with_values_are_sentences() -> None:
    files = [file for place in _WITH_ERRORS for file in sorted(SOURCES.glob(place))]
    found = [
        f"{file.relative_to(SOURCES)}: {ast.unparse(node)}"
        for file in files
        if str(file.relative_to(SOURCES)) not in _OF_API
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if _is_error_of_text(node)
    ]
    assert sorted(found) == []


def _is_error_of_text(node: ast.AST) -> bool:
    """Return whether a node makes an error that people may see of a text with values that has no template."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id.endswith("Error"):
        return node.func.id not in _OF_PROGRAMMERS and any(isinstance(value, ast.JoinedStr) for value in node.args)
    values = [value for value in node.values if isinstance(value, ast.List)] if isinstance(node, ast.Dict) else []
    return any(isinstance(one, ast.JoinedStr) for value in values for one in value.elts)
