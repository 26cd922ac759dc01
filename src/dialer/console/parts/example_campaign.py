"""The example of a campaign: made-up people, a survey of three questions, and a campaign over a simulated carrier."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection, select

from dialer.app.campaigns.change import abort_campaign
from dialer.app.overview.examples import ExampleRecords, example_of, mark_example, records_of_example
from dialer.app.work.errors import ErrorCode, RefusedError, StillUsedError
from dialer.console.parts.survey_blueprints import (
    ASKING,
    ELSE,
    MARK,
    RECOMMENDING,
    THEN,
    Blueprint,
    BlueprintStep,
    create_record_of,
    create_survey_of,
)
from dialer.console.words.language import gettext, gettext_noop
from dialer.console.words.proposals import PEOPLE_ONLY
from dialer.domain.calls.plans import SIMULATED, VOICE
from dialer.domain.words.enums import CampaignStatus, SectionType
from dialer.resources.crud import records
from dialer.resources.crud.resource import Resource, Unit
from dialer.resources.records.campaigns import CAMPAIGNS
from dialer.resources.records.carriers import GATEWAYS
from dialer.resources.records.contacts import CONTACTS, PHONEBOOKS
from dialer.resources.records.surveys import SURVEY_TEMPLATES
from dialer.resources.words.errors import RecordNotFoundError
from dialer.store.queries.calls_in_progress import under_way_of_campaign
from dialer.store.tables import Campaign, Gateway, User


class _Fiction(NamedTuple):
    """Numbers that a country keeps for films and books, so nobody has them."""

    numbers: str
    """A number with a place for two digits."""
    first: int


FICTION: Final[Mapping[str, _Fiction]] = {
    "US": _Fiction("+120255501{:02}", 0),
    "CA": _Fiction("+161355501{:02}", 0),
    "GB": _Fiction("+4420794600{:02}", 0),
    "DE": _Fiction("+4930231250{:02}", 0),
    "FR": _Fiction("+331990000{:02}", 0),
}
"""The ranges for fiction: NANPA's 555-0100 to 0199, Ofcom's 020 7946 0xxx, and those of BNetzA and ARCEP."""
ELSEWHERE: Final = "US"
NAMES: Final = (
    *("Ada Adams", "Ben Baker", "Cleo Carter", "Dora Dean", "Eli Evans", "Fay Foster", "Gus Grant", "Hope Hill"),
    *("Ida Irving", "Jon James", "Kim Keller", "Lea Lane", "Max Moore", "Nia Noble", "Otto Owen", "Pia Parker"),
    *("Quin Quade", "Rosa Reed", "Sam Stone", "Tess Turner"),
)
"""The made-up people of the example."""
TOWNS: Final = ("North", "South", "East", "West")
NEEDS_CARRIER: Final = gettext_noop("The example needs a simulated carrier, and only an admin can add one: ask yours.")
NO_COUNTRY: Final = gettext_noop(
    "Your account may call none of the countries with numbers for films and books, so the example would call nobody."
)
SURVEY: Final = Blueprint(
    "example",
    gettext_noop("Example survey"),
    "",
    (
        BlueprintStep(
            "hello",
            SectionType.PLAY_MESSAGE,
            gettext_noop("Greeting"),
            gettext_noop("Hello {first_name}. You have been with us lately. May we ask you three short questions?"),
            leads={THEN: "mark"},
        ),
        MARK,
        RECOMMENDING._replace(leads={ELSE: "way"}),
        BlueprintStep(
            "way",
            SectionType.MULTI_CHOICE,
            gettext_noop("How may we reach you?"),
            gettext_noop("How may we reach you? By telephone, press 1. By e-mail, press 2. By letter, press 3."),
            {"1": gettext_noop("By telephone"), "2": gettext_noop("By e-mail"), "3": gettext_noop("By letter")},
            ASKING,
            {ELSE: "thanks"},
        ),
        BlueprintStep(
            "thanks",
            SectionType.HANG_UP,
            gettext_noop("Thanks"),
            gettext_noop("Thank you. You have helped us a lot. Goodbye."),
            fields={"completed": True},
        ),
    ),
)
_SETTINGS: Final[Mapping[str, Any]] = {
    # Its people are nobody, so any hour suits, and it can be watched at once.
    "daily_start_time": "00:00:00",
    "daily_stop_time": "23:59:59",
    "frequency": 20,
    "max_aleg": 10,
    "maxretry": 1,
    "intervalretry": 60,
    "voicemail": True,
    **PEOPLE_ONLY,
}


def make_example(unit: Unit) -> int:
    """Make the example campaign of the viewer's account, ready to start, and return its id; or that of the one it has.

    Raises:
        RefusedError: there is no simulated carrier, and the viewer may not add one; or the account may call none of the
            countries that have numbers for fiction.
    """
    there = example_of(unit.connection, unit.actor.id)
    if there is not None:
        return there
    fiction = FICTION[_country(unit)]
    gateway, is_new = _carrier(unit)
    book = create_record_of(unit, PHONEBOOKS, name=gettext("Example list"), description=gettext("Made-up people"))
    for place, name in enumerate(NAMES):
        number = fiction.numbers.format(fiction.first + place)
        columns = {"town": TOWNS[place % len(TOWNS)]}
        create_record_of(unit, CONTACTS, phonebook=book, contact=number, full_name=name, additional_vars=columns)
    survey = create_survey_of(unit, SURVEY, gettext(SURVEY.title))
    campaign = create_record_of(
        unit,
        CAMPAIGNS,
        name=gettext("Example campaign"),
        description=gettext("Made-up people and a simulated carrier: nobody is called."),
        callerid=fiction.numbers.format(99),
        aleg_gateway=gateway,
        object_id=str(survey),
        phonebook=[book],
        **_SETTINGS,
    )
    mark_example(unit.connection, campaign, ExampleRecords(book, survey, gateway if is_new else None))
    return campaign


def delete_example(unit: Unit, campaign_id: int) -> bool:
    """Delete an example campaign with what was made for it and nothing else uses.

    Return False if it was only stopped, because it has calls in progress.
    """
    made = records_of_example(unit.connection, campaign_id)
    if made is None:
        raise RefusedError("This campaign is no example.", code=ErrorCode.NOTHING_TO_DO)
    status = unit.connection.scalar(select(Campaign.status).where(Campaign.id == campaign_id))
    if status in {CampaignStatus.START, CampaignStatus.PAUSE}:
        abort_campaign(unit, campaign_id)
    if under_way_of_campaign(unit.connection, campaign_id).calls:
        return False
    records.delete_record(unit, CAMPAIGNS, campaign_id)
    for resource, record_id in zip((PHONEBOOKS, SURVEY_TEMPLATES, GATEWAYS), made, strict=True):
        if record_id is not None:
            _delete_unless_used(unit, resource, record_id)
    return True


def _delete_unless_used(unit: Unit, resource: Resource, record_id: int) -> None:
    if resource is GATEWAYS and not unit.actor.is_admin:
        return
    try:
        records.delete_record(unit, resource, record_id)
    except (RecordNotFoundError, RefusedError, StillUsedError):
        return  # Somebody has taken it into use, or it is gone: it is theirs now.


def _carrier(unit: Unit) -> tuple[int, bool]:
    """Return a simulated carrier, and whether it was made now."""
    query = select(Gateway.id).where(Gateway.medium == VOICE, Gateway.protocol == SIMULATED).order_by(Gateway.id)
    there = unit.connection.scalar(query.limit(1))
    if there is not None:
        return there, False
    if not unit.actor.is_admin:
        raise RefusedError(NEEDS_CARRIER)
    return create_record_of(unit, GATEWAYS, name=gettext("Example carrier"), protocol=SIMULATED), True


def _country(unit: Unit) -> str:
    """Return the country of the made-up numbers: the account's own, else one that it may call.

    Raises:
        RefusedError: it may call none of them.
    """
    allowed = _allowed(unit.connection, unit.actor.id)
    wanted = [unit.conventions.region or "", *allowed]
    known = (one for one in wanted if one in FICTION and (not allowed or one in allowed))
    found = next(known, "" if allowed else ELSEWHERE)
    if not found:
        raise RefusedError(NO_COUNTRY)
    return found


def _allowed(connection: Connection, user_id: int) -> list[str]:
    text = connection.scalar(select(User.allowed_countries).where(User.id == user_id)) or ""
    return [one.strip() for one in text.split(",") if one.strip()]
