"""Tests of the process that draws a report: its limits, an end in any way, and the widest texts."""

import subprocess
import sys
from typing import Final

import anyio
import pytest
from structlog.testing import capture_logs

from dialer.console.reports import paper
from dialer.console.reports.paper import CELL_MAX, NotDrawnError
from dialer.console.reports.pdf_document import Bar, Crossed, Document, PaperQuestion
from dialer.console.reports.pdf_process import CPU_S_MAX, MEMORY_BYTES_MAX, PaperFlow, draw
from dialer.store.database.database import Database
from tests.api.harness import Caller
from tests.console.test_summary import polled
from tests.console.visitor import Visitor, words

LIMITED: Final = """\
import resource
from dialer.console.reports import pdf_process
try:
    pdf_process.main()
finally:
    kinds = (resource.RLIMIT_AS, resource.RLIMIT_CPU, resource.RLIMIT_FSIZE, resource.RLIMIT_CORE)
    print(*(resource.getrlimit(kind)[0] for kind in kinds))
"""


def test_signs_without_width_are_not_drawn_and_letters_of_two_signs_are_one() -> None:
    assert PaperFlow().letters("Zu\u0308\u200brich\ufeff \u200d!\u202e") == "Zürich !\ufffd"


def test_the_process_has_limits_of_memory_and_time_and_writes_no_files() -> None:
    told = subprocess.run([sys.executable, "-c", LIMITED], input=b"{}", capture_output=True, check=False)
    assert told.stdout.decode().split() == [str(MEMORY_BYTES_MAX), str(CPU_S_MAX), "0", "0"]


@pytest.mark.parametrize(
    ("program", "told"),
    [
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", {"code": -9, "reason": ""}),
        ("raise ValueError('the name of somebody')", {"code": 1, "reason": "ValueError"}),
        ("while True: pass", None),
    ],
)
def test_a_process_that_fails_or_never_ends_is_told_to_the_reader_and_the_log(
    monkeypatch: pytest.MonkeyPatch,
    alice: Visitor,
    api: Caller,
    database: Database,
    program: str,
    told: dict[str, object] | None,
) -> None:
    identity = polled(api, database)
    monkeypatch.setattr(paper, "_COMMAND", (sys.executable, "-c", program))
    if told is None:
        monkeypatch.setattr(paper, "TIMEOUT_S", 1)
    with capture_logs() as logs:
        answer = alice.request("GET", f"campaigns/{identity}/summary/?format=pdf")
    assert (answer.status_code, answer.headers["retry-after"]) == (503, str(paper.TIMEOUT_S))
    assert "The PDF could not be made in time. Try it again, or take CSV or Excel." in words(answer.text)
    found = [{key: log[key] for key in ("code", "reason")} for log in logs if log["event"] == "report_not_drawn"]
    assert found == ([told] if told else [])


async def test_so_many_reports_wait_for_their_turn_and_no_more() -> None:
    document = Document("en", "Title", "", "", [], [], [], "", "")
    async with anyio.create_task_group() as group:
        for place in range(paper.AT_ONCE):
            await paper.TURNS.acquire_on_behalf_of(place)
        for _ in range(paper.WAITING_MAX):
            group.start_soon(paper.draw_document, document)
        await anyio.wait_all_tasks_blocked()
        with pytest.raises(NotDrawnError):
            await paper.draw_document(document)
        group.cancel_scope.cancel()
    for place in range(paper.AT_ONCE):
        paper.TURNS.release_on_behalf_of(place)


def test_the_widest_cells_fit_onto_a_page() -> None:
    wide = "W" * CELL_MAX
    crossed = Crossed("By city", [wide, "People", *[wide] * 9], [[wide, "12", *["12\n100.0 % ± 36.5"] * 9]] * 13)
    question = PaperQuestion("W" * 500, "W" * 300, "2 people", [Bar("W" * 255, 100, "2")] * 9, crossed)
    document = Document("en", "W" * 255, "", "", [], [question], [], "As of now.", "{page}/{pages}")
    assert draw(document).startswith(b"%PDF-")
