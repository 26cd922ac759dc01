"""Tests of the archive that proves a campaign over the API and the console: who gets it, one at a time, and noted."""

import io
import json
import zipfile
from hashlib import sha256
from typing import Any

import pytest
from litestar import Litestar
from litestar.testing import TestClient

from dialer.api.service import SERVICE, Service
from dialer.app.campaigns import proof
from dialer.domain.formats.proof_check import check_proof
from tests.api.builders import Estate
from tests.api.harness import Caller
from tests.api.team import AGENT, VIEWER, hire

PROBLEM = {"Accept": "application/problem+json"}


def unpack(answer: Any) -> dict[str, bytes]:  # noqa: ANN401 - an answer
    assert answer.status_code == 200, answer.text
    content = answer.content
    assert check_proof(lambda offset, count: content[offset : offset + count], len(content)).faults == []
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_the_archives_of_a_campaign_of_calls_and_of_one_of_texts(alice: Caller, admin: Caller, estate: Estate) -> None:
    for path, campaign in (("campaigns", estate.campaign), ("sms-campaigns", estate.sms_campaign)):
        answer = alice.request("GET", f"{campaign['url']}proof/")
        members = unpack(answer)
        said = json.loads(members["campaign.ndjson"].splitlines()[0])
        assert (said["id"], said["name"]) == (campaign["id"], campaign["name"])
        assert answer.headers["content-disposition"].endswith(f'"campaign-{campaign["id"]}-proof.zip"')
        (entry,) = admin.get("audit-log/", action="campaign_proved", record_id=campaign["id"])["results"]
        digest = sha256(members["manifest.json"]).hexdigest()
        assert (entry["resource"], entry["actor"], entry["after"]["manifest_sha256"]) == (path, "alice", digest)


def test_the_calls_in_it_are_those_of_the_campaign(alice: Caller, estate: Estate) -> None:
    members = unpack(alice.request("GET", f"{estate.campaign['url']}proof/"))
    callids = {json.loads(line)["callid"] for line in members["calls.ndjson"].splitlines()}
    listed = alice.get("cdr/", campaign_id=estate.campaign["id"], leg_type=1)["results"]
    assert callids >= {one["callid"] for one in listed}


def test_readers_of_the_account_get_it_and_nobody_else(
    client: TestClient[Litestar], alice: Caller, bob: Caller, estate: Estate
) -> None:
    people, path = hire(client, estate), f"{estate.campaign['url']}proof/"
    lines = unpack(people[VIEWER].request("GET", path))["recordings.ndjson"].splitlines()
    kinds = {json.loads(line)["kind"] for line in lines}
    assert "call" not in kinds, "a viewer may hear no recordings of calls"
    assert people[AGENT].request("GET", path).status_code == 403
    assert bob.request("GET", path).status_code == 404
    head = alice.request("HEAD", path)
    assert (head.status_code, head.content) == (200, b"")


def test_an_account_has_one_made_at_a_time_and_others_are_served(
    client: TestClient[Litestar], alice: Caller, admin: Caller, estate: Estate
) -> None:
    service: Service = client.app.state[SERVICE]
    path = f"{estate.campaign['url']}proof/"
    with service.proof_places.take(estate.user_id, estate.user_id):
        refused = alice.request("GET", path)
        assert (refused.status_code, "being made already" in refused.json()["detail"]) == (429, True)
        assert admin.request("GET", path).status_code == 200
    assert alice.request("GET", path).status_code == 200


def test_a_campaign_with_too_many_calls_is_refused(
    alice: Caller, estate: Estate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proof, "ATTEMPTS_MAX", -1)
    refused = alice.request("GET", f"{estate.campaign['url']}proof/", headers=PROBLEM)
    assert (refused.status_code, refused.json()["code"]) == (409, "limit_reached")
