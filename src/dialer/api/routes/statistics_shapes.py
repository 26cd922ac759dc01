"""The shapes of statistics in answers."""

from typing import Annotated

import msgspec
from msgspec import Meta


class FiguresRead(msgspec.Struct):
    """The figures of some calls and messages. A rate is null where it would divide by zero."""

    calls: Annotated[int, Meta(description="Calls that the campaign placed and that are over.", examples=[1200])]
    answered: Annotated[int, Meta(description="Calls that somebody or something answered.", examples=[480])]
    live_answered: Annotated[
        int, Meta(description="Answered calls, without those that detection took for a machine.", examples=[431])
    ]
    completed: Annotated[int, Meta(description="Calls that reached a section marked `completed`.", examples=[212])]
    asr: Annotated[
        float | None,
        Meta(
            description="Answer-seizure ratio: answered calls, in per cent of the calls. Null without calls.",
            examples=[40.0],
        ),
    ]
    acd: Annotated[
        float | None,
        Meta(
            description="Average call duration: seconds from answer to end, of answered calls. Null without any.",
            examples=[74.25],
        ),
    ]
    answer_delay: Annotated[
        float | None,
        Meta(
            description="Mean seconds from the dial to the answer, of answered calls. Null without any.", examples=[9.5]
        ),
    ]
    pdd: Annotated[
        float | None,
        Meta(
            description="Post-dial delay: mean seconds from the dial to the network's first signal. Null if unknown.",
            examples=[1.0],
        ),
    ]
    talk_seconds: Annotated[
        int, Meta(description="Seconds from the answer to the end, of all answered calls together.", examples=[35640])
    ]
    contact_rate: Annotated[
        float | None,
        Meta(
            description="Calls that a person answered, in per cent of the calls. Null without calls.", examples=[35.92]
        ),
    ]
    completion_rate: Annotated[
        float | None,
        Meta(
            description="Completed calls, in per cent of those that a person answered. Null without any.",
            examples=[49.19],
        ),
    ]
    abandoned: Annotated[int, Meta(description="Calls that waited longer than two seconds for an agent.", examples=[6])]
    abandoned_of: Annotated[
        int,
        Meta(description="Calls that a person answered, of campaigns whose survey leads to queues.", examples=[410]),
    ]
    abandoned_percent: Annotated[
        float | None, Meta(description="`abandoned` in per cent of `abandoned_of`. Null if that is 0.", examples=[1.46])
    ]
    transfers: Annotated[
        int, Meta(description="B-legs of transfers to numbers and agents that are over.", examples=[120])
    ]
    transfers_answered: Annotated[int, Meta(description="B-legs that were answered.", examples=[96])]
    transfers_seconds: Annotated[
        int, Meta(description="Seconds from the answer to the end, of all B-legs together.", examples=[9120])
    ]
    inbound: Annotated[int, Meta(description="Calls that came in and are over.", examples=[14])]
    inbound_answered: Annotated[int, Meta(description="Calls that came in and were answered.", examples=[14])]
    inbound_seconds: Annotated[int, Meta(description="Seconds of all calls that came in together.", examples=[310])]
    messages: Annotated[int, Meta(description="Text messages whose outcome is known.", examples=[80])]
    delivered: Annotated[int, Meta(description="Text messages that were delivered.", examples=[77])]
    delivery_rate: Annotated[
        float | None,
        Meta(description="Delivered messages, in per cent of the messages. Null without messages.", examples=[96.25]),
    ]
    message_parts: Annotated[
        int, Meta(description="Parts of the text messages, which are charged one by one.", examples=[84])
    ]
    cost: Annotated[
        str, Meta(description="Cost of calls, transfers and messages, with five decimals.", examples=["61.44000"])
    ]
    cost_per_completion: Annotated[
        str | None,
        Meta(
            description="Cost of one completed call, with five decimals. Null without completed calls.",
            examples=["0.28981"],
        ),
    ]


