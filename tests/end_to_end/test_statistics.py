"""Tests of statistics through the API."""

from typing import Any

from tests.api.harness import Caller
from tests.end_to_end.service import advance
from tests.end_to_end.test_messages import campaign as sms_campaign


def voice_campaign(ann: Caller, admin: Caller, **fields: object) -> dict[str, Any]:
    """Create and start a campaign that calls eight numbers, one a minute; all answer and listen."""
    phonebook = ann.create("phonebook", name="friends")
    for last in range(8):
        ann.create("contact", phonebook=phonebook["url"], contact=f"+1202555100{last}")
    survey = ann.create("survey-template", name="hello")
    ann.create("section-template", survey=survey["url"], type=1, question="hello", script="hello", completed=True)
    behaviour = {"answer": 1, "machine": 0, "busy": 0, "rejected": 0, "invalid": 0, "ring": 4, "listen": 1}
    gateway = admin.create("gateway", name="sim", parameters=behaviour)
    made = ann.create(
        "campaigns",
        **{
            "name": "calls",
            "callerid": "+12025550199",
            "aleg_gateway": gateway["url"],
            "phonebook": phonebook["url"],
            "content_type": "survey_template",
            "object_id": survey["id"],
            "frequency": 1,
            **fields,
        },
    )
    ann.change(made["url"], status=1)
    return dict(made)


def test_statistics_of_a_campaign_of_calls(ann: Caller, admin: Caller) -> None:
    admin.create("payment", user="/rest-api/users/2/", amount="10")
    made = voice_campaign(ann, admin)
    advance(admin, 150)
    found = ann.get(f"campaigns/{made['id']}/statistics/", interval="day", timezone="America/New_York")
    totals = found["totals"]
    names = ("calls", "answered", "live_answered", "completed", "asr", "contact_rate", "completion_rate", "pdd")
    assert [totals[name] for name in names] == [3, 3, 3, 3, 100.0, 100.0, 100.0, 1.0]
    assert (totals["cost"], totals["cost_per_completion"], totals["answer_delay"]) == ("0.06000", "0.02000", 5.0)
    assert (totals["abandoned_of"], totals["abandoned_percent"], totals["delivery_rate"]) == (0, None, None)
    assert found["subscribers"]["by_state"] == [
        {"status": 1, "status_reason": "", "subscribers": 5},
        {"status": 8, "status_reason": "", "subscribers": 3},
    ]
    assert [found["subscribers"][name] for name in ("total", "attempted", "list_penetration")] == [8, 3, 37.5]
    assert found["outcomes"] == [
        {"outcome": "16", "calls": 3, "percent": 100.0, "transfers": 0, "inbound": 0, "messages": 0}
    ]
    assert found["now"] == {
        "calls": 0,
        "waiting": 0,
        "talking": 0,
        "calls_a_minute": 1,
        "agents": {"available": 0, "talking": 0, "wrapping_up": 0, "on_break": 0, "logged_out": 0},
    }
    # The day of the first call in New York begins five hours after that of UTC.
    day = {"starting_date": "2026-03-02T05:00:00Z", "group": None, "disposition_word": None}
    assert found["rows"] == [{**day, "figures": totals}]


def test_rows_by_group_and_hour(ann: Caller, admin: Caller) -> None:
    admin.create("payment", user="/rest-api/users/2/", amount="10")
    made = voice_campaign(ann, admin)
    advance(admin, 90)
    path = f"campaigns/{made['id']}/statistics/"

    def groups(**asked: str) -> list[tuple[str | None, str | None, int]]:
        rows = ann.get(path, **asked)["rows"]
        return [(row["starting_date"], row["group"], row["figures"]["calls"]) for row in rows]

    assert groups() == []
    assert groups(interval="hour") == [("2026-03-02T12:00:00Z", None, 2)]
    assert groups(group_by="zone") == [(None, "America/New_York", 2)]
    assert groups(group_by="attempt", interval="hour") == [("2026-03-02T12:00:00Z", "1", 2)]
    assert [group for _, group, _ in groups(group_by="phonebook")] == [ann.get("phonebook/")["results"][0]["url"]]
    assert [group for _, group, _ in groups(group_by="gateway")] == [ann.get("gateway/")["results"][0]["url"]]
    assert groups(group_by="agent") == []
    assert groups(interval="hour", starting_date_after="2026-03-02T13:00:00Z") == []
    assert len(groups(interval="hour", starting_date_before="2026-03-02T12:00:00Z")) == 1


def test_statistics_of_text_messages_and_of_all_campaigns(ann: Caller, admin: Caller) -> None:
    admin.create("payment", user="/rest-api/users/2/", amount="10")
    made = sms_campaign(ann, admin, "+12025551000", "+12025551001", "+12025550131")
    ann.change(made["url"], status=1)
    advance(admin, 60)
    found = ann.get(f"sms-campaigns/{made['id']}/statistics/")
    names = ("calls", "messages", "delivered", "delivery_rate", "message_parts", "cost")
    assert [found["totals"][name] for name in names] == [0, 3, 2, 66.67, 3, "0.10000"]
    everything = ann.get("statistics/")
    assert everything["campaign"] is None
    assert everything["totals"] == found["totals"] == admin.get("statistics/")["totals"]
    assert ann.request("DELETE", made["url"]).status_code == 200
    assert ann.get("statistics/")["totals"] == found["totals"]
    assert ann.get("statistics/")["subscribers"]["total"] == 0
    assert ann.refused("GET", f"sms-campaigns/{made['id']}/statistics/")[0] == 404


def test_wrong_questions_are_refused_by_parameter(ann: Caller) -> None:
    asked = "interval=week&group_by=moon&timezone=Mars%2FBase&starting_date_after=never"
    status, body = ann.refused("GET", f"statistics/?{asked}")
    assert status == 400
    assert sorted(body) == ["group_by", "interval", "starting_date_after", "timezone"]
    assert body["interval"] == ["'week' is not an interval. Use hour or day."]


def test_a_break_has_a_reason_until_it_ends(ann: Caller) -> None:
    agent = ann.create("agent", name="Zoe", status=2)
    ann.change(agent["url"], status=4, break_reason="lunch")
    assert ann.get(agent["url"])["break_reason"] == "lunch"
    assert ann.get("statistics/")["now"]["agents"]["on_break"] == 1
    ann.change(agent["url"], status=2)
    assert ann.get(agent["url"])["break_reason"] == ""
    ann.change(agent["url"], break_reason="tea")
    assert ann.get(agent["url"])["break_reason"] == ""
    assert ann.create("agent", name="Yan", status=1, break_reason="tea")["break_reason"] == ""
    assert ann.get("statistics/")["now"]["agents"]["available"] == 1
