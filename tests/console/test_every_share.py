"""Property test: no share of any page, answer or file leaves 0 to 100, and each part is of its whole."""

import csv
import io
import re
from collections.abc import Iterator
from http import HTTPStatus
from itertools import count
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from openpyxl import load_workbook

from dialer.app.campaigns.figures import By
from dialer.domain.figures.statistics import GROUPS
from dialer.store.database.database import Database
from tests import loops
from tests.api.harness import Caller, FakeWorker
from tests.console.simulated_day import AccountHouse, Day, Lived, days, live
from tests.console.visitor import Visitor, words
from tests.sizes import examples

PER_CENT: Final = re.compile(r"(-?[0-9][0-9,]*(?:\.[0-9]+)?)\s?%")
OF: Final = re.compile(r"\b([0-9][0-9,]*) of ([0-9][0-9,]*)\b")
NOT_SHOWN: Final = re.compile(r"<(script|style|form)\b.*?</\1>", re.DOTALL)
SHARES: Final = frozenset({"asr", "contact_rate", "completion_rate", "delivery_rate", "share", "list_penetration"})
PREFIXES: Final = count(200)


def shares_of_page(html: str) -> Iterator[float]:
    """Yield all shares on a page: those that people read, and the widths of bars. Forms have limits, not shares."""
    for found in PER_CENT.finditer(NOT_SHOWN.sub("", html)):
        yield float(found[1].replace(",", ""))


def shares_in(document: Any, name: str = "") -> Iterator[tuple[str, float]]:  # noqa: ANN401 - JSON
    """Yield all shares of an answer of the API, by their names."""
    if isinstance(document, dict):
        for key, value in document.items():
            yield from shares_in(value, key)
    elif isinstance(document, list):
        for value in document:
            yield from shares_in(value, name)
    elif isinstance(document, int | float) and (name in SHARES or name.endswith(("_percent", "_share"))):
        yield name, float(document)


def rows_of_file(visitor: Visitor, path: str, kind: str) -> list[dict[str, Any]]:
    answer = visitor.request("GET", f"{path}{'&' if '?' in path else '?'}format={kind}")
    assert answer.status_code == 200, (path, answer.text[-300:])
    if kind == "csv":
        return list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"))))
    sheet: Any = load_workbook(io.BytesIO(answer.content), read_only=True).active
    head, *rows = sheet.iter_rows(values_only=True)
    return [dict(zip(head, row, strict=True)) for row in rows]


def check_page(visitor: Visitor, path: str) -> None:
    html = visitor.get(path)
    assert [one for one in shares_of_page(html) if not 0 <= one <= 100] == [], path
    pairs = [(int(a.replace(",", "")), int(b.replace(",", ""))) for a, b in OF.findall(words(NOT_SHOWN.sub("", html)))]
    assert [pair for pair in pairs if pair[0] > pair[1]] == [], path


def check_file(visitor: Visitor, path: str) -> None:
    """Check both formats: every share is one, they say the same, and each part is of its whole."""
    told = []
    for kind in ("csv", "xlsx"):
        rows = rows_of_file(visitor, path, kind)
        shares = [
            float(value) for row in rows for head, value in row.items() if "%" in head and value not in {None, ""}
        ]
        assert [one for one in shares if not 0 <= one <= 100] == [], (path, kind)
        told.append(shares)
        for row in rows:
            parts = [int(row[head] or 0) for head in ("Completed", "By people", "Answered", "Calls") if head in row]
            assert parts == sorted(parts), (path, row)
    assert told[0] == told[1], path


def check_figures(one: dict[str, Any]) -> None:
    """Check that each part of some figures is of its whole."""
    assert one["completed"] <= one["live_answered"] <= one["answered"] <= one["calls"], one
    assert one["machine_answered"] == one["answered"] - one["live_answered"]
    assert one["abandoned"] <= one["abandoned_of"] <= one["live_answered"]
    assert one["delivered"] <= one["messages"]


def check_api(api: Caller, lived: Lived) -> None:
    campaign, texts = f"campaigns/{lived.campaign}/", f"sms-campaigns/{lived.texts}/"
    paths = [f"{campaign}statistics/", f"{texts}statistics/", "statistics/"]
    paths += [f"{campaign}statistics/?group_by={group}" for group in GROUPS]
    paths += [f"{campaign}statistics/?interval={interval}" for interval in ("hour", "day")]
    for path in paths:
        found = api.get(path)
        assert [one for one in shares_in(found) if not 0 <= one[1] <= 100] == [], path
        for figures in (found["totals"], *(row["figures"] for row in found["rows"])):
            check_figures(figures)
        assert sum(one["calls"] for one in found["results"]) == found["totals"]["calls"], path
    for path in (
        f"queue/{lived.queue}/statistics/",
        *(f"agent/{one}/statistics/" for one in lived.agents),
        "campaigns/",
    ):
        assert [one for one in shares_in(api.get(path)) if not 0 <= one[1] <= 100] == [], path


def check_console(visitor: Visitor, lived: Lived) -> None:
    for one in (lived.campaign, lived.texts):
        for path in (f"campaigns/{one}/", f"campaigns/{one}/report/", f"records/subscriber-list/?campaign={one}"):
            check_page(visitor, path)
        again = f"campaigns/{one}/call-again/"
        if visitor.request("GET", again).status_code == HTTPStatus.OK:  # The campaign is over.
            check_page(visitor, again)
    of_accounts = [f"figures/?by={by.value}&period=all" for by in By]
    of_campaign = [f"campaigns/{lived.campaign}/figures/?by={by.value}&period=all" for by in By if by is not By.BREAK]
    lists = ["overview/", "campaigns/", "board/", "calls/", "money/", "records/agent/", "records/queue/"]
    for path in (*lists, *of_accounts, *of_campaign, *(f"agents/{one}/" for one in lived.agents)):
        check_page(visitor, path)
    for path in (*of_accounts, *of_campaign):
        check_file(visitor, path.replace("figures/?", "figures/export/?"))
    for export in ("answers", "results", "people"):
        for kind in ("csv", "xlsx"):
            rows_of_file(visitor, f"campaigns/{lived.campaign}/{export}/export/", kind)


@pytest.mark.usefixtures("client")
@settings(
    max_examples=examples(3),
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    report_multiple_bugs=False,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(day=days)
def test_no_share_of_a_simulated_day_leaves_0_to_100(
    alice: Visitor, api: Caller, database: Database, worker: FakeWorker, day: Day
) -> None:
    async def run() -> Lived:
        house = AccountHouse(database)
        return await live(house, day, next(PREFIXES))

    lived = loops.run(database, run)
    assert worker.failure is None
    check_api(api, lived)
    check_console(alice, lived)
