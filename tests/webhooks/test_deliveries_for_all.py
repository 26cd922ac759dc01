"""Tests of deliveries beside slow receivers, after hours off, and after several changes of the secret."""

import anyio
import pytest

from dialer.app.work.errors import RefusedError
from dialer.webhooks import deliverer
from dialer.webhooks.retries import GIVEN_UP_MS
from tests.webhooks.outbox import Outbox
from tests.webhooks.receivers import OK, Receiver, answer

pytestmark = pytest.mark.anyio
BROKEN = answer("500 Internal Server Error")
DAY_MS = GIVEN_UP_MS


async def test_every_secret_signs_for_a_day_however_often_it_is_changed(outbox: Outbox) -> None:
    receiver = Receiver()
    async with receiver.listening():
        webhook_id = outbox.webhook(receiver.url)
        known = [outbox.secrets[webhook_id]]
        for _ in range(3):
            known.append(outbox.rotate(webhook_id))
            outbox.now_ms += 1_000
        with pytest.raises(RefusedError, match="3 older secrets still sign, the first until "):
            outbox.rotate(webhook_id)
        process = outbox.process()
        outbox.write(1)
        await process.deliver_due()
        for secret in known:
            assert receiver.verified(secret) == receiver.ids
        outbox.now_ms += DAY_MS - 3_000
        outbox.rotate(webhook_id)
        outbox.write(1)
        await process.deliver_due()
    assert len(receiver.headers[1]["webhook-signature"].split()) == 4


async def test_hours_in_which_the_service_was_off_are_no_failure(outbox: Outbox) -> None:
    """One failure before a day of maintenance, and one after it, switch nothing off and lose nothing."""
    is_broken = True
    receiver = Receiver(lambda _: BROKEN if is_broken else OK)
    async with receiver.listening():
        webhook_id = outbox.webhook(receiver.url)
        (event_id,) = outbox.write(1)
        await outbox.process().deliver_due()
        outbox.now_ms += DAY_MS + 3_600_000
        process = outbox.process()
        await process.deliver_due()
        assert outbox.deliveries(webhook_id) == [(event_id, "waiting", 2, 500)]
        assert outbox.state(webhook_id)[:3] == (True, "", 2)
        is_broken = False
        outbox.now_ms += 10_000
        await process.deliver_due()
    assert outbox.deliveries(webhook_id) == [(event_id, "received", 3, 204)]


async def test_a_clock_that_is_turned_back_delays_nothing(outbox: Outbox) -> None:
    receiver = Receiver(lambda place: OK if place >= 3 else answer("503 Busy", "Retry-After: 60"))
    async with receiver.listening():
        webhook_id = outbox.webhook(receiver.url)
        (event_id,) = outbox.write(1)
        process = outbox.process()
        for _ in range(3):
            await process.deliver_due()
            outbox.now_ms -= DAY_MS + 3_600_000
        await process.deliver_due()
    assert outbox.deliveries(webhook_id) == [(event_id, "received", 4, 204)]


async def test_silent_receivers_of_one_account_delay_no_other(outbox: Outbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten silent webhooks of an account hold its share of all requests, and another account's event comes."""
    monkeypatch.setattr(deliverer, "REQUESTS_MAX", 4)
    monkeypatch.setattr(deliverer, "REQUESTS_OF_ACCOUNT_MAX", 3)
    is_held, has_come = anyio.Event(), anyio.Event()
    rival_id, asked = outbox.rival(), 0

    def be_silent(_: int) -> None:
        nonlocal asked
        asked += 1
        if asked == 3:
            is_held.set()

    def come(_: int) -> bytes:
        has_come.set()
        return OK

    silent, good = Receiver(be_silent), Receiver(come)
    async with silent.listening(), good.listening():
        for _ in range(10):
            outbox.webhook(silent.url, user_id=rival_id)
        webhook_id = outbox.webhook(good.url)
        outbox.write(1, user_id=rival_id)
        async with outbox.process(timeout_s=60.0).delivering():
            with anyio.fail_after(20):
                await is_held.wait()
                outbox.write(1)
                await has_come.wait()
        assert asked == 3
    assert [status for _, status, _, _ in outbox.deliveries(webhook_id)] in [["received"], []]


async def test_accounts_share_a_host_without_a_common_limit(outbox: Outbox) -> None:
    """A request comes through while another account holds more connections to the same port than it may send."""
    held, is_held = 70, anyio.Event()

    def answers(place: int) -> bytes | None:
        if place == held - 1:
            is_held.set()
        return OK if place >= held else None

    receiver = Receiver(answers)
    async with receiver.listening(), anyio.create_task_group() as tasks:
        outbox.process(timeout_s=60.0)
        (poster,) = outbox.posters
        for _ in range(held):
            tasks.start_soon(poster.post, receiver.url, {}, b"{}", 1)
        with anyio.fail_after(20):
            await is_held.wait()
            assert (await poster.post(receiver.url, {}, b"{}", 2)).is_received
        tasks.cancel_scope.cancel()
