import sqlite3

import pytest
from litestar import Litestar
from litestar.testing import TestClient

from dialer.api.app import create_app
from dialer.settings import Settings
from dialer.store.database.database import Database
from tests.api.harness import Caller, FakeWorker


def test_a_service_in_order_says_so(client: TestClient[Litestar]) -> None:
    for path in ("/health/live", "/health/ready"):
        answer = client.get(path)
        assert (answer.status_code, answer.json()) == (200, {"status": "ok"})


def test_a_worker_in_trouble_is_not_ready(client: TestClient[Litestar], worker: FakeWorker) -> None:
    worker.trouble = "engine"
    answer = client.get("/health/ready")
    assert (answer.status_code, answer.json()) == (503, {"status": "engine"})
    assert client.get("/health/live").status_code == 200


@pytest.mark.sqlite_only("locks the file")
def test_a_database_out_of_reach_is_a_503(client: TestClient[Litestar], alice: Caller, database: Database) -> None:
    alice.get("phonebook/")
    with sqlite3.connect(str(database.url.database)) as connection:
        connection.execute("ALTER TABLE user_account RENAME TO hidden")
    connection.close()
    assert client.get("/health/ready").json() == {"status": "storage"}
    answer = alice.request("GET", "phonebook/")
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")
    assert answer.json() == {"detail": "The database cannot be reached just now. Nothing was changed; try again."}


def test_metrics_count_requests_by_route_and_name_nobody(database: Database, worker: FakeWorker) -> None:
    app = create_app(Settings(), database=database, worker=worker)
    with TestClient(app, raise_server_exceptions=True) as client:
        alice = Caller(client, "alice")
        book = alice.create("phonebook", name="secret-name")
        alice.get(book["url"])
        client.request("BREW", "/secret-path")
        text = client.get("/metrics").text
    assert 'dialer_http_requests_total{method="POST",route="/rest-api/phonebook",status="201"} 1.0' in text
    assert 'dialer_http_requests_total{method="GET",route="/rest-api/phonebook/{record_id}",status="200"} 1.0' in text
    assert 'dialer_http_requests_total{method="other",route="none",status="404"} 1.0' in text
    assert "secret" not in text
    assert "alice" not in text
