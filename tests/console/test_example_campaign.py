"""Tests of the example campaign: one button makes it, it never reaches a real carrier, and one button deletes it."""

from typing import Any

import pytest
from litestar import Litestar
from litestar.testing import TestClient
from sqlalchemy import Executable, delete, func, insert, select, update

from dialer.domain.calls.plans import SIP
from dialer.domain.words.enums import CampaignStatus
from dialer.store.database.database import Database
from dialer.store.tables import (
    AuditLog,
    Campaign,
    CampaignHour,
    Contact,
    ExampleCampaign,
    Gateway,
    Phonebook,
    Row,
    SectionTemplate,
    SurveyTemplate,
    User,
    UserHour,
)
from tests.api.harness import NOW_MS, Caller
from tests.console.building import campaign, store
from tests.console.test_first_steps import steps_on
from tests.console.visitor import Visitor, words

NOW_HOUR = NOW_MS // 3_600_000
MADE = (Campaign, Phonebook, Contact, SurveyTemplate, SectionTemplate, ExampleCampaign)


def count(database: Database, *models: type[Row]) -> list[int]:
    return database.read_now(lambda c: [len(c.execute(select(one.__table__.c.id)).all()) for one in models])


def counted(hour: int, example: int, others: int = 0, **more: int) -> list[Executable]:
    """Return what counts the calls of an hour: of the newest campaign, and of Alice's account with its others."""
    key = {"hour": hour, "grouping": 0, "member": ""}
    newest = select(func.max(Campaign.id)).scalar_subquery()
    of_example = insert(CampaignHour).values(campaign_id=newest, calls=example, **key)
    return [of_example, insert(UserHour).values(user_id=2, calls=example + others, **key, **more)]


def make(who: Visitor) -> str:
    """Press the button of the first page, and return the address to which it leads."""
    who.get("overview/")
    answer = who.send("overview/example/")
    assert answer.status_code == 303, words(answer.text)
    return str(answer.headers["location"]).removeprefix("/console/")


@pytest.fixture
def carrier(client: TestClient[Litestar]) -> Any:  # noqa: ANN401 - JSON
    """Return a simulated carrier that an admin has added."""
    return Caller(client, "admin").create("gateway", name="Carrier", protocol="sim")


@pytest.mark.usefixtures("carrier")
def test_one_button_makes_a_campaign_that_can_be_started(alice: Visitor, api: Caller, database: Database) -> None:
    assert "With made-up people and a simulated carrier: nobody is called" in alice.text("overview/")
    page = make(alice)
    shown = alice.text(page)
    assert "This is an example: its people are made up, and its carrier is simulated, so nobody is called." in shown
    assert "20 people join it at the start." in shown
    assert "If it is started now, it begins at once." in shown
    assert "The service has no voice, so texts of the survey are not heard." in shown
    assert count(database, *MADE) == [1, 1, 20, 1, 5, 1]
    made = api.get("campaigns/1/")
    assert (made["name"], made["daily_start_time"], made["sunday"]) == ("Example campaign", "00:00:00", True)
    numbers = database.read_now(lambda c: c.scalars(select(Contact.number).order_by(Contact.id)).all())
    assert numbers == [f"+120255501{place:02}" for place in range(20)]
    assert alice.send(f"{page}state/", action="start").status_code == 303
    assert database.read_now(lambda c: c.scalar(select(Campaign.status))) == CampaignStatus.START


@pytest.mark.usefixtures("carrier")
def test_the_second_press_leads_to_the_first_example(alice: Visitor, bob: Visitor, database: Database) -> None:
    alice.get("overview/")
    page = make(alice)
    assert make(alice) == page
    assert f'href="/console/{page}"' in alice.get("overview/")
    assert make(bob) != page
    assert count(database, ExampleCampaign) == [2]
    assert bob.request("GET", page).status_code == 404
    assert bob.send(f"{page}delete-example/").status_code == 404


@pytest.mark.usefixtures("carrier")
def test_an_example_is_no_step_and_its_calls_leave_the_list(alice: Visitor, database: Database) -> None:
    before = steps_on(alice.get("overview/"))
    make(alice)
    assert steps_on(alice.get("overview/")) == before
    store(database, update(Campaign).values(calls=20), *counted(NOW_HOUR, example=20))
    assert steps_on(alice.get("overview/")) == before
    store(database, *counted(NOW_HOUR + 1, example=0, others=1))
    assert steps_on(alice.get("overview/")) == []


@pytest.mark.usefixtures("carrier")
def test_the_list_stays_after_the_example_is_deleted_and_made_again(
    alice: Visitor, admin: Visitor, database: Database
) -> None:
    before = steps_on(alice.get("overview/"))
    page = make(alice)
    store(
        database, update(Campaign).values(calls=20), *counted(NOW_HOUR, example=12), *counted(NOW_HOUR + 1, example=8)
    )
    alice.get(page)
    assert alice.send(f"{page}delete-example/").headers["location"] == "/console/overview/"
    assert steps_on(alice.get("overview/")) == before
    assert "Your first campaign" in admin.text("overview/")
    assert "Deleted an example that had called" in alice.text("records/audit-log/")
    make(alice)
    more = update(UserHour).where(UserHour.hour == NOW_HOUR + 1).values(calls=11)
    store(database, counted(NOW_HOUR + 1, example=3)[0], more)
    assert steps_on(alice.get("overview/")) == before
    store(database, update(UserHour).where(UserHour.hour == NOW_HOUR + 1).values(calls=12))
    assert steps_on(alice.get("overview/")) == []


