"""Tests of the changes of a survey that are undone and made again."""

import re
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dialer.app.campaigns.survey_changes import CHANGES_MAX
from dialer.store.queries.sealed_surveys import sealed_survey
from tests.api.harness import Caller
from tests.console import building
from tests.console.building import HOSTILE
from tests.console.survey_building import branches, build, change, order, rows, sections
from tests.console.visitor import Visitor, words


@pytest.fixture
def survey(api: Caller) -> int:
    """Create a survey with a message, a question and an end, without branches, and return its id."""
    return build(api)[0]


def test_changes_are_undone_and_made_again_also_after_a_reload(alice: Visitor, api: Caller, survey: int) -> None:
    first = rows(api, survey)
    assert "Undo :" not in alice.text(f"surveys/{survey}/")
    change(alice, survey, "branches/", section="1", keys="0", goto="2")
    connected = rows(api, survey)
    change(alice, survey, "sections/2/delete/")
    deleted = rows(api, survey)
    assert "Undo : Delete Tea?" in alice.text(f"surveys/{survey}/")
    assert change(alice, survey, "undo/", section="2") == "?section=2"
    assert "Undo : Connect Hello Redo : Delete Tea?" in alice.text(f"surveys/{survey}/")
    assert rows(api, survey) == connected
    assert change(alice, survey, "redo/", section="2") == ""
    assert rows(api, survey) == deleted
    for _ in range(2):
        change(alice, survey, "undo/")
    assert rows(api, survey) == first
    nothing = alice.send(f"surveys/{survey}/undo/")
    assert (nothing.status_code, "There is nothing to undo." in words(nothing.text)) == (409, True)
    change(alice, survey, "order/", order="3,2,1")
    assert "Redo :" not in alice.text(f"surveys/{survey}/")
    assert alice.send(f"surveys/{survey}/redo/").status_code == 409


def test_a_change_that_changes_nothing_cannot_be_undone(alice: Visitor, survey: int) -> None:
    alice.get(f"surveys/{survey}/")
    change(alice, survey, "order/", order="1,2,3")
    assert alice.send(f"surveys/{survey}/undo/").status_code == 409


def test_what_others_change_meanwhile_comes_back_with_a_redo(alice: Visitor, api: Caller, survey: int) -> None:
    alice.get(f"surveys/{survey}/")
    first = rows(api, survey)
    change(alice, survey, "order/", order="3,2,1")
    api.change("section-template/1/", script="By another program")
    mixed = rows(api, survey)
    change(alice, survey, "undo/")
    assert rows(api, survey) == first
    change(alice, survey, "redo/")
    assert rows(api, survey) == mixed


def test_the_last_changes_are_kept(alice: Visitor, api: Caller, survey: int) -> None:
    alice.get(f"surveys/{survey}/")
    for number in range(CHANGES_MAX + 2):
        change(alice, survey, "branches/", section="1", keys="0", goto=str(number % 3 + 1))
    undone = 0
    while alice.send(f"surveys/{survey}/undo/").status_code == 303:
        undone += 1
    assert undone == CHANGES_MAX >= 20
    assert branches(api) == {("1", "0"): "2"}


def test_a_queue_that_is_gone_does_not_come_back(alice: Visitor, admin: Visitor, api: Caller, survey: int) -> None:
    queue = api.create("queue", name="Sales")
    api.change("section-template/3/", type=6, queue=queue["url"], script="One moment")
    alice.get(f"surveys/{survey}/")
    change(alice, survey, "sections/3/delete/")
    assert api.request("DELETE", f"queue/{queue['id']}/").status_code == 204
    change(alice, survey, "undo/")
    assert (sections(api, survey)[2]["queue"], sections(api, survey)[2]["script"]) == (None, "One moment")
    admin.get("account/")
    api_admin = Caller(api.client, "admin")
    api_admin.change(f"survey-template/{survey}/", user="/rest-api/users/3/")
    assert "Redo :" not in admin.text(f"surveys/{survey}/")
    assert admin.send(f"surveys/{survey}/redo/").status_code == 409  # The new owner does not see the old one's texts.


def test_a_started_campaign_keeps_its_survey(alice: Visitor, api: Caller) -> None:
    campaign = building.campaign(api)
    survey = int(api.get(f"campaigns/{campaign}/")["object_id"])

    def sealed() -> Any:  # noqa: ANN401 - a survey
        return alice.client.app.state.service.database.read_now(lambda connection: sealed_survey(connection, campaign))

    alice.get(f"surveys/{survey}/")
    before = sealed()
    assert before is not None
    change(alice, survey, "sections/1/delete/")
    change(alice, survey, "undo/")
    change(alice, survey, "redo/")
    assert (sealed(), order(api, survey)) == (before, [])


EDITS = st.lists(
    st.one_of(
        st.tuples(st.just("insert"), st.integers(0, 9), st.integers(1, 10)),
        st.tuples(st.just("delete"), st.integers(0, 9), st.just(0)),
        st.tuples(st.just("connect"), st.integers(0, 9), st.integers(0, 9)),
        st.tuples(st.just("save"), st.integers(0, 9), st.integers(1, 10)),
        st.tuples(st.just("order"), st.integers(0, 9), st.just(0)),
    ),
    max_size=10,
)


def edit(alice: Visitor, api: Caller, survey: int, what: str, which: int, other: int) -> bool:
    """Change a survey as its page offers it, and return whether anything could be changed."""
    ids = [str(one["id"]) for one in sections(api, survey)]
    if not ids:
        return alice.send(f"surveys/{survey}/sections/", after="start", type=str(other or 1)).status_code == 303
    one, goto = ids[which % len(ids)], ids[other % len(ids)]
    offered = re.findall(rf"after={one}&amp;keys=([^\"#]+)#", alice.get(f"surveys/{survey}/"))
    keys = offered[which % len(offered)] if offered else "0"
    path, fields = {
        "insert": ("sections/", {"after": one, "keys": keys, "type": str(other)}),
        "delete": (f"sections/{one}/delete/", {}),
        "connect": ("branches/", {"section": one, "keys": keys, "goto": goto}),
        "save": (f"sections/{one}/", {"question": f"{HOSTILE} {other}", "type": str(other), "script": HOSTILE}),
        "order": ("order/", {"order": ",".join([one, *(x for x in ids if x != one)])}),
    }[what]
    answer = alice.send(f"surveys/{survey}/{path}", **fields)
    assert answer.status_code == 303, (path, fields, words(answer.text))
    return True


@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(edits=EDITS)
def test_as_many_undos_as_edits_give_the_first_survey_back_and_as_many_redos_the_last(
    alice: Visitor, api: Caller, edits: list[tuple[str, int, int]]
) -> None:
    survey, _ = build(api)
    states = [rows(api, survey)]
    for one in edits:
        edit(alice, api, survey, *one)
        now = rows(api, survey)
        states += [now] if now != states[-1] else []
    alice.get(f"surveys/{survey}/")
    for state in reversed(states[:-1]):
        change(alice, survey, "undo/")
        assert rows(api, survey) == state
    assert alice.send(f"surveys/{survey}/undo/").status_code == 409
    for state in states[1:]:
        change(alice, survey, "redo/")
        assert rows(api, survey) == state
