"""Tests of forecasts through the API: permissions, parameters, limits, and one at a time for each user."""

from base64 import b64encode
from functools import partial
from typing import Any, Final

import anyio
import anyio.lowlevel
import pytest
from sqlalchemy import Connection, insert

from dialer.api.actions.forecast import FORECAST_WORK_MAX, OF_ACCOUNT_MAX, RUNNING_MAX, WAITING_MAX, Forecaster
from dialer.api.app import create_app
from dialer.domain.words.reasons import CAMPAIGN_REASONS
from dialer.domain.words.roles import Role
from dialer.forecast.forecast import NoCampaignError
from dialer.forecast.parameters import FIRST_SEED_MAX, Order
from dialer.forecast.processes import ForecastFailedError, Progress
from dialer.forecast.summary import Forecast
from dialer.resources.crud.resource import Actor
from dialer.resources.words.errors import AnsweredError, RecordNotFoundError
from dialer.settings import Settings
from dialer.store.database.database import Database
from dialer.store.tables import Contact, Subscriber
from tests.api.builders import Estate, stored
from tests.api.harness import HOST, NOW, PASSWORD, Caller, FakeWorker

ORDER = Order(1, 0, "UTC")


@pytest.fixture
def path(estate: Estate) -> str:
    """Return the forecast path of Alice's campaign, which has one subscriber and money."""
    estate.admin.create("payment", amount=10, user="/rest-api/users/2/")
    return f"campaigns/{estate.campaign['id']}/forecast/"


def ask(caller: Caller, path: str, **fields: Any) -> tuple[int, Any]:  # noqa: ANN401 - JSON
    answer = caller.request("POST", path, json=fields)
    return answer.status_code, answer.json()


def test_a_forecast_has_percentiles_and_the_outcome_of_each_seed(alice: Caller, path: str) -> None:
    status, found = ask(alice, path, seeds="3", first_seed=5)
    assert status == 200
    assert [found[name] for name in ("campaign_id", "now", "seeds", "first_seed", "subscribers")] == [1, NOW, 3, 5, 1]
    assert found["calls"] == {"p10": 1, "p50": 1, "p90": 1}
    assert list(found["cost"].values()) == sorted(each["cost"] for each in found["per_seed"])
    assert found["stop_reasons"] == [{"name": "completed", "count": 3}]
    assert [each["seed"] for each in found["per_seed"]] == [5, 6, 7]
    finishes = sorted(each["finish_date"] for each in found["per_seed"])
    assert list(found["finish_date"].values()) == finishes


def test_it_obeys_the_calling_hours_if_it_is_asked_to(alice: Caller, path: str) -> None:
    hours = ["calling_hours", "country_hours"]
    asked: list[dict[str, Any]] = [{"obey_calling_hours": "true"}, {"obey_calling_hours": False}, {}]
    found = [ask(alice, path, seeds=1, **fields)[1] for fields in asked]
    rest = ["window", "do_not_call", "gateway_limits", "balance"]
    assert [one["rules_obeyed"] for one in found] == [rest + hours, rest, rest]
    assert [one["rules_left_aside"] for one in found] == [[], hours, hours]
    refusal = {"obey_calling_hours": ["Must be a valid boolean."]}
    assert ask(alice, path, obey_calling_hours="sometimes") == (400, refusal)


def test_it_obeys_rows_of_law_if_it_is_asked_to(alice: Caller, path: str) -> None:
    """A campaign that does not say its purpose is bound by all of them."""
    asked: list[dict[str, Any]] = [{"obey_contact_rules": "true"}, {"obey_contact_rules": False}, {}]
    found = [ask(alice, path, seeds=1, **fields)[1] for fields in asked]
    assert ["contact_rules" in one["rules_obeyed"] for one in found] == [True, False, False]
    assert [one["held"] for one in found] == [[], [], []]
    refusal = {"obey_contact_rules": ["Must be a valid boolean."]}
    assert ask(alice, path, obey_contact_rules="sometimes") == (400, refusal)


def test_without_a_body_it_is_twenty_seeds_from_zero(alice: Caller, path: str) -> None:
    answer = alice.request("POST", path)
    assert (answer.status_code, answer.json()["seeds"], answer.json()["first_seed"]) == (200, 20, 0)
    assert answer.json() == alice.request("POST", path.rstrip("/"), json={}).json()


def dumped(connection: Connection, beside: str) -> list[str]:
    """Return all rows as statements but those of one table."""
    return [line for line in connection.connection.driver_connection.iterdump() if f'INTO "{beside}"' not in line]  # type: ignore[union-attr]


