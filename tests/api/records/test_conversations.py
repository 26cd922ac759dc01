"""Sections in which a program talks, through the API: fields, secrets, defaults and the check of a campaign."""

import pytest
from sqlalchemy import String, select, type_coerce, update

from dialer.store.database.database import Database
from dialer.store.tables import Gateway, SealedSurvey, SectionTemplate
from tests.api.builders import Estate
from tests.api.harness import Caller, Json

URL = "ws://127.0.0.1:8765/calls"
_HIDDEN = "s3cret-of-the-program"


@pytest.fixture
def talk(alice: Caller, estate: Estate) -> Json:
    """Return a section that lets a program talk."""
    alice.request("DELETE", estate.branch["url"])
    alice.change(estate.section["url"], type=1, script="Hello")
    return alice.create(
        "section-template",
        survey=estate.survey["url"],
        question="Talk",
        type=12,
        agent_url=URL,
        agent_secret=_HIDDEN,
        agent_parameters=["order_id", "first_name"],
        disclosure="You talk with a program.",
        patience=7,
        on_completed="hangup",
    )


def stored_secret(database: Database, section_id: int) -> tuple[str | None, str | None]:
    """Return the secret of a section, and what its row holds."""
    column = SectionTemplate.agent_secret
    query = select(column, type_coerce(column, String)).where(SectionTemplate.id == section_id)
    row = database.read_now(lambda connection: connection.execute(query).one())
    return row[0], row[1]


def test_the_fields_are_kept_and_no_answer_shows_the_secret(alice: Caller, database: Database, talk: Json) -> None:
    shown = {name: talk[name] for name in ("type", "agent_url", "agent_parameters", "disclosure", "patience")}
    assert shown == {
        "type": 12,
        "agent_url": URL,
        "agent_parameters": ["order_id", "first_name"],
        "disclosure": "You talk with a program.",
        "patience": 7,
    }
    assert (talk["on_completed"], talk["timeout"], talk["record_pause"]) == ("hangup", 600, False)
    assert "agent_secret" not in talk
    assert _HIDDEN not in alice.request("GET", "/rest-api/section-template/").text
    secret, token = stored_secret(database, talk["id"])
    assert (secret, _HIDDEN in (token or "")) == (_HIDDEN, False)
    alice.change(talk["url"], question="Talk again")
    assert stored_secret(database, talk["id"])[0] == _HIDDEN
    alice.change(talk["url"], agent_secret="")
    assert stored_secret(database, talk["id"])[0] is None


def test_names_may_come_as_a_text(alice: Caller, talk: Json) -> None:
    alice.change(talk["url"], agent_parameters=" order_id,first_name , order_id")
    assert alice.get(talk["url"])["agent_parameters"] == ["order_id", "first_name"]
    alice.change(talk["url"], agent_parameters=None)
    assert alice.get(talk["url"])["agent_parameters"] is None


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("agent_url", "ws://agent.example/", "ws:// is only for programs on this machine"),
        ("agent_url", "wss://agent.example/?a=1", "The address must have no query"),
        ("agent_url", "wss://10.0.0.1/", "10.0.0.1 leads to no public address of another machine."),
        ("agent_url", "wss://127.0.0.1/", "127.0.0.1 leads to no public address of another machine."),
        ("agent_parameters", ["a,b"], '"a,b" is no name'),
        ("agent_parameters", [7], "Use a list of names, or a text with commas between them."),
        ("agent_parameters", ["x" * 1_601], "Use at most 100 names, of 1600 characters together."),
        ("patience", 0, "Ensure this value is greater than or equal to 1."),
        ("patience", 61, "Ensure this value is less than or equal to 60."),
        ("timeout", 3_601, "Ensure this value is less than or equal to 3600."),
        ("on_completed", "1", '"1" is not a valid choice. Use one of: 0, hangup.'),
        ("agent_secret", "x" * 256, "Ensure this field has no more than 255 characters."),
    ],
)
def test_wrong_values_are_refused_in_words(alice: Caller, talk: Json, field: str, value: Json, words: str) -> None:
    status, errors = alice.refused("PATCH", talk["url"], **{field: value})
    assert (status, list(errors)) == (400, [field])
    assert errors[field][0].startswith(words)


def test_the_longest_time_follows_the_type_unless_somebody_says_it(alice: Caller, estate: Estate, talk: Json) -> None:
    alice.change(estate.section["url"], type=12)
    assert alice.get(estate.section["url"])["timeout"] == 600
    alice.change(estate.section["url"], type=2)
    assert alice.get(estate.section["url"])["timeout"] == 5
    alice.change(talk["url"], timeout=60)
    alice.change(talk["url"], type=2)
    assert alice.get(talk["url"])["timeout"] == 60


def test_the_check_names_what_is_wrong_and_other_carriers_cannot_play_it(
    alice: Caller, estate: Estate, database: Database, talk: Json
) -> None:
    alice.create("branching-template", section=estate.section["url"], keys="0", goto=talk["url"])
    alice.change(talk["url"], agent_url="", agent_parameters="", disclosure="")
    found = alice.get(f"{estate.survey['url']}check/")["findings"]
    assert [(one["level"], one["code"]) for one in found] == [("error", "no_program"), ("warning", "no_disclosure")]
    alice.change(talk["url"], agent_url=URL, disclosure="You talk with a program.")
    change = update(Gateway).where(Gateway.id == estate.gateway["id"]).values(protocol="freeswitch")
    database.write_now(lambda connection: connection.execute(change))
    found = alice.get(f"{estate.campaign['url']}check/", forecast="false")["findings"]
    (unplayable,) = [one["message"] for one in found if one["code"] == "unplayable" and "program" in one["message"]]
    assert unplayable.startswith(f"Section {talk['id']} lets a program talk, which this carrier cannot do.")


def test_a_started_campaign_keeps_the_secret_encrypted(
    alice: Caller, estate: Estate, database: Database, talk: Json
) -> None:
    alice.change(talk["url"], agent_parameters="")
    alice.create("branching-template", section=estate.section["url"], keys="0", goto=talk["url"])
    estate.admin.create("payment", amount=10, user="/rest-api/users/2/")
    alice.change(estate.campaign["url"], phonebook=[estate.phonebook["url"]], callerid="+12025550150", status=1)
    columns = SealedSurvey.document, SealedSurvey.agent_secrets, type_coerce(SealedSurvey.agent_secrets, String)
    document, secrets, token = database.read_now(lambda connection: connection.execute(select(*columns)).one())
    assert secrets == f'{{"{talk["id"]}":"{_HIDDEN}"}}'
    assert _HIDDEN not in document + token
