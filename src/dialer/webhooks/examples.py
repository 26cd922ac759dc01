"""An example of each type of events, for receivers that are tried out."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple


class ExampleEvent(NamedTuple):
    """The record that an event is about, and its data without links."""

    subject: str
    data: Mapping[str, Any]


_CALL: Final = {"campaign": 1, "call": 7, "subscriber": 3, "attempt": 1, "is_inbound": False}
_MESSAGE: Final = {"campaign": 2, "message": 9, "subscriber": 4, "attempt": 1, "is_inbound": False}
_ENDED: Final = {"state": "answered", "cause": 16, "seconds": 42, "cost": 1_400, "currency": "EUR"}
_CAMPAIGN: Final = "campaigns/1"
_CALLED: Final = "callrequest/7"
_TEXTED: Final = "sms-message/9"
EXAMPLES: Final[Mapping[str, ExampleEvent]] = {
    "agent.status": ExampleEvent("agent/5", {"agent": 5, "state": "available"}),
    "balance.low": ExampleEvent("users/1", {"balance": 480_000, "low_balance": 500_000, "currency": "EUR"}),
    "call.answered": ExampleEvent(_CALLED, {**_CALL, "state": "answered"}),
    "call.ended": ExampleEvent(_CALLED, {**_CALL, **_ENDED}),
    "call.started": ExampleEvent(_CALLED, {**_CALL, "state": "in_progress"}),
    "call.taken": ExampleEvent(_CALLED, {**_CALL, "agent": 5, "state": "taken"}),
    "campaign.aborted": ExampleEvent(_CAMPAIGN, {"campaign": 1, "state": "aborted"}),
    "campaign.ended": ExampleEvent(_CAMPAIGN, {"campaign": 1, "state": "ended", "reason": "completed"}),
    "campaign.paused": ExampleEvent(_CAMPAIGN, {"campaign": 1, "state": "paused", "reason": "no_credit"}),
    "campaign.started": ExampleEvent(_CAMPAIGN, {"campaign": 1, "state": "started"}),
    "disposition.saved": ExampleEvent(_CALLED, {"campaign": 1, "call": 7}),
    "dnc.added": ExampleEvent("dnc-contact/8", {"dnc_list": 6, "entry": 8}),
    "dnc.imported": ExampleEvent("dnc-list/6", {"dnc_list": 6, "count": 250}),
    "forecast.finished": ExampleEvent(_CAMPAIGN, {"campaign": 1}),
    "gateway.down": ExampleEvent("gateway/1", {"gateway": 1, "state": "down"}),
    "gateway.up": ExampleEvent("gateway/1", {"gateway": 1, "state": "up"}),
    "import.finished": ExampleEvent(
        "phonebook/4", {"phonebook": 4, "imported": 1_000, "duplicates": 12, "rejected": 3}
    ),
    "message.delivered": ExampleEvent(_TEXTED, {**_MESSAGE, "state": "delivered", "cost": 500, "currency": "EUR"}),
    "message.failed": ExampleEvent(_TEXTED, {**_MESSAGE, "state": "failed", "cost": 0, "currency": "EUR"}),
    "message.received": ExampleEvent("sms-campaigns/2", {"campaign": 2, "state": "stop"}),
    "message.sent": ExampleEvent(_TEXTED, {**_MESSAGE, "state": "in_progress"}),
    "recording.stored": ExampleEvent("call-recording/3", {"call_recording": 3, "campaign": 1, "call": 7}),
    "report.ready": ExampleEvent(
        "report-schedule/3",
        {
            "campaign": 1,
            "schedule": 3,
            "name": "Board, each morning",
            "report": "answers",
            "starting_date": None,
            "ending_date": "2026-11-18T08:00:00Z",
            "url": "https://dialer.example/console/shared/8jOqkB9bcyTTHdkMz1QjS0XJ3pQXGzqj2oMGz0Hdc6A/",
            "url_expires": "2026-12-02T08:00:00Z",
        },
    ),
    "subscriber.completed": ExampleEvent("subscriber-list/3", {"campaign": 1, "subscriber": 3, "state": "completed"}),
    "subscriber.failed": ExampleEvent(
        "subscriber-list/3", {"campaign": 1, "subscriber": 3, "state": "fail", "reason": "no_answer"}
    ),
    "webhook.disabled": ExampleEvent("webhook/2", {"state": "off", "reason": "failing"}),
}
_SHOWN: Final = datetime(2026, 11, 18, 11, 6, 40, tzinfo=UTC)
_LINKED: Final = {
    "call": "callrequest",
    "message": "sms-message",
    "subscriber": "subscriber-list",
    "agent": "agent",
    "dnc_list": "dnc-list",
    "entry": "dnc-contact",
    "schedule": "report-schedule",
}
_SUBJECTS: Final = {
    **{path: member for member, path in _LINKED.items()},
    "campaigns": "campaign",
    "sms-campaigns": "campaign",
    "gateway": "gateway",
    "phonebook": "phonebook",
}
"""The member of the data that holds the id of a subject, by the path of the subject."""
_NOTHING: Final[Mapping[str, Any]] = {}


def example_event(
    kind: str, event_id: str, source: str, now: datetime, given: Mapping[str, Any] = _NOTHING
) -> dict[str, Any]:
    """Return an event of a type as a receiver gets it; `source` is the address of the API, `now` an aware moment.

    The members `given` replace those of the example's data. The links and the subject follow their ids.
    """
    example = EXAMPLES[kind]
    data = {**example.data, **given}
    links = {name: f"{source}{path}/{data[name]}/" for name, path in _LINKED.items() if data.get(name) is not None}
    path, _, record_id = example.subject.partition("/")
    subject = f"{path}/{data.get(_SUBJECTS.get(path, ''), record_id)}"
    return {
        "specversion": "1.0",
        "id": event_id,
        "source": source,
        "type": kind,
        "subject": subject,
        "time": f"{now.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}",
        "datacontenttype": "application/json",
        "data": {**data, "links": {"self": f"{source}{subject}/", **links}},
    }


def example_of(kind: str) -> dict[str, Any]:
    """Return an event of a type as the documentation shows it."""
    return example_event(kind, "evt_42", "https://dialer.example/rest-api/", _SHOWN)
