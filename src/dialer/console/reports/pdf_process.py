"""The program that draws a report as PDF, in a process of its own, within limits of memory and time.

Its standard input is a `dialer.console.reports.pdf_document.Document` as JSON, with all words in the language of the
reader; its standard output is the PDF. It reads two fonts, and no other file, however a name in a report is spelled.
"""

import sys
import unicodedata
from collections.abc import Callable, Iterator
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any, Final
from xml.sax.saxutils import escape

import msgspec
from reportlab.graphics.shapes import Drawing, Rect  # type: ignore[import-untyped]
from reportlab.lib.colors import HexColor  # type: ignore[import-untyped]
from reportlab.lib.pagesizes import A4  # type: ignore[import-untyped]
from reportlab.lib.styles import ParagraphStyle  # type: ignore[import-untyped]
from reportlab.pdfbase.pdfmetrics import registerFont, stringWidth  # type: ignore[import-untyped]
from reportlab.pdfbase.ttfonts import TTFont  # type: ignore[import-untyped]
from reportlab.platypus import Paragraph, SimpleDocTemplate, Spacer, Table  # type: ignore[import-untyped]

from dialer.console.reports.pdf_document import Bar, Crossed, Document, PaperQuestion
from dialer.store.media.process_limits import limit_process

MEMORY_BYTES_MAX: Final = 512 * 1024 * 1024
"""Maximum address space of the process."""
CPU_S_MAX: Final = 60
_FONTS: Final = Path(__file__).parents[1] / "fonts"
_PLAIN: Final = "DejaVuSans"
_BOLD: Final = "DejaVuSans-Bold"
_MISSING: Final = "\ufffd"
_WITHOUT_WIDTH: Final = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff"))
"""Signs between letters that are not drawn."""
_QUIET: Final = "#5b6470"
_FILL: Final = "#2f6fb3"
_TRACK: Final = "#e8edf2"
_MARGIN: Final = 54
_LEFT: Final = 60
"""The left edge of the texts, in points. A frame leaves some to each side within the margins."""
_FOOT: Final = 30
_GAP: Final = 12
"""Points between the name at the foot and the number of the page."""
_WIDTH: Final = 475
"""Points between the edges of the texts of a page of A4."""
_NAME_WIDTH: Final = 190
_BAR_WIDTH: Final = 150
_BAR_HEIGHT: Final = 9
_GROUP_WIDTH: Final = 90
_CELL_PADDING: Final = 8
_SIZES: Final = {"title": 18, "heading": 12, "said": 10, "text": 9, "cell": 7}
_HEADING_SPACE: Final = 14
_LEADING: Final = 1.3
_WHOLE: Final = 100.0


