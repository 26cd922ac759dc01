"""The input: everything that was created before the campaign started."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final

import msgspec
from rich.console import Console
from rich.text import Text

from dialer.demo import phonebook
from dialer.demo.checks import Checks
from dialer.demo.display import heading, indented, table
from dialer.demo.evidence import Counting
from dialer.demo.preparation import CALL_RATE, CAMPAIGN, OWNER, PAID_IN, POPULATION, Preparation
from dialer.demo.recordings import RECORDINGS
from dialer.demo.survey import STEPS

LINE_SHOWN: Final = 20
"""Characters of a rejected line that are shown."""


class Inputs(msgspec.Struct, frozen=True):
    """The settings and the counts of the input, as the API gives them."""

    settings: Mapping[str, Any]
    """Settings, by field."""
    recordings: int
    contacts: int
    duplicates: int
    unreadable: tuple[tuple[int, str], ...]
    """Rejected lines: the line number, and the reason."""
    called_off: int
    sections: int
    branches: int


def figures(api: Counting, prepared: Preparation, checks: Checks) -> Inputs:
    """Return the counts, checked against the files that were sent: every line of the phonebook must be counted."""
    report, called_off = prepared.contacts, prepared.called_off
    lines = phonebook.count_lines(phonebook.PHONEBOOK)
    contacts = api.count("contact", phonebook_id=prepared.phonebook_id)
    checks.same("contacts imported", report["imported"], contacts)
    checks.same("lines of the phonebook", report["imported"] + report["duplicates"] + report["rejected"], lines)
    checks.same("lines refused", report["rejected"], len(report["errors"]))
    checks.same("numbers listed by the import", called_off["imported"], len(phonebook.numbers(phonebook.DO_NOT_CALL)))
    return Inputs(
        settings=_settings(prepared, checks),
        recordings=checks.same("recordings", api.count("audio-files"), len(RECORDINGS)),
        contacts=checks.same("contacts", contacts, len(phonebook.numbers(phonebook.PHONEBOOK))),
        duplicates=checks.same("duplicates", report["duplicates"], lines - contacts - len(report["errors"])),
        unreadable=tuple((error["line"], error["reason"]) for error in report["errors"]),
        called_off=checks.same(
            "numbers on the do-not-call list",
            api.count("dnc-contact", dnc_id=prepared.dnc_id),
            len(phonebook.numbers(phonebook.DO_NOT_CALL)),
        ),
        sections=checks.same("sections", api.count("section-template", survey_id=prepared.survey.id), len(STEPS)),
        branches=checks.same("branches", api.count("branching-template"), sum(len(step.branches) for step in STEPS)),
    )


def _settings(prepared: Preparation, checks: Checks) -> dict[str, Any]:
    """Return the settings as the API returned them, checked against those that were sent."""
    campaign, parameters = prepared.campaign, prepared.gateway["parameters"]
    sent_and_stored = {
        "amount": (Decimal(prepared.payment["amount"]), Decimal(PAID_IN)),
        "call_rate": (prepared.user["call_rate"], Decimal(CALL_RATE)),
        **{name: (campaign[name], CAMPAIGN[name]) for name in CAMPAIGN},
        **{name: (float(parameters[name]), POPULATION[name]) for name in ("answer", "machine")},
    }
    return {name: checks.same(name, api, sent) for name, (api, sent) in sent_and_stored.items()}


def show(console: Console, inputs: Inputs) -> None:
    """Print the input, and the lines that were rejected."""
    settings = inputs.settings
    window = f"{settings['daily_start_time'][:5]} to {settings['daily_stop_time'][:5]}"
    early = f"{settings['completion_maxretry']} when a callee hangs up early"
    retries = f"{settings['maxretry']} retries without an answer, {early}"
    done = Text("✓", "green")
    rows = [
        ("server", f"dialer serve, on SQLite; its clock at {settings['startingdate']}"),
        ("account", f"{OWNER}, {settings['call_rate']:.5f} a minute (dialer users create)"),
        ("payment", f"{settings['amount']:.5f}, booked by the admin"),
        (
            "gateway",
            f"simulated: {settings['answer']:.0%} answer, {settings['machine']:.0%} of these are machines",
        ),
        ("audio", f"{inputs.recordings} recordings, WAV, 8 kHz"),
        ("phonebook", f"{inputs.contacts:,} contacts from phonebook.csv, {inputs.duplicates} numbers of it twice"),
        ("do not call", f"{inputs.called_off} numbers from do-not-call.csv"),
        ("survey", f"{inputs.sections} sections, {inputs.branches} branches"),
        ("campaign", f"{settings['frequency']} calls a minute, Monday to Friday, {window} local time"),
        ("", retries),
    ]
    heading(console, "Input", "over the REST API; only the account on the command line")
    indented(console, table(["", "", ""], ((done if name else "", name, what) for name, what in rows), left=(0, 1, 2)))
    heading(console, f"{len(inputs.unreadable)} lines of phonebook.csv that cannot be read", "each one reported")
    lines = phonebook.PHONEBOOK.read_bytes().splitlines()
    refused = (
        (str(line), _start_of(lines[line - 1]), reason.removeprefix("contact: ")) for line, reason in inputs.unreadable
    )
    indented(console, table(["line", "begins with", "reason"], refused, left=(1, 2)))


def _start_of(line: bytes) -> str:
    text = line.decode(errors="replace")
    return text if len(text) <= LINE_SHOWN else f"{text[:LINE_SHOWN]}…"
