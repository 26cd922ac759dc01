"""Tests of `dialer fleet`, and of the commands that share a service."""

import json

from tests.commands.conftest import Run


def test_a_service_that_is_not_shared_has_no_workers(run: Run) -> None:
    run("database", "upgrade", "--create")
    assert run("fleet") == (0, "0 workers share this service.\n", "")
    code, out, _ = run("fleet", "--json")
    assert (code, json.loads(out)) == (0, {"workers": []})


def test_without_a_database_nothing_starts(run: Run) -> None:
    for command in ("api", "worker", "fleet"):
        outcome = run(command)
        assert outcome[:2] == (1, "")
        assert outcome.told[0].startswith("there is no database at ")


def test_only_the_real_clock_is_shared(run: Run) -> None:
    run("database", "upgrade", "--create")
    for command in ("api", "worker"):
        outcome = run(command, DIALER_CLOCK="virtual")
        assert (outcome.code, outcome.told) == (1, ["DIALER_CLOCK is 'virtual': several processes need 'real'"])


def test_an_address_without_a_port_is_refused(run: Run) -> None:
    code, _, err = run("worker", "--listen", "8001")
    assert code == 2
    assert "'8001' is not HOST:PORT, such as 127.0.0.1:8001" in err
