"""Tests of the forecast on a campaign's page, and of the people who are next."""

import re
from http import HTTPStatus

import msgspec
import pytest
from sqlalchemy import func, insert, select, update

from dialer.api.actions.forecast import Forecaster, ForecastUnderWay
from dialer.app.campaigns.keep_forecast import kept_forecast, record_of_forecasts
from dialer.domain.figures.statistics import HOUR_MS, Grouping
from dialer.domain.forecast.kept_forecast import KeptForecast
from dialer.forecast.parameters import Order
from dialer.forecast.summary import Forecast
from dialer.resources.crud.resource import Actor
from dialer.resources.words.errors import AnsweredError
from dialer.store.database.database import Database
from dialer.store.tables import Campaign, CampaignForecast, CampaignHour, Contact, DncContact, Gateway, Subscriber, User
from tests.api.harness import NOW_MS, Caller
from tests.console.building import HOSTILE, campaign, queue_campaign, store
from tests.console.visitor import Visitor, words
from tests.runtime.test_contact_law import ALL_BUSY


def forecast(visitor: Visitor, identity: int, page: str = "") -> tuple[int, str]:
    """Press the button, and return the status and the words of the answer."""
    visitor.get(page or f"campaigns/{identity}/")
    answer = visitor.send(f"campaigns/{identity}/forecast/")
    return answer.status_code, words(answer.text)


def test_a_forecast_is_kept_beside_what_happens(
    alice: Visitor, bob: Visitor, visitor: Visitor, api: Caller, database: Database
) -> None:
    identity = campaign(api)
    store(database, update(User).values(call_rate=1_000))
    status, refusal = forecast(alice, identity)
    assert "A forecast runs a copy of the campaign to its end, in seconds." in words(alice.page)
    assert (status, alice.text(f"campaigns/{identity}/").count("Forecast of")) == (303, 1)
    # Without money the copy stops at once.
    assert "Forecast of 18 Nov 2026, 11:06 not everybody is called in time" in words(alice.page)
    store(database, update(User).values(balance=10_00000))
    assert forecast(alice, identity)[0] == 303
    text = alice.text(f"campaigns/{identity}/")
    assert "Forecast of 18 Nov 2026, 11:06 everybody is called in time Stops dialling" in text
    assert "Calls in all 4" in text
    assert (forecast(bob, identity, "account/")[0], refusal) == (404, "")
    visitor.sign_in("vera")
    assert "Forecast of 18 Nov 2026" in visitor.text(f"campaigns/{identity}/")
    assert forecast(visitor, identity, "account/")[0] == 403
    assert alice.request("POST", f"campaigns/{identity}/forecast/", data={"csrf": "0" * 64}).status_code == 403
    api.change(f"campaigns/{identity}/", status=4)
    status, text = forecast(alice, identity)
    assert (status, "There is nothing to forecast." in text, "Forecast again" in text) == (409, True, False)


