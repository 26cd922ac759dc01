"""Events as programs get them: CloudEvents with links to the records."""

from typing import Annotated, Any, Final

import msgspec

from dialer.domain.words.described import described
from dialer.resources.crud.moments import show_timestamp
from dialer.resources.crud.resource import Actor
from dialer.resources.crud.urls import Links

EVENT_ID: Final = "evt_"
"""The beginning of the id of an event."""
_LINKED: Final = {
    "call": "callrequest",
    "message": "sms-message",
    "subscriber": "subscriber-list",
    "agent": "agent",
    "dnc_list": "dnc-list",
    "entry": "dnc-contact",
    "schedule": "report-schedule",
}
"""The paths of the records whose ids the data of events hold."""

_AMOUNTS: Final = frozenset({"balance", "cost"})
"""The data that are amounts of money."""


class EventRead(msgspec.Struct):
    """One event, as a CloudEvent 1.0."""

    specversion: Annotated[str, described("The version of CloudEvents.", "1.0")]
    id: Annotated[str, described("The identity of the event in the service.", "evt_42")]
    source: Annotated[str, described("The service.", "https://dialer.example/rest-api/")]
    type: Annotated[str, described("The type of the event.", "call.ended")]
    subject: Annotated[str, described("The path and the id of the record.", "callrequest/7")]
    time: Annotated[str, described("The moment of the event, in UTC.", "2026-11-18T11:06:40Z")]
    datacontenttype: Annotated[str, described("The media type of the data.", "application/json")]
    data: Annotated[
        dict[str, Any],
        described(
            "Ids, states, reasons, causes, amounts (integers of 1e-5 of `currency`), and `links` to the records.",
            {"call": 7},
        ),
    ]


def event_read(row: Any, links: Links, currency: str) -> EventRead:  # noqa: ANN401 - a row of the driver
    """Return an event of the outbox as a CloudEvent. `currency` is that of its account."""
    data = msgspec.json.decode(row.data)
    money = {"currency": currency} if _AMOUNTS & data.keys() else {}
    campaign = {} if row.campaign_id is None else {"campaign": row.campaign_id}
    urls = {name: links.record(path, data[name]) for name, path in _LINKED.items() if data.get(name)}
    path, _, record_id = row.subject.partition("/")
    return EventRead(
        specversion="1.0",
        id=f"{EVENT_ID}{row.id}",
        source=links.collection("").rstrip("/") + "/",
        type=row.type,
        subject=row.subject,
        time=show_timestamp(row.created_date),
        datacontenttype="application/json",
        data={**campaign, **data, **money, "links": {"self": links.record(path, int(record_id)), **urls}},
    )


def account_of(actor: Actor) -> int:
    """Return the account of a user: that of the manager for whom a viewer or an agent works."""
    return actor.manager_id or actor.id
