"""The aims of campaigns: their purpose, their trade and their seller, and the filters by purpose."""

import pytest

from tests.api.builders import Estate
from tests.api.harness import Caller, Json


def said(caller: Caller, record: str) -> Json:
    return {name: caller.get(record)[name] for name in ("purpose", "sector", "seller")}


@pytest.mark.parametrize("path", ["campaigns", "sms-campaigns"])
def test_a_campaign_says_what_it_is_for_and_a_copy_says_it_too(alice: Caller, estate: Estate, path: str) -> None:
    of_texts = {"name": "notices", "sms_gateway": estate.sms_gateway["url"]}
    fields = estate.campaign_fields() if path == "campaigns" else of_texts
    plain = alice.create(path, **fields)
    assert said(alice, plain["url"]) == {"purpose": "", "sector": "", "seller": ""}
    named = {"purpose": "debt", "sector": "energy", "seller": "Example Energy"}
    alice.change(plain["url"], **named)
    copy = alice.create(f"{path}/{plain['id']}/copy")
    assert [said(alice, one["url"]) for one in (plain, copy)] == [named, named]


@pytest.mark.parametrize(("field", "value"), [("purpose", "fun"), ("purpose", None), ("sector", "retail")])
def test_a_purpose_and_a_trade_are_among_those_that_there_are(
    alice: Caller, estate: Estate, field: str, value: str | None
) -> None:
    status, errors = alice.refused("POST", "campaigns/", **{**estate.campaign_fields(), field: value})
    assert (status, list(errors)) == (400, [field])


def test_only_an_admin_says_emergency_and_the_audit_log_keeps_it(admin: Caller, alice: Caller, estate: Estate) -> None:
    campaign = alice.create("campaigns", **estate.campaign_fields())
    refusal = {"purpose": ["Only admins may set emergency. Ask one, or choose another purpose."]}
    assert alice.refused("PATCH", campaign["url"], purpose="emergency") == (400, refusal)
    new = {**estate.campaign_fields(), "purpose": "emergency"}
    assert alice.refused("POST", "campaigns/", **new) == (400, refusal)
    admin.change(campaign["url"], purpose="emergency")
    entry = admin.get("audit-log/?ordering=-id")["results"][0]
    assert (entry["action"], entry["actor"], entry["record_id"]) == ("change", "admin", campaign["id"])
    assert (entry["before"], entry["after"]) == ({"purpose": ""}, {"purpose": "emergency"})
    alice.change(campaign["url"], name="a new name")  # It may say so further on, and its copy may not begin to.
    assert alice.refused("POST", f"{campaign['url']}copy/") == (400, refusal)


@pytest.mark.usefixtures("estate")
def test_lists_and_statistics_are_filtered_by_purpose(alice: Caller, bob: Caller) -> None:
    """The estate has a voice campaign with a call, and one of text messages with a message, of purposes not said."""

    def found(path: str, purpose: str) -> list[int]:
        return [record["id"] for record in alice.get(f"{path}/", purpose=purpose)["results"]]

    def counted(caller: Caller, purpose: str) -> tuple[int, int]:
        answer = caller.get("statistics/", purpose=purpose, interval="day")
        return answer["totals"]["calls"], answer["subscribers"]["total"]

    before = [found(path, "") for path in ("campaigns", "sms-campaigns", "cdr", "sms-message")]
    assert all(before)
    assert (counted(alice, ""), counted(alice, "debt")) == ((0, 2), (0, 0))
    alice.change("campaigns/1/", purpose="survey")
    alice.change("sms-campaigns/2/", purpose="sales")
    after = [found("campaigns", "survey"), found("sms-campaigns", "sales"), found("cdr", "survey")]
    assert after == [[1], [2], before[2]]
    swapped = [found("campaigns", "sales"), found("sms-campaigns", "survey"), found("cdr", "sales")]
    assert swapped == [[], [], []]
    assert found("sms-message", "sales") + found("sms-message", "survey") == before[3]
    assert [counted(alice, purpose) for purpose in ("survey", "sales", "")] == [(0, 1), (0, 1), (0, 0)]
    assert counted(bob, "survey") == (0, 0)
    status, errors = alice.refused("GET", "statistics/?purpose=fun")
    assert (status, list(errors)) == (400, ["purpose"])
