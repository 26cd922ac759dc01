"""The shapes of the statistics of agents and queues, and of the days of agents, in answers."""

from typing import Annotated, Final

import msgspec

from dialer.domain.words.described import described

FIRST_DAY, LAST_DAY, TIMES, FORMAT = "first_day", "last_day", "times", "format"
"""Parameters of questions for days of agents."""
FORMATS: Final = ("json", "csv")
"""The formats of the answers to them."""


class AgentNowRead(msgspec.Struct):
    """The situation of an agent at the moment of the answer."""

    activity: Annotated[
        str,
        described("What the agent does: `available`, `talking`, `wrapping_up`, `on_break` or `logged_out`.", "talking"),
    ]
    status: Annotated[int, described("The `status` of the agent.", 2)]
    break_reason: Annotated[str, described("The reason of a break, else empty.", "lunch")]
    since: Annotated[
        str,
        described(
            "The moment at which this activity began, in UTC. A change of the agent's `status` or `break_reason` begins"
            " it anew, unless the agent talks.",
            "2026-11-20T08:00:00Z",
        ),
    ]
    seconds: Annotated[float, described("Seconds since that moment.", 42.5)]
    break_limit: Annotated[
        int,
        described(
            "The longest break in seconds: the shortest `max_break_time` of the agent's queues. 0: no limit.", 900
        ),
    ]
    break_exceeded_by: Annotated[
        float, described("Seconds by which the break that goes on exceeds that limit; 0 if it does not.", 0.0)
    ]


class AgentFiguresRead(msgspec.Struct):
    """The time and the calls of an agent. The activity that goes on counts until now."""

    available_seconds: Annotated[float, described("Seconds in which the agent could take a call and had none.", 5400.0)]
    talking_seconds: Annotated[
        float, described("Seconds in calls, from the moments at which the agent took them.", 15120.5)
    ]
    wrapping_up_seconds: Annotated[float, described("Seconds in the wrap-up time after calls, while on duty.", 1800.0)]
    on_break_seconds: Annotated[float, described("Seconds on breaks, for all reasons.", 2700.0)]
    taken: Annotated[int, described("Calls that the agent took, the one in progress included.", 120)]
    missed: Annotated[int, described("Calls that the agent was offered and did not take in time.", 3)]
    handling_time: Annotated[
        float | None,
        described("Average handling time: seconds of talk and wrap-up for each call taken. Null without any.", 141.0),
    ]


class BreakRead(msgspec.Struct):
    """The breaks of an agent for one reason."""

    reason: Annotated[str, described("The reason; empty if none was given.", "lunch")]
    seconds: Annotated[float, described("Seconds on breaks for this reason.", 2700.0)]
    begun: Annotated[int, described("Breaks that began with this reason.", 1)]


class AgentStatisticsRead(msgspec.Struct):
    """The statistics of an agent."""

    agent: Annotated[str, described("URL of the agent.", "https://dialer.example/rest-api/agent/1/")]
    now: Annotated[AgentNowRead, described("The situation at the moment of the answer.")]
    totals: Annotated[AgentFiguresRead, described("The figures of the hours asked for.")]
    breaks: Annotated[
        list[BreakRead], described("Breaks by reason: the 100 reasons with the longest times, longest first.")
    ]


class LongBreakRead(msgspec.Struct):
    """A break of an agent that lasts longer than a queue of the agent allows."""

    agent: Annotated[str, described("URL of the agent.", "https://dialer.example/rest-api/agent/1/")]
    reason: Annotated[str, described("The reason; empty if none was given.", "lunch")]
    since: Annotated[str, described("The moment at which the break began, in UTC.", "2026-11-20T08:00:00Z")]
    seconds: Annotated[float, described("Seconds since that moment.", 1000.5)]
    exceeded_by: Annotated[float, described("Seconds beyond the limit of the agent.", 100.5)]


class QueueNowRead(msgspec.Struct):
    """The calls in a queue and the breaks of its agents at the moment of the answer."""

    waiting: Annotated[int, described("Calls that wait for an agent.", 2)]
    longest_wait: Annotated[float, described("Seconds that the first of them has waited; 0 if no call waits.", 11.5)]
    talking: Annotated[int, described("Calls in which an agent talks.", 5)]
    on_break: Annotated[int, described("Agents of the queue who are on a break.", 2)]
    long_breaks: Annotated[
        list[LongBreakRead],
        described("Breaks of these that exceed the limit of the agent: the 100 longest, longest first."),
    ]


class QueueFiguresRead(msgspec.Struct):
    """The calls that joined a queue and are over."""

    calls: Annotated[int, described("Calls that joined the queue and are over.", 400)]
    taken: Annotated[int, described("Calls that an agent took.", 380)]
    abandoned: Annotated[
        int,
        described(
            "The same number as `hung_up`. The abandoned calls of campaigns are others: those without an agent within"
            " two seconds.",
            15,
        ),
    ]
    hung_up: Annotated[int, described("Calls that ended before an agent took them, without a limit of the queue.", 15)]
    timed_out: Annotated[int, described("Calls that the queue gave up at a limit of the wait.", 5)]
    within: Annotated[int, described("The threshold of the service level in seconds.", 20)]
    taken_within: Annotated[int, described("Calls that an agent took before they had waited longer than that.", 340)]
    service_level: Annotated[
        float | None, described("`taken_within` in per cent of `calls`. Null without calls.", 85.0)
    ]
    late: Annotated[
        int,
        described(
            "Calls that waited more than two seconds, whether an agent took them later or not. Those of them that the"
            " dialer placed and that people answered are the abandoned calls of campaigns.",
            60,
        ),
    ]
    average_wait: Annotated[
        float | None, described("Mean seconds that the taken calls waited. Null without any.", 8.25)
    ]
    longest_wait: Annotated[float, described("The longest wait in seconds of all these calls; 0 without calls.", 61.5)]


