"""Tests of orders to call people of a campaign again that come at the same time."""

import anyio
import httpx

from dialer.store.database.database import Database
from tests.api.at_once import app_on_this_loop, client_on_this_loop
from tests.api.builders import Estate
from tests.api.harness import FakeWorker
from tests.api.routes.test_call_again import BUSY, end, numbers
from tests.api.routes.test_recycle import people


async def test_of_orders_at_the_same_time_one_calls_the_people_and_no_campaign_is_empty(
    estate: Estate, database: Database, worker: FakeWorker
) -> None:
    people(estate, database, BUSY, BUSY, BUSY)
    end(estate)
    app = app_on_this_loop(database, worker)
    answers: list[httpx.Response] = []

    async def order(client: httpx.AsyncClient) -> None:
        asked = {"outcomes": ["busy"], "confirm": 3}
        answers.append(await client.post(f"campaigns/{estate.campaign['id']}/call-again/", json=asked))

    async with client_on_this_loop(app, "alice") as client, anyio.create_task_group() as tasks:
        for _ in range(8):
            tasks.start_soon(order, client)
    made = [answer for answer in answers if answer.status_code == 201]
    assert len(made) == 1
    assert {answer.status_code for answer in answers} == {201, 409}
    assert len(numbers(database, made[0].json()["campaign"])) == 3
