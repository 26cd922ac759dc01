"""A page in another language has no English sentence: every page that links lead to, after a simulated day."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from http import HTTPStatus
from typing import Final
from urllib.parse import urljoin, urlsplit

import pytest

from dialer.domain.words.enums import CampaignStatus
from dialer.store.database.database import Database
from tests import loops
from tests.api.harness import FakeWorker
from tests.console.simulated_day import TAKES, AccountHouse, Day, live
from tests.console.translations import TRANSLATED
from tests.console.visitor import Visitor

ENGLISH: Final = re.compile(
    r"\b(the|and|of|not|were|been|with|this|that|which|are|is|has|have|had|its|their|they|by|from|who|you|your"
    r"|nobody|nothing|calls|called|people|tried|again|after|before|until|seconds|answer|answered|none|yes)\b"
)
"""Words that make English sentences, and that no other of the languages has."""
SHOWN: Final = ("title", "aria-label", "placeholder", "alt")
"""Attributes whose texts people read or hear."""
PAGES_MAX: Final = 400
OURS: Final = re.compile(
    r"\{\w+\}|\b[a-z]+\.[a-z_]+\b|\btalk \w+ answer\b|Isle of Man"
    r"|agent \d+ \d|sim \d+|texts \d+|press one for an agent|one moment|how many stars|thank you"
)
"""Placeholders, events, members of JSON, a name, and the names and texts that the day itself has given."""
DAY: Final = Day(
    gateway={"parameters": '{"answer": 0.6, "machine": 0.2, "busy": 0.1, "listen": 0.7, "keys": {"1": 0.6, "2": 0.2}}'},
    campaign={"voicemail": True, "amd_behavior": 2, "maxretry": 1, "intervalretry": 60, "frequency": 120},
    people=25,
    listed=2,
    agents=(TAKES, TAKES),
    leads_to_queue=True,
    seconds=900,
    move=CampaignStatus.END,
)


class Texts(HTMLParser):
    """Collects the links of a page, and the texts that are read, without those that another language is said of."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.texts: list[str] = []
        self._silent: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if tag == "a" and values.get("href"):
            self.links.append(str(values["href"]))
        if tag in {"script", "style", "code", "textarea"} or (tag != "html" and "lang" in values):
            self._silent.append(tag)
        if not self._silent:
            self.texts += [str(values[name]) for name in SHOWN if values.get(name)]

    def handle_endtag(self, tag: str) -> None:
        if self._silent and self._silent[-1] == tag:
            self._silent.pop()

    def handle_data(self, data: str) -> None:
        if not self._silent and data.strip():
            self.texts.append(" ".join(data.split()))


def english_in(html: str) -> list[str]:
    """Return the texts of a page that have English words."""
    page = Texts()
    page.feed(html)
    return [text for text in page.texts if ENGLISH.search(OURS.sub("", text).lower())]


def kind_of(path: str) -> str:
    """Return what pages with the same texts have in common: the address without numbers, and the names it asks for."""
    parts = urlsplit(path)
    asked = re.sub(r"=[0-9-]+|=[^&]{20,}", "=", re.sub(r"&?ordering=[^&]*", "", parts.query))
    return f"{re.sub(r'[0-9]+', '1', parts.path)}?{asked}"


def pages(visitor: Visitor, *first: str) -> Iterator[tuple[str, str]]:
    """Yield the pages to which links lead, one of each kind, with their paths."""
    waiting, seen = list(first), {kind_of(path) for path in first}
    for _ in range(PAGES_MAX):
        if not waiting:
            return
        path = waiting.pop(0)
        answer = visitor.request("GET", path.removeprefix("/console/"))
        if answer.status_code != HTTPStatus.OK or not answer.headers["content-type"].startswith("text/html"):
            continue
        yield path, answer.text
        page = Texts()
        page.feed(answer.text)
        for link in page.links:
            found = urljoin(path, link.partition("#")[0])
            if found.startswith("/console/") and kind_of(found) not in seen:
                seen.add(kind_of(found))
                waiting.append(found)
    pytest.fail(f"More than {PAGES_MAX} kinds of pages: {waiting[:5]}")


@pytest.mark.usefixtures("client")
def test_no_page_of_another_language_has_an_english_sentence(
    admin: Visitor, database: Database, worker: FakeWorker
) -> None:
    lived = loops.run(database, live, AccountHouse(database), DAY, 199)
    assert worker.failure is None
    found: dict[str, str] = {}
    first = (
        "/console/overview/",
        f"/console/campaigns/{lived.campaign}/report/",
        *(f"/console/number/?number=%2B1202199{place:04d}" for place in range(10)),
        *(f"/console/calls/{place}/" for place in range(1, 9)),
        *(f"/console/surveys/1/?section={place}" for place in range(1, 5)),
    )
    for code in TRANSLATED:
        admin.get("account/")
        assert admin.send("account/language/", language=code).status_code == HTTPStatus.SEE_OTHER
        for path, html in pages(admin, *first):
            assert f'<html lang="{code}">' in html, path
            for text in english_in(html):
                found.setdefault(text, f"{code} {path}")
    assert found == {}


def test_english_is_found() -> None:
    html = '<p lang="en">Who is it?</p><p title="Nobody calls">Not tried again</p><script>of the</script><b>sim 2</b>'
    assert english_in(html) == ["Nobody calls", "Not tried again"]
