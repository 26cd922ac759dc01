"""Records for tests of pages, made over the API, and rows as the worker writes them."""

from sqlalchemy import Connection, Executable

from dialer.store.database.database import Database
from tests.api.harness import Caller

HOSTILE = '<script>alert("x")</script>\r\ndata: evil\u2028\u202e' + "x" * 40 + "😀"


def store(database: Database, *statements: Executable) -> None:
    """Write rows as the worker would."""

    def write(connection: Connection) -> None:
        for statement in statements:
            connection.execute(statement)

    database.write_now(write)


def campaign(api: Caller, **fields: str) -> int:
    """Create a campaign with a survey and a contact, and start it; return its id."""
    gateway = Caller(api.client, "admin").create("gateway", name=fields.pop("gateway", "Carrier"), protocol="sim")
    survey = api.create("survey-template", name="Survey")
    api.create("section-template", survey=survey["url"], type=1, question="Hello", script="Hello")
    book = api.create("phonebook", name="Book")
    for number in range(4):
        api.create("contact", phonebook=book["url"], contact=f"+1202555010{number}")
    is_started = fields.pop("started", "yes") == "yes"
    made = api.create(
        "campaigns",
        **{"name": "Campaign", "callerid": "+12025550199", **fields},
        object_id=str(survey["id"]),
        aleg_gateway=gateway["url"],
        phonebook=[book["url"]],
    )
    if is_started:
        api.change(f"campaigns/{made['id']}/", status=1)
    return int(made["id"])


def queue_campaign(api: Caller) -> int:
    """Return a campaign of four people whom two agents serve."""
    admin = Caller(api.client, "admin")
    gateway = admin.create("gateway", name="Carrier", protocol="sim", parameters={"answer": 0.85, "machine": 0})
    queue = api.create("queue", name="Desk")
    for name in ("Ann", "Ben"):
        agent = api.create("agent", name=name, status=2)
        api.create("tier", agent=agent["url"], queue=queue["url"])
    survey = api.create("survey-template", name="Survey")
    api.create("section-template", survey=survey["url"], type=6, question="Desk", queue=queue["url"])
    book = api.create("phonebook", name="Book")
    for number in range(4):
        api.create("contact", phonebook=book["url"], contact=f"+1202555020{number}")
    made = api.create(
        "campaigns",
        name="Desk",
        callerid="+12025550199",
        object_id=str(survey["id"]),
        aleg_gateway=gateway["url"],
        phonebook=[book["url"]],
    )
    return int(made["id"])
