"""Fixture of a campaign that can be started over HTTP, and requests to the server that runs it."""

import http.client
import json
import sqlite3
from contextlib import closing
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Connection, update

from benchmarks.advance import add, survey
from benchmarks.fixture_database import AUTHORIZATION, PHONEBOOK
from benchmarks.servers import Server
from dialer.app.accounts.payments import record_payment
from dialer.app.work.unit import UnitOfWork
from dialer.store.database.database import Database
from dialer.store.tables import Campaign, CampaignPhonebook, Gateway, SectionTemplate, SurveyTemplate, User

DAY_MS: Final = 86_400_000
MUCH_MONEY: Final = 10**12
_USER: Final = 1
_HEADERS: Final = {"Authorization": AUTHORIZATION, "Content-Type": "application/json"}


def ready(path: Path, start_ms: int, *, parameters: str = "{}", words: int = 0, **values: object) -> int:
    """Add a campaign with the phonebook of a fixture database, and return its id.

    Its survey is that of the benchmark campaign, or one message of `words` words.
    """
    database = Database(f"sqlite+aiosqlite:///{path}")

    def add_campaign(connection: Connection) -> int:
        record_payment(UnitOfWork(connection=connection, now_ms=start_ms), _USER, MUCH_MONEY)
        connection.execute(update(User).values(role="admin"))  # Only an administrator may advance the clock.
        dates = {"startingdate": start_ms - 1_000, "expirationdate": start_ms + DAY_MS}
        campaign_id = add(
            connection,
            Campaign,
            **{
                "user_id": _USER,
                "campaign_code": "bench",
                "name": "bench",
                "aleg_gateway_id": add(connection, Gateway, name="sim", parameters=parameters),
                "object_id": message(connection, _USER, words) if words else survey(connection, _USER),
                **dates,
                **values,
            },
        )
        add(connection, CampaignPhonebook, campaign_id=campaign_id, phonebook_id=PHONEBOOK)
        return campaign_id

    try:
        return database.write_now(add_campaign)
    finally:
        database.close()


def message(connection: Connection, user_id: int, words: int) -> int:
    """Add a survey that is one message, and return its id."""
    survey_id = add(connection, SurveyTemplate, user_id=user_id, name="message")
    add(
        connection,
        SectionTemplate,
        survey_id=survey_id,
        type=1,
        question="Hello",
        script="word " * words,
        completed=True,
    )
    return survey_id


def send(server: Server, method: str, target: str, document: dict[str, Any]) -> None:
    """Send one request on a new connection."""
    connection = http.client.HTTPConnection(*server.address, timeout=600)
    with closing(connection):
        connection.request(method, target, json.dumps(document), _HEADERS)
        answer = connection.getresponse()
        text = answer.read()
    if answer.status >= HTTPStatus.BAD_REQUEST:
        raise RuntimeError(f"{method} {target}: {answer.status} {text.decode()}")


def start(server: Server, campaign_id: int) -> None:
    """Start the campaign."""
    send(server, "PATCH", f"/rest-api/campaigns/{campaign_id}/", {"status": 1})


def ask(path: Path, query: str, *values: object) -> Any:  # noqa: ANN401 - a value of any column
    """Return the first value that a query finds in the database file."""
    with closing(sqlite3.connect(path, timeout=60)) as connection:
        return connection.execute(query, values).fetchone()[0]
