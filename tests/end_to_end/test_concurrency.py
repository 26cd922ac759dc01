"""Tests of many concurrent clients, on a real server whose campaigns dial."""

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from functools import partial
from operator import eq, ne
from pathlib import Path
from typing import Any, Final

import httpx
import pytest

from dialer.store.backends.database_files import check
from tests.api.harness import Caller
from tests.end_to_end.killing import audit, client_of
from tests.end_to_end.service import START
from tests.end_to_end.test_storage import poll
from tests.test_server import ADMIN, Served, serving

X60: Final = {"DIALER_CLOCK": "x60", "DIALER_CLOCK_START": START}
ALL_ANSWER: Final = {"answer": 1, "machine": 0, "busy": 0, "rejected": 0, "invalid": 0, "ring": 4}
CLIENTS: Final = 8
NEW, STARTED, PAUSED, ABORTED = 0, 1, 2, 3


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the server's database."""
    return tmp_path_factory.mktemp("server")


@pytest.fixture(scope="module")
def served(folder: Path) -> Iterator[Served]:
    """Run one server for all tests, each with its own campaigns. At the end the audit finds no difference."""
    with serving(folder, **ADMIN, **X60) as served:
        yield served
        code, _, _ = served.end()
    assert code == 0
    assert check(folder / "dialer.db") == []
    found, told = audit(folder)
    assert found == 0, told


@pytest.fixture
def root(served: Served) -> Iterator[Caller]:
    """Return the administrator, who owns the campaigns."""
    with client_of(served.base) as root:
        yield root


def at_once(served: Served, clients: int, work: Callable[[Caller, int], Any]) -> list[Any]:
    """Run `work` in many clients that begin at one moment, and return their results."""
    together = threading.Barrier(clients)

    def one(place: int) -> Any:  # noqa: ANN401 - the result of `work`
        with client_of(served.base) as root:
            together.wait(60)
            return work(root, place)

    with ThreadPoolExecutor(clients) as threads:
        return list(threads.map(one, range(clients)))


def survey(root: Caller) -> str:
    """Create a survey with a greeting of half a second, so every answered call costs one minute."""
    made = root.create("survey-template", name="hello")
    root.create("section-template", survey=made["url"], question="hello", script="hello", completed=True)
    return str(made["id"])


def campaign(root: Caller, numbers: list[str], **fields: Any) -> str:  # noqa: ANN401 - fields are of many types
    """Create a campaign whose callees all answer, and return its path."""
    gateway = root.create("gateway", name="sim", parameters=ALL_ANSWER)
    book = root.create("phonebook", name="people")
    content = "contact\n" + "\n".join(numbers)
    fill(root, book["id"], content)
    made = root.create(
        "campaigns",
        **{"name": "race", "callmaxduration": 60, "frequency": 60, "aleg_gateway": gateway["url"], **fields},
        object_id=survey(root),
        phonebook=[book["url"]],
    )
    return f"campaigns/{made['id']}/"


def fill(root: Caller, phonebook_id: int, content: str) -> dict[str, Any]:
    """Import contacts, and return the report."""
    headers = {"Content-Type": "text/csv"}
    answer = root.request("POST", f"phonebook/{phonebook_id}/import/", content=content, headers=headers)
    assert answer.status_code == 200, answer.text
    report: dict[str, Any] = answer.json()
    return report


def keep_open(root: Caller, path: str) -> None:
    """Add a paused subscriber, who keeps the campaign from ending."""
    root.create("subscriber-list", campaign=root.get(path)["url"], duplicate_contact="+12025610001", status=2)


def calls(root: Caller, path: str) -> int:
    """Return the number of calls that a campaign has placed."""
    return int(root.get(path)["calls"])


def let_pass(root: Caller, seconds: int) -> None:
    """Wait until the service's clock has advanced by a duration."""
    first = root.get("clock/")["now"]
    poll(lambda: later(first, root.get("clock/")["now"]), lambda passed: float(str(passed)) >= seconds)


def later(first: str, last: str) -> float:
    """Return the seconds between two moments from the API."""
    return (datetime.fromisoformat(last) - datetime.fromisoformat(first)).total_seconds()


