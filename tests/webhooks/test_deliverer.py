"""Tests of deliveries to real receivers on loopback: signed, in order, again after failures, and never lost."""

from collections.abc import Sequence
from contextlib import AsyncExitStack

import anyio
import pytest
from structlog.testing import capture_logs

from dialer.app.work.errors import RefusedError
from dialer.resources.crud.moments import show_timestamp
from dialer.store.database.database import Database
from dialer.store.rows import webhooks
from dialer.store.rows.webhooks import has_events, read_waiting
from dialer.webhooks.addresses import AddressGuard
from dialer.webhooks.deliverer import AT_ONCE_MAX, EVENTS_AT_ONCE, LEASE_MS
from dialer.webhooks.retries import GIVEN_UP_MS
from tests.webhooks.outbox import BASE, Outbox
from tests.webhooks.receivers import OK, Receiver, answer

pytestmark = pytest.mark.anyio
BROKEN = answer("500 Internal Server Error")
DAY_MS = GIVEN_UP_MS


async def test_events_come_signed_once_each_and_in_order(outbox: Outbox) -> None:
    receiver = Receiver()
    async with receiver.listening():
        webhook_id = outbox.webhook(receiver.url)
        ids = outbox.write(7)
        process = outbox.process()
        await process.deliver_due()
        await process.deliver_due()
    assert receiver.verified(outbox.secrets[webhook_id]) == ids
    assert receiver.got[0] == {
        "specversion": "1.0",
        "id": ids[0],
        "source": f"{BASE}/rest-api/",
        "type": "call.ended",
        "subject": "callrequest/1",
        "time": show_timestamp(outbox.now_ms),
        "datacontenttype": "application/json",
        "data": {
            "campaign": 1,
            "call": 1,
            "links": {"self": f"{BASE}/rest-api/callrequest/1/", "call": f"{BASE}/rest-api/callrequest/1/"},
        },
    }
    assert outbox.deliveries(webhook_id) == [(event_id, "received", 1, 204) for event_id in ids]


async def test_events_of_before_and_of_other_types_do_not_come(outbox: Outbox) -> None:
    receiver = Receiver()
    async with receiver.listening():
        outbox.webhook(receiver.url)  # The account keeps its events from now on.
        outbox.write(3)
        late = outbox.webhook(receiver.url, "call.ended campaign.ended")
        outbox.write(2, "call.started")
        (wanted,) = outbox.write(1)
        process = outbox.process()
        await process.deliver_due()
    assert outbox.deliveries(late) == [(wanted, "received", 1, 204)]
    outbox.write(2, "call.started")
    (waiting,) = [
        one for one in outbox.house.database.read_now(lambda c: read_waiting(c, outbox.now_ms))[0] if one.id == late
    ]
    assert not outbox.house.database.read_now(lambda found: has_events(found, waiting, waiting.after_event_id))


