#!/usr/bin/env python3
"""Call everybody in a CSV file, ask one question, and print the answers: a client of dialer's REST API.

    pip install httpx
    export DIALER_PASSWORD='…'
    python survey_campaign.py --user anna hello.wav patients.csv

The CSV file has a header with the column `contact`. Texts can name every other column, such as {full_name}. The user
needs a balance, and the service needs a gateway.
"""

import argparse
import collections
import json
import os
import sys
import time
from pathlib import Path
from typing import Any, TypeAlias

import httpx

Record: TypeAlias = dict[str, Any]

START, PAUSE, ABORTED, ENDED = 1, 2, 3, 4
"""Statuses of a campaign."""
PLAY_MESSAGE, MULTI_CHOICE = 1, 2
"""Types of a section."""
POLL_S = 5
ADVANCE_S = 600


def main() -> int:
    """Run the campaign of the command line, and return the exit code."""
    given = arguments()
    login = httpx.BasicAuth(given.user, os.environ["DIALER_PASSWORD"])
    with httpx.Client(base_url=f"{given.url}/rest-api/", auth=login, timeout=120) as api:
        survey = create_survey(api, given.audio)
        phonebook = load_phonebook(api, given.csv)
        campaign = create_campaign(api, survey, phonebook)
        check(api.patch(f"campaigns/{campaign}/", json={"status": START}))
        final = wait(api, campaign)
        print_results(api, final)
        return 0 if final["status"] == ENDED else 1


def arguments() -> argparse.Namespace:
    """Return the arguments of the command line."""
    parser = argparse.ArgumentParser(description="Call everybody in a CSV file, and ask one question.")
    parser.add_argument("--url", default="http://127.0.0.1:8000", help="the address of the service")
    parser.add_argument("--user", required=True, help="your user name; the password is in DIALER_PASSWORD")
    parser.add_argument("audio", type=Path, help="the greeting, a WAV file")
    parser.add_argument("csv", type=Path, help="the contacts")
    return parser.parse_args()


def check(answer: httpx.Response) -> httpx.Response:
    """Return a response. If it is an error, end the program with its text, which names each wrong field."""
    if answer.is_error:
        sys.exit(f"{answer.request.method} {answer.request.url}: {answer.status_code} {answer.text}")
    return answer


def create(api: httpx.Client, resource: str, **fields: object) -> int:
    """Create a record, and return its id."""
    return int(check(api.post(f"{resource}/", json=fields)).json()["id"])


def create_survey(api: httpx.Client, audio: Path) -> int:
    """Upload the greeting, and create a survey that plays it and asks one question. Return the id of the survey."""
    with audio.open("rb") as file:
        form = {"name": audio.stem}
        greeting = check(api.post("audio-files/", data=form, files={"audio_file": (audio.name, file)})).json()["id"]
    survey = create(api, "survey-template", name="One question")
    hello = create(
        api, "section-template", survey=survey, order=1, type=PLAY_MESSAGE, question="Greeting", audiofile=greeting
    )
    question = create(
        api,
        "section-template",
        survey=survey,
        order=2,
        type=MULTI_CHOICE,
        question="Will you come?",
        script="Will you come on Monday? Press one for yes, two for no.",
        key_1="yes",
        key_2="no",
        completed=True,
    )
    create(api, "branching-template", section=hello, keys="0", goto=question)
    return survey


def load_phonebook(api: httpx.Client, path: Path) -> int:
    """Import the CSV file into a new phonebook, print the rejected lines, and return its id."""
    phonebook = create(api, "phonebook", name=path.name)
    headers = {"Content-Type": "text/csv"}
    report = check(api.post(f"phonebook/{phonebook}/import/", content=path.read_bytes(), headers=headers)).json()
    print(f"{report['imported']} contacts imported, {report['rejected']} lines rejected")
    for error in report["errors"]:
        print(f"  line {error['line']}: {error['reason']}")
    return phonebook


def create_campaign(api: httpx.Client, survey: int, phonebook: int) -> int:
    """Create the campaign on the first gateway, and return its id. It calls by day, at the callee's place."""
    gateways = check(api.get("gateway/")).json()["results"]
    if not gateways:
        sys.exit("There is no gateway yet. An admin creates one with POST /rest-api/gateway/.")
    return create(
        api,
        "campaigns",
        name="One question",
        object_id=survey,
        phonebook=[phonebook],
        aleg_gateway=gateways[0]["id"],
        callerid="+12025550199",
        frequency=60,
        maxretry=2,
        intervalretry=600,
        daily_start_time="09:00:00",
        daily_stop_time="20:00:00",
    )


def wait(api: httpx.Client, campaign: int) -> Record:
    """Wait until the campaign is over or pauses, and return its record. Advance a virtual clock meanwhile."""
    is_virtual = check(api.get("clock/")).json()["mode"] == "virtual"
    while True:
        record: Record = check(api.get(f"campaigns/{campaign}/")).json()
        if record["status"] in {PAUSE, ABORTED, ENDED}:
            return record
        if is_virtual:  # It stands still until an admin advances it.
            check(api.post("clock/advance/", json={"seconds": ADVANCE_S}))
        else:
            time.sleep(POLL_S)


def print_results(api: httpx.Client, campaign: Record) -> None:
    """Print the figures of the campaign, and how often each answer was given."""
    print(f"The campaign is over: {campaign['status_reason']}. {campaign['calls']} calls,", end=" ")
    print(f"{campaign['answered']} answered, {campaign['completed']} completed, cost {campaign['cost']}.")
    answers = check(api.get("survey-result/", params={"campaign_id": campaign["id"], "format": "ndjson"}))
    counts = collections.Counter(json.loads(line)["response"] for line in answers.text.splitlines())
    for response, count in counts.most_common():
        print(f"  {response or 'no answer'}: {count}")


if __name__ == "__main__":
    sys.exit(main())
