"""Tests of a service whose processes share one database: a hand-over, and the answer to a pause."""

import json
import subprocess
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from dialer.store.database import Database
from dialer.store.fleet.shards import owners
from tests.fleet.processes import shared_service
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
