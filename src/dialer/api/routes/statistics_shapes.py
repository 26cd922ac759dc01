"""The shapes of statistics in answers."""

from typing import Annotated, Final

import msgspec

from dialer.domain.engine.call_results import CallResult
from dialer.domain.words.described import described

_SHARE: Final = {"abandoned": 6, "abandoned_of": 410, "abandoned_percent": 1.46}


class FiguresRead(msgspec.Struct):
    """The figures of some calls and messages. A rate is null where it would divide by zero."""

    calls: Annotated[int, described("Calls that the campaign placed and that are over.", 1200)]
    answered: Annotated[int, described("Calls that somebody or something answered.", 480)]
    live_answered: Annotated[int, described("Answered calls, without those that detection took for a machine.", 431)]
    completed: Annotated[
        int, described("Calls that a person answered, and that reached a section marked `completed`.", 212)
    ]
    asr: Annotated[
        float | None,
        described("Answer-seizure ratio: answered calls, in per cent of the calls. Null without calls.", 40.0),
    ]
    acd: Annotated[
        float | None,
        described("Average call duration: seconds from answer to end, of answered calls. Null without any.", 74.25),
    ]
    answer_delay: Annotated[
        float | None, described("Mean seconds from the dial to the answer, of answered calls. Null without any.", 9.5)
    ]
    pdd: Annotated[
        float | None,
        described("Post-dial delay: mean seconds from the dial to the network's first signal. Null if unknown.", 1.0),
    ]
    talk_seconds: Annotated[
        int, described("Seconds from the answer to the end, of all answered calls together.", 35640)
    ]
    contact_rate: Annotated[
        float | None, described("Calls that a person answered, in per cent of the calls. Null without calls.", 35.92)
    ]
    completion_rate: Annotated[
        float | None,
        described("Completed calls, in per cent of those that a person answered. Null without any.", 49.19),
    ]
    abandoned: Annotated[
        int,
        described("Calls that a person answered and that no agent took within two seconds of joining a queue.", 6),
    ]
    abandoned_of: Annotated[
        int, described("Calls that a person answered, of campaigns whose survey leads to queues.", 410)
    ]
    abandoned_percent: Annotated[
        float | None, described("`abandoned` in per cent of `abandoned_of`. Null if that is 0.", 1.46)
    ]
    transfers: Annotated[int, described("B-legs of transfers to numbers and agents that are over.", 120)]
    transfers_answered: Annotated[int, described("B-legs that were answered.", 96)]
    transfers_seconds: Annotated[int, described("Seconds from the answer to the end, of all B-legs together.", 9120)]
    inbound: Annotated[int, described("Calls that came in and are over.", 14)]
    inbound_answered: Annotated[int, described("Calls that came in and were answered.", 14)]
    inbound_seconds: Annotated[int, described("Seconds of all calls that came in together.", 310)]
    messages: Annotated[int, described("Text messages whose outcome is known.", 80)]
    delivered: Annotated[int, described("Text messages that were delivered.", 77)]
    delivery_rate: Annotated[
        float | None, described("Delivered messages, in per cent of the messages. Null without messages.", 96.25)
    ]
    message_parts: Annotated[int, described("Parts of the text messages, which are charged one by one.", 84)]
    cost: Annotated[str, described("Cost of calls, transfers and messages, with five decimals.", "61.44000")]
    cost_per_completion: Annotated[
        str | None,
        described("Cost of one completed call, with five decimals. Null without completed calls.", "0.28981"),
    ]
    machine_answered: Annotated[int, described("Answered calls that detection took for those of machines.", 49)]


class AgentsNow(msgspec.Struct):
    """The number of agents in each activity."""

    available: Annotated[int, described("Agents who can take a call now.", 3)]
    talking: Annotated[int, described("Agents in a call.", 5)]
    wrapping_up: Annotated[int, described("Agents in the wrap-up time after a call.", 1)]
    on_break: Annotated[int, described("Agents on a break.", 2)]
    logged_out: Annotated[int, described("Agents who are logged out.", 4)]


