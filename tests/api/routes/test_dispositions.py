"""Tests of the outcomes of calls in the words of their agents, over the API."""

from typing import Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import delete, select, update

from dialer.domain.words.enums import AgentDisposition, CallRequestStatus, CampaignStatus, SubscriberStatus
from dialer.store.database.database import Database
from dialer.store.tables import CallRequest, Campaign, DncContact, Subscriber
from tests.api.builders import Estate
from tests.api.harness import Caller
from tests.console.building import store

SAID = {
    "disposition": "not_interested",
    "word": "",
    "note": "Has a carrier.",
    "call_back_date": None,
    "same_agent": False,
}


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


def test_an_outcome_of_the_campaigns_own_needs_its_word(estate: Estate) -> None:
    path = f"callrequest/{estate.call_id}/disposition/"
    estate.owner.change(estate.campaign["url"], dispositions="Sold = success, Renewed = success, call_back")
    lacking = "The campaign has words of its own for it. Give one of these: Sold, Renewed."
    assert estate.owner.refused("PUT", path, disposition="success") == (400, {"word": [lacking]})
    status, errors = estate.owner.refused("PUT", path, disposition="other")
    assert (status, list(errors)) == (400, ["disposition"])
    said = estate.owner.request("PUT", path, json={"disposition": "success", "word": "Renewed"})
    assert (said.status_code, said.json()["word"]) == (200, "Renewed")


TIMES: Final = ("2026-11-18T18:00:00Z", "2026-11-19T09:00:00Z")
SAYINGS: Final = st.lists(
    st.one_of(
        st.sampled_from(TIMES).map(lambda at: {"disposition": "call_back", "call_back_date": at}),
        st.sampled_from(sorted(AgentDisposition)).map(lambda said: {"disposition": said}),
    ),
    max_size=6,
)


@pytest.mark.usefixtures("worker")
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(sayings=SAYINGS)
def test_a_person_who_completed_the_survey_has_completed_it_whatever_an_agent_says_before_success(
    estate: Estate, database: Database, sayings: list[dict[str, str]]
) -> None:
    """The subscriber and the counter of the campaign are as they were, and no call-back is left over."""
    subscriber_id, campaign_id = estate.subscriber["id"], estate.campaign["id"]
    start = {"status": CampaignStatus.START, "completed": 1}
    done = {"status": SubscriberStatus.COMPLETED, "count_attempt": 1, "due_ms": 0}
    store(
        database,
        delete(DncContact),
        update(CallRequest).values(status=CallRequestStatus.SUCCESS, ended_ms=1),
        update(Campaign).where(Campaign.id == campaign_id).values(**start, expirationdate=2**42),
        update(Subscriber).where(Subscriber.id == subscriber_id).values(done),
    )
    path = f"callrequest/{estate.call_id}/disposition/"
    for said in (*sayings, {"disposition": "success"}):
        assert estate.owner.request("PUT", path, json=said).status_code in {200, 409}
    row = database.read_now(
        lambda c: c.execute(
            select(Subscriber.status, Subscriber.due_ms, Campaign.completed)
            .join(Campaign, Campaign.id == Subscriber.campaign_id)
            .where(Subscriber.id == subscriber_id)
        ).one()
    )
    assert tuple(row) == (SubscriberStatus.COMPLETED, 0, 1)
