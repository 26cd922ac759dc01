"""The service of docs/tour.md for programs with a client, and the outcome that the page shows."""

import contextlib
import json
import os
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import httpx

from dialer.demo.recordings import WELCOME
from dialer.webhooks.signing import new_secret
from tests.test_readme import ROOT, blocks, steps
from tests.test_server import ADMIN, DIALER, Served, serving

TOUR: Final = {"DIALER_CLOCK": "virtual", "DIALER_CLOCK_START": "2026-11-16T14:00:00Z"}
WORK_S_MAX: Final = 120
GUIDE: Final = ROOT / "docs" / "clients.md"
FIRST: Final = [
    "call.ended answered",
    "call.ended not_answered",
    "call.ended answered",
    "campaign.ended ended",
    "Do you come? yes",
    "Do you come? no",
]
"""The lines of the first program, whose clock goes on by an hour."""
FORWARDED: Final = [
    "campaign.started campaigns/1",
    "call.started callrequest/1",
    "call.started callrequest/2",
    "call.answered callrequest/1",
    "call.ended callrequest/1",
    "subscriber.completed subscriber-list/1",
    "call.started callrequest/3",
    "call.ended callrequest/3",
    "subscriber.failed subscriber-list/3",
    "call.answered callrequest/2",
    "call.ended callrequest/2",
    "subscriber.completed subscriber-list/2",
    "campaign.ended campaigns/1",
]
"""The lines of a receiver of its events."""
PATIENTS: Final = """contact,full_name,city
+1 (202) 555-0101,Ada Byron,Washington
+12025550111,Bert Busy,Washington
+1.202.555.0119,Cora Later,Washington
by post,Dan Digitless,Washington
"""


class Toured(NamedTuple):
    """A running service with keys of its admin and of a customer, ben."""

    served: Served
    url: str
    admin_key: str
    key: str

    @property
    def headers(self) -> dict[str, str]:
        """The headers with which ben is let in."""
        return {"Authorization": f"Bearer {self.key}"}


@contextlib.contextmanager
def toured(folder: Path) -> Iterator[Toured]:
    """Run the service with its files in an empty folder."""
    with serving(folder, **ADMIN, **TOUR) as served:
        url, scopes = served.base.removesuffix("/rest-api/"), ["read", "campaigns", "money", "admin"]
        admin_key = created(served.client, "api-key", name="Tour", scopes=scopes)["key"]
        created(served.client, "users", username="ben", password="ben has one as well", call_rate=0.02)
        key = created(served.client, "api-key", user=2, name="Tour", scopes=scopes)["key"]
        yield Toured(served, url, admin_key, key)


def created(client: httpx.Client, resource: str, **fields: object) -> dict[str, Any]:
    """Create a record, and return it."""
    answer = client.post(f"{resource}/", json=fields)
    assert answer.status_code == 201, answer.text
    record: dict[str, Any] = answer.json()
    return record


def walk(folder: Path, environment: Mapping[str, str], *program: str) -> dict[str, Any]:
    """Run a program that walks the tour against a service of its own, and return the outcome that it prints."""
    (folder / "hello.wav").write_bytes(WELCOME.wav())
    (folder / "patients.csv").write_text(PATIENTS, "utf-8")
    with toured(folder) as service:
        arguments = (service.url, service.admin_key, service.key, "hello.wav", "patients.csv")
        done = subprocess.run(
            [*program, *arguments],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=WORK_S_MAX,
            check=False,
        )
    assert (done.returncode, done.stderr) == (0, "")
    outcome: dict[str, Any] = json.loads(done.stdout)
    return outcome


def shown() -> dict[str, Any]:
    """Return the outcome that docs/tour.md shows."""
    tables = {
        step.command.split("/?")[0].rpartition("/")[2]: step.output[1:] for step in steps() if "/?" in step.command
    }
    (report,) = (json.loads(step.output[0]) for step in steps() if "phonebook/1/import/" in step.command)
    (ben,) = (json.loads(step.output[0]) for step in steps() if "users/2/" in step.command)
    return {
        "imported": [report["imported"], report["rejected"], report["errors"][0]["line"]],
        "calls": [line.split(",") for line in tables["cdr"]],
        "answers": [line.split(",") for line in tables["survey-result"]],
        "balance": ben["balance"],
        "refused": [400, {"phonebook": ["Invalid hyperlink - Object does not exist."]}],
    }


