"""A test of an invariant that is about to be broken, as seen through the API."""

import pytest
from litestar import Litestar
from litestar.testing import TestClient
from msgspec import structs

from dialer.domain.engine import engine
from dialer.domain.engine.credit import bill
from tests.api.harness import Caller
from tests.end_to_end.service import advance
from tests.end_to_end.test_storage import PEOPLE, called, start_campaign


def test_a_broken_rule_is_reported_and_a_start_lifts_the_pause(
    client: TestClient[Litestar], ann: Caller, admin: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Calls cost more than their hold: the campaign is paused, and the service stays ready and reports the rule."""
    url = start_campaign(ann, admin, 60)
    with monkeypatch.context() as patch:
        patch.setattr(engine, "bill", lambda *call: structs.replace(bill(*call), cost=10**9))
        advance(admin, 3_600)
        campaign = ann.get(url)
        assert (campaign["status"], campaign["status_reason"]) == (2, "invariant")
        waiting = ann.get("subscriber-list/20/")
        assert (waiting["status"], waiting["waits_for"]) == (1, "paused")
        assert client.get("/health/ready").json() == {"status": "ok"}
        assert 'dialer_invariants_broken_total{rule="I4"} ' in client.get("/metrics").text
        assert 'dialer_invariants_broken_total{rule="I4"} 0.0' not in client.get("/metrics").text
    ann.change(url, status=1)
    advance(admin, 3_600)
    campaign = ann.get(url)
    assert (campaign["status"], campaign["status_reason"]) == (4, "completed")
    assert called(ann) == PEOPLE