@pytest.mark.sqlite_only("dumps the file")
def test_nothing_is_changed_by_it(alice: Caller, path: str, database: Database, worker: FakeWorker) -> None:
    """An idempotency key stores nothing either: the forecast is computed again."""
    # The use of a key by an earlier test may be noted meanwhile.
    dump = partial(database.read_now, partial(dumped, beside="api_key"))
    before, settled = dump(), worker.settled
    headers = {"Idempotency-Key": "k"}
    assert alice.request("POST", path, json={"seeds": 1}, headers=headers).status_code == 200
    assert "idempotent-replayed" not in alice.request("POST", path, json={"seeds": 2}, headers=headers).headers
    assert (dump(), worker.settled) == (before, settled)


def test_a_campaign_of_text_messages_has_a_path_of_its_own(alice: Caller, estate: Estate, path: str) -> None:
    own = f"sms-campaigns/{estate.sms_campaign['id']}/forecast/"
    assert ask(alice, own) == (400, {"text_message": ["The text is empty. Set the text to send."]})
    alice.change(estate.sms_campaign["url"], text_message="Come!")
    status, found = ask(alice, own, seeds=1)
    assert (status, found["subscribers"], found["calls"]["p50"]) == (200, 0, 1)
    assert ask(alice, path.replace("campaigns", "sms-campaigns"))[0] == 404
    assert ask(alice, own.replace("sms-campaigns", "campaigns"))[0] == 404


def test_it_is_the_owners_and_an_admins(bob: Caller, admin: Caller, path: str) -> None:
    assert ask(bob, path, seeds=0) == (404, {"detail": "Not found."})
    assert ask(admin, path, seeds=1)[0] == 200
    for record_id in ("4711", "0", "x", "9" * 30):
        assert ask(admin, f"campaigns/{record_id}/forecast/")[0] == 404
    answer = admin.request("GET", path)
    assert (answer.status_code, answer.headers["allow"]) == (405, "OPTIONS, POST")


@pytest.mark.parametrize(
    ("fields", "errors"),
    [
        ({"seeds": 0}, {"seeds": ["Ensure this value is greater than or equal to 1."]}),
        ({"seeds": 101}, {"seeds": ["Ensure this value is less than or equal to 100."]}),
        (
            {"seeds": "x", "first_seed": -1},
            {
                "seeds": ["A valid integer is required."],
                "first_seed": ["Ensure this value is greater than or equal to 0."],
            },
        ),
        (
            {"first_seed": FIRST_SEED_MAX + 1},
            {"first_seed": [f"Ensure this value is less than or equal to {FIRST_SEED_MAX}."]},
        ),
    ],
)
def test_fields_that_are_wrong(alice: Caller, path: str, fields: dict[str, Any], errors: dict[str, Any]) -> None:
    assert ask(alice, path, **fields) == (400, errors)


def test_the_last_seed_is_one_that_the_service_may_have(alice: Caller, path: str) -> None:
    assert ask(alice, path, first_seed=FIRST_SEED_MAX, seeds=1)[0] == 200


def test_bodies_that_are_none(alice: Caller, path: str) -> None:
    """Unknown fields are listed in the header, as everywhere."""
    assert alice.request("POST", path, content=b"[]", headers={"Content-Type": "application/json"}).status_code == 400
    assert alice.request("POST", path, content=b"seeds=1", headers={"Content-Type": "text/plain"}).status_code == 415
    assert alice.request("POST", path, json={"seeds": 1, "sees": 1}).headers["x-ignored-fields"] == "sees"


def test_a_campaign_that_cannot_start_is_refused_as_at_a_start(alice: Caller, estate: Estate, path: str) -> None:
    survey = alice.create("survey-template", name="empty")
    alice.change(estate.campaign["url"], object_id=survey["id"])
    refused = ask(alice, path)
    assert refused == alice.refused("PATCH", estate.campaign["url"], status=1)
    assert (refused[0], list(refused[1])) == (400, ["object_id"])


def test_a_campaign_that_has_ended_has_nothing_to_forecast(alice: Caller, estate: Estate, path: str) -> None:
    alice.change(estate.campaign["url"], status=4)
    because = f"status 4 (END), {CAMPAIGN_REASONS['user']}"
    line = f"Campaign 1 has ended: {because}; last changed at {NOW}. There is nothing to forecast."
    assert ask(alice, path) == (409, {"detail": line})