def test_a_forecast_is_kept_though_that_of_what_it_costs_is_refused(
    alice: Visitor, api: Caller, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    identity, whole = campaign(api), Forecaster.forecast
    store(database, update(User).values(call_rate=1_000))

    async def slow(forecaster: Forecaster, of: Database, order: Order, user: Actor) -> Forecast:
        if order.is_rich:
            raise AnsweredError(HTTPStatus.SERVICE_UNAVAILABLE, "The forecast took over 40 s.")
        return await whole(forecaster, of, order, user)

    monkeypatch.setattr(Forecaster, "forecast", slow)
    assert forecast(alice, identity)[0] == 303
    assert "Forecast of 18 Nov 2026, 11:06 not everybody is called in time" in alice.text(f"campaigns/{identity}/")
    kept = database.read_now(lambda connection: kept_forecast(connection, identity))
    assert kept is not None
    assert kept.cost_if_paid is None


def test_a_forecast_obeys_the_calling_hours_if_the_box_is_ticked(
    alice: Visitor, api: Caller, database: Database
) -> None:
    identity = campaign(api)
    store(database, update(User).values(call_rate=1_000, balance=10_00000))
    said = "Calling hours of the service and of countries"
    for ticked, words_of_hours, is_checked in (
        ({}, "not obeyed", False),
        ({"obey_calling_hours": "1"}, "obeyed", True),
    ):
        alice.get(f"campaigns/{identity}/")
        assert alice.send(f"campaigns/{identity}/forecast/", **ticked).status_code == 303
        assert f"{said} {words_of_hours}" in alice.text(f"campaigns/{identity}/")
        assert ('name="obey_calling_hours" value="1" checked' in alice.page) is is_checked


def test_a_forecast_shows_what_contact_rules_cost(alice: Visitor, api: Caller, database: Database) -> None:
    """All four are busy. They are to be called again after a minute, and wait until the campaign has ended."""
    identity = campaign(api, expirationdate="2026-11-19 11:00:00", maxretry="1", intervalretry="60")
    store(database, update(Gateway).values(parameters=ALL_BUSY))
    store(database, update(Subscriber).values(number=func.replace(Subscriber.number, "5550", "5551")))
    store(database, update(User).values(call_rate=1_000, balance=10_00000))
    api.create("contact-rule", name="Once a day <b>", limit=1, period=1, unit="days")
    alice.get(f"campaigns/{identity}/")
    assert 'name="obey_contact_rules" value="1" checked' in alice.page
    for ticked in ({}, {"obey_contact_rules": "1"}):
        assert alice.send(f"campaigns/{identity}/forecast/", **ticked).status_code == 303
        text = alice.text(f"campaigns/{identity}/")
        assert "Once a day <b> 4 people wait 23 h 52 min on average 4 of them past the end of the campaign" in text
        assert ('name="obey_contact_rules" value="1" checked' in alice.page) is bool(ticked)
        alice.get(f"campaigns/{identity}/")


def test_a_campaign_that_has_not_started_warns_of_rules_by_its_newest_forecast(
    alice: Visitor, api: Caller, database: Database
) -> None:
    identity = campaign(api, started="no", expirationdate="2026-11-19 11:00:00", maxretry="1", intervalretry="60")
    store(database, update(Gateway).values(parameters=ALL_BUSY))
    store(database, update(Contact).values(number=func.replace(Contact.number, "5550", "5551")))
    store(database, update(User).values(call_rate=1_000, balance=10_00000))
    api.create("contact-rule", name="Once a day", limit=1, period=1, unit="days")
    said = "4 of 4 people are called less often than the campaign allows: the contact rule “Once a day” holds them back"
    assert said not in alice.text(f"campaigns/{identity}/")
    assert forecast(alice, identity)[0] == 303
    assert said in alice.text(f"campaigns/{identity}/")


def test_a_forecast_shows_how_many_runs_are_done(alice: Visitor, api: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    identity = campaign(api)
    assert "runs done" not in alice.text(f"campaigns/{identity}/live/")
    monkeypatch.setattr(Forecaster, "progress_of", lambda _, campaign_id: ForecastUnderWay(campaign_id, 3, 10))
    assert "Forecast: 3 of 10 runs done" in alice.text(f"campaigns/{identity}/live/")


def test_an_ended_campaign_says_whether_it_was_inside_its_forecast(
    alice: Visitor, api: Caller, database: Database
) -> None:
    """The report has all forecasts together, as far as the viewer sees their campaigns."""
    store(database, update(User).values(call_rate=1_000, balance=10_00000))
    right, wrong = campaign(api), campaign(api)
    for identity in (right, wrong):
        assert forecast(alice, identity)[0] == 303
    document = database.read_now(
        lambda connection: connection.scalar(select(CampaignForecast.document).where(CampaignForecast.id == right))
    )
    kept = msgspec.json.decode(str(document), type=KeptForecast)
    assert "What happened" not in alice.text(f"campaigns/{right}/live/")
    happened = {"status": 4, "calls": kept.calls.p50, "cost": kept.cost.p90, "updated_date": kept.finish_ms.p10}
    store(database, update(Campaign).where(Campaign.id == right).values(happened))
    store(
        database,
        update(Campaign)
        .where(Campaign.id == wrong)
        .values({**happened, "cost": kept.cost.p90 + 1, "updated_date": kept.finish_ms.p90 + 1}),
    )
    assert "What happened inside the forecast, in calls and cost" in alice.text(f"campaigns/{right}/")
    assert "What happened outside the forecast, in calls or cost" in alice.text(f"campaigns/{wrong}/")
    assert re.search("Stopped dialling 18 Nov 2026, [0-9:]+ inside the forecast", alice.text(f"campaigns/{right}/"))
    assert re.search(
        "Stopped dialling 18 Nov 2026, [0-9:]+ later than in the forecast", alice.text(f"campaigns/{wrong}/")
    )
    store(database, update(Campaign).where(Campaign.id == wrong).values(updated_date=kept.finish_ms.p10 - 1))
    assert "earlier than in the forecast" in alice.text(f"campaigns/{wrong}/live/")
    text = alice.text(f"campaigns/{wrong}/report/")
    assert "Of 2 ended campaigns with a forecast, 1 were inside. 1 stopped dialling inside the forecast time." in text
    unseen = database.read_now(lambda connection: record_of_forecasts(connection, Campaign.user_id == 99))
    assert unseen == (0, 0, 0)


def test_a_forecast_keeps_the_calls_for_agents_apart_from_those_that_are_over(
    alice: Visitor, api: Caller, database: Database
) -> None:
    """Five calls of the hour are over, and of the calls to come some reach the queue."""
    identity = queue_campaign(api)
    store(database, update(User).values(call_rate=1_000, balance=10_00000))
    counted = {"campaign_id": identity, "grouping": Grouping.TOTAL, "hour": NOW_MS // HOUR_MS, "member": ""}
    store(database, insert(CampaignHour).values(**counted, calls=5))
    assert forecast(alice, identity)[0] == 303
    kept = database.read_now(lambda connection: kept_forecast(connection, identity))
    assert kept is not None
    to_come = kept.calls.p50 - 5
    assert (kept.calls_in_hour, kept.hours[0].calls.p50 - 5) == (5, to_come)
    assert kept.queued_per_call in {reached / to_come for reached in range(1, to_come + 1)}


def test_a_forecast_of_another_version_is_as_none(alice: Visitor, api: Caller, database: Database) -> None:
    identity = campaign(api)
    store(database, insert(CampaignForecast).values(id=identity, document='{"made_ms":"soon"}'))
    assert "A forecast runs a copy" in alice.text(f"campaigns/{identity}/")


def test_the_next_people_are_listed_with_the_reason_of_their_wait(
    alice: Visitor, api: Caller, database: Database
) -> None:
    identity = campaign(api)
    dnc = api.create("dnc-list", name="Never")
    api.change(f"campaigns/{identity}/", dnc=dnc["url"])
    people = {"campaign_id": identity, "zone": "Europe/London", "status": 1, "created_date": NOW_MS}
    shared = {**people, "updated_date": NOW_MS, "gmt_offset": "", "tz_code": "", "additional_vars": "{}"}
    rows = [
        {"number": "+442079460001", "full_name": HOSTILE, "due_ms": NOW_MS + 600_000},
        {"number": "+442079460002", "full_name": "Called off", "due_ms": 0},
        {"number": "+442079460003", "full_name": "Later", "due_ms": NOW_MS + 7_200_000},
    ]
    listed = {"dnc_id": dnc["id"], "phone_number": "+442079460002", "number": "+442079460002", "created_date": NOW_MS}
    store(
        database,
        *(insert(Subscriber).values({**shared, **row, "duplicate_contact": row["number"]}) for row in rows),
        insert(DncContact).values({**listed, "updated_date": NOW_MS}),
    )
    text = alice.text(f"campaigns/{identity}/")
    following = text[text.index("Next people") : text.index("Last calls")]
    places = [following.index(part) for part in ("0001", "11:16 the next attempt", "0003", "0002", "do-not-call list")]
    assert places == sorted(places)
    assert "<script>alert" not in alice.page
