"""Columns that say who must not be called are known by their names and cells, or somebody is asked."""

import pytest

from dialer.app.imports.refusals import (
    READERS,
    RefusalColumn,
    RefusalSearch,
    Suspicion,
    Wish,
    likely_kind,
    suspicion_of,
)

SURE, ASKED, NOTHING = Suspicion.SAYS_NO, Suspicion.MAY_SAY_NO, Suspicion.NOTHING
FLAG, NOTES, CONSENT = RefusalColumn.FLAG, RefusalColumn.NOTES, RefusalColumn.CONSENT


@pytest.mark.parametrize(
    ("name", "cells", "suspicion", "kind", "refused"),
    [
        ("Do Not Call", ["0", "1", ""], SURE, FLAG, ["1"]),
        ("DoNotCall", ["FALSE", "TRUE"], SURE, FLAG, ["TRUE"]),
        (
            "Marketing contact status",
            ["Non-marketing contact", "Marketing contact"],
            SURE,
            FLAG,
            ["Non-marketing contact"],
        ),
        ("Unsubscribed", ["true"], SURE, FLAG, ["true"]),
        ("Sperre", ["x", ""], SURE, FLAG, ["x"]),
        ("Werbesperre", ["ja", "nein"], SURE, FLAG, ["ja"]),
        ("No llamar", ["sí", ""], SURE, FLAG, ["sí"]),
        ("Ne pas appeler", ["oui", "non"], SURE, FLAG, ["oui"]),
        ("Não ligar", ["sim", "não"], SURE, FLAG, ["sim"]),
        ("Widerspruch", ["am 3. Mai"], ASKED, FLAG, ["am 3. Mai"]),
        ("Email Opt Out", ["1"], ASKED, FLAG, ["1"]),
        ("Email Opt Out", ["0"], NOTHING, FLAG, []),
        ("SMS opt-in", ["yes", "no"], ASKED, CONSENT, ["no"]),
        ("OK to call", ["yes", "no"], ASKED, CONSENT, ["no"]),
        ("NOTES", ["nice", "please do not call again"], ASKED, NOTES, ["please do not call again"]),
        ("TAGS", ['"vip","dnc"'], ASKED, NOTES, ['"vip","dnc"']),
        ("Notiz", ["bitte nicht anrufen!", "nett"], ASKED, NOTES, ["bitte nicht anrufen!"]),
        ("OPTIN_TIME", ["2026-01-01"], NOTHING, CONSENT, []),
        ("Plan", ["gold", "no"], NOTHING, NOTES, []),
    ],
)
def test_a_column_is_known_and_its_cells_are_read(
    name: str, cells: list[str], suspicion: Suspicion, kind: RefusalColumn, refused: list[str]
) -> None:
    assert (suspicion_of(name, cells), likely_kind(name)) == (suspicion, kind)
    assert [cell for cell in cells if READERS[kind](cell) is Wish.REFUSED] == refused


def test_without_a_word_nobody_has_agreed() -> None:
    assert [READERS[CONSENT](cell) for cell in ("", "2026-01-01", "opted out")] == [
        Wish.UNKNOWN,
        Wish.NONE,
        Wish.REFUSED,
    ]


@pytest.mark.parametrize(
    ("cell", "count"),
    [
        ("Please do not call", 1),
        ("DNC", 1),
        ("Bitte keine Werbung", 1),
        ("Ne pas démarcher", 1),
        ("NÃO LIGAR", 1),
        ("robinson", 1),
        ("niet meer bellen", 1),
        ("Blacklisted", 1),
        ("call after 5 pm", 0),
        ("", 0),
    ],
)
def test_each_row_is_searched_for_words_that_refuse_calls(cell: str, count: int) -> None:
    search = RefusalSearch(("Phone", "Notes", "Other"), {"other"})
    for cells in (["1", cell, ""], ["2", "ok", "do not call"], ["3", cell, ""]):
        search.look_at(cells)
    assert search.found == ({"Notes": 2 * count} if count else {})
