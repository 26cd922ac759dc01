"""The table of rows of law in `docs/rules.md`: `python -m tests.store.law_table` writes it again from the rows."""

from pathlib import Path
from typing import Final

from dialer.store.queries.contact_law import LawRow, law_rows

PAGE: Final = Path(__file__).parents[2] / "docs" / "rules.md"
BEGINS: Final = "<!-- rows of law: made by `python -m tests.store.law_table` -->\n"
ENDS: Final = "<!-- end of the rows of law -->\n"


def table() -> str:
    """Return the table, with the marks around it."""
    head = "| Row | For | Rule | Source, read | Confidence | Days | State |\n|---|---|---|---|---|---|---|\n"
    return f"{BEGINS}\n{head}{''.join(map(_line, law_rows()))}\n{ENDS}"


def _line(row: LawRow) -> str:
    place = "-".join(filter(None, (row.country, row.state)))
    purposes = ", ".join(row.purposes) or "any purpose"
    dates = " ".join(f"{word} {day}" for word, day in (("from", row.from_date), ("until", row.until_date)) if day)
    state = ("on" if row.is_on else "off") + (f". {row.not_built}" if row.not_built else "")
    cells = (
        f"`{row.id}`",
        f"{place}, {purposes}",
        row.words,
        f"{row.source}; {row.read}",
        row.confidence,
        dates,
        state,
    )
    return f"| {' | '.join(cells)} |\n"


def with_table(page: str) -> str:
    """Return a page with the table in place of what stands between the marks."""
    before, _, rest = page.partition(BEGINS)
    return before + table() + rest.partition(ENDS)[2]


if __name__ == "__main__":
    PAGE.write_text(with_table(PAGE.read_text("utf-8")), "utf-8")
