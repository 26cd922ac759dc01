"""Tests of the mail that brings a table: its first rows stand in it, and it says if there are more."""

from zoneinfo import ZoneInfo

import pytest

from dialer.console.parts.sheets import Sheet, SheetColumn, ValueKind
from dialer.console.reports.kinds import KINDS, at_once
from dialer.console.reports.letters import ROWS_MAX, ReportHead, shown_table, write_letter
from dialer.domain.words.reports import ScheduledReport

COLUMNS = [SheetColumn("Agent", ValueKind.TEXT), SheetColumn("Calls")]
HEAD = ReportHead(
    "Floor", "alice", "", KINDS[ScheduledReport.AGENT_DAYS], 86_400_000, 86_400_000, 0, ZoneInfo("UTC"), ""
)
CUT = f"The first {ROWS_MAX} rows are shown, and the report has more. A file has all of them."


@pytest.mark.parametrize("rows", [1, ROWS_MAX, ROWS_MAX + 1, 3 * ROWS_MAX])
async def test_a_mail_says_that_its_table_is_cut(rows: int) -> None:
    letter = write_letter(
        HEAD, await shown_table(at_once(Sheet(COLUMNS, [(f"agent {place}", place) for place in range(rows)])))
    )
    shown = [line for line in letter.text.splitlines() if line.startswith("agent ")]
    assert shown == [f"agent {place} | {place}" for place in range(min(rows, ROWS_MAX))]
    assert [CUT in text for text in (letter.text, letter.html)] == [rows > ROWS_MAX] * 2


async def test_a_row_is_one_line_of_the_text() -> None:
    letter = write_letter(HEAD, await shown_table(at_once(Sheet(COLUMNS, [("Ann\nof Sales", 3), (None, None)]))))
    assert letter.text.splitlines()[-4:-2] == ["Ann of Sales | 3", " | "]
