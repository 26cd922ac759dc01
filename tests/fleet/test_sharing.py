"""Tests of a service whose processes share one database: a hand-over, and the answer to a pause."""

import json
import signal
import subprocess
import time
from collections import Counter
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from dialer.store.database.database import Database
from dialer.store.fleet.shards import owners
from tests.api.harness import Caller
from tests.end_to_end.test_call_centre_statistics import PEOPLE
from tests.fleet.processes import SharedService, shared_service
from tests.fleet.storm.scene import GATEWAYS, furnish
from tests.new_database import new_database
from tests.test_server import DIALER

PATIENCE_S = 60


def shards(database: Database) -> list[int]:
    """Return the number of shards of each worker."""
    owned = database.read_now(owners)
    return sorted(Counter(owned.values()).values())


def until(what: str, is_so: Any) -> None:  # noqa: ANN401 - a function without arguments
    """Wait until something holds, and fail if it takes too long."""
    until_s = time.monotonic() + PATIENCE_S
    while not is_so():
        assert time.monotonic() < until_s, f"not within {PATIENCE_S} s: {what}"
        time.sleep(0.2)


@pytest.fixture
def url(tmp_path: Path) -> str:
    """Return the database of a test."""
    return new_database(tmp_path)


@pytest.mark.sqlite_only("starts a process beside the file of the service")
def test_workers_share_a_service_and_hand_it_over(tmp_path: Path, url: str) -> None:
    with shared_service(tmp_path, url) as service, service.client("user0") as own:
        database = Database(url)
        first = service.join()
        campaign_id = furnish(service)[0].campaign_id
        service.join()
        until("both have half of the shards", lambda: shards(database) == [32, 32])
        until("calls in progress", lambda: own.get("callrequest/", page_size=1)["count"] > 0)
        own.change(f"campaigns/{campaign_id}/", status=2)
        calls = own.get("callrequest/", page_size=1)["count"]
        assert first.end() == 0
        service.workers.remove(first)
        until("the second has all shards", lambda: shards(database) == [64])
        assert own.get("callrequest/", page_size=1)["count"] == calls
        own.change(f"campaigns/{campaign_id}/", status=1)
        until("the second dials for the first", lambda: own.get("callrequest/", page_size=1)["count"] > calls)
        _, out = service.run("fleet", "--json")
        (left,) = json.loads(out)["workers"]
        assert (left["name"], left["shards"]) == ("w2", 64)
        assert left["gateways"][0]["channels"] <= GATEWAYS[0][0]
        alone = subprocess.run(
            [DIALER, "serve", "--port", "0"], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60
        )
        assert (alone.returncode, alone.stderr.count("\n")) == (1, 1)
        assert "serves" in alone.stderr
        database.close()


def talking(service: SharedService) -> int:
    """Let a simulated agent take a call, in which they would talk for 200 s, and return the call."""
    with service.client() as root:
        root.create("payment", amount=1_000, user=1, description="first")
        people = {**PEOPLE, "ring": 1, "patience": 60}
        gateway = root.create("gateway", name="sim", parameters=people, max_channels=1)
        queue = root.create("queue", name="desk")
        agent = root.create("agent", name="Zoe", status=2, parameters={"talk": 200, "answer": 0})
        root.create("tier", queue=queue["url"], agent=agent["url"])
        survey = root.create("survey-template", name="survey")
        root.create("section-template", survey=survey["url"], queue=queue["url"], type=6, question="desk", script="")
        book = root.create("phonebook", name="people")
        root.create("contact", phonebook=book["url"], contact="+12025550101")
        hours = {"daily_start_time": "00:00:00", "daily_stop_time": "23:59:59", "saturday": True, "sunday": True}
        campaign = root.create(
            "campaigns",
            name="calls",
            aleg_gateway=gateway["url"],
            object_id=str(survey["id"]),
            phonebook=[book["url"]],
            frequency=60,
            **hours,
        )
        root.change(campaign["url"], status=1)
        until("the agent talks", lambda: [one for one in transfers(root) if one["answer_date"]])
        (transfer,) = transfers(root)
        return int(transfer["callrequest"].rstrip("/").rpartition("/")[2])


def transfers(root: Caller) -> list[dict[str, Any]]:
    """Return the transfers of all calls."""
    return list(root.get("transfer/")["results"])


def test_a_call_that_was_hung_up_while_its_worker_was_dead_is_ended_by_the_next_worker(
    tmp_path: Path, url: str
) -> None:
    with shared_service(tmp_path, url) as service, service.client() as root:
        dead = service.join()
        call_id = talking(service)
        dead.lose(signal.SIGKILL)
        service.workers.remove(dead)
        answer = root.request("POST", f"callrequest/{call_id}/hang-up/", timeout=PATIENCE_S)
        assert (answer.status_code, answer.json()) == (200, {"callrequest_id": call_id})
        assert root.get(f"callrequest/{call_id}/")["status"] == 7
        service.join()
        until("the call is over", lambda: root.get(f"callrequest/{call_id}/")["status"] != 7)
        (transfer,) = transfers(root)
        moments = [datetime.fromisoformat(transfer[name]) for name in ("answer_date", "ending_date")]
        assert (moments[1] - moments[0]).total_seconds() < 200
        assert sorted(one["leg_type"] for one in root.get("cdr/")["results"]) == [1, 2]
        assert service.run("audit")[0] == 0


def test_a_hold_and_its_end_pass_from_a_dead_worker_to_the_next_one(tmp_path: Path, url: str) -> None:
    with shared_service(tmp_path, url) as service, service.client() as root:
        dead = service.join()
        call_id = talking(service)

        def held() -> tuple[bool, bool]:
            """Return whether the callee is on hold, and whether there was a hold before."""
            (transfer,) = transfers(root)
            return transfer["hold_date"] is not None, transfer["on_hold_ms"] > 0

        def order(name: str) -> None:
            answer = root.request("POST", f"callrequest/{call_id}/{name}/", timeout=PATIENCE_S)
            assert (answer.status_code, answer.json()) == (200, {"callrequest_id": call_id})

        order("hold")
        until("the callee is on hold", lambda: held() == (True, False))
        dead.lose(signal.SIGKILL)
        service.workers.remove(dead)
        order("resume")
        assert held() == (True, False)
        service.join()
        until("both talk again", lambda: held() == (False, True))
        order("hang-up")
        until("the call is over", lambda: root.get(f"callrequest/{call_id}/")["status"] != 7)
        assert service.run("audit")[0] == 0
