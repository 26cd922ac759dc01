"""Tests of reports as PDF, read back by another library: whole texts, page numbers, languages, and hostile names."""

import io
import json
from itertools import pairwise
from typing import Final

import pytest
from pypdf import PdfReader
from sqlalchemy import update

from dialer.console.reports.pdf_document import Bar, Crossed, Document, PaperQuestion
from dialer.console.reports.pdf_process import draw
from dialer.domain.words.languages import LANGUAGES
from dialer.store.database.database import Database
from dialer.store.tables import Campaign, Subscriber, User
from tests.api.harness import Caller
from tests.console.building import store
from tests.console.reports.test_sender import Post, scheduled
from tests.console.test_shared_reports import shared
from tests.console.test_summary import polled
from tests.console.visitor import Visitor

HOSTILE_AS_SHOWN: Final = '<script>alert("x")</script> data: evil \ufffd'
"""Blanks for line breaks, and one sign for what turns the direction of a text."""
LETTERS: Final = "Größe, ¿qué?, œuvre « à », São João · Ж Ω € „“"
TO_THE_MORNING_MS: Final = 71_600_000
"""Milliseconds to 07:00 UTC, which is 08:00 in Berlin."""
PAGE_OF: Final = {"en": "Page", "de": "Seite", "es": "Página", "fr": "Page", "pt": "Página"}


@pytest.fixture
def post(database: Database) -> Post:
    return Post(database)


def text_of(pdf: bytes) -> str:
    """Return the words of a PDF, with single blanks between them."""
    return " ".join(" ".join(page.extract_text() for page in PdfReader(io.BytesIO(pdf)).pages).split())


def a_question(place: int) -> PaperQuestion:
    """Return a question with a long answer and a table by groups."""
    rows = [[f"group {group}", "12", "12\n100.0 % ± 36.5"] for group in range(13)]
    crossed = Crossed("By city", ["city", "People", "no"], rows)
    return PaperQuestion(f"Question {place}", "All answered.", "2 people", [Bar("x" * 255, 100, "2")], crossed)


def test_the_report_in_words_is_a_file_on_paper(alice: Visitor, api: Caller, database: Database) -> None:
    identity = polled(api, database)
    page = alice.get(f"campaigns/{identity}/summary/?by=Ort")
    assert 'href="?by=Ort&amp;format=pdf">PDF</a>' in page
    answer = alice.request("GET", f"campaigns/{identity}/summary/?by=Ort&format=pdf")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/pdf")
    assert answer.headers["content-disposition"] == f'attachment; filename="answers-campaign-{identity}.pdf"'
    reader = PdfReader(io.BytesIO(answer.content))
    assert (reader.metadata.title, reader.metadata.author, len(reader.pages)) == ("Campaign", "alice", 1)  # type: ignore[union-attr]
    text = text_of(answer.content)
    told = (
        "Campaign 3 of 4 people answered. Campaign from ",
        "As of 18 Nov 2026, 11:06. Made by alice. Times are in UTC. Each person counts once for each question,",
        f"{HOSTILE_AS_SHOWN}",
        "2 of 3 answered: no. 3 people answered this question. no 2 66.7 % ± 36.5",
        "By Ort: people, and their share of those in the same row who answered. Ort People no",
        "Ulm 1 1 100.0 % ± 39.7 0 0.0 % ± 39.7 no value 1 0 0.0 % ± 39.7 1 100.0 % ± 39.7",
        "2 people left a recording. 2 people answered this question.",
        "± is the margin of error in points:",
        "Page 1 of 1",
    )
    assert [one for one in told if one not in text] == []
    again = alice.request("GET", f"campaigns/{identity}/summary/?by=Ort&format=pdf")
    assert again.content == answer.content


