"""Example data: people who always do the same, a survey, a queue with agents, and a campaign that dials."""

from typing import Any, Final

from dialer.domain.words.enums import AgentStatus, CampaignStatus, SectionType
from dialer.local_service.client import Client, Record
from dialer.local_service.magic_numbers import MagicNumber

PEOPLE: Final = (
    (MagicNumber.ANSWERS, "Nora", "listens"),
    (MagicNumber.PRESSES_1, "Olga", "presses 1"),
    (MagicNumber.PRESSES_2, "Bo", "presses 2"),
    (MagicNumber.PRESSES_3, "Tim", "presses 3"),
    (MagicNumber.MACHINE, "Ava", "answering machine"),
    (MagicNumber.BUSY, "Ben", "busy"),
    (MagicNumber.NO_ANSWER, "Ida", "does not answer"),
    (MagicNumber.REJECTS, "Rolf", "rejects the call"),
    (MagicNumber.HANGS_UP, "Hugo", "hangs up after a second"),
    (MagicNumber.ANSWERS_SECOND_TIME, "Sam", "answers the second time"),
)
"""Numbers of the simulated carrier that always do the same, with a name and with what they do."""
CAMPAIGN: Final = "Example campaign"
_QUESTION: Final = "Hello {first_name}. Press 1 to talk to us, 2 if you come as planned, and 3 if you do not come."
_MONEY: Final = "1000"
_ALL_DAY: Final = {"daily_start_time": "08:00:00", "daily_stop_time": "20:59:00"}
_SIMULATED: Final[dict[str, Any]] = {"protocol": "sim", "max_channels": 10, "max_cps": 2}


def has_example_data(admin: Client) -> bool:
    """Return whether the service has a campaign already."""
    return admin.count("campaigns") > 0


def make_example_data(admin: Client) -> Record:
    """Make the example data, start its campaign, and return the campaign."""
    (user,) = admin.every_page("users")
    admin.create("payment", user=user["url"], amount=_MONEY, description="For trials")
    gateway = admin.create("gateway", name="Simulated carrier", **_SIMULATED)
    book = admin.create("phonebook", name="People who always do the same")
    for number, name, habit in PEOPLE:
        admin.create("contact", phonebook=book["url"], contact=number, full_name=f"{name}, {habit}")
    survey = _survey(admin, _queue(admin))
    campaign = admin.create(
        "campaigns",
        name=CAMPAIGN,
        aleg_gateway=gateway["url"],
        object_id=str(survey["id"]),
        phonebook=[book["url"]],
        frequency=20,
        maxretry=1,
        intervalretry=300,
        callerid="+12025550199",
        end_when_done=False,
        **_ALL_DAY,
    )
    admin.change("campaigns", campaign["id"], status=int(CampaignStatus.START))
    return campaign


def _queue(admin: Client) -> Record:
    """Make a queue with two agents, who are on duty and answer by themselves."""
    queue = admin.create("queue", name="Front desk")
    for place, name in enumerate(("Ann", "Joe"), 1):
        agent = admin.create("agent", name=name, contact=f"+1202555016{place}", status=int(AgentStatus.AVAILABLE))
        admin.create("tier", queue=queue["url"], agent=agent["url"])
    return queue


def _survey(admin: Client, queue: Record) -> Record:
    survey = admin.create("survey-template", name="Will you come?")

    def section(kind: SectionType, question: str, **fields: object) -> Record:
        return admin.create("section-template", survey=survey["url"], type=int(kind), question=question, **fields)

    asked = section(
        SectionType.MULTI_CHOICE, _QUESTION, script=_QUESTION, key_1="talk", key_2="comes", key_3="does not"
    )
    answers = {
        "1": section(SectionType.CALL_TRANSFER, "To the front desk", queue=queue["url"]),
        "2": section(SectionType.PLAY_MESSAGE, "See you", script="Thank you, see you soon.", completed=True),
        "3": section(SectionType.PLAY_MESSAGE, "Another time", script="Another time, then.", completed=True),
    }
    for key, following in answers.items():
        admin.create("branching-template", section=asked["url"], keys=key, goto=following["url"])
    return survey