def guide(language: str) -> str:
    """Return the example of the documentation in a language."""
    (example,) = blocks(GUIDE.read_text("utf-8"), language)
    return example


@contextlib.contextmanager
def listened(folder: Path) -> Iterator[tuple[Toured, httpx.Client]]:
    """Run a service with a simulated carrier, where ben has money and keeps events. Yield it and a client of ben's."""
    with toured(folder) as service:
        created(service.served.client, "payment", user=2, amount=10)
        created(service.served.client, "gateway", name="Simulated carrier")
        with httpx.Client(base_url=service.served.base, headers=service.headers, timeout=WORK_S_MAX) as ben:
            assert ben.patch("events/", json={"enabled": True}).status_code == 200
            yield service, ben


def heard(folder: Path, environment: Mapping[str, str], *program: str) -> list[str]:
    """Run a program that starts the campaign of its arguments and hears its end, and return what it prints."""
    with listened(folder) as (service, ben):
        return said(service, ben, environment, *program, service.url, str(prepared(ben)))


def heard_twice(
    folder: Path, environment: Mapping[str, str], program: Sequence[str], receiver: Sequence[str]
) -> tuple[list[str], list[str]]:
    """Run a program that makes a campaign and hears its end, and then a receiver to which its events are forwarded.

    Return the lines that each of them prints.
    """
    with listened(folder) as (service, ben):
        lines = said(service, ben, environment, *program)
        return lines, forwarded(service, environment, receiver)


def said(service: Toured, ben: httpx.Client, environment: Mapping[str, str], *program: str) -> list[str]:
    """Run a program that starts a campaign, and return the lines that it prints.

    The clock is advanced by an hour when there is an event of the start.
    """
    given = {**environment, "DIALER_URL": service.url, "DIALER_API_KEY": service.key}
    with (
        ben.stream("GET", "events/", headers={"Accept": "text/event-stream"}) as stream,
        subprocess.Popen(program, env=given, stdout=subprocess.PIPE, text=True) as process,
    ):
        assert any(line == "event: campaign.started" for line in stream.iter_lines())
        assert service.served.client.post("clock/advance/", json={"seconds": 3_600}).status_code == 200
        lines, _ = process.communicate(timeout=WORK_S_MAX)
    assert process.returncode == 0
    return lines.splitlines()


def forwarded(service: Toured, environment: Mapping[str, str], receiver: Sequence[str]) -> list[str]:
    """Return the lines of a receiver to which all events are forwarded, and one that somebody else has signed."""
    secret = new_secret()
    given = {**environment, "DIALER_SECRET": secret}
    with subprocess.Popen([*receiver, "0"], env=given, stdout=subprocess.PIPE, text=True) as received:
        assert received.stdout is not None
        to = ("--forward-to", received.stdout.readline().split()[-1])
        listening = (DIALER, "listen", "--url", service.url, "--after", "evt_0", *to, "--secret", secret)
        key = {**os.environ, "DIALER_API_KEY": service.key}
        with subprocess.Popen(listening, env=key, stdout=subprocess.DEVNULL) as listener:
            lines = [*until(received.stdout, "campaign.ended")]
            listener.terminate()
        refused = subprocess.run([DIALER, "trigger", "call.ended", *to], timeout=WORK_S_MAX, check=False)
        assert refused.returncode == 1
        lines += until(received.stdout, "refused")
        received.terminate()
    return lines


def until(lines: Iterable[str], start: str) -> Iterator[str]:
    """Yield lines up to the first one that begins with a word, and that one too."""
    for line in lines:
        yield line.rstrip("\n")
        if line.startswith(start):
            return


def prepared(ben: httpx.Client) -> int:
    """Create a campaign with two people, one of whom is busy, and return its id."""
    survey = created(ben, "survey-template", name="News")
    created(ben, "section-template", survey=survey["url"], type=1, question="News", script="Hello.", completed=True)
    book = created(ben, "phonebook", name="All")
    for number in ("+12025550100", "+12025550111"):
        created(ben, "contact", phonebook=book["url"], contact=number)
    campaign = created(
        ben,
        "campaigns",
        name="News",
        object_id=str(survey["id"]),
        phonebook=[book["url"]],
        aleg_gateway=1,
        callerid="+12025550199",
        maxretry=0,
    )
    return int(campaign["id"])
