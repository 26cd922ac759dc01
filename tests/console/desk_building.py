"""A served call centre with one agent at the desk, whose callees are simulated and talk until somebody hangs up."""

import re
from typing import Any, Final

from playwright.sync_api import Page

from tests.test_server import PASSWORD, Served

CLOCK: Final = {"DIALER_CLOCK": "virtual", "DIALER_CLOCK_START": "2026-01-30T09:00:00Z"}
AGENT: Final = "ida"
PEOPLE: Final = ("Ada Byron", "Grace Hopper", "Joan Clarke", "Mary Lee", "Ann Day", "Eve Fox", "Pam Roe", "Sue Low")


def create(served: Served, path: str, **fields: Any) -> Any:  # noqa: ANN401 - JSON
    """Create a record, and return it."""
    answer = served.client.post(f"{path}/", json=fields)
    assert answer.status_code == 201, answer.text
    return answer.json()


def furnish(served: Served, *, queue: dict[str, Any] | None = None, **campaign: Any) -> int:  # noqa: ANN401 - fields
    """Create the call centre, start its campaign, and return the id of the campaign."""
    user = create(served, "users", username=AGENT, password=PASSWORD, role="agent", manager="/rest-api/users/1/")
    agent = create(served, "agent", name="Ida", login=user["url"], parameters={"person": True, "answer": 1})
    line = create(served, "queue", name="Sales", **(queue or {}))
    create(served, "tier", queue=line["url"], agent=agent["url"])
    survey = create(served, "survey-template", name="Sales")
    create(served, "section-template", survey=survey["url"], type=6, question="Sales", queue=line["url"])
    book = create(served, "phonebook", name="Callees")
    for place, name in enumerate(PEOPLE):
        create(served, "contact", phonebook=book["url"], contact=f"+120255503{place:02}", full_name=name)
    nobody = dict.fromkeys(("busy", "rejected", "invalid", "congestion", "machine"), 0)
    parameters = {"answer": 1, **nobody, "ring": 2, "patience": 3_600}
    gateway = create(served, "gateway", name="Callees", protocol="sim", parameters=parameters)
    fields = {"dial_method": 2, "callmaxduration": 3_600, **campaign}
    made = create(
        *(served, "campaigns"),
        name="Sales",
        callerid="+12025550199",
        object_id=str(survey["id"]),
        aleg_gateway=gateway["url"],
        phonebook=[book["url"]],
        **fields,
    )
    served.client.patch(f"campaigns/{made['id']}/", json={"status": 1}).raise_for_status()
    return int(made["id"])


def go_on(served: Served, seconds: int) -> None:
    """Move the clock on."""
    served.client.post("clock/advance/", json={"seconds": seconds}).raise_for_status()


def call_now(served: Served) -> int:
    """Return the id of the only call in progress."""
    (one,) = [call for call in served.client.get("callrequest/").json()["results"] if call["status"] == 7]
    return int(one["id"])


def sign_in(page: Page, username: str = AGENT) -> None:
    """Sign in on the page that asks for it."""
    page.get_by_label("User name").fill(username)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(re.compile("/console/desk/?$"))
