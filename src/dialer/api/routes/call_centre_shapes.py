"""The shapes of the statistics of agents and queues in answers."""

from typing import Annotated

import msgspec
from msgspec import Meta


class AgentNowRead(msgspec.Struct):
    """The situation of an agent at the moment of the answer."""

    activity: Annotated[
        str,
        Meta(
            description="What the agent does: `available`, `talking`, `wrapping_up`, `on_break` or `logged_out`.",
            examples=["talking"],
        ),
    ]
    status: Annotated[int, Meta(description="The `status` of the agent.", examples=[2])]
    break_reason: Annotated[str, Meta(description="The reason of a break, else empty.", examples=["lunch"])]
    since: Annotated[
        str,
        Meta(
            description="The moment at which this activity began, in UTC. A change of the agent's `status` or"
            " `break_reason` begins it anew, unless the agent talks.",
            examples=["2026-11-20T08:00:00Z"],
        ),
    ]
    seconds: Annotated[float, Meta(description="Seconds since that moment.", examples=[42.5])]


class AgentFiguresRead(msgspec.Struct):
    """The time and the calls of an agent. The activity that goes on counts until now."""

    available_seconds: Annotated[
        float, Meta(description="Seconds in which the agent could take a call and had none.", examples=[5400.0])
    ]
    talking_seconds: Annotated[
        float, Meta(description="Seconds in calls, from the moments at which the agent took them.", examples=[15120.5])
    ]
    wrapping_up_seconds: Annotated[
        float, Meta(description="Seconds in the wrap-up time after calls, while on duty.", examples=[1800.0])
    ]
    on_break_seconds: Annotated[float, Meta(description="Seconds on breaks, for all reasons.", examples=[2700.0])]
    taken: Annotated[int, Meta(description="Calls that the agent took, the one in progress included.", examples=[120])]
    missed: Annotated[int, Meta(description="Calls that the agent was offered and did not take in time.", examples=[3])]
    handling_time: Annotated[
        float | None,
        Meta(
            description="Average handling time: seconds of talk and wrap-up for each call taken. Null without any.",
            examples=[141.0],
        ),
    ]


class BreakRead(msgspec.Struct):
    """The breaks of an agent for one reason."""

    reason: Annotated[str, Meta(description="The reason; empty if none was given.", examples=["lunch"])]
    seconds: Annotated[float, Meta(description="Seconds on breaks for this reason.", examples=[2700.0])]
    begun: Annotated[int, Meta(description="Breaks that began with this reason.", examples=[1])]


class AgentStatisticsRead(msgspec.Struct):
    """The statistics of an agent."""

    agent: Annotated[str, Meta(description="URL of the agent.", examples=["https://dialer.example/rest-api/agent/1/"])]
    now: Annotated[AgentNowRead, Meta(description="The situation at the moment of the answer.")]
    totals: Annotated[AgentFiguresRead, Meta(description="The figures of the hours asked for.")]
    breaks: Annotated[
        list[BreakRead], Meta(description="Breaks by reason: the 100 reasons with the longest times, longest first.")
    ]


class QueueNowRead(msgspec.Struct):
    """The calls in a queue at the moment of the answer."""

    waiting: Annotated[int, Meta(description="Calls that wait for an agent.", examples=[2])]
    longest_wait: Annotated[
        float, Meta(description="Seconds that the first of them has waited; 0 if no call waits.", examples=[11.5])
    ]
    talking: Annotated[int, Meta(description="Calls in which an agent talks.", examples=[5])]


class QueueFiguresRead(msgspec.Struct):
    """The calls that joined a queue and are over."""

    calls: Annotated[int, Meta(description="Calls that joined the queue and are over.", examples=[400])]
    taken: Annotated[int, Meta(description="Calls that an agent took.", examples=[380])]
    abandoned: Annotated[
        int,
        Meta(description="Calls that ended before an agent took them, without a limit of the queue.", examples=[15]),
    ]
    timed_out: Annotated[int, Meta(description="Calls that the queue gave up at a limit of the wait.", examples=[5])]
    within: Annotated[int, Meta(description="The threshold of the service level in seconds.", examples=[20])]
    taken_within: Annotated[
        int, Meta(description="Calls that an agent took before they had waited longer than that.", examples=[340])
    ]
    service_level: Annotated[
        float | None,
        Meta(description="`taken_within` in per cent of `calls`. Null without calls.", examples=[85.0]),
    ]
    average_wait: Annotated[
        float | None, Meta(description="Mean seconds that the taken calls waited. Null without any.", examples=[8.25])
    ]
    longest_wait: Annotated[
        float, Meta(description="The longest wait in seconds of all these calls; 0 without calls.", examples=[61.5])
    ]


class QueueStatisticsRead(msgspec.Struct):
    """The statistics of a queue."""

    queue: Annotated[str, Meta(description="URL of the queue.", examples=["https://dialer.example/rest-api/queue/1/"])]
    now: Annotated[QueueNowRead, Meta(description="The calls in the queue at the moment of the answer.")]
    totals: Annotated[QueueFiguresRead, Meta(description="The figures of calls that joined in the hours asked for.")]