def test_too_large_a_forecast_is_refused_with_the_largest_allowed(
    alice: Caller, estate: Estate, path: str, database: Database
) -> None:
    """Subscribers and contacts count together. Three seeds of them exceed the limit, and two do not."""
    people = FORECAST_WORK_MAX // 3
    rows = [
        {
            "id": place,
            "phonebook_id": 1,
            "contact": "+1",
            "number": "+1",
            "zone": "",
            "created_date": 0,
            "updated_date": 0,
        }
        for place in range(10, 10 + people - 2)
    ]
    database.write_now(lambda connection: connection.execute(insert(Contact), rows))
    alice.change(estate.campaign["url"], phonebook=[estate.phonebook["url"]])
    stored(database, Subscriber, campaign_id=1, duplicate_contact="+1", number="+1", zone="", status=8)
    message = f"The campaign has {people + 1} subscribers and contacts. Ask for at most 2 seeds."
    hint = "Without this limit, on the machine of the service: dialer forecast 1 --seeds 3"
    assert ask(alice, path, seeds=3) == (400, {"seeds": [f"{message} {hint}"]})


class Slow:
    """A computation that runs until it is cancelled, with events for its begin and its end."""

    def __init__(self) -> None:
        self.begun = anyio.Event()
        self.ended = anyio.Event()

    async def __call__(self, _database: Database, _order: Order, progress: Progress) -> Forecast:
        progress(2)
        self.begun.set()
        try:
            await anyio.sleep_forever()
        finally:
            self.ended.set()
        raise NotImplementedError


ANN: Final = 7
"""The id of a user."""


def user(user_id: int, manager_id: int | None = None) -> Actor:
    """Return a user, who works for themselves or for a manager."""
    return Actor(user_id, f"user {user_id}", Role.MANAGER if manager_id is None else Role.VIEWER, manager_id)


async def refusal(forecaster: Forecaster, database: Database, who: Actor = user(ANN)) -> tuple[int, str | None]:  # noqa: B008 - it is immutable
    with pytest.raises(AnsweredError) as refused:
        await forecaster.forecast(database, ORDER, who)
    return refused.value.status, refused.value.headers.get("Retry-After")


async def test_a_user_has_one_at_a_time(database: Database) -> None:
    """A second request is told to retry. After the first is cancelled, another can run."""
    turns = [Slow(), Slow()]
    waiting = list(turns)

    async def next_one(database: Database, order: Order, progress: Progress) -> Forecast:
        return await waiting.pop(0)(database, order, progress)

    forecaster = Forecaster(next_one)
    for slow in turns:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(forecaster.forecast, database, ORDER, user(ANN))
            await slow.begun.wait()
            assert forecaster.progress_of(ORDER.campaign_id) == (ORDER.campaign_id, 2, ORDER.seeds)
            assert forecaster.progress_of(ORDER.campaign_id + 1) is None
            assert await refusal(forecaster, database) == (503, "10")
            tasks.cancel_scope.cancel()
        assert slow.ended.is_set()
        assert forecaster.progress_of(ORDER.campaign_id) is None


class Paced:
    """A computation that ends when it is told to."""

    def __init__(self) -> None:
        self.begun: list[Order] = []
        self._may_end = anyio.Semaphore(0)

    async def __call__(self, _database: Database, order: Order, _progress: Progress) -> Forecast:
        self.begun.append(order)
        await self._may_end.acquire()
        raise NoCampaignError

    async def end_one(self) -> None:
        """Let one computation end, and the next one begin."""
        self._may_end.release()
        await anyio.wait_all_tasks_blocked()


async def test_others_wait_for_their_turn_in_the_order_of_their_requests(database: Database) -> None:
    """A user with a long forecast does not keep others out; only the queue's length does."""
    paced, most = Paced(), RUNNING_MAX + WAITING_MAX
    forecaster, orders = Forecaster(paced), [Order(number, 0, "UTC") for number in range(1, most + 1)]
    ended: list[int] = []

    async def ask_for(order: Order) -> None:
        with pytest.raises(RecordNotFoundError):
            await forecaster.forecast(database, order, user(order.campaign_id))
        ended.append(order.campaign_id)

    async with anyio.create_task_group() as tasks:
        for order in orders:
            tasks.start_soon(ask_for, order)
            await anyio.wait_all_tasks_blocked()
        assert paced.begun == orders[:RUNNING_MAX]
        assert forecaster.progress_of(most) == (most, 0, ORDER.seeds)
        assert [await refusal(forecaster, database, user(user_id)) for user_id in (1, most, most + 1)] == [
            (503, "10")
        ] * 3
        for _ in orders:
            await paced.end_one()
    assert paced.begun == orders
    assert sorted(ended) == [order.campaign_id for order in orders]


