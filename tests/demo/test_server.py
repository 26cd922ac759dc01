"""Tests of the demonstration's server."""

from pathlib import Path

import pytest

from dialer.local_service.client import Client
from dialer.local_service.errors import DemoError
from dialer.local_service.server import running_server


def test_a_server_depends_on_no_setting_of_its_surroundings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DIALER_BASE_URL", "https://dialer.example.com")
    monkeypatch.setenv("DIALER_TIMEZONE", "Europe/Berlin")
    with running_server(tmp_path, seed=1, clock_start="2026-11-16T09:00:00Z") as server:
        account = server.create_account("ben", call_rate="0.02")
        with Client(server.url, account) as client:
            (ben,) = client.every_page("users")
    assert ben["url"] == f"{server.url}/rest-api/users/{ben['id']}/"


def test_a_server_that_cannot_start_says_why(tmp_path: Path) -> None:
    (tmp_path / "dialer.db").mkdir()
    with (
        pytest.raises(DemoError, match=r"the server did not start: it ended by itself, with exit status \d\n.*dialer"),
        running_server(tmp_path, seed=0, clock_start="2026-11-16T09:00:00Z"),
    ):
        pass
