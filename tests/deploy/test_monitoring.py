"""Tests of the alerts and the dashboard: they are valid, and name metrics that the service has."""

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import httpx
import pytest

from dialer.api.http.worker_metrics import VitalMetrics
from dialer.runtime.steps.process_health import Durations, GatewayShare, Membership, ProcessHealth
from tests.gateways import FIRST
from tests.optional_tools import find_tool
from tests.patience import ANSWER_S_MAX
from tests.test_server import ADMIN, serving

DEPLOY: Final = Path(__file__).parents[2] / "deploy"
PROMETHEUS: Final = DEPLOY / "prometheus"
DASHBOARD: Final[dict[str, Any]] = json.loads((DEPLOY / "grafana" / "dialer.json").read_text("utf-8"))
METRIC: Final = re.compile(r"\bdialer_[a-z_]+\b")


def promtool(*arguments: str) -> None:
    done = subprocess.run(
        [find_tool("promtool"), *arguments], cwd=PROMETHEUS, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    "arguments", ["check config prometheus.yml", "check rules dialer.rules.yml", "test rules dialer.tests.yml"]
)
def test_prometheus_finds_nothing_wrong(arguments: str) -> None:
    promtool(*arguments.split())


def test_every_alert_is_tested() -> None:
    alerts = re.findall(r"- alert: (\w+)", (PROMETHEUS / "dialer.rules.yml").read_text("utf-8"))
    tests = (PROMETHEUS / "dialer.tests.yml").read_text("utf-8")
    assert len(alerts) > 5
    assert [alert for alert in alerts if f"alertname: {alert}\n        exp_alerts:\n          -" not in tests] == []


def test_every_alert_is_explained() -> None:
    alerts = re.findall(r"- alert: (\w+)", (PROMETHEUS / "dialer.rules.yml").read_text("utf-8"))
    page = (DEPLOY.parent / "docs" / "operate" / "monitoring.md").read_text("utf-8")
    assert re.findall(r"^\| `(Dialer\w+)` \|", page, re.MULTILINE) == alerts


def expressions() -> Iterator[tuple[str, str]]:
    """Yield the expressions of the dashboard, each with the title of its panel."""
    for panel in DASHBOARD["panels"]:
        for target in panel["targets"]:
            yield panel["title"], target["expr"]
    for variable in DASHBOARD["templating"]["list"]:
        if variable["type"] == "query":
            yield variable["name"], variable["query"]


def metrics_of_a_worker() -> set[str]:
    """Return the names of the metrics that a worker has beside others, and the API that waits for it."""
    member = Membership("w1", 1, shards=64, lease_left_ms=15_000, takeovers={}, fenced=0)
    now = ProcessHealth(
        steps=Durations(),
        answers=Durations(),
        late_ms=0,
        gateways=(GatewayShare(FIRST, 1, 1, 1, 1),),
        membership=member,
    )
    return {sample.name for family in VitalMetrics(lambda: now).collect() for sample in family.samples}


def test_alerts_and_dashboard_name_metrics_that_the_service_has(tmp_path: Path) -> None:
    with serving(tmp_path, **ADMIN) as served:
        served.client.get("clock/")
        shown = httpx.get(served.base.replace("/rest-api/", "/metrics"), trust_env=False, timeout=ANSWER_S_MAX).text
    present = {re.split(r"[{ ]", line)[0] for line in shown.splitlines() if not line.startswith("#")}
    present |= set(re.findall(r"^# TYPE (\w+) ", shown, re.MULTILINE)) | metrics_of_a_worker()
    for title, expression in expressions():
        used = METRIC.findall(expression)
        assert used, title
        assert set(used) <= present, title
    rules = (PROMETHEUS / "dialer.rules.yml").read_text("utf-8")
    used = METRIC.findall(" ".join(line for line in rules.splitlines() if "docs/" not in line))
    assert len(used) > 5
    assert set(used) <= present


def test_prometheus_can_read_every_expression_of_the_dashboard(tmp_path: Path) -> None:
    """Grafana replaces its own variables before it sends an expression."""
    rules = [
        {"record": f"panel:{number}", "expr": text.replace("$__rate_interval", "5m").replace("$instance", ".*")}
        for number, (_, text) in enumerate(expressions())
        if "label_values" not in text
    ]
    file = tmp_path / "dashboard.yml"
    file.write_text(json.dumps({"groups": [{"name": "dashboard", "rules": rules}]}))  # JSON is YAML, too.
    promtool("check", "rules", str(file))


def test_panels_do_not_overlap() -> None:
    taken: set[tuple[int, int]] = set()
    for panel in DASHBOARD["panels"]:
        place = panel["gridPos"]
        cells = {
            (x, y)
            for x in range(place["x"], place["x"] + place["w"])
            for y in range(place["y"], place["y"] + place["h"])
        }
        assert not cells & taken, panel["title"]
        taken |= cells
