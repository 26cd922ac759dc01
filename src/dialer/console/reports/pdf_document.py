"""A report on its way to paper: all words and figures, as its reader's language writes them."""

from typing import NamedTuple


class Bar(NamedTuple):
    """An answer with its share."""

    answer: str
    percent: float
    figures: str
    """Its people, share and margin."""


class Crossed(NamedTuple):
    """The answers by groups of people: rows of cells below a head, the lines of a cell apart."""

    caption: str
    head: list[str]
    rows: list[list[str]]


class PaperQuestion(NamedTuple):
    """A question, the sentence about its answers, and its chart."""

    title: str
    sentence: str
    whole: str
    """The sentence that counts the people who answered it."""
    bars: list[Bar]
    crossed: Crossed | None


class Document(NamedTuple):
    """A report for paper."""

    language: str
    title: str
    author: str
    subtitle: str
    facts: list[str]
    questions: list[PaperQuestion]
    notes: list[str]
    as_of: str
    """The moment of the report, which stands at the foot of each page after the title."""
    page: str
    """The number of a page, with places for `{page}` and `{pages}`."""