class PresentRead(msgspec.Struct):
    """The situation at the moment of the answer."""

    calls: Annotated[int, described("Calls in progress.", 22)]
    waiting: Annotated[int, described("Calls that wait in a queue for an agent.", 2)]
    talking: Annotated[int, described("Calls in which an agent talks.", 5)]
    calls_a_minute: Annotated[int, described("Calls dialled within the last 60 seconds.", 40)]
    agents: Annotated[AgentsNow, described("The agents of the campaign's owner, by activity.")]


class SubscriberStateRead(msgspec.Struct):
    """The number of subscribers with one status and one reason."""

    status: Annotated[int, described("The `status` of the subscribers.", 4)]
    status_reason: Annotated[str, described("The reason of the status; empty if it has none.", "no_answer")]
    subscribers: Annotated[int, described("Number of subscribers.", 31)]


class SubscriberFiguresRead(msgspec.Struct):
    """The subscribers of a campaign."""

    total: Annotated[int, described("All subscribers.", 1000)]
    attempted: Annotated[int, described("Subscribers with at least one attempt.", 870)]
    list_penetration: Annotated[
        float | None, described("`attempted` in per cent of `total`. Null without subscribers.", 87.0)
    ]
    by_state: Annotated[list[SubscriberStateRead], described("The subscribers by status and reason.")]


class StatisticsOutcome(msgspec.Struct):
    """The number of calls, transfers and messages with one outcome."""

    outcome: Annotated[str, described("The Q.850 cause of calls and transfers, or the status of messages.", "16")]
    calls: Annotated[int, described("Calls with this cause.", 480)]
    percent: Annotated[float | None, described("`calls` in per cent of all calls. Null without calls.", 40.0)]
    transfers: Annotated[int, described("B-legs with this cause.", 96)]
    inbound: Annotated[int, described("Calls that came in, with this cause.", 14)]
    messages: Annotated[int, described("Messages with this status.", 0)]


class StatisticsResult(msgspec.Struct):
    """The number of calls with one result."""

    result: Annotated[
        CallResult,
        described(
            "What came of the calls: `person` or `machine` answered, or why nobody did. Each call has one result.",
            "machine",
        ),
    ]
    calls: Annotated[int, described("Calls with this result.", 49)]
    percent: Annotated[float | None, described("`calls` in per cent of all calls.", 4.08)]


class StatisticsRowRead(msgspec.Struct):
    """The figures of one interval and one group."""

    starting_date: Annotated[
        str | None, described("Begin of the interval. Null without `interval`.", "2026-11-20T08:00:00Z")
    ]
    group: Annotated[
        str | None,
        described(
            "URL of the group's record, a time zone, the number of an attempt, or an outcome, which is empty for"
            " calls without one. Null without `group_by`.",
            "https://dialer.example/rest-api/phonebook/1/",
        ),
    ]
    figures: Annotated[FiguresRead, described("The figures of these calls and messages.")]
    disposition_word: Annotated[
        str | None,
        described(
            "The outcome in the words of the campaign, empty for calls without one. Null unless rows are by agent and"
            " outcome.",
            "Sold = success",
        ),
    ]


class AbandonedCountRead(msgspec.Struct):
    """The abandoned calls of one period."""

    abandoned: Annotated[int, described("Calls that no agent took within two seconds of joining a queue.", 6)]
    abandoned_of: Annotated[int, described("Calls for agents that a person answered.", 410)]
    abandoned_percent: Annotated[
        float | None, described("`abandoned` in per cent of `abandoned_of`. Null if that is 0.", 1.46)
    ]