@pytest.mark.parametrize("language", LANGUAGES)
def test_paper_has_the_letters_of_each_language(alice: Visitor, api: Caller, database: Database, language: str) -> None:
    identity = polled(api, database)
    store(
        database,
        update(User).where(User.username == "alice").values(language=language),
        update(Campaign).where(Campaign.id == identity).values(name=LETTERS),
    )
    answer = alice.request("GET", f"campaigns/{identity}/summary/?format=pdf")
    text = text_of(answer.content)
    assert text.startswith(f"{LETTERS} · ")
    assert f"{PAGE_OF[language]} 1 " in text
    assert "36.5" in text if language == "en" else "36,5" in text


def test_paper_is_four_clicks_from_the_overview(alice: Visitor, api: Caller, database: Database) -> None:
    identity = polled(api, database)
    pages = ("overview/", "campaigns/", f"campaigns/{identity}/", f"campaigns/{identity}/summary/")
    for page, link in pairwise(pages):
        assert f'href="/console/{link}"' in alice.get(page)
    assert 'format=pdf">' in alice.get(pages[-1])


def test_paper_is_shared_by_a_link_without_names_of_users(visitor: Visitor, api: Caller, database: Database) -> None:
    identity = polled(api, database)
    path = shared(api, identity)
    assert "file/?format=pdf" in visitor.get(path)
    text = text_of(visitor.request("GET", f"{path}file/?format=pdf").content)
    assert "2 of 3 answered: no." in text
    assert ("alice" not in text, "Campaign from" not in text) == (True, True)
    people = visitor.request("GET", f"{shared(api, identity, report='people')}file/?format=pdf")
    assert (people.status_code, "Use csv or xlsx." in people.text) == (400, True)


def test_long_reports_go_on_with_the_heads_of_their_tables() -> None:
    document = Document(
        "en", "Title", "", "", [], [a_question(place) for place in range(4)], [], "As of now.", "{page}/{pages}"
    )
    pages = [page.extract_text() for page in PdfReader(io.BytesIO(draw(document))).pages]
    assert len(pages) > 1
    assert [f"{place}/{len(pages)}" in text for place, text in enumerate(pages, 1)] == [True] * len(pages)
    whole = " ".join(pages)
    assert [whole.count(f"group {group}\n") for group in range(13)] == [4] * 13


def test_long_groups_and_names_are_cut(alice: Visitor, api: Caller, database: Database) -> None:
    identity = polled(api, database)
    groups = "x" * 1_800, "\n".join("abcdefghij" * 9 for _ in range(85)), "Zu\u0308rich\u200b", "Ulm"
    store(
        database,
        update(Campaign).where(Campaign.id == identity).values(name="W" * 255),
        *(
            update(Subscriber).where(Subscriber.id == person).values(additional_vars=json.dumps({"Ort": group}))
            for person, group in enumerate(groups, 1)
        ),
    )
    answer = alice.request("GET", f"campaigns/{identity}/summary/?by=Ort&format=pdf")
    assert answer.status_code == 200
    whole = "".join(text_of(answer.content).split())
    lines = f"{'abcdefghij' * 9}" * 3
    told = f"{'x' * 199}…", f"{lines[:197]}…", "Zürich1", "W…·Asof18Nov2026,11:06.Page1of"
    assert [one for one in told if one not in whole] == []


def test_paper_comes_with_a_mail(api: Caller, database: Database, post: Post) -> None:
    made = scheduled(api, database, sent_as="pdf")
    refused = api.refused("PATCH", made["url"], report="people")
    assert refused[1] == {"sent_as": ["Only answers in words are a PDF. Send a CSV or Excel file."]}
    [mail] = post.look(TO_THE_MORNING_MS)
    [file] = mail.iter_attachments()
    assert (file.get_content_type(), file.get_filename()) == ("application/pdf", "answers-1.pdf")
    text = text_of(file.get_content())
    assert "As of 19 Nov 2026, 08:00. Made by alice. Times are in Europe/Berlin." in text
    assert "2 of 3 answered: no." in text
    assert "+1202555" not in text