async def test_users_of_one_account_leave_a_turn_and_places_to_others(database: Database) -> None:
    """The second user of an account waits beside a free turn, which the next account gets at once."""
    paced = Paced()
    forecaster, own = Forecaster(paced), [Order(number, 0, "UTC") for number in range(1, OF_ACCOUNT_MAX + 1)]
    other = Order(99, 0, "UTC")

    async def ask_for(order: Order, who: Actor) -> None:
        with pytest.raises(RecordNotFoundError):
            await forecaster.forecast(database, order, who)

    async with anyio.create_task_group() as tasks:
        for order in own:
            tasks.start_soon(ask_for, order, user(order.campaign_id, ANN))
            await anyio.wait_all_tasks_blocked()
        assert paced.begun == own[:1]
        assert await refusal(forecaster, database) == (503, "10")
        tasks.start_soon(ask_for, other, user(99))
        await anyio.wait_all_tasks_blocked()
        assert paced.begun == [own[0], other]
        for _ in range(len(own) + 1):
            await paced.end_one()
    assert paced.begun == [own[0], other, *own[1:]]


async def test_a_client_that_goes_away_gives_up_its_place_in_the_queue(database: Database) -> None:
    paced = Paced()
    forecaster = Forecaster(paced)
    async with anyio.create_task_group() as tasks:
        for user_id in range(RUNNING_MAX):
            tasks.start_soon(forecaster.forecast, database, ORDER, user(user_id))
        await anyio.wait_all_tasks_blocked()
        with anyio.move_on_after(0.001):
            await forecaster.forecast(database, Order(99, 0, "UTC"), user(ANN))
        assert forecaster.progress_of(99) is None
        tasks.start_soon(forecaster.forecast, database, Order(99, 0, "UTC"), user(ANN))
        await anyio.wait_all_tasks_blocked()
        assert forecaster.progress_of(99) == (99, 0, ORDER.seeds)
        tasks.cancel_scope.cancel()


async def test_a_turn_that_does_not_come_in_time_is_given_up(database: Database) -> None:
    forecaster = Forecaster(Paced(), wait_seconds_max=0.2)
    async with anyio.create_task_group() as tasks:
        for user_id in range(RUNNING_MAX):
            tasks.start_soon(forecaster.forecast, database, ORDER, user(user_id))
        await anyio.wait_all_tasks_blocked()
        assert await refusal(forecaster, database) == (503, "10")
        tasks.cancel_scope.cancel()


async def test_one_that_takes_too_long_is_given_up(database: Database) -> None:
    slow = Slow()
    assert await refusal(Forecaster(slow, seconds_max=0), database) == (503, "10")


async def test_one_whose_process_dies_fails_alone(database: Database) -> None:
    """The next one of the same user is computed."""

    async def dying(_database: Database, _order: Order, _progress: Progress) -> Forecast:
        raise ForecastFailedError("a process ended with -9")

    forecaster = Forecaster(dying)
    for _ in range(2):
        with pytest.raises(AnsweredError, match="The forecast failed: a process ended with -9") as failed:
            await forecaster.forecast(database, ORDER, user(ANN))
        assert failed.value.status == 503


async def test_a_disconnect_ends_the_forecast(
    estate: Estate, path: str, database: Database, worker: FakeWorker
) -> None:
    """The computation ends with the connection."""
    slow = Slow()
    app = create_app(Settings(), database=database, worker=worker, forecasting=slow)
    credentials = b64encode(f"{estate.owner.auth[0]}:{PASSWORD}".encode())
    scope: Any = {
        "type": "http",
        "method": "POST",
        "path": f"/rest-api/{path}",
        "raw_path": f"/rest-api/{path}".encode(),
        "query_string": b"",
        "headers": [(b"host", HOST.encode()), (b"authorization", b"Basic " + credentials)],
        "client": ("testclient", 50_000),
        "scheme": "http",
        "server": (HOST, 80),
        "http_version": "1.1",
        "root_path": "",
    }
    arriving = iter([{"type": "http.request", "body": b"", "more_body": False}])

    async def receive() -> Any:  # noqa: ANN401 - a message of ASGI
        message = next(arriving, None)
        if message is None:
            await slow.begun.wait()
        return message or {"type": "http.disconnect"}

    async def send(_message: object) -> None:
        await anyio.lowlevel.checkpoint()

    await app(scope, receive, send)
    assert slow.ended.is_set()