@pytest.mark.usefixtures("carrier")
@pytest.mark.parametrize("other", [{"others": 1}, {"messages": 1}, {"inbound": 1}])
def test_an_hour_in_which_something_else_called_counts(
    alice: Visitor, database: Database, other: dict[str, int]
) -> None:
    make(alice)
    store(database, *counted(NOW_HOUR, example=20, **other))
    assert steps_on(alice.get("overview/")) == []


@pytest.mark.usefixtures("carrier")
def test_what_is_kept_is_not_said_to_be_deleted(alice: Visitor, api: Caller, database: Database) -> None:
    page = make(alice)
    own = campaign(api, started="no")
    book = database.read_now(lambda c: c.scalar(select(ExampleCampaign.phonebook_id)))
    api.change(f"campaigns/{own}/", phonebook=[f"/rest-api/phonebook/{book}/"])
    alice.get(page)
    assert alice.send(f"{page}delete-example/").status_code == 303
    deleted = select(AuditLog.resource).where(AuditLog.action == "delete").order_by(AuditLog.id)
    assert database.read_now(lambda c: c.scalars(deleted).all()) == ["campaigns", "survey-template"]
    assert api.get(f"phonebook/{book}/")["name"] == "Example list"


def test_only_an_admin_gets_a_carrier_with_it(alice: Visitor, admin: Visitor, database: Database) -> None:
    alice.get("overview/")
    answer = alice.send("overview/example/")
    assert answer.status_code == 409
    assert "The example needs a simulated carrier, and only an admin can add one: ask yours." in words(answer.text)
    assert count(database, *MADE) == [0] * len(MADE)
    page = make(admin)
    assert count(database, Gateway) == [1]
    admin.get(page)
    assert admin.send(f"{page}delete-example/").headers["location"] == "/console/overview/"
    assert count(database, Gateway, *MADE) == [0] * (1 + len(MADE))


@pytest.mark.usefixtures("carrier")
def test_one_button_deletes_what_nothing_else_uses(alice: Visitor, api: Caller, database: Database) -> None:
    page = make(alice)
    alice.get(page)
    assert alice.send(f"{page}delete-example/").headers["location"] == "/console/overview/"
    assert count(database, Gateway, *MADE) == [1, *[0] * len(MADE)]
    page = make(alice)
    book = api.get("phonebook/")["results"][0]
    own = campaign(api, started="no")
    api.change(f"campaigns/{own}/", phonebook=[book["url"]])
    store(database, delete(SurveyTemplate).where(SurveyTemplate.name == "Example survey"))
    alice.get(page)
    assert alice.send(f"{page}delete-example/").status_code == 303
    assert api.get("campaigns/")["count"] == 1
    assert alice.send(f"campaigns/{own}/delete-example/").status_code == 409
    assert count(database, ExampleCampaign) == [0]


@pytest.mark.usefixtures("carrier")
def test_a_running_example_is_stopped_first(alice: Visitor, database: Database) -> None:
    page = make(alice)
    alice.get(page)
    alice.send(f"{page}state/", action="start")
    assert alice.send(f"{page}delete-example/").status_code == 303
    assert count(database, *MADE) == [0] * len(MADE)


def test_no_real_carrier_ever_calls_its_people(
    alice: Visitor, api: Caller, client: TestClient[Litestar], carrier: dict[str, Any], database: Database
) -> None:
    admin = Caller(client, "admin")
    real = admin.create("gateway", name="Real", protocol="sip", parameters='{"server": "sip.example"}')
    make(alice)
    status, errors = api.refused("PATCH", "campaigns/1/", aleg_gateway=real["url"])
    assert (status, list(errors)) == (400, ["aleg_gateway"])
    sip = {"protocol": "sip", "parameters": '{"server": "sip.example"}'}
    status, error = admin.refused("PATCH", f"gateway/{carrier['id']}/", **sip)
    assert (status, "An example campaign with made-up people calls over this carrier." in str(error)) == (409, True)
    store(database, update(Gateway).where(Gateway.id == carrier["id"]).values(protocol=SIP))
    assert api.refused("PATCH", "campaigns/1/", status=1)[0] == 400
    store(database, update(Campaign).values(status=CampaignStatus.END))
    admin.change(f"gateway/{carrier['id']}/", **sip)


@pytest.mark.usefixtures("carrier")
@pytest.mark.parametrize(
    ("region", "allowed", "first"),
    [("DE", "", "+493023125000"), ("GB", "FR,DE", "+33199000000"), ("AT", "", "+12025550100")],
)
def test_its_numbers_are_of_a_country_that_the_account_may_call(
    alice: Visitor, database: Database, region: str, allowed: str, first: str
) -> None:
    store(database, update(User).where(User.id == 2).values(default_region=region, allowed_countries=allowed))
    make(alice)
    assert database.read_now(lambda c: c.scalar(select(Contact.number).order_by(Contact.id).limit(1))) == first


@pytest.mark.usefixtures("carrier")
def test_an_account_that_may_call_none_of_its_countries_gets_none(alice: Visitor, database: Database) -> None:
    store(database, update(User).where(User.id == 2).values(default_region="AT", allowed_countries="AT,CH"))
    alice.get("overview/")
    answer = alice.send("overview/example/")
    assert answer.status_code == 409
    assert "so the example would call nobody" in words(answer.text)
    assert count(database, *MADE) == [0] * len(MADE)


@pytest.mark.usefixtures("carrier")
def test_viewers_and_agents_make_none(visitor: Visitor, database: Database) -> None:
    for name in ("vera", "gus"):
        visitor.cookies.clear()
        visitor.sign_in(name)
        visitor.get("account/")
        assert visitor.send("overview/example/").status_code == 403
    assert count(database, *MADE) == [0] * len(MADE)
