"""Tests of webhooks while their receivers and names are slow: no account waits for those of another."""

import socket
from collections import Counter
from threading import Event
from typing import Any

import anyio
import httpx
import pytest

from dialer.api.actions.webhook_sender import TESTS_OF_ACCOUNT_MAX
from dialer.resources.crud.preparing import PREPARED_OF_ACCOUNT_AT_ONCE
from dialer.store.database.database import Database
from dialer.webhooks.posting import Poster
from dialer.webhooks.retries import PostOutcome
from tests.api.at_once import app_on_this_loop, client_on_this_loop
from tests.api.harness import Caller, FakeWorker
from tests.webhooks.receivers import OK, Receiver


@pytest.mark.usefixtures("alice", "bob")
async def test_an_account_tests_few_webhooks_at_a_time_and_others_test_theirs(
    database: Database, worker: FakeWorker
) -> None:
    """Requests beyond the share are refused at once, while the others wait for a silent receiver."""
    is_held = anyio.Event()
    asked = 0

    def be_silent(_: int) -> None:
        nonlocal asked
        asked += 1
        if asked == TESTS_OF_ACCOUNT_MAX:
            is_held.set()

    silent, good = Receiver(be_silent), Receiver(lambda _: OK)
    app = app_on_this_loop(database, worker, webhook_networks=("127.0.0.0/8", "192.0.2.0/24"))
    async with (
        app.lifespan(),
        silent.listening(),
        good.listening(),
        client_on_this_loop(app, "alice") as first,
        client_on_this_loop(app, "bob") as other,
    ):
        # All on this loop: a task of the application that writes would wait for it, and hold up a request on another.
        for client, receiver in ((first, silent), (other, good)):
            created = await client.post("webhook/", json={"name": "CRM", "target_url": "https://192.0.2.7/"})
            changed = await client.patch(f"webhook/{created.json()['id']}/", json={"target_url": receiver.url})
            assert (created.status_code, changed.status_code) == (201, 202)
        async with anyio.create_task_group() as tasks:
            for _ in range(TESTS_OF_ACCOUNT_MAX):
                tasks.start_soon(first.post, "webhook/1/test/")
            with anyio.fail_after(20):
                await is_held.wait()
                refused = await first.post("webhook/1/test/")
                assert (refused.status_code, refused.headers["retry-after"]) == (429, "5")
                assert (await other.post("webhook/2/test/")).json()["problem"] == ""
            tasks.cancel_scope.cancel()


async def test_slow_names_of_one_account_hold_up_no_webhook_of_another(
    alice: Caller, bob: Caller, database: Database, worker: FakeWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    goes_on, asked = Event(), list[str]()
    resolve = socket.getaddrinfo

    def slow(host: Any, *more: Any, **named: Any) -> Any:  # noqa: ANN401 - as the function that it stands for
        if str(host).startswith("slow"):
            asked.append(host)
            goes_on.wait(30)
        return resolve("192.0.2.7", *more, **named)

    monkeypatch.setattr(socket, "getaddrinfo", slow)
    alice.create("webhook", name="CRM", target_url="https://192.0.2.7/")
    answers: list[int] = []

    async def save(client: httpx.AsyncClient, place: int) -> None:
        url = f"https://slow{place}.example/"
        answers.append((await client.patch("webhook/1/", json={"target_url": url})).status_code)

    app = app_on_this_loop(database, worker, webhook_networks=("192.0.2.0/24",))
    async with (
        client_on_this_loop(app, "alice") as first,
        client_on_this_loop(app, "bob") as other,
        anyio.create_task_group() as tasks,
    ):
        for place in range(16):
            tasks.start_soon(save, first, place)
        with anyio.fail_after(20):
            while len(asked) < PREPARED_OF_ACCOUNT_AT_ONCE:
                await anyio.lowlevel.checkpoint()
            made = await other.post("webhook/", json={"name": "B", "target_url": "https://quick.example/"})
        assert (made.status_code, answers) == (201, [])
        goes_on.set()
    assert Counter(answers) == {202: 16}
    assert bob.get("webhook/")["count"] == 1


def test_a_test_event_has_every_signature_that_an_event_has(alice: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a change of the secret, a receiver that still has the old one verifies the test event, too."""
    seen: list[int] = []

    async def post(_self: object, _url: str, headers: dict[str, str], *_more: object) -> Any:  # noqa: ANN401
        seen.append(len(headers["webhook-signature"].split()))
        return PostOutcome(204, 1)

    monkeypatch.setattr(Poster, "post", post)
    alice.create("webhook", name="CRM", target_url="https://192.0.2.7/")
    for count in (1, 2, 3, 4):
        assert alice.request("POST", "webhook/1/test/").json()["problem"] == ""
        assert alice.request("POST", "webhook/1/rotate/").status_code == (200 if count < 4 else 409)
    assert seen == [1, 2, 3, 4]