class AbandonedLimitRead(msgspec.Struct):
    """The limit on abandoned calls that holds in a country, and the share that it counts."""

    country: Annotated[
        str | None, described("The country, an ISO 3166 code. Null if no rule of a called country is known.", "US")
    ]
    period: Annotated[
        str, described("The time that counts: `24_hours`, `30_days`, or `campaign` for all of its calls.", "30_days")
    ]
    limit: Annotated[
        float, described("The allowed share in per cent: the country's, or `abandon_rate_max` if that is lower.", 3.0)
    ]
    abandoned_percent: Annotated[
        float | None, described("The share of this period in per cent. Null without calls for agents.", 1.46)
    ]
    is_exceeded: Annotated[bool, described("True if the share of at least 20 calls is above the limit.", example=False)]


class AbandonedSharesRead(msgspec.Struct):
    """The shares of abandoned calls of a campaign, as rules count them. Periods begin with a whole hour."""

    last_24_hours: Annotated[AbandonedCountRead, described("Calls dialled in the last 24 hours.")]
    last_30_days: Annotated[AbandonedCountRead, described("Calls dialled in the last 30 days.")]
    campaign: Annotated[AbandonedCountRead, described("All calls of the campaign.")]
    limits: Annotated[
        list[AbandonedLimitRead],
        described("The rules of the countries that are called; none without calls for agents."),
    ]


class TestsRead(msgspec.Struct):
    """The tests of campaigns, which are in no other figure of the answer but `now`."""

    calls: Annotated[int, described("Calls of tests that are over.", 2)]
    messages: Annotated[int, described("Text messages of tests whose outcome is known.", 1)]
    cost: Annotated[str, described("What they cost together, with five decimals.", "0.06000")]


class DoubtfulEntriesRead(msgspec.Struct):
    """Entries that may stop no calls, on the do-not-call lists of a campaign. Up to 10,000 of each kind are counted."""

    protects_nobody: Annotated[
        int, described("Entries that are too short, or that nobody can have. They stop no calls.", 2)
    ]
    without_country: Annotated[
        int, described("Entries without a country. They stop calls to people who have the whole number somewhere.", 0)
    ]
    warnings: Annotated[list[str], described("What to do about them, in sentences. Empty if there are none.", [])]


class StatisticsRead(msgspec.Struct):
    """The statistics of a campaign, or of all campaigns of the caller."""

    campaign: Annotated[
        str | None,
        described(
            "URL of the campaign. Null for the statistics of all campaigns.",
            "https://dialer.example/rest-api/campaigns/1/",
        ),
    ]
    currency: Annotated[
        str | None,
        described(
            "The currency of all costs: an ISO 4217 code. Empty if nobody has said one, and null for sums over accounts"
            " of several.",
            "EUR",
        ),
    ]
    now: Annotated[PresentRead, described("The situation at the moment of the answer.")]
    totals: Annotated[FiguresRead, described("The figures of all calls and messages in the range asked for.")]
    subscribers: Annotated[SubscriberFiguresRead, described("The subscribers as they are now.")]
    outcomes: Annotated[list[StatisticsOutcome], described("The outcomes, in the range asked for.")]
    results: Annotated[
        list[StatisticsResult],
        described("What came of the calls, the most frequent result first, in the range asked for."),
    ]
    rows: Annotated[list[StatisticsRowRead], described("Figures by interval and group, if asked for.")]
    abandoned_shares: Annotated[
        AbandonedSharesRead | None,
        described(
            "Abandoned calls over the times that rules count, whatever range is asked for. Null for all campaigns.",
            {"last_24_hours": _SHARE, "last_30_days": _SHARE, "campaign": _SHARE, "limits": []},
        ),
    ]
    tests: Annotated[
        TestsRead | None,
        described(
            "Tests of campaigns in the range asked for, which all other figures leave out. All that was paid is"
            " `totals.cost` and `tests.cost`. Null for one campaign, whose figures have no test in them.",
            {"calls": 2, "messages": 1, "cost": "0.06000"},
        ),
    ]
    do_not_call: Annotated[
        DoubtfulEntriesRead | None,
        described(
            "Entries on its do-not-call lists that may stop no calls, as they are now. Null for all campaigns.",
            {"protects_nobody": 0, "without_country": 0, "warnings": []},
        ),
    ]
