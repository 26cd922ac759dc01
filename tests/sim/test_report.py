"""Tests of the reports of the example scenarios, word for word, and of figures that must agree.

The golden texts change with the behaviour of a call. After an intended change, run for each example:
`.venv/bin/dialer simulate examples/reminder.json > tests/sim/golden/reminder.txt`
"""

from pathlib import Path
from typing import Final

import pytest

from dialer.domain.billing.money import format_money, parse_money
from dialer.domain.words.enums import LegType
from dialer.sim.report import Report, ReportRow, SectionAnswers, render, report_of, show_date
from dialer.sim.scenario import parse_scenario
from dialer.sim.simulation import Simulation
from tests.sim.scenes import run

EXAMPLES: Final = Path(__file__).parents[2] / "examples"
GOLDEN: Final = Path(__file__).parent / "golden"


@pytest.fixture(scope="module", params=["call_centre", "reminder"])
def example(request: pytest.FixtureRequest) -> str:
    """Return the name of an example."""
    return str(request.param)


@pytest.fixture(scope="module")
def simulation(example: str) -> Simulation:
    """Run an example to its end."""
    simulation = Simulation(parse_scenario((EXAMPLES / f"{example}.json").read_bytes()))
    simulation.run()
    return simulation


def test_every_example_has_its_report_word_for_word(simulation: Simulation, example: str) -> None:
    assert render(report_of(simulation)) + "\n" == (GOLDEN / f"{example}.txt").read_text("utf-8")


def test_there_are_no_other_examples() -> None:
    names = [{path.stem for path in folder.glob(kind)} for folder, kind in ((EXAMPLES, "*.json"), (GOLDEN, "*"))]
    assert names == [{"call_centre", "reminder"}] * 2


def test_the_figures_agree_with_each_other(simulation: Simulation) -> None:
    report = report_of(simulation)
    rows = simulation.store.cdrs
    legs = [row for row in rows if row.leg_type == LegType.B_LEG]

    def total(tallies: tuple[ReportRow, ...]) -> int:
        return sum(tally.count for tally in tallies)

    assert (total(report.outcomes), total(report.states), total(report.attempts)) == (
        len(rows) - len(legs),
        report.subscribers,
        report.subscribers,
    )
    assert total(report.results) == report.calls
    machines = {tally.name: tally.count for tally in report.amd}.get("MACHINE", 0)
    assert {tally.name: tally.count for tally in report.results}.get("machine", 0) == machines
    assert total(report.transfers) == len(simulation.store.transfers)
    assert {tally.name: tally.count for tally in report.transfers}.get("connected", 0) == len(legs)
    assert sum(int(tally.name) * tally.count for tally in report.attempts) == report.calls
    assert parse_money(report.cost) == sum(row.call_cost for row in rows)
    assert parse_money(report.balance_before) - parse_money(report.cost) == parse_money(report.balance_after)
    assert sum(total(section.answers) for section in report.sections) == len(simulation.store.results)


def test_a_whole_report() -> None:
    """One of three callees is on the do-not-call list, one presses 5, and one is busy and retried after a minute."""
    simulation = run(
        "+12025550105",
        "+12025550111",
        "+12025550100",
        campaign={"maxretry": 1, "intervalretry": 60},
        dnc=["+1 202-555-0100"],
        seed=3,
    )
    report = report_of(simulation)
    assert report == Report(
        seed=3,
        start_date="2026-11-20T10:00:00Z",
        # The busy number was dialled after 1 s, reported busy 1 s later, and retried after 60 s.
        stop_date="2026-11-20T10:01:03Z",
        stop_reason="completed",
        subscribers=3,
        calls=3,
        repeated_calls=1,
        calls_in_progress_peak=2,
        outcomes=(ReportRow("17 USER_BUSY", 2), ReportRow("16 NORMAL_CLEARING", 1)),
        results=(ReportRow("busy", 2), ReportRow("person", 1)),
        amd=(),
        states=(ReportRow("FAIL busy", 1), ReportRow("NOT_AUTHORIZED dnc", 1), ReportRow("SENT", 1)),
        attempts=(ReportRow("0", 1), ReportRow("1", 1), ReportRow("2", 1)),
        not_dialled=(ReportRow("dnc", 1),),
        sections=(SectionAnswers(2, "Which one?", (ReportRow("number 5", 1),)),),
        transfers=(),
        call_centre=None,
        billed_duration=60,
        call_rate="0.06000",
        cost="0.06000",
        balance_before="100.00000",
        balance_after="99.94000",
        digest=report.digest,
    )


def test_calls_are_counted_without_their_b_legs_which_cost_money_as_well() -> None:
    """The first of two calls is transferred and talks for 30 s. The second meets max_xfer, and ends.

    The first call, its B-leg and the second call cost a minute each.
    """
    numbers = {"+33199000001": {"outcome": "answer", "ring": 4}, "+33199000002": {"outcome": "answer", "ring": 4}}
    report = report_of(
        run(
            *numbers,
            gateway={"parameters": {"numbers": numbers, "talk": 30}},
            survey={"sections": [{"id": 1, "type": 6, "question": "Ann", "phonenumber": "+12025550100"}]},
            campaign={"max_xfer": 1},
        )
    )
    assert (report.calls, report.outcomes) == (2, (ReportRow("16 NORMAL_CLEARING", 2),))
    assert report.transfers == (ReportRow("connected", 1), ReportRow("max_xfer", 1))
    assert (report.billed_duration, report.cost, report.call_centre) == (180, "0.18000", None)
    assert "\nTransfers\n  connected         1   50.0 %" in render(report)


def test_pending_subscribers_are_not_dialled_after_the_campaign_stopped() -> None:
    """One call a minute, and the campaign expires after two and a half."""
    campaign = {"frequency": 1, "expirationdate": "2026-11-20T10:02:30Z"}
    report = report_of(run(*(f"+1202555010{key}" for key in range(6)), campaign=campaign))
    assert (report.calls, report.stop_reason, report.stop_date) == (3, "expired", "2026-11-20T10:02:30Z")
    assert report.not_dialled == (ReportRow("expired", 3),)


def test_money_that_has_run_out_stops_the_campaign() -> None:
    """The balance pays for two minutes, and each call holds one: two calls, then none."""
    campaign = {"callmaxduration": 60}
    report = report_of(
        run(
            *(f"+1202555010{key}" for key in range(6)),
            account={"balance": "0.15", "call_rate": "0.06"},
            campaign=campaign,
        )
    )
    assert (report.calls, report.stop_reason, report.balance_after) == (2, "no_credit", format_money(3_000))
    assert report.not_dialled == (ReportRow("no_credit", 4),)


def test_many_different_answers_are_summed_up() -> None:
    report = report_of(run("+12025550105"))
    many = tuple(ReportRow(f"answer {index:02d}", 1) for index in range(20))
    text = render(Report(**{name: getattr(report, name) for name in Report.__struct_fields__} | {"states": many}))
    assert [line.split("  ")[1] for line in text.splitlines() if " 5.0 %" in line or "others" in line] == [
        *(tally.name for tally in many[:12]),
        "(8 others)",
    ]


@pytest.mark.parametrize(
    ("at_ms", "shown"),
    [
        (0, "1970-01-01T00:00:00Z"),
        (1_795_168_800_000, "2026-11-20T10:00:00Z"),
        (1_795_168_800_007, "2026-11-20T10:00:00.007000Z"),
    ],
)
def test_dates_are_shown_as_the_api_shows_them(at_ms: int, shown: str) -> None:
    assert show_date(at_ms) == shown
