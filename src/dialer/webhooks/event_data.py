"""The data of events by their types: what receivers may rely on, and what the OpenAPI document says."""

from collections.abc import Mapping
from typing import Annotated, Final

from msgspec import UNSET, Struct, UnsetType

from dialer.domain.words.described import described

_Campaign = Annotated[int, described("The id of the campaign.", 1)]
_Call = Annotated[int, described("The id of the call request.", 7)]
_Subscriber = Annotated[int | None, described("The id of the subscriber; null for a caller who is none.", 3)]
_Attempt = Annotated[int, described("The number of the attempt, from 1 on.", 1)]
_IsInbound = Annotated[bool, described("True if the other end called.", example=False)]
_Cost = Annotated[int | UnsetType, described("What it cost, an integer of 1e-5.", 1_400)]
_Currency = Annotated[
    str | UnsetType,
    described("The currency of the amounts: an ISO 4217 code, empty if nobody has said one. With amounts only.", "EUR"),
]
_Links = Annotated[
    dict[str, str],
    described("The URLs of the records.", {"self": "https://dialer.example/rest-api/callrequest/7/"}),
]


class EventData(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The data of an event."""

    links: _Links


class CampaignEventData(EventData, frozen=True, kw_only=True):
    """A change of a campaign's state."""

    campaign: _Campaign
    state: Annotated[str, described("`started`, `paused`, `ended` or `aborted`.", "ended")]
    reason: Annotated[str | UnsetType, described("Why the service moved it; absent if a user did.", "completed")] = (
        UNSET
    )


class CallEventData(EventData, frozen=True, kw_only=True):
    """The state of a call that begins or is answered."""

    campaign: _Campaign
    call: _Call
    subscriber: _Subscriber
    attempt: _Attempt
    is_inbound: _IsInbound
    state: Annotated[str, described("`in_progress` or `answered`.", "answered")]


class CallTakenData(EventData, frozen=True, kw_only=True):
    """The agent who took a call."""

    campaign: _Campaign
    call: _Call
    subscriber: _Subscriber
    attempt: _Attempt
    is_inbound: _IsInbound
    agent: Annotated[int, described("The id of the agent.", 5)]
    state: Annotated[str, described("`taken`.", "taken")]


class CallEndedData(EventData, frozen=True, kw_only=True):
    """The outcome of a call. One that came in and was refused has no call request."""

    campaign: Annotated[int | UnsetType, described("The id of the campaign.", 1)] = UNSET
    call: Annotated[int | UnsetType, described("The id of the call request.", 7)] = UNSET
    subscriber: Annotated[int | UnsetType | None, described("The id of the subscriber.", 3)] = UNSET
    attempt: Annotated[int | UnsetType, described("The number of the attempt, from 1 on.", 1)] = UNSET
    is_inbound: _IsInbound
    state: Annotated[str, described("`answered`, `not_answered`, `aborted`, `not_placed` or `refused`.", "answered")]
    cause: Annotated[int | UnsetType, described("The Q.850 cause; absent if the call was not placed.", 16)] = UNSET
    seconds: Annotated[int | UnsetType, described("The time from the answer to the end, in seconds.", 42)] = UNSET
    cost: _Cost = UNSET
    currency: _Currency = UNSET


class MessageEventData(EventData, frozen=True, kw_only=True):
    """The state of a text message."""

    campaign: _Campaign
    message: Annotated[int, described("The id of the text message.", 9)]
    subscriber: _Subscriber
    attempt: _Attempt
    is_inbound: _IsInbound
    state: Annotated[
        str,
        described("`in_progress`, `delivered`, `failed`, `no_route`, `unauthorized` or `not_placed`.", "delivered"),
    ]
    cost: _Cost = UNSET
    currency: _Currency = UNSET


class MessageReceivedData(EventData, frozen=True, kw_only=True):
    """An answer to a text message."""

    campaign: _Campaign
    state: Annotated[
        str,
        described(
            "`stop` for a wish not to be written to, `perhaps` if somebody has to look, else `received`.", "stop"
        ),
    ]


class SubscriberEventData(EventData, frozen=True, kw_only=True):
    """The final state of a subscriber."""

    campaign: _Campaign
    subscriber: Annotated[int, described("The id of the subscriber.", 3)]
    state: Annotated[str, described("`completed`, `sent`, `fail`, `abort` or `not_authorized`.", "completed")]
    reason: Annotated[str | UnsetType, described("The reason of the state; may be empty.", "no_answer")] = UNSET


class DncAddedData(EventData, frozen=True, kw_only=True):
    """A number on a do-not-call list."""

    dnc_list: Annotated[int, described("The id of the list.", 6)]
    entry: Annotated[int, described("The id of the entry.", 8)]


class DncImportedData(EventData, frozen=True, kw_only=True):
    """Numbers on a do-not-call list."""

    dnc_list: Annotated[int, described("The id of the list.", 6)]
    count: Annotated[int, described("The numbers that were new.", 250)]


class ImportFinishedData(EventData, frozen=True, kw_only=True):
    """An import of a file."""

    phonebook: Annotated[int | UnsetType, described("The id of the phonebook, if it was one.", 4)] = UNSET
    dnc_list: Annotated[int | UnsetType, described("The id of the do-not-call list, if it was one.", 6)] = UNSET
    imported: Annotated[int, described("Rows that were imported.", 1_000)]
    duplicates: Annotated[int, described("Rows that were there already.", 12)]
    rejected: Annotated[int, described("Rows that were refused.", 3)]


class AgentEventData(EventData, frozen=True, kw_only=True):
    """The status of an agent."""

    agent: Annotated[int, described("The id of the agent.", 5)]
    state: Annotated[str, described("`logged_out`, `available`, `available_on_demand` or `on_break`.", "available")]


class DispositionSavedData(EventData, frozen=True, kw_only=True):
    """The outcome of a call in the words of its agent, which the record has."""

    campaign: _Campaign
    call: _Call


class BalanceLowData(EventData, frozen=True, kw_only=True):
    """A balance that fell to its limit."""

    balance: Annotated[int, described("The balance, an integer of 1e-5.", 480_000)]
    low_balance: Annotated[int, described("The limit that the account has set, an integer of 1e-5.", 500_000)]
    currency: _Currency = UNSET


class ForecastFinishedData(EventData, frozen=True, kw_only=True):
    """A forecast of a campaign."""

    campaign: _Campaign


class GatewayEventData(EventData, frozen=True, kw_only=True):
    """The state of a gateway's line."""

    gateway: Annotated[int, described("The id of the gateway.", 1)]
    state: Annotated[str, described("`down` or `up`.", "down")]


class RecordingStoredData(EventData, frozen=True, kw_only=True):
    """The recording of a call that is over."""

    call_recording: Annotated[int, described("The id of the recording.", 3)]
    campaign: Annotated[int | UnsetType, described("The id of the campaign; absent if it was deleted.", 1)] = UNSET
    call: Annotated[int | UnsetType, described("The id of the call request; absent if it was deleted.", 7)] = UNSET


class ReportReadyData(EventData, frozen=True, kw_only=True):
    """A scheduled report that is due."""

    campaign: Annotated[int | UnsetType, described("The id of its campaign; absent for the whole account.", 1)] = UNSET
    schedule: Annotated[int, described("The id of the scheduled report.", 3)]
    name: Annotated[str, described("The name of the scheduled report.", "Board, each morning")]
    report: Annotated[
        str,
        described(
            "`answers`, `people`, `agent_outcomes`, `agent_hours` or `agent_days`: see `report-schedule`.", "answers"
        ),
    ]
    starting_date: Annotated[
        str | None, described("The begin of the reported day, in UTC. Null: all until the end.", "2026-11-17T00:00:00Z")
    ]
    ending_date: Annotated[str, described("The end of the reported time, in UTC.", "2026-11-18T00:00:00Z")]
    url: Annotated[
        str | UnsetType | None,
        described(
            "The address that opens the report without an account; null for those about agents. Only webhooks get it.",
            "https://dialer.example/console/shared/…/",
        ),
    ] = UNSET
    url_expires: Annotated[
        str | None, described("The moment at which that address ends. Null without one.", "2026-12-02T08:00:00Z")
    ]


class WebhookDisabledData(EventData, frozen=True, kw_only=True):
    """A webhook that the service switched off."""

    state: Annotated[str, described("`off`.", "off")]
    reason: Annotated[str, described("`gone` (status 410) or `failing` (for 24 hours).", "failing")]


EVENT_DATA: Final[Mapping[str, type[EventData]]] = {
    "agent.status": AgentEventData,
    "balance.low": BalanceLowData,
    "call.answered": CallEventData,
    "call.ended": CallEndedData,
    "call.started": CallEventData,
    "call.taken": CallTakenData,
    "campaign.aborted": CampaignEventData,
    "campaign.ended": CampaignEventData,
    "campaign.paused": CampaignEventData,
    "campaign.started": CampaignEventData,
    "disposition.saved": DispositionSavedData,
    "dnc.added": DncAddedData,
    "dnc.imported": DncImportedData,
    "forecast.finished": ForecastFinishedData,
    "gateway.down": GatewayEventData,
    "gateway.up": GatewayEventData,
    "import.finished": ImportFinishedData,
    "message.delivered": MessageEventData,
    "message.failed": MessageEventData,
    "message.received": MessageReceivedData,
    "message.sent": MessageEventData,
    "recording.stored": RecordingStoredData,
    "report.ready": ReportReadyData,
    "subscriber.completed": SubscriberEventData,
    "subscriber.failed": SubscriberEventData,
    "webhook.disabled": WebhookDisabledData,
}
"""The data by the type of the event."""