async def test_webhooks_beyond_those_that_are_read_at_once_get_their_events(
    outbox: Outbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(webhooks, "WEBHOOKS_READ_MAX", 2)
    receiver = Receiver()
    async with receiver.listening():
        ids = [outbox.webhook(receiver.url) for _ in range(5)]
        (event_id,) = outbox.write(1)
        await outbox.process().deliver_due()
    assert [outbox.deliveries(one) for one in ids] == [[(event_id, "received", 1, 204)]] * 5


async def test_many_events_are_in_order_by_record_and_no_more_at_a_time_than_allowed(outbox: Outbox) -> None:
    receiver = Receiver()
    async with receiver.listening():
        webhook_id = outbox.webhook(receiver.url)
        started = outbox.write(2 * EVENTS_AT_ONCE, "call.started")
        ended = outbox.write(2 * EVENTS_AT_ONCE)
        await outbox.process().deliver_due()
    assert sorted(receiver.ids) == sorted(started + ended)
    place = {event_id: at for at, event_id in enumerate(receiver.ids)}
    assert all(place[first] < place[second] for first, second in zip(started, ended, strict=True))
    assert len(outbox.deliveries(webhook_id)) == 4 * EVENTS_AT_ONCE
    assert AT_ONCE_MAX < EVENTS_AT_ONCE


async def test_what_failed_comes_again_and_other_events_do_not_wait_for_it(outbox: Outbox) -> None:
    receiver = Receiver(lambda place: BROKEN if place == 1 else OK)
    async with receiver.listening():
        webhook_id = outbox.webhook(receiver.url)
        ids = outbox.write(4)
        process = outbox.process()
        await process.deliver_due()
        assert receiver.ids == ids
        assert outbox.deliveries(webhook_id)[1] == (ids[1], "waiting", 1, 500)
        await process.deliver_due()
        assert receiver.ids == ids
        outbox.now_ms += 5_000
        await process.deliver_due()
    assert receiver.ids == [*ids, ids[1]]
    assert receiver.headers[1]["webhook-id"] == receiver.headers[4]["webhook-id"]
    assert outbox.deliveries(webhook_id)[1] == (ids[1], "received", 2, 204)


async def test_a_receiver_that_fails_three_times_gets_one_request_at_a_time_and_then_everything(outbox: Outbox) -> None:
    broken = True
    receiver = Receiver(lambda _: BROKEN if broken else OK)
    async with receiver.listening():
        webhook_id = outbox.webhook(receiver.url)
        ids = outbox.write(20)
        process = outbox.process()
        await process.deliver_due()
        assert outbox.state(webhook_id) == (True, "", 3, 5_000)
        assert len(receiver.got) == 3
        outbox.now_ms += 5_000
        await process.deliver_due()
        assert (outbox.state(webhook_id), len(receiver.got)) == ((True, "", 4, 10_000), 4)
        outbox.now_ms += 10_000
        broken = False
        await process.deliver_due()
        outbox.now_ms += 10_000
        await process.deliver_due()
    assert outbox.state(webhook_id) == (True, "", 0, 0)
    assert [one[:2] for one in outbox.deliveries(webhook_id)] == [(event_id, "received") for event_id in ids]


async def test_a_receiver_that_is_gone_is_switched_off_at_once_and_goes_on_later(outbox: Outbox) -> None:
    receiver = Receiver(lambda place: answer("410 Gone") if place == 0 else OK)
    async with receiver.listening():
        webhook_id = outbox.webhook(receiver.url)
        ids = outbox.write(3)
        process = outbox.process()
        await process.deliver_due()
        assert outbox.state(webhook_id)[:2] == (False, "gone")
        assert outbox.deliveries(webhook_id)[0] == (ids[0], "failed", 1, 410)
        assert outbox.events("webhook.disabled") == [{"state": "off", "reason": "gone"}]
        await process.deliver_due()
        assert len(receiver.got) == 1
        with pytest.raises(RefusedError, match="The webhook is off"):
            outbox.resend(webhook_id, ids[0])
        outbox.change(webhook_id, enabled=True)
        outbox.resend(webhook_id, ids[0])
        await process.deliver_due()
    types = {one["id"]: one["type"] for one in receiver.got[1:]}
    assert types == dict.fromkeys(ids, "call.ended") | {"evt_4": "webhook.disabled"}
    assert outbox.state(webhook_id) == (True, "", 0, 0)


async def test_a_receiver_that_fails_for_a_day_is_switched_off_and_nothing_is_lost(outbox: Outbox) -> None:
    broken = True
    receiver = Receiver(lambda _: BROKEN if broken else OK)
    async with receiver.listening():
        webhook_id = outbox.webhook(receiver.url)
        ids = outbox.write(5)
        process = outbox.process()
        while outbox.state(webhook_id)[0]:
            await process.deliver_due()
            outbox.now_ms += max(1, outbox.state(webhook_id)[3])
        assert outbox.state(webhook_id)[:2] == (False, "failing")
        assert 24 <= len(receiver.got) <= 60
        broken = False
        outbox.change(webhook_id, enabled=True)
        for _ in range(3):
            await process.deliver_due()
            outbox.now_ms += 3_600_000
        for event_id, status, _attempts, _answer in outbox.deliveries(webhook_id):
            if status == "failed":  # Given up after a day, and sent by hand.
                outbox.resend(webhook_id, event_id)
        await process.deliver_due()
    received = [event_id for event_id, status, _, _ in outbox.deliveries(webhook_id) if status == "received"]
    assert set(ids) <= set(received)


async def test_a_receiver_says_when_to_come_again(outbox: Outbox) -> None:
    receiver = Receiver(lambda place: answer("429 Slow Down", "Retry-After: 600") if place == 0 else OK)
    async with receiver.listening():
        webhook_id = outbox.webhook(receiver.url)
        ids = outbox.write(2)
        process = outbox.process()
        await process.deliver_due()
        assert outbox.state(webhook_id) == (True, "", 1, 600_000)
        outbox.now_ms += 599_000
        await process.deliver_due()
        assert receiver.ids == ids[:1]
        outbox.now_ms += 1_000
        await process.deliver_due()
    assert sorted(receiver.ids) == sorted([ids[0], *ids])


async def test_redirects_are_not_followed(outbox: Outbox) -> None:
    elsewhere, receiver = Receiver(), Receiver()
    async with elsewhere.listening():
        receiver = Receiver(lambda _: answer("307 Elsewhere", f"Location: {elsewhere.url}"))
        async with receiver.listening():
            webhook_id = outbox.webhook(receiver.url)
            ids = outbox.write(1)
            await outbox.process().deliver_due()
    assert (len(receiver.got), elsewhere.got) == (1, [])
    assert outbox.deliveries(webhook_id) == [(ids[0], "waiting", 1, 307)]


async def test_a_name_that_leads_inside_after_the_check_leads_nowhere(outbox: Outbox) -> None:
    asked: list[str] = []

    def resolve(host: str, _port: int) -> Sequence[str]:
        asked.append(host)
        return ["8.8.8.8"] if len(asked) == 1 else ["127.0.0.1"]

    guard = AddressGuard(resolve=resolve)
    receiver = Receiver()
    async with receiver.listening():
        url = receiver.url.replace("127.0.0.1", "turncoat.example")
        guard.check(url)
        webhook_id = outbox.webhook(url)
        outbox.write(1)
        await outbox.process(guard=guard).deliver_due()
    assert (asked, receiver.got) == (["turncoat.example"] * 2, [])
    assert outbox.deliveries(webhook_id)[0][1:] == ("waiting", 1, None)


@pytest.mark.parametrize("host", ["127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "127.1", "2130706433", "0x7f000001"])
async def test_an_address_in_the_url_leads_nowhere_unless_it_is_public(outbox: Outbox, host: str) -> None:
    receiver = Receiver()
    async with receiver.listening():
        webhook_id = outbox.webhook(receiver.url.replace("127.0.0.1", host))
        outbox.write(1)
        await outbox.process(guard=AddressGuard()).deliver_due()
    assert receiver.got == []
    assert outbox.deliveries(webhook_id) == [("evt_1", "waiting", 1, None)]


async def test_a_name_is_asked_for_once_a_connection_and_the_checked_address_is_used(outbox: Outbox) -> None:
    asked: list[str] = []

    def resolve(host: str, _port: int) -> Sequence[str]:
        asked.append(host)
        return ["127.0.0.1"]

    receiver = Receiver()
    async with receiver.listening():
        outbox.webhook(receiver.url.replace("127.0.0.1", "crm.example"))
        outbox.write(3)
        await outbox.process(guard=AddressGuard(("127.0.0.0/8",), resolve)).deliver_due()
    assert (len(receiver.got), asked) == (3, ["crm.example"])
    assert receiver.headers[0]["host"].startswith("crm.example:")


async def test_a_host_with_several_addresses_is_reached_at_the_one_that_answers(outbox: Outbox) -> None:
    receiver = Receiver()
    async with receiver.listening():
        outbox.webhook(receiver.url.replace("127.0.0.1", "crm.example"))
        ids = outbox.write(1)
        guard = AddressGuard(("127.0.0.0/8",), lambda _host, _port: ["127.0.0.9", "127.0.0.1"])
        await outbox.process(guard=guard).deliver_due()
    assert receiver.ids == ids


async def test_a_long_answer_is_not_read_and_odd_answers_are_failures(outbox: Outbox) -> None:
    endless = answer("200 OK", body="x" * 200_000)
    odd = (endless, b"nonsense\r\n\r\n", b"HTTP/1.1 999 Odd\r\nContent-Length: 0\r\n\r\n")
    for said, expected in zip(odd, ("received", "waiting", "waiting"), strict=True):
        receiver = Receiver(lambda _, said=said: said)  # type: ignore[misc]
        async with receiver.listening():
            webhook_id = outbox.webhook(receiver.url)
            outbox.write(1)
            await outbox.process().deliver_due()
        assert [one[1] for one in outbox.deliveries(webhook_id)] == [expected]
        outbox.change(webhook_id, enabled=False)


async def test_the_log_has_neither_the_address_nor_the_answer_of_a_receiver(outbox: Outbox) -> None:
    receiver = Receiver(lambda _: b"secret nonsense\r\n\r\n")
    async with receiver.listening():
        outbox.webhook(f"{receiver.url}&token=secret")
        outbox.write(1)
        with capture_logs() as lines:
            await outbox.process().deliver_due()
    entry = {"event": "webhook_not_answered", "log_level": "info", "reason": "ClientResponseError", "errno": None}
    assert lines == [entry]


async def test_of_ten_receivers_nine_fail_and_the_good_one_gets_everything(outbox: Outbox) -> None:
    def kind(place: int) -> Receiver:
        answers = (None, BROKEN, answer("301 Moved", "Location: http://127.0.0.1:1/"), b"\x00\x01", b"")
        return Receiver(lambda _: answers[place % len(answers)])

    bad, good = [kind(place) for place in range(9)], Receiver()
    async with AsyncExitStack() as stack:
        for receiver in (*bad, good):
            await stack.enter_async_context(receiver.listening())
        webhook_id = [outbox.webhook(receiver.url) for receiver in (*bad, good)][-1]
        ids = outbox.write(50)
        with anyio.fail_after(30):
            await outbox.process(timeout_s=0.5).deliver_due()
    assert good.ids == ids
    assert outbox.state(webhook_id) == (True, "", 0, 0)
    assert all(len(receiver.got) <= 3 for receiver in bad)


async def test_one_process_delivers_and_another_takes_over_when_it_is_silent(outbox: Outbox) -> None:
    hanging = Receiver(lambda place: None if place == 0 else OK)
    async with hanging.listening():
        webhook_id = outbox.webhook(hanging.url)
        ids = outbox.write(3)
        first, second = outbox.process(timeout_s=60), outbox.process()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(first.deliver_due)
            with anyio.fail_after(10):
                while not hanging.got:
                    await anyio.lowlevel.checkpoint()
            await second.deliver_due()
            assert hanging.ids == ids[:1]
            outbox.now_ms += LEASE_MS
            await second.deliver_due()
            assert hanging.ids == [ids[0], *ids]
            tasks.cancel_scope.cancel()
    assert [one[1] for one in outbox.deliveries(webhook_id)] == ["received"] * 3


async def test_of_two_processes_one_sends_each_event_while_others_write(outbox: Outbox) -> None:
    receivers = [Receiver(), Receiver()]
    async with AsyncExitStack() as stack:
        for receiver in receivers:
            await stack.enter_async_context(receiver.listening())
            outbox.webhook(receiver.url)
        other = Database(outbox.house.url)
        stack.callback(other.close)
        processes = (outbox.process(), outbox.process(database=other))
        ids: list[str] = []
        for _ in range(5):
            async with anyio.create_task_group() as tasks:
                for process in processes:
                    tasks.start_soon(process.deliver_due)
                ids += await anyio.to_thread.run_sync(outbox.write, 30)
        for process in processes:
            await process.deliver_due()
    assert [receiver.ids for receiver in receivers] == [ids, ids]


async def test_a_process_that_ends_gives_its_webhooks_up_at_once(outbox: Outbox) -> None:
    hanging = Receiver(lambda place: None if place == 0 else OK)
    async with hanging.listening():
        outbox.webhook(hanging.url)
        ids = outbox.write(1)
        async with outbox.process(timeout_s=60).delivering():
            with anyio.fail_after(10):
                while not hanging.got:
                    await anyio.lowlevel.checkpoint()
        await outbox.process().deliver_due()
    assert hanging.ids == ids * 2


async def test_the_webhooks_of_a_process_that_was_killed_are_taken_over_at_once(outbox: Outbox) -> None:
    """The sign of a process that lives goes with it, however it ends. The time of its lease does not pass."""
    hanging = Receiver(lambda place: None if place == 0 else OK)
    async with hanging.listening():
        webhook_id = outbox.webhook(hanging.url)
        ids = outbox.write(2)
        killed, other = outbox.process(timeout_s=60), outbox.process()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(killed.deliver_due)
            with anyio.fail_after(10):
                while not hanging.got:
                    await anyio.lowlevel.checkpoint()
            await other.deliver_due()
            assert hanging.ids == ids[:1]
            killed.close()
            await other.deliver_due()
            assert hanging.ids == [ids[0], *ids]
            tasks.cancel_scope.cancel()
    assert [one[1] for one in outbox.deliveries(webhook_id)] == ["received"] * 2


async def test_the_lease_of_a_process_without_a_sign_ends_in_its_time(outbox: Outbox) -> None:
    """An earlier release, or one that cannot be seen, may still be sending."""
    receiver = Receiver()
    async with receiver.listening():
        webhook_id = outbox.webhook(receiver.url)
        ids = outbox.write(1)
        outbox.change(webhook_id, lease_holder="0" * 32, lease_until_ms=outbox.now_ms + LEASE_MS)
        process = outbox.process()
        await process.deliver_due()
        assert receiver.ids == []
        outbox.now_ms += LEASE_MS
        await process.deliver_due()
    assert receiver.ids == ids


async def test_both_secrets_sign_for_a_day_after_a_rotation(outbox: Outbox) -> None:
    receiver = Receiver()
    async with receiver.listening():
        webhook_id = outbox.webhook(receiver.url)
        old, new = outbox.secrets[webhook_id], outbox.rotate(webhook_id)
        process = outbox.process()
        outbox.write(1)
        await process.deliver_due()
        assert len(receiver.headers[0]["webhook-signature"].split()) == 2
        for known in (old, new):
            assert receiver.verified(known) == receiver.ids
        outbox.now_ms += DAY_MS
        outbox.write(1)
        await process.deliver_due()
    assert len(receiver.headers[1]["webhook-signature"].split()) == 1


async def test_a_resent_event_comes_once_more(outbox: Outbox) -> None:
    receiver = Receiver()
    async with receiver.listening():
        webhook_id = outbox.webhook(receiver.url)
        ids = outbox.write(2)
        process = outbox.process()
        await process.deliver_due()
        outbox.resend(webhook_id, ids[0])
        await process.deliver_due()
    assert receiver.ids == [*ids, ids[0]]
    assert outbox.deliveries(webhook_id)[0] == (ids[0], "received", 2, 204)