def test_fifty_campaigns_share_the_last_cents_and_none_is_spent_twice(served: Served, root: Caller) -> None:
    """A call costs 0.02, and the balance pays for 25 and a half. The campaigns start and pause at once."""
    root.create("rate-card", user=1, prefix="1202556", rate="0.02")
    root.create("payment", amount="0.51", user=1)
    numbers = [f"+1202556{place:04d}" for place in range(40)]
    first = campaign(root, numbers)
    shared = root.get(first)
    fields = {name: shared[name] for name in ("aleg_gateway", "object_id", "phonebook", "callmaxduration", "frequency")}
    others = [root.create("campaigns", name="race", **fields) for _ in range(49)]
    paths = [first, *(f"campaigns/{one['id']}/" for one in others)]

    def start(one: Caller, place: int) -> None:
        for path in paths[place::CLIENTS]:
            one.change(path, status=STARTED)

    at_once(served, CLIENTS, start)
    poll(lambda: root.get("campaigns/", status=PAUSED)["count"], partial(eq, 50))
    poll(lambda: root.get("callrequest/", status=7)["count"], partial(eq, 0))
    paused = root.get("campaigns/", page_size=100)["results"]
    assert Counter(one["status_reason"] for one in paused) == {"no_credit": 50}
    assert sum(one["calls"] for one in paused) == 25
    cdrs = root.get("cdr/", page_size=100)["results"]
    assert [cdr["call_cost"] for cdr in cdrs] == ["0.02000"] * 25
    assert root.get("users/")["results"][0]["balance"] == 0.01


def test_a_hundred_requests_with_one_key_make_one_record(served: Served, root: Caller) -> None:
    """One request is executed. The others are refused meanwhile, or get its response."""

    def create(one: Caller, _: int) -> httpx.Response:
        headers = {"Idempotency-Key": "the same"}
        answer: httpx.Response = one.request("POST", "phonebook/", json={"name": "only one"}, headers=headers)
        return answer

    answers = at_once(served, 100, create)
    told = Counter(answer.status_code for answer in answers)
    assert set(told) <= {201, 409}
    assert len({answer.text for answer in answers if answer.status_code == 201}) == 1
    assert sum("idempotent-replayed" not in answer.headers for answer in answers if answer.status_code == 201) == 1
    assert root.get("phonebook/", name="only one")["count"] == 1


def test_a_storm_of_changes_leaves_legal_states_and_no_dial_follows_a_pause(served: Served, root: Caller) -> None:
    path = campaign(root, [f"+1202557{place:04d}" for place in range(4_000)], frequency=60)
    keep_open(root, path)
    root.change(path, status=STARTED)
    assert storm(served, path) <= {STARTED, PAUSED}
    paused_at = stop(served, path, PAUSED)
    let_pass(root, 30)
    assert calls(root, path) == paused_at, "a dial after the answer to a pause"
    root.change(path, status=STARTED)
    poll(lambda: calls(root, path), partial(ne, paused_at))
    ended_at = stop(served, path, ABORTED)
    refusals = at_once(served, CLIENTS, lambda one, _: one.refused("PATCH", path, status=STARTED)[0])
    assert refusals == [409] * CLIENTS
    let_pass(root, 30)
    assert (calls(root, path), root.get(path)["status"]) == (ended_at, ABORTED)
    assert root.get("callrequest/", status=7)["count"] == 0


def storm(served: Served, path: str) -> set[int]:
    """Start and pause a campaign from many clients, and return the statuses that they see."""

    def change(one: Caller, place: int) -> set[int]:
        found = set()
        for turn in range(6):
            one.change(path, status=PAUSED if (turn + place) % 2 else STARTED)
            found.add(one.get(path)["status"])
        return found

    return set().union(*at_once(served, CLIENTS, change))


def stop(served: Served, path: str, status: int) -> int:
    """Pause or abort a campaign from all clients, and return the number of calls, on which all must agree."""

    def change(one: Caller, _: int) -> int:
        one.change(path, status=status)
        return calls(one, path)

    (placed,) = set(at_once(served, CLIENTS, change))
    return int(placed)


def test_imports_and_reads_go_on_while_it_dials(served: Served, root: Caller) -> None:
    """Every contact is stored once, and subscribed to the running campaign; no read fails."""
    path = campaign(root, ["+12025570000"], frequency=60)
    keep_open(root, path)
    phonebook = int(root.get(path)["phonebook"][0].rstrip("/").rpartition("/")[2])
    root.change(path, status=STARTED)
    before = root.get(path)["totalcontact"], root.get("contact/")["count"]

    def work(one: Caller, place: int) -> int:
        if place < 2:
            rows = (f"+120255{9 - place}{number:04d}" for number in range(2_000))
            return int(fill(one, phonebook, "contact\n" + "\n".join(rows))["imported"])
        for _ in range(5):
            for page in (path, "contact/", "cdr/", "callrequest/", "transfer/", "survey-result/"):
                one.get(page)
        return 0

    assert sum(at_once(served, CLIENTS, work)) == 4_000
    after = root.get(path)["totalcontact"], root.get("contact/")["count"]
    assert after == (before[0] + 4_000, before[1] + 4_000)
    root.change(path, status=ABORTED)
