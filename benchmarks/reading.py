"""Benchmark of pages of contacts with an exact count: `python -m benchmarks.reading [--quick] [ROWS ...]`.

It compares dialer with other frameworks. Each serves the same SQLite file from one process. The page nine tenths into
the list is found by following `next`, as a client would. The other frameworks' links hold only the page number.
"""

import http.client
import json
import sys
import tempfile
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from typing import Any, Final

from benchmarks.fixture_database import AUTHORIZATION, PHONEBOOK, create_database
from benchmarks.measure import report_growth
from benchmarks.servers import DIALER, DRF, FASTAPI, LITESTAR, Server, require_peers, running
from benchmarks.serving import (
    Plan,
    Sample,
    Samples,
    Target,
    get,
    in_turns,
    median_cost_us,
    plan_of,
    report,
    sample,
)

PAGE: Final = 10
LIST: Final = f"/rest-api/contact/?phonebook_id={PHONEBOOK}"
LARGEST: Final = "100,000"
FIRST: Final = (
    Target("dialer", "FastAPI", 3, LARGEST),
    Target("dialer", "Django REST Framework", 4, LARGEST),
    Target("dialer", "bare Litestar", 0.5, LARGEST),
)
DEEP: Final = "dialer, by its link"
FAR: Final = (
    Target(DEEP, "dialer", 0.8, LARGEST),
    Target(DEEP, "FastAPI, far into the list", 10, LARGEST),
    Target(DEEP, "Django REST Framework, far into the list", 10, LARGEST),
)


def measured(contacts: int, plan: Plan) -> Samples:
    """Measure the first page and a far page of every server, with a database of this many contacts."""
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        database = create_database(Path(name), contacts=contacts)
        servers = [stack.enter_context(running(kind, database)) for kind in (DIALER, LITESTAR, FASTAPI, DRF)]
        _compare_answers(servers, LIST)
        number = contacts // PAGE * 9 // 10 + 1
        by_number = f"{LIST}&page={number}"
        by_link = _followed(servers[0], number)
        _compare_answers(servers, by_number)
        targets = {server.name: (server, LIST) for server in servers}
        targets[DEEP] = (servers[0], by_link)
        targets |= {f"{server.name}, far into the list": (server, by_number) for server in servers}
        works = {name: partial(_page, server=server, target=target) for name, (server, target) in targets.items()}
        return in_turns(works, plan)


def _page(seconds: float, server: Server, target: str) -> Sample:
    return sample(server, get(server, target), seconds)


def main() -> None:
    """Measure and print the results."""
    require_peers()
    plan = plan_of(sys.argv)
    costs = {}
    for contacts in plan.sizes:
        samples = measured(contacts, plan)
        costs[contacts] = median_cost_us(samples["dialer"])
        report(f"A page of {PAGE} contacts, exactly counted", samples, (*FIRST, *FAR), f"{contacts:,}")
    report_growth("dialer by the rows of the table, processor time", "request for a page", costs)


def _answer(connection: http.client.HTTPConnection, target: str) -> dict[str, Any]:
    """Return a server's answer without its own address."""
    connection.request("GET", target, headers={"Authorization": AUTHORIZATION})
    text = connection.getresponse().read().decode()
    found: dict[str, Any] = json.loads(text.replace(f"http://{connection.host}:{connection.port}", ""))
    return found


def _compare_answers(servers: list[Server], target: str) -> None:
    answers = []
    for server in servers:
        with closing(http.client.HTTPConnection(*server.address)) as connection:
            answers.append(_answer(connection, target))
    for server, answer in zip(servers, answers, strict=True):
        for part in ("count", "results"):
            if answer[part] != answers[0][part]:
                raise RuntimeError(f"{server.name} answers {target} differently from the others")


def _followed(server: Server, number: int) -> str:
    """Return the link of a page, found by following `next` through all pages before it."""
    target = LIST
    with closing(http.client.HTTPConnection(*server.address)) as connection:
        for _ in range(number - 1):
            target = _answer(connection, target)["next"]
    return target


if __name__ == "__main__":
    main()
