"""Tests that commands of pages print what the pages show, and that their files do what the pages say."""

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import pytest

from dialer.domain.calls.plans import SMS
from dialer.store.tables import Campaign, Gateway, User
from dialer.webhooks.signing import new_secret, signed_headers
from tests.commands.conftest import Run, run
from tests.pages.blocks import CLASSES, ROOT, How, block, blocks_that_are
from tests.pages.shell import commands, dialer_commands, script
from tests.runtime.conftest import house
from tests.runtime.house import House

__all__ = ["house", "run"]

DEVELOPING: Final = "docs/developing.md"
VIRTUAL: Final = {"DIALER_CLOCK": "virtual"}
EVENT: Final = '{"type": "call.ended"}'
EXAMPLES: Final = [one for one in blocks_that_are(How.RUN) if one.page.startswith("examples/")]
RUN_HERE: Final = {DEVELOPING: (3, 4, 5, 6, 9, 10, 11), "docs/events.md": (2,)}
"""The blocks that the tests of this module run, beside those of the examples."""


def lines(text: str) -> list[str]:
    """Return lines without the time that a scenario took, and without blanks at their ends."""
    return [re.sub(r"[\d.]+ s$", "… s", line.rstrip()) for line in text.splitlines() if line.strip()]


def shown(number: int) -> list[str]:
    """Return the output that a block of the page shows."""
    return lines(block(DEVELOPING, number).text.partition("\n")[2])


def arguments(number: int) -> list[str]:
    """Return the arguments of the one command of a block of the page."""
    (found,) = (each for words in commands(script(block(DEVELOPING, number))) for each in dialer_commands(words))
    return found


@pytest.fixture
def anna(house: House, tmp_path: Path) -> House:
    """Give the account of the page its name and its carriers, and write the files of the page."""
    house.change(User, house.user_id, username="anna")
    house.change(Gateway, house.gateway_id, name="Carrier")
    (tmp_path / "reminder.yaml").write_text(block(DEVELOPING, 3).text, "utf-8")
    (tmp_path / "reminder.test.yaml").write_text(block(DEVELOPING, 9).text, "utf-8")
    return house


def test_files_of_records_are_applied_as_the_page_shows(run: Run, anna: House, tmp_path: Path) -> None:
    records = tmp_path / "reminder.yaml"
    first = run(*arguments(4), "--yes", **VIRTUAL)
    assert [*lines(first.out), "Change the account anna? [y/N]:"] == shown(4), first.err
    assert [row["name"] for row in anna.rows(Campaign)] == ["Reminders in spring"]
    text = records.read_text("utf-8")
    records.write_text(text.replace("timeout: null", "timeout: 2") + "    frequency: 30\n", "utf-8")
    assert lines(run(*arguments(5), **VIRTUAL).out) == shown(5)
    records.write_text(text.replace("survey: Reminder", "survey: Remainder"), "utf-8")
    wrong = run("apply", "reminder.yaml", **VIRTUAL)
    assert (wrong.code, wrong.err) == (2, block(DEVELOPING, 6).text)


def test_a_scenario_gives_what_the_page_shows_before_and_after_an_edit(run: Run, anna: House, tmp_path: Path) -> None:
    assert anna.rows(Campaign) == []
    played = run(*arguments(10))
    assert (played.code, lines(played.out)) == (0, shown(10))
    records = tmp_path / "reminder.yaml"
    records.write_text(records.read_text("utf-8").replace("{1: 2, timeout: null}", "{timeout: null}"), "utf-8")
    broken = run(*arguments(11))
    assert (broken.code, lines(broken.out)) == (1, shown(11))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda one: one.page.split("/")[1])
def test_the_records_of_an_example_are_applied(run: Run, anna: House, tmp_path: Path, example: Any) -> None:  # noqa: ANN401
    """The scenarios of the same block are played by `tests/examples/test_scenarios.py`."""
    anna.add(Gateway, medium=SMS, name="Texts")
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    found = [each for words in commands(script(example)) for each in dialer_commands(words)]
    assert [each[0] for each in found] == ["test", "apply"]
    done = run(*found[1], "--yes", **VIRTUAL)
    assert (done.code, " new, 0 changed, 0 unchanged" in done.out) == (0, True), done.err


def test_a_receiver_verifies_an_event_as_the_page_shows() -> None:
    secret = new_secret()
    headers = signed_headers([secret], "evt_7", EVENT, datetime.now(UTC))
    program = block("docs/events.md", 2).text.replace("whsec_…", secret)
    names: dict[str, Any] = {"body": EVENT, "headers": headers}
    exec(compile(program, "events.md", "exec"), names)  # noqa: S102 - a program of our own page
    assert names["event"] == {"type": "call.ended"}


def test_each_block_that_is_run_is_run_here() -> None:
    pages = {page: tuple(n for n, how in enumerate(each, 1) if how == How.RUN) for page, each in CLASSES.items()}
    others = {page: numbers for page, numbers in pages.items() if numbers and not page.startswith("examples/")}
    assert others == RUN_HERE
