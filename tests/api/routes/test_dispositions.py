"""Tests of the outcomes of calls in the words of their agents, over the API."""

from tests.api.builders import Estate
from tests.api.harness import Caller

SAID = {"disposition": "not_interested", "note": "Has a carrier.", "call_back_date": None}


def test_an_outcome_is_set_read_and_exported_and_only_where_the_call_is_seen(estate: Estate) -> None:
    stranger = Caller(estate.owner.client, "bob")
    path = f"callrequest/{estate.call_id}/disposition/"
    before = estate.owner.get(f"callrequest/{estate.call_id}/")
    assert estate.owner.request("GET", path).status_code == 404
    for wrong, field in (
        ({}, "disposition"),
        ({"disposition": "rich"}, "disposition"),
        ({"disposition": "other", "note": "x" * 1_001}, "note"),
        ({"disposition": "call_back", "call_back_date": "tomorrow"}, "call_back_date"),
        ({"disposition": "call_back", "call_back_date": "2001-01-01T00:00:00Z"}, "call_back_date"),
    ):
        answer = estate.owner.request("PUT", path, json=wrong)
        assert (answer.status_code, list(answer.json())) == (400, [field])
    said = estate.owner.request("PUT", path, json=SAID)
    assert (said.status_code, said.json()) == (200, SAID)
    assert estate.owner.get(path) == SAID
    assert estate.owner.get(f"callrequest/{estate.call_id}/") == before
    assert stranger.request("PUT", path, json=SAID).status_code == 404
    assert stranger.request("GET", path).status_code == 404
    assert "not_interested" in estate.owner.request("GET", "cdr/?format=csv").text
