"""Tests of `dialer forecast`."""

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog

from dialer.domain.words.enums import CampaignStatus
from dialer.domain.words.reasons import CAMPAIGN_REASONS
from dialer.forecast.parameters import FIRST_SEED_MAX
from dialer.store.database.database import Database
from dialer.store.tables import Campaign, ContactRule, Gateway
from tests.commands.conftest import Run
from tests.runtime.house import ALL_ANSWER, MONDAY_NOON_MS, House
from tests.runtime.test_contact_law import ALL_BUSY

TALKERS = '{"answer": 1, "busy": 0, "rejected": 0, "invalid": 0, "machine": 0, "talk": 60, "patience": 900}'
VIRTUAL = {"DIALER_CLOCK": "virtual", "DIALER_CLOCK_START": "2026-03-02T12:00:00Z"}
TABLE = """\
Campaign 1 from 2026-03-02T12:00:00Z on: 2 subscribers
Seeds 4 to 5; nearest-rank percentiles, each figure by itself; times in UTC
Figures cover what is dialled from now on, abandoned calls too; a campaign's limit of these covers all calls

                                   P10                  P50                  P90
  finish           2026-03-02 12:00:07  2026-03-02 12:00:07  2026-03-02 12:00:07
  cost                         0.04000              0.04000              0.04000
  calls                              2                    2                    2
  answered                           2                    2                    2
  by machines                        0                    0                    0
  completed                          0                    0                    0
  abandoned %                     0.00                 0.00                 0.00
  calls at once                      2                    2                    2

Obeyed: window, do_not_call, gateway_limits, balance
Not obeyed: calling_hours, country_hours
Stopped: completed 2

Answers to section 1: question 0
  DNC                                2                    2                    2
"""


@pytest.fixture(autouse=True)
def _logs_as_before() -> Iterator[None]:
    """Restore the logging, which the command configures for its whole process."""
    root = logging.getLogger()
    level, before = root.level, list(root.handlers)
    yield
    for handler in set(root.handlers) - set(before):
        root.removeHandler(handler)
        handler.close()
    root.setLevel(level)
    structlog.reset_defaults()


@pytest.fixture
def house(tmp_path: Path) -> House:
    """Create a database with a new campaign of two callees, who ask not to be called again."""
    one = House(tmp_path)
    one.change(Gateway, one.gateway_id, parameters=ALL_ANSWER)
    one.campaign(
        one.survey({"type": 9, "script": "never again"}),
        one.phonebook("+12025550101", "+12025550102"),
        dnc_id=one.dnc_list(),
    )
    one.database.close()
    return one


@pytest.mark.usefixtures("house")
def test_the_table_goes_to_standard_output(run: Run) -> None:
    done = run("forecast", "1", "--seeds", "2", "--first-seed", "4", **VIRTUAL)
    assert (done.code, done.err, done.out) == (0, "", TABLE)


def test_it_says_whom_contact_rules_hold_back(run: Run, house: House) -> None:
    """Both are busy. They are to be called again after a minute, and wait until tomorrow."""
    house.change(Gateway, house.gateway_id, parameters=ALL_BUSY)
    numbers = house.phonebook("+12025551101", "+12025551102")
    house.campaign(house.survey({"type": 1, "script": "word"}), numbers, maxretry=1, intervalretry=60)
    house.add(ContactRule, user_id=house.user_id, name="Daily", most=1, period=1, unit="days")
    house.database.close()
    lines = run("forecast", "2", "--obey-contact-rules", **VIRTUAL).out.splitlines()
    assert "Obeyed: window, do_not_call, gateway_limits, balance, contact_rules" in lines
    assert "Held back by Daily (P50): 2 people, 2 calls or messages that wait, 24.0 h each" in lines


@pytest.mark.usefixtures("house")
def test_it_obeys_the_calling_hours_if_it_is_told_to(run: Run) -> None:
    """It is 07:00 at the callees, who may be called from 08:00 on."""
    lines = run("forecast", "1", "--obey-calling-hours", **VIRTUAL).out.splitlines()
    assert "Obeyed: window, do_not_call, gateway_limits, balance, calling_hours, country_hours" in lines
    assert "Not obeyed" not in "".join(lines)
    assert lines[5].split() == ["finish", *["2026-03-02", "13:00:07"] * 3]
    tried = ("--what-if", "frequency=1", "--ignore-calling-hours")
    assert "Not obeyed: calling_hours, country_hours\n" in run("forecast", "1", *tried, **VIRTUAL).out