class AgentsNow(msgspec.Struct):
    """The number of agents in each activity."""

    available: Annotated[int, Meta(description="Agents who can take a call now.", examples=[3])]
    talking: Annotated[int, Meta(description="Agents in a call.", examples=[5])]
    wrapping_up: Annotated[int, Meta(description="Agents in the wrap-up time after a call.", examples=[1])]
    on_break: Annotated[int, Meta(description="Agents on a break.", examples=[2])]
    logged_out: Annotated[int, Meta(description="Agents who are logged out.", examples=[4])]


class PresentRead(msgspec.Struct):
    """The situation at the moment of the answer."""

    calls: Annotated[int, Meta(description="Calls in progress.", examples=[22])]
    waiting: Annotated[int, Meta(description="Calls that wait in a queue for an agent.", examples=[2])]
    talking: Annotated[int, Meta(description="Calls in which an agent talks.", examples=[5])]
    calls_a_minute: Annotated[int, Meta(description="Calls dialled within the last 60 seconds.", examples=[40])]
    agents: Annotated[AgentsNow, Meta(description="The agents of the campaign's owner, by activity.")]


class SubscriberStateRead(msgspec.Struct):
    """The number of subscribers with one status and one reason."""

    status: Annotated[int, Meta(description="The `status` of the subscribers.", examples=[4])]
    status_reason: Annotated[
        str, Meta(description="The reason of the status; empty if it has none.", examples=["no_answer"])
    ]
    subscribers: Annotated[int, Meta(description="Number of subscribers.", examples=[31])]


class SubscriberFiguresRead(msgspec.Struct):
    """The subscribers of a campaign."""

    total: Annotated[int, Meta(description="All subscribers.", examples=[1000])]
    attempted: Annotated[int, Meta(description="Subscribers with at least one attempt.", examples=[870])]
    list_penetration: Annotated[
        float | None, Meta(description="`attempted` in per cent of `total`. Null without subscribers.", examples=[87.0])
    ]
    by_state: Annotated[list[SubscriberStateRead], Meta(description="The subscribers by status and reason.")]


class StatisticsOutcome(msgspec.Struct):
    """The number of calls, transfers and messages with one outcome."""

    outcome: Annotated[
        str, Meta(description="The Q.850 cause of calls and transfers, or the status of messages.", examples=["16"])
    ]
    calls: Annotated[int, Meta(description="Calls with this cause.", examples=[480])]
    percent: Annotated[
        float | None, Meta(description="`calls` in per cent of all calls. Null without calls.", examples=[40.0])
    ]
    transfers: Annotated[int, Meta(description="B-legs with this cause.", examples=[96])]
    inbound: Annotated[int, Meta(description="Calls that came in, with this cause.", examples=[14])]
    messages: Annotated[int, Meta(description="Messages with this status.", examples=[0])]


class StatisticsRowRead(msgspec.Struct):
    """The figures of one interval and one group."""

    starting_date: Annotated[
        str | None,
        Meta(description="Begin of the interval. Null without `interval`.", examples=["2026-11-20T08:00:00Z"]),
    ]
    group: Annotated[
        str | None,
        Meta(
            description="URL of the group's record, a time zone, or the number of an attempt. Null without `group_by`.",
            examples=["https://dialer.example/rest-api/phonebook/1/"],
        ),
    ]
    figures: Annotated[FiguresRead, Meta(description="The figures of these calls and messages.")]


class StatisticsRead(msgspec.Struct):
    """The statistics of a campaign, or of all campaigns of the caller."""

    campaign: Annotated[
        str | None,
        Meta(
            description="URL of the campaign. Null for the statistics of all campaigns.",
            examples=["https://dialer.example/rest-api/campaigns/1/"],
        ),
    ]
    now: Annotated[PresentRead, Meta(description="The situation at the moment of the answer.")]
    totals: Annotated[FiguresRead, Meta(description="The figures of all calls and messages in the range asked for.")]
    subscribers: Annotated[SubscriberFiguresRead, Meta(description="The subscribers as they are now.")]
    outcomes: Annotated[list[StatisticsOutcome], Meta(description="The outcomes, in the range asked for.")]
    rows: Annotated[list[StatisticsRowRead], Meta(description="Figures by interval and group, if asked for.")]