class QueueStatisticsRead(msgspec.Struct):
    """The statistics of a queue."""

    queue: Annotated[str, described("URL of the queue.", "https://dialer.example/rest-api/queue/1/")]
    now: Annotated[QueueNowRead, described("The calls in the queue at the moment of the answer.")]
    totals: Annotated[QueueFiguresRead, described("The figures of calls that joined in the hours asked for.")]


class AgentTimeRead(msgspec.Struct):
    """A time that an agent spent in one state."""

    state: Annotated[
        str,
        described(
            "`available`, `looking` (before a call), `ringing`, `talking`, `wrapping_up` or `on_break`.", "talking"
        ),
    ]
    reason: Annotated[str, described("The reason of a break, else empty.", "")]
    starting_date: Annotated[str, described("The begin, in UTC.", "2026-11-18T08:30:00Z")]
    ending_date: Annotated[
        str,
        described("The end, in UTC; the moment of the answer if the time goes on.", "2026-11-18T09:00:00Z"),
    ]
    ended_by: Annotated[str, described("Who ordered a break, as `ended_by` of the day; else empty.", "")]


class BreakOfDayRead(msgspec.Struct):
    """The breaks of an agent on one day for one reason."""

    reason: Annotated[str, described("The reason; empty if none was given.", "lunch")]
    seconds: Annotated[float, described("Seconds on breaks for this reason.", 1200.0)]


class AgentDayRead(msgspec.Struct):
    """A day on which an agent was logged in. The state that goes on counts until now."""

    agent: Annotated[str, described("URL of the agent.", "https://dialer.example/rest-api/agent/1/")]
    name: Annotated[str, described("The name of the agent.", "Ann")]
    date: Annotated[str, described("The day.", "2026-11-18")]
    first_log_in: Annotated[
        str | None,
        described(
            "The first moment of the day at which the agent logged in, in UTC. Null if they had been logged in before.",
            "2026-11-18T08:00:00Z",
        ),
    ]
    last_log_out: Annotated[
        str | None,
        described(
            "The last moment at which the agent logged out. Null if they were logged in as it ended, or still are.",
            "2026-11-18T10:00:00Z",
        ),
    ]
    is_from_before: Annotated[bool, described("True if the agent was logged in as the day began.", example=False)]
    goes_on: Annotated[bool, described("True if the agent was logged in as the day ended, or still is.", example=False)]
    ended_by: Annotated[
        str,
        described(
            "Who ended the last duty: `agent`, `others` (a supervisor or a program), `desk_closed`, `missed_calls`"
            " or `preview_over`. Empty if nobody did, or it is unknown.",
            "agent",
        ),
    ]
    logged_in_seconds: Annotated[float, described("Seconds logged in: the sum of the six times below.", 7200.0)]
    available_seconds: Annotated[float, described("Seconds on duty with none of the following.", 3180.0)]
    looking_seconds: Annotated[float, described("Seconds before calls: with a person whom the agent looks at.", 480.0)]
    ringing_seconds: Annotated[float, described("Seconds in which the agent's telephone rang.", 180.0)]
    talking_seconds: Annotated[float, described("Seconds in calls, holds included.", 1800.0)]
    wrapping_up_seconds: Annotated[float, described("Seconds in the wrap-up time after calls.", 360.0)]
    on_break_seconds: Annotated[float, described("Seconds on breaks.", 1200.0)]
    on_hold_seconds: Annotated[
        float, described("The seconds of `talking_seconds` in which the callees were on hold.", 90.0)
    ]
    occupancy: Annotated[
        float | None,
        described(
            "Per cent of the time logged in without breaks that calls took: before, during and after them. Null without"
            " such a time.",
            44.0,
        ),
    ]
    taken: Annotated[int, described("Calls that the agent took.", 1)]
    missed: Annotated[int, described("Calls that the agent was offered and did not take in time.", 1)]
    breaks: Annotated[list[BreakOfDayRead], described("Breaks by reason, the longest time first.")]
    times: Annotated[list[AgentTimeRead], described("The times of the day in their order, if `times` asks for them.")]


class AgentDaysRead(msgspec.Struct):
    """The days on which agents were logged in."""

    timezone: Annotated[str, described("The time zone of the days.", "Europe/Madrid")]
    first_day: Annotated[str, described("The first day asked for.", "2026-11-18")]
    last_day: Annotated[str, described("The last day asked for.", "2026-11-18")]
    results: Annotated[list[AgentDayRead], described("The days, by the names of the agents, the earliest first.")]