@pytest.mark.usefixtures("house")
def test_json_for_programs(run: Run) -> None:
    found = run("forecast", "1", "--json", **VIRTUAL).data
    assert (found["seeds"], len(found["per_seed"]), found["calls"]) == (20, 20, {"p10": 2, "p50": 2, "p90": 2})


def test_an_impossible_forecast_is_reported_in_one_line(run: Run, house: House) -> None:
    assert run("forecast", "7", **VIRTUAL) == (1, "", "dialer: there is no campaign 7: give its id or its code\n")
    house.change(Campaign, 1, expirationdate=1)
    expired = "dialer: campaign 1 cannot start: expirationdate: The campaign has expired. Set a later expirationdate.\n"
    assert run("forecast", "1", **VIRTUAL) == (1, "", expired)
    house.database.close()


@pytest.mark.parametrize(
    ("status", "reason", "told"),
    [
        (CampaignStatus.ABORT, "", "status 3 (ABORD)"),
        (CampaignStatus.END, "completed", f"status 4 (END), {CAMPAIGN_REASONS['completed']}"),
    ],
)
def test_a_campaign_that_has_ended_has_nothing_to_forecast(
    run: Run, house: House, status: CampaignStatus, reason: str, told: str
) -> None:
    house.change(Campaign, 1, status=status, status_reason=reason, updated_date=MONDAY_NOON_MS)
    house.database.close()
    line = f"Campaign 1 has ended: {told}; last changed at 2026-03-02T12:00:00Z. There is nothing to forecast."
    assert run("forecast", "1", **VIRTUAL) == (1, "", f"dialer: {line}\n")


def test_a_campaign_is_named_by_its_id_or_its_code(run: Run, house: House) -> None:
    """An id goes before a code of the same digits, so every campaign can be named."""
    house.change(Campaign, 1, campaign_code="KQWZD")
    other = house.campaign(0, campaign_code="1")
    house.database.close()
    by_id, by_code = (run("forecast", name, "--json", "--seeds", "1", **VIRTUAL) for name in ("1", "KQWZD"))
    assert (by_id.data["campaign_id"], by_code) == (1, by_id)
    assert "cannot start" in run("forecast", str(other), **VIRTUAL).err


@pytest.mark.parametrize(
    "arguments",
    [[], ["1", "--seeds", "101"], ["1", "--seeds", "0"], ["1", "--first-seed", str(FIRST_SEED_MAX + 1)]],
)
def test_wrong_usage_touches_nothing(run: Run, tmp_path: Path, arguments: list[str]) -> None:
    done = run("forecast", *arguments)
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("house")
def test_stored_text_cannot_control_the_terminal(run: Run, tmp_path: Path) -> None:
    database = Database(f"sqlite:///{tmp_path / 'dialer.db'}")
    database.write_now(lambda c: c.exec_driver_sql("UPDATE section_template SET question = 'a\x1b[2Jb\nc'"))
    database.close()
    assert "Answers to section 1: a?[2Jb?c\n" in run("forecast", "1", "--seeds", "1", **VIRTUAL).out


COMPARED = """\
Campaign 1 from 2026-03-02T12:00:00Z on: 2 subscribers
Seeds 4 to 9, the same for every setting; means over the seeds
Difference: from the present setting, with a margin that holds for the whole comparison with 95 %
Figures cover what is dialled from now on, abandoned calls too; a campaign's limit of these covers all calls
Obeyed: window, do_not_call, gateway_limits, balance
Not obeyed: calling_hours, country_hours

frequency=1, rate=0.01
                               present       changed    difference        margin
  seconds_to_finish               7.00         66.00         59.00          0.00  more than chance
  cost                            0.04          0.02         -0.02          0.00  more than chance
  calls                           2.00          2.00          0.00          0.00  the same under each seed
  answered                        2.00          2.00          0.00          0.00  the same under each seed
  machine_answered                0.00          0.00          0.00          0.00  the same under each seed
  completed                       0.00          0.00          0.00          0.00  the same under each seed
  abandoned_percent               0.00          0.00          0.00          0.00  the same under each seed
  calls_in_progress_peak          2.00          1.00         -1.00          0.00  more than chance
  stopped: completed 6

channels=40
"""


