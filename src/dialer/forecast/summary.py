"""The forecast as it is shown: percentiles over the runs of all seeds."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Final

import msgspec

from dialer.app.campaigns.shared_agents import SharingCampaign
from dialer.domain.billing.money import format_money
from dialer.domain.calls.contact_rules import FrequencyRule, RuledCampaign
from dialer.domain.figures.statistics import HOUR_MS, percent
from dialer.domain.forecast.rehearsed_rules import RehearsedRule, RuleCost, rules_left_aside, rules_obeyed
from dialer.domain.survey.survey import Survey
from dialer.domain.words.described import described
from dialer.forecast.parameters import Order
from dialer.forecast.queue_figures import QUEUES_EXAMPLE, QueueForecast, queue_forecast
from dialer.forecast.run_store import Counters
from dialer.forecast.seed_run import HOURS_MAX, HourCounters, SeedRun
from dialer.forecast.spreads import CountSpread, DateSpread, MoneySpread, PercentSpread, counts, percents, spread
from dialer.sim.report import ReportRow, show_date

ANSWERS_MAX: Final = 50
"""Different answers to one section that are listed, most frequent first. The others are counted together."""
OTHERS: Final = "(others)"
PERCENT_PLACES: Final = 5
_S_MS: Final = 1_000
HELD_EXAMPLE: Final[list[dict[str, Any]]] = [
    {
        "rule": "",
        "row": "us-fl-cap",
        "name": "Florida: three sales calls in 24 hours",
        "people": {"p10": 1180, "p50": 1204, "p90": 1231},
        "waits": {"p10": 1302, "p50": 1340, "p90": 1377},
        "delay": {"p10": 70200, "p50": 72010, "p90": 73900},
        "too_late": {"p10": 12, "p50": 19, "p90": 27},
    }
]
"""An example of the costs of a row of law."""


class AnswerForecast(msgspec.Struct, frozen=True):
    """An answer to a section, and how often it is likely to be given."""

    answer: Annotated[str, described("The answer, as survey results show it; `(others)` for all rarer ones.", "yes")]
    count: Annotated[CountSpread, described("The number of callees who give it.")]


class SectionForecast(msgspec.Struct, frozen=True):
    """The likely answers to one section, most frequent first."""

    section_id: Annotated[int, described("The id of the section template.", 1)]
    question: Annotated[str, described("The question of the section.", "Will you come on Monday?")]
    answers: Annotated[tuple[AnswerForecast, ...], described("The answers, most frequent first.")]


class HourForecast(msgspec.Struct, frozen=True):
    """The likely calls of one hour, and the likely price of all calls until its end."""

    hour: Annotated[str, described("The beginning of the hour, in UTC.", "2026-11-18T11:00:00Z")]
    calls: Annotated[CountSpread, described("Calls, or text messages, that are dialled in this hour.")]
    cost: Annotated[
        MoneySpread, described("The price of all calls or messages from now on that are dialled by its end.")
    ]


class SeedForecast(msgspec.Struct, frozen=True):
    """The outcome of the campaign under one seed."""

    seed: Annotated[int, described("The seed of the run.", 1)]
    finish_date: Annotated[
        str, described("The moment at which the campaign stops dialling, in UTC.", "2026-11-18T11:40:10Z")
    ]
    stop_reason: Annotated[
        str, described("The reason of the stop: `completed`, `expired`, `no_credit` or `unreadable`.", "completed")
    ]
    cost: Annotated[str, described("The price of all calls or messages from now on, with five decimals.", "12.40000")]
    calls: Annotated[int, described("Number of calls or messages from now on.", 640)]
    answered: Annotated[int, described("Number of those that are answered or delivered.", 310)]
    machine_answered: Annotated[int, described("Number of calls that answering machines answer.", 90)]
    completed: Annotated[int, described("Number of subscribers who reach a section marked `completed`.", 120)]
    abandoned_percent: Annotated[
        float,
        described("Percentage of the calls answered by a person from now on that no agent takes in two seconds.", 1.9),
    ]
    calls_in_progress_peak: Annotated[int, described("The most calls in progress at the same time.", 20)]
    digest: Annotated[
        str,
        described(
            "SHA-256 digest of the call detail records to come, in the order of their ids.",
            "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        ),
    ]


class HeldPeople(msgspec.Struct, frozen=True):
    """The cost of a contact rule: the people whom it holds back, and how long they wait for it."""

    rule: Annotated[str, described("The rule of the account; empty for a row of law.", "/rest-api/contact-rule/2/")]
    row: Annotated[str, described("The row of law; empty for a rule of the account.", "us-fl-cap")]
    name: Annotated[str, described("The name of the rule.", "Twice a week")]
    people: Annotated[CountSpread, described("People who wait for the rule at least once.")]
    waits: Annotated[CountSpread, described("Calls or messages that wait for it: one person may wait several times.")]
    delay: Annotated[
        CountSpread, described("Seconds for which it holds back those people, on average, until the campaign's end.")
    ]
    too_late: Annotated[
        CountSpread,
        described("Those of the people whose last wait outlasts the campaign."),
    ]


class Forecast(msgspec.Struct, frozen=True):
    """The likely outcome of a campaign from now on. Calls that are already over are not counted.

    Percentiles are nearest-rank, each figure by itself: of N sorted values, P10 is the one at place N x 10 / 100,
    rounded up. So each percentile is a value that some seed gave.
    """

    campaign_id: Annotated[int, described("The id of the campaign.", 1)]
    now: Annotated[str, described("The moment at which the forecast begins, in UTC.", "2026-11-18T11:06:40Z")]
    seeds: Annotated[int, described("Number of runs.", 20)]
    first_seed: Annotated[int, described("The seed of the first run.", 0)]
    subscribers: Annotated[int, described("Number of subscribers, contacts that are still to be added included.", 500)]
    stop_reasons: Annotated[
        tuple[ReportRow, ...],
        described(
            "Reasons of the stop, with their numbers of runs: `completed`, `expired`, `no_credit`, `unreadable`."
        ),
    ]
    finish_date: Annotated[
        DateSpread,
        described("The moment at which the campaign stops dialling. Calls in progress may end a little later."),
    ]
    cost: Annotated[MoneySpread, described("The price of all calls or messages from now on.")]
    currency: Annotated[
        str, described("The currency of all costs: an ISO 4217 code, or empty if nobody has said one.", "EUR")
    ]
    calls: Annotated[CountSpread, described("Calls to subscribers, or text messages, that end from now on.")]
    answered: Annotated[CountSpread, described("Calls that are answered, or messages that are delivered.")]
    machine_answered: Annotated[
        CountSpread,
        described("Those of `answered` that answering machines answer. 0 unless machines are told from people."),
    ]
    completed: Annotated[CountSpread, described("Subscribers who reach a section marked `completed`.")]
    abandoned_percent: Annotated[
        PercentSpread,
        described(
            "Percentage of the calls answered by a person from now on that no agent takes in two seconds. The limit"
            " `abandon_rate_max` concerns all calls of the campaign. 0 if the survey has no queue."
        ),
    ]
    calls_in_progress_peak: Annotated[CountSpread, described("The most calls in progress at the same time.")]
    queues: Annotated[
        QueueForecast | None,
        described("Agents and their callers. Null without queues and agents.", QUEUES_EXAMPLE),
    ]
    sections: Annotated[tuple[SectionForecast, ...], described("The likely answers to each section that has answers.")]
    per_hour: Annotated[
        tuple[HourForecast, ...],
        described("The likely calls of each hour until the last one with calls, at most 168 hours."),
    ]
    per_seed: Annotated[tuple[SeedForecast, ...], described("The outcome of each run.")]
    rules_obeyed: Annotated[
        tuple[RehearsedRule, ...], described("Rules for the calls of the campaign that the runs obey.", ["window"])
    ]
    rules_left_aside: Annotated[
        tuple[RehearsedRule, ...],
        described(
            "Rules that the runs do not obey. The calling hours do not hold for simulated gateways, unless the request"
            " or the service says that they do.",
            ["calling_hours", "country_hours"],
        ),
    ]
    agents_shared_with: Annotated[
        tuple[SharingCampaign, ...],
        described("Running campaigns whose calls come to the same agents. The runs leave these calls out."),
    ]
    held: Annotated[
        tuple[HeldPeople, ...],
        described(
            "What the contact rules cost: for each that holds somebody back in a run, the people and their waits.",
            HELD_EXAMPLE,
        ),
    ]


def summarise(
    order: Order,
    runs: Sequence[SeedRun],
    survey: Survey,
    *,
    obeys_hours: bool,
    ruled: RuledCampaign | None = None,
    bound: frozenset[RehearsedRule] = frozenset(),
    sharing: tuple[SharingCampaign, ...] = (),
) -> Forecast:
    """Return the forecast, from the runs under all seeds, which obey the calling hours or do not.

    `ruled` has the contact rules that the runs obey. `bound` are those of the rules that bind few campaigns which bind
    this one. `sharing` are the running campaigns with the same agents.
    """
    is_poor, is_ruled = not order.is_rich, ruled is not None
    obeyed = rules_obeyed(with_hours=obeys_hours, with_balance=is_poor, with_contacts=is_ruled)
    reasons = Counter(run.stop.reason for run in runs)
    counters = [run.counters for run in runs]
    return Forecast(
        campaign_id=order.campaign_id,
        now=show_date(order.now_ms),
        seeds=order.seeds,
        first_seed=order.first_seed,
        subscribers=runs[0].subscribers,
        stop_reasons=tuple(ReportRow(reason, count) for reason, count in reasons.most_common()),
        finish_date=DateSpread(*map(show_date, spread([run.stop.at_ms for run in runs]))),
        cost=MoneySpread(*map(format_money, spread([each.cost for each in counters]))),
        currency=order.currency,
        calls=counts([each.calls for each in counters]),
        answered=counts([each.answered for each in counters]),
        machine_answered=counts([each.machine_answered for each in counters]),
        completed=counts([each.completed for each in counters]),
        abandoned_percent=percents([abandoned_percent(each) for each in counters]),
        calls_in_progress_peak=counts([run.calls_in_progress_peak for run in runs]),
        queues=queue_forecast([run.queues for run in runs]),
        sections=tuple(_sections(survey, runs)),
        per_hour=tuple(_per_hour(runs)),
        per_seed=tuple(map(_shown, runs)),
        rules_obeyed=obeyed,
        rules_left_aside=rules_left_aside(obeyed, bound=bound),
        agents_shared_with=sharing,
        held=_held_people([] if ruled is None else ruled.rules, [run.held for run in runs]),
    )


def abandoned_percent(counters: Counters) -> float:
    """Return the percentage of the calls answered by a person that no agent took in time."""
    return percent(counters.abandoned, counters.live_answered, PERCENT_PLACES) or 0.0


def _sections(survey: Survey, runs: Sequence[SeedRun]) -> Iterator[SectionForecast]:
    """Yield the sections that were answered under any seed, in the order of the survey."""
    for section in survey.sections:
        if any(run.answered_sections[section.id] for run in runs):
            yield SectionForecast(section.id, section.question, tuple(_answers(section.id, runs)))


def _answers(section_id: int, runs: Sequence[SeedRun]) -> Iterator[AnswerForecast]:
    total: Counter[str] = Counter()
    for run in runs:
        for (answered_id, answer), count in run.answers.items():
            total[answer] += count * (answered_id == section_id)
    kept = sorted(+total, key=lambda answer: (-total[answer], answer))[:ANSWERS_MAX]
    for answer in kept:
        yield AnswerForecast(answer, counts([run.answers[section_id, answer] for run in runs]))
    rest = [run.answered_sections[section_id] - sum(run.answers[section_id, answer] for answer in kept) for run in runs]
    if any(rest):
        yield AnswerForecast(OTHERS, counts(rest))


def _per_hour(runs: Sequence[SeedRun]) -> Iterator[HourForecast]:
    """Yield the hours from the first one with calls under any seed to the last, those without calls included."""
    by_hour = [{counters_of_hour.hour: counters_of_hour for counters_of_hour in run.hours} for run in runs]
    every = sorted({hour for hours in by_hour for hour in hours})
    costs = [0] * len(runs)
    for hour in range(every[0], min(every[-1] + 1, every[0] + HOURS_MAX)) if every else ():
        counters = [hours.get(hour, HourCounters(hour, 0, 0)) for hours in by_hour]
        costs = [cost + counter.cost for cost, counter in zip(costs, counters, strict=True)]
        cost = MoneySpread(*map(format_money, spread(costs)))
        yield HourForecast(show_date(hour * HOUR_MS), counts([counter.calls for counter in counters]), cost)


def _shown(run: SeedRun) -> SeedForecast:
    counters = run.counters
    return SeedForecast(
        seed=run.seed,
        finish_date=show_date(run.stop.at_ms),
        stop_reason=run.stop.reason,
        cost=format_money(counters.cost),
        calls=counters.calls,
        answered=counters.answered,
        machine_answered=counters.machine_answered,
        completed=counters.completed,
        abandoned_percent=abandoned_percent(counters),
        calls_in_progress_peak=run.calls_in_progress_peak,
        digest=run.digest,
    )


def _held_people(rules: Sequence[FrequencyRule], runs: Sequence[Sequence[RuleCost]]) -> tuple[HeldPeople, ...]:
    """Return what rules cost, in their order, from what each run has counted. Rules that cost nothing are left out."""
    by_rule = [{one.rule_id: one for one in run} for run in runs]
    held = [rule for rule in rules if any(rule.id in run for run in by_rule)]
    return tuple(_held(rule, [run.get(rule.id, RuleCost(rule.id, 0, 0, 0, 0)) for run in by_rule]) for rule in held)


def _held(rule: FrequencyRule, runs: Sequence[RuleCost]) -> HeldPeople:
    return HeldPeople(
        rule="" if rule.row else f"/rest-api/contact-rule/{rule.id}/",
        row=rule.row,
        name=rule.name,
        people=counts([run.people for run in runs]),
        waits=counts([run.waits for run in runs]),
        delay=counts([run.waited_ms // _S_MS // max(1, run.people) for run in runs]),
        too_late=counts([run.too_late for run in runs]),
    )