class PaperFlow:
    """The fonts, styles and flow of a report on pages."""

    def __init__(self) -> None:
        """Read the fonts."""
        fonts = [TTFont(name, _FONTS / f"{name}.ttf") for name in (_PLAIN, _BOLD)]
        for font in fonts:
            registerFont(font)
        self._letters: Final = frozenset.intersection(*(frozenset(font.face.charToGlyph) for font in fonts))
        self._styles: Final = {
            name: ParagraphStyle(
                name,
                fontName=_PLAIN if name in {"text", "cell"} else _BOLD,
                fontSize=size,
                leading=_LEADING * size,
                spaceBefore=_HEADING_SPACE if name == "heading" else 0,
                keepWithNext=name in {"heading", "said"},
            )
            for name, size in _SIZES.items()
        }

    def letters(self, text: str) -> str:
        """Return a text in the letters of the fonts, on one line. Letters that they lack have one sign."""
        line = unicodedata.normalize("NFC", " ".join(text.translate(_WITHOUT_WIDTH).split()))
        return "".join(one if ord(one) in self._letters else _MISSING for one in line)

    def flow(self, document: Document) -> Iterator[Any]:
        """Yield the parts of a report from top to bottom."""
        yield self._paragraph(document.title, "title")
        for line in (document.subtitle, *document.facts):
            yield self._paragraph(line, "text", color=_QUIET)
        for question in document.questions:
            yield from self._question(question)
        for line in document.notes:
            yield self._space()
            yield self._paragraph(line, "text", color=_QUIET)

    def _question(self, question: PaperQuestion) -> Iterator[Any]:
        yield self._paragraph(question.title, "heading")
        yield self._paragraph(question.sentence, "said")
        yield self._paragraph(question.whole, "text", color=_QUIET)
        if question.bars:
            yield self._table(
                [
                    [self._paragraph(bar.answer, "text"), self._bar(bar), self._paragraph(bar.figures, "text")]
                    for bar in question.bars
                ],
                [_NAME_WIDTH, _BAR_WIDTH + _CELL_PADDING, _WIDTH - _NAME_WIDTH - _BAR_WIDTH - _CELL_PADDING],
            )
        if question.crossed is not None:
            yield self._space()
            yield self._paragraph(question.crossed.caption, "text", color=_QUIET)
            yield self._crossed(question.crossed)

    def _crossed(self, crossed: Crossed) -> Any:  # noqa: ANN401 - a part of a page
        others = len(crossed.head) - 1
        rows = [[self._lines(cell) for cell in row] for row in (crossed.head, *crossed.rows)]
        return self._table(rows, [_GROUP_WIDTH, *[(_WIDTH - _GROUP_WIDTH) / others] * others], heads=1)

    def _lines(self, cell: str) -> Any:  # noqa: ANN401 - a part of a page
        """Return a cell, each of whose lines stands on its own."""
        return [self._paragraph(line, "cell") for line in cell.split("\n")]

    def _table(self, rows: list[list[Any]], widths: list[float], heads: int = 0) -> Any:  # noqa: ANN401 - a part of a page
        look: list[tuple[Any, ...]] = [
            ("VALIGN", (0, 0), (-1, -1), "TOP"),
            ("LEFTPADDING", (0, 0), (-1, -1), 0),
            ("RIGHTPADDING", (0, 0), (-1, -1), 4),
            ("TOPPADDING", (0, 0), (-1, -1), 2),
            ("BOTTOMPADDING", (0, 0), (-1, -1), 2),
        ]
        if heads:
            look.append(("LINEBELOW", (0, 0), (-1, -1), 0.5, _TRACK))
        return Table(rows, widths, repeatRows=heads, style=look, hAlign="LEFT")

    def _bar(self, bar: Bar) -> Any:  # noqa: ANN401 - a part of a page
        drawing = Drawing(_BAR_WIDTH, _BAR_HEIGHT)
        for width, color in ((_WHOLE, _TRACK), (bar.percent, _FILL)):
            length = _BAR_WIDTH * width / _WHOLE
            drawing.add(Rect(0, 0, length, _BAR_HEIGHT, fillColor=HexColor(color), strokeColor=None))
        return drawing

    def _paragraph(self, text: str, style: str, color: str = "#111111") -> Any:  # noqa: ANN401 - a part of a page
        return Paragraph(f'<font color="{color}">{escape(self.letters(text))}</font>', self._styles[style])

    def _space(self) -> Any:  # noqa: ANN401 - a part of a page
        return Spacer(0, _CELL_PADDING)


def draw(document: Document) -> bytes:
    """Return a report as PDF."""
    pages = PaperFlow()
    # The number of pages is known once they are drawn.
    count = _drawn(pages, document, BytesIO(), lambda _: "")
    content = BytesIO()
    _drawn(pages, document, content, lambda number: document.page.format(page=number, pages=count))
    return content.getvalue()


def _drawn(pages: PaperFlow, document: Document, content: BytesIO, foot: Callable[[int], str]) -> int:
    """Draw a report into a file, and return the number of its pages."""
    # Equal reports are equal files: without the moment of this machine.
    template = SimpleDocTemplate(
        content,
        pagesize=A4,
        **dict.fromkeys(("leftMargin", "rightMargin", "topMargin", "bottomMargin"), _MARGIN),
        title=pages.letters(document.title),
        author=pages.letters(document.author),
        lang=document.language,
        invariant=1,
    )
    on_page = partial(_write_foot, pages, document, foot)
    template.build(list(pages.flow(document)), onFirstPage=on_page, onLaterPages=on_page)
    return int(template.page)


def _write_foot(pages: PaperFlow, document: Document, foot: Callable[[int], str], canvas: Any, _: Any) -> None:  # noqa: ANN401 - a page
    canvas.saveState()
    canvas.setFont(_PLAIN, _SIZES["cell"])
    canvas.setFillColor(_QUIET)
    number, as_of = foot(canvas.getPageNumber()), f" · {pages.letters(document.as_of)}"
    name = _cut(pages.letters(document.title), _WIDTH - _GAP - _width(as_of + number))
    canvas.drawString(_LEFT, _FOOT, name + as_of)
    canvas.drawRightString(_LEFT + _WIDTH, _FOOT, number)
    canvas.restoreState()


def _cut(text: str, width: float) -> str:
    """Return the begin of a text at the foot that fits into a width."""
    if _width(text) <= width:
        return text
    return next((begun for end in range(len(text), 0, -1) if _width(begun := f"{text[:end]}…") <= width), "…")


def _width(text: str) -> float:
    return float(stringWidth(text, _PLAIN, _SIZES["cell"]))


def main() -> None:
    """Draw the report of the standard input."""
    limit_process(MEMORY_BYTES_MAX, CPU_S_MAX)
    sys.stdout.buffer.write(draw(msgspec.json.decode(sys.stdin.buffer.read(), type=Document)))


if __name__ == "__main__":
    main()
