"""Tests of deletions while a callee of one campaign calls back into another."""

from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import pytest

from dialer.store.database.database import Database
from dialer.store.reconciliation.reconcile import audit
from tests.api.harness import Caller
from tests.end_to_end.service import advance

CALLEE: Final = "+12025550140"
SHOWN: Final = "+12025550199"
ALL_ANSWER: Final = {"answer": 1, "machine": 0, "busy": 0, "rejected": 0, "invalid": 0, "ring": 2, "talk": 200}
MISSES: Final = ALL_ANSWER | {"numbers": {CALLEE: {"outcome": "no_answer", "call_back_after": 10}}}
"""A gateway whose callees miss a call of 5 s and call back at 15 s. All others answer."""
TRANSFER: Final = {"type": 6, "question": "Wait", "phonenumber": "+33199009999"}
TEXT: Final = {"type": 10, "question": "Text", "sms_text": "We have called you"}


def campaign(ann: Caller, *sections: dict[str, Any], **fields: object) -> dict[str, Any]:
    """Create a campaign that shows the number; each section leads to the next."""
    survey = ann.create("survey-template", name="survey")
    made = [
        ann.create("section-template", survey=survey["url"], order=order, **section)
        for order, section in enumerate(sections, 1)
    ]
    for one, following in pairwise(made):
        ann.create("branching-template", section=one["url"], keys="0", goto=following["url"])
    common = {"callerid": SHOWN, "calltimeout": 5, "object_id": str(survey["id"])}
    return dict(ann.create("campaigns", name="campaign", **common, **fields))


def called_back(ann: Caller, admin: Caller, last: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Run a campaign whose only callee calls back at 15 s, into another campaign. Return it and its phonebook."""
    hello = {"type": 1, "question": "Hello", "script": "one two three"}
    common = {
        "aleg_gateway": admin.create("gateway", name="sim", parameters=MISSES)["url"],
        "sms_gateway": admin.create("sms-gateway", name="texts", parameters={"sms_delivered": 1})["url"],
    }
    phonebook = ann.create("phonebook", name="callees")
    ann.create("contact", phonebook=phonebook["url"], contact=CALLEE)
    missed = campaign(ann, hello, **common, phonebook=[phonebook["url"]])
    answering = campaign(ann, hello, last, **common)
    did = ann.create("did", did_number=SHOWN, campaign=answering["url"])
    admin.change(did["url"], is_assigned=True)
    for one in (answering, missed):
        ann.change(one["url"], status=1)
    return missed, phonebook


@pytest.mark.parametrize(
    ("last", "at_s", "of_campaign", "of_subscriber"),
    [
        (
            TRANSFER,
            30,
            "The campaign has calls in progress. Delete it when they are over.",
            "The subscriber is in a call. Try again when the call is over.",
        ),
        (
            TEXT,
            18,
            "The campaign has messages on their way. Delete it when they are delivered.",
            "A text message to the subscriber is on its way. Try again when it is delivered.",
        ),
    ],
)
def test_a_subscriber_who_is_busy_in_another_campaign_is_not_deleted(
    ann: Caller, admin: Caller, tmp_path: Path, last: dict[str, Any], at_s: int, of_campaign: str, of_subscriber: str
) -> None:
    """Their phonebook may be deleted: the callee is not called again, and the call in progress continues."""
    missed, phonebook = called_back(ann, admin, last)
    advance(admin, at_s)
    (subscriber,) = ann.request("GET", "subscriber-list/").json()
    assert ann.refused("DELETE", missed["url"]) == (409, {"detail": of_campaign})
    assert ann.refused("DELETE", subscriber["url"]) == (409, {"detail": of_subscriber})
    assert ann.request("DELETE", phonebook["url"]).status_code == 204
    advance(admin, 600)
    requests = ann.get("callrequest/")["results"]
    assert [(one["attempt"], one["status"]) for one in requests] == [(1, 2), (-1, 4)]
    assert ann.request("DELETE", missed["url"]).status_code == 200
    advance(admin, 600)
    assert admin.request("GET", "/health/ready").status_code == 200
    with closing(Database(f"sqlite+aiosqlite:///{tmp_path / 'dialer.db'}")) as database:
        assert database.read_now(audit).differences == []