@pytest.mark.usefixtures("house")
def test_settings_are_compared_side_by_side(run: Run) -> None:
    options = ("--seeds", "6", "--first-seed", "4", "--what-if", "frequency=1,rate=0.01", "--what-if", "channels=40")
    done = run("forecast", "1", *options, **VIRTUAL)
    assert (done.code, done.err, done.out[: len(COMPARED)]) == (0, "", COMPARED)
    found = run("forecast", "1", *options, "--json", **VIRTUAL).data
    assert [one["changes"] for one in found["settings"]] == [{"frequency": "1", "rate": "0.01"}, {"channels": "40"}]


@pytest.mark.usefixtures("house")
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--what-if", "daily_start=25:00"), "daily_start_time: Time has wrong format. Use HH:MM:SS."),
        (("--what-if", "name=x"), "name: This is no setting that can be tried."),
        (("--what-if", "channels"), "give NAME=VALUE, such as channels=40"),
        (("--what-if", "dial_method=3"), "need a survey that transfers calls to a queue."),
        (("--what-if", "channels=4", "--seeds", "51"), "at most 50 seeds"),
        (("--what-if", "channels=4") * 21, "21 settings are too many: compare at most 20"),
    ],
)
def test_a_setting_that_cannot_be_tried_is_named(run: Run, options: tuple[str, ...], message: str) -> None:
    done = run("forecast", "1", *options, **VIRTUAL)
    assert (done.code, done.out, message in done.err) == (1, "", True), done.err


@pytest.fixture
def centre(tmp_path: Path) -> House:
    """Create a database with a campaign of twelve people who wait for two agents."""
    one = House(tmp_path)
    one.change(Gateway, one.gateway_id, parameters=TALKERS)
    queue_id = one.queue(one.agent(), one.agent())
    people = one.phonebook(*(f"+120255502{place:02}" for place in range(12)))
    one.campaign(one.survey({"type": 6, "queue_id": queue_id}), people)
    one.database.close()
    return one


@pytest.mark.usefixtures("centre")
def test_numbers_of_agents_are_compared_beside_erlang_c(run: Run) -> None:
    done = run("forecast", "1", "--seeds", "5", "--agents", "2-4", **VIRTUAL)
    assert (done.code, done.err) == (0, "")
    head, *rows = done.out.split("\n\n")[1].splitlines()
    assert head.split()[:3] == ["agents", "abandoned", "%"]
    cells = [row.split() for row in rows]
    assert [row[0] for row in cells] == ["2", "3", "4", "now", "2"]
    assert cells[0] == cells[-1]
    waits = [float(row[2]) for row in cells[:3]]
    assert waits == sorted(waits, reverse=True)
    assert waits[0] > waits[-1]


@pytest.mark.usefixtures("house")
def test_agents_make_no_difference_without_a_queue(run: Run) -> None:
    done = run("forecast", "1", "--seeds", "2", "--agents", "2-3", **VIRTUAL)
    assert (done.code, done.out, "has no queue" in done.err) == (1, "", True), done.err


@pytest.mark.usefixtures("house")
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--agents", "many"), "--agents many: give FROM-TO, such as 4-12"),
        (("--agents", "5-4"), "the lower number first"),
        (("--agents", "1-1001"), "give 0 to 1000 agents"),
        (("--agents", "1-21"), "compare at most 20 numbers of agents at once"),
        (("--agents", "4", "--what-if", "channels=4"), "give --agents or --what-if, not both"),
    ],
)
def test_a_wrong_number_of_agents_is_refused(run: Run, options: tuple[str, ...], message: str) -> None:
    done = run("forecast", "1", *options, **VIRTUAL)
    assert (done.out, message in done.err) == ("", True), done.err
