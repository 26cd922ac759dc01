"""`GET /rest-api/campaigns/<id>/check/`: the errors of a campaign before its start, and its probable mistakes."""

from typing import Annotated, Final, NamedTuple

import anyio
import msgspec
from litestar import get
from litestar.di import NamedDependency
from litestar.params import FromPath
from sqlalchemy import select

from dialer.api.actions.forecast import Forecaster
from dialer.api.http.known_parameters import LISTS_OPTION, PARAMETERS_OPTION
from dialer.api.service import ApiRequest
from dialer.app.campaigns.check import findings_of_campaign
from dialer.app.campaigns.covered_people import CoveredPeople, covered_people
from dialer.app.campaigns.people_to_join import PeopleToJoin, people_to_join
from dialer.app.work.errors import CampaignNotReadyError
from dialer.domain.forecast.forecast_state import ForecastState
from dialer.domain.survey.findings import Finding, FindingCode, FindingLevel
from dialer.domain.words.described import described
from dialer.domain.words.sentences import message_of
from dialer.forecast.campaign_copy import people_of
from dialer.forecast.findings import findings_of_forecast
from dialer.forecast.forecast import CampaignOverError, check_not_over
from dialer.forecast.parameters import CHECK_SEEDS, Order
from dialer.resources.crud import records
from dialer.resources.crud.fields import Boolean, FieldError
from dialer.resources.crud.resource import Resource, Unit
from dialer.resources.crud.urls import Links, identity_in
from dialer.resources.records.campaigns import CAMPAIGNS
from dialer.resources.records.messages import SMS_CAMPAIGNS
from dialer.resources.records.surveys import SECTION_TEMPLATES
from dialer.resources.words.errors import AnsweredError, InvalidError
from dialer.settings import Settings
from dialer.store.queries.currencies import currency_of_sums
from dialer.store.tables import Campaign, User

FORECAST: Final = "forecast"
CHECK_PEOPLE_MAX: Final = 5_000
"""People of a campaign up to which a check has a forecast."""
CHECK_FORECAST_SECONDS_MAX: Final = 20
_KNOWN: Final = {LISTS_OPTION: (), PARAMETERS_OPTION: (FORECAST,)}


class CampaignFindingRead(msgspec.Struct):
    """An error of a campaign or of its survey, or a warning."""

    level: Annotated[FindingLevel, described("The severity of the finding.")]
    code: Annotated[FindingCode, described("The kind of the fault, for programs.")]
    field: Annotated[
        str | None, described("The campaign's field to change; null for a finding about the survey.", "user")
    ]
    section: Annotated[
        str | None,
        described(
            "The URL of the section with the problem; null for all other findings.",
            "https://dialer.example/rest-api/section-template/2/",
        ),
    ]
    message: Annotated[str, described("The problem in a sentence.", "Callees are shown no number. Set callerid.")]
    keys: Annotated[list[str], described("The branches that lead from the first section to this one.", ["1"])]


class CampaignCheckRead(msgspec.Struct):
    """The errors and warnings of a campaign. It does not start with errors; it starts with warnings."""

    errors: Annotated[int, described("Number of errors. The campaign does not start with errors.", 0)]
    warnings: Annotated[int, described("Number of warnings. The campaign starts with warnings.", 1)]
    forecast: Annotated[
        ForecastState,
        described(
            "`done`, or the reason why no forecast was computed: it was not asked for, there are errors, the campaign"
            " has ended, it has too many people, another forecast is running, or it took too long."
        ),
    ]
    findings: Annotated[list[CampaignFindingRead], described("The survey's findings, then the campaign's.")]
    people: Annotated[
        int,
        described("Subscribers of the campaign, and people who join it at the start, each number once.", 23),
    ]
    doubles: Annotated[
        int,
        described("Further contacts of its phonebooks that have the same numbers, which are called once.", 23),
    ]
    do_not_call: Annotated[
        int,
        described(
            "Those of `people` whose numbers are on a do-not-call list that holds for the campaign. Nobody calls them.",
            2,
        ),
    ]
    consent: Annotated[
        CoveredPeople | None,
        described(
            "The people with the consent that the campaign needs. Null if it needs none.",
            {"needed": 500, "covered": 412},
        ),
    ] = None


class _Checked(NamedTuple):
    """The findings from the rows, the forecast to compute or why there is none, and the free balance of the owner."""

    findings: list[Finding]
    order: Order | None
    forecast: ForecastState
    free_balance: int
    joining: PeopleToJoin
    consent: CoveredPeople | None


@get("/campaigns/{record_id:str}/check", tags=[CAMPAIGNS.path], opt=_KNOWN)
async def check_campaign(
    request: ApiRequest, forecaster: NamedDependency[Forecaster], record_id: FromPath[str]
) -> CampaignCheckRead:
    """Check a voice campaign: its survey, hours, retries, contacts, caller ID, and whether date and balance suffice.

    A short forecast tells whether the campaign is likely to expire first or to need more than the balance. It is left
    out with `forecast=false`, for large campaigns, and while another forecast of yours is
    computed, or many of others.
    """
    return await _check(request, forecaster, CAMPAIGNS, record_id)


@get("/sms-campaigns/{record_id:str}/check", tags=[SMS_CAMPAIGNS.path], opt=_KNOWN)
async def check_sms_campaign(
    request: ApiRequest, forecaster: NamedDependency[Forecaster], record_id: FromPath[str]
) -> CampaignCheckRead:
    """Check an SMS campaign: its text, hours, retries, contacts, sender, and whether date and balance suffice.

    A short forecast tells whether the campaign is likely to expire first or to need more than the balance. It is left
    out with `forecast=false`, for large campaigns, and while another forecast of yours is
    computed, or many of others.
    """
    return await _check(request, forecaster, SMS_CAMPAIGNS, record_id)


async def _check(request: ApiRequest, forecaster: Forecaster, resource: Resource, record_id: str) -> CampaignCheckRead:
    service = request.service
    identity = identity_in(record_id)
    is_asked = _is_forecast_asked(request)
    checked = await service.read(
        request, lambda unit: _checked(unit, resource, identity, service.settings, is_asked=is_asked), is_long=True
    )
    findings, forecast = list(checked.findings), checked.forecast
    if checked.order is not None:
        try:
            with anyio.fail_after(CHECK_FORECAST_SECONDS_MAX):
                found = await forecaster.forecast(service.database, checked.order, request.user)
            findings += findings_of_forecast(found, checked.free_balance)
        except TimeoutError:
            forecast = ForecastState.TOO_SLOW
        except AnsweredError:
            forecast = ForecastState.BUSY
        except (CampaignOverError, CampaignNotReadyError):
            forecast = ForecastState.ERRORS  # The campaign was changed meanwhile.
    errors = sum(finding.level is FindingLevel.ERROR for finding in findings)
    shown = [_shown(finding, service.links(request)) for finding in findings]
    return CampaignCheckRead(errors, len(findings) - errors, forecast, shown, *checked.joining, checked.consent)


def _is_forecast_asked(request: ApiRequest) -> bool:
    try:
        return Boolean().parse(request.query_params.get(FORECAST, "true"), request.service.conventions(request))
    except FieldError as error:
        raise InvalidError({FORECAST: [message_of(error)]}) from None


def _checked(unit: Unit, resource: Resource, campaign_id: int, settings: Settings, *, is_asked: bool) -> _Checked:
    records.load(unit, resource, campaign_id)
    connection, conventions = unit.connection, unit.conventions
    query = select(Campaign.__table__, User.balance, User.held).join(User, User.id == Campaign.user_id)
    campaign = dict(connection.execute(query.where(Campaign.id == campaign_id)).mappings().one())
    consent = covered_people(connection, campaign, unit.now_ms, settings.timezone)
    findings = findings_of_campaign(
        connection,
        campaign,
        unit.now_ms,
        service_zone=settings.timezone,
        hours=conventions.hours,
        covered=consent,
        ears=settings.ears,
    )
    why_not = None if is_asked else ForecastState.NOT_ASKED
    try:
        check_not_over(campaign)
    except CampaignOverError:
        why_not = why_not or ForecastState.OVER
    if any(finding.level is FindingLevel.ERROR for finding in findings):
        why_not = why_not or ForecastState.ERRORS
    if why_not is None and people_of(connection, campaign_id) > CHECK_PEOPLE_MAX:
        why_not = ForecastState.TOO_LARGE
    order = Order(
        campaign_id,
        unit.now_ms,
        settings.timezone,
        CHECK_SEEDS,
        calling_hours=settings.calling_hours,
        service_seed=settings.seed,
        is_rich=True,
        currency=currency_of_sums(connection, campaign["user_id"], settings.currency) or "",
    )
    free = campaign["balance"] - campaign["held"]
    joining = people_to_join(connection, campaign_id)
    return _Checked(findings, None if why_not else order, why_not or ForecastState.DONE, free, joining, consent)


def _shown(finding: Finding, links: Links) -> CampaignFindingRead:
    place = finding.section_id
    return CampaignFindingRead(
        level=finding.level,
        code=finding.code,
        field=finding.field or None,
        section=None if place is None else links.record(SECTION_TEMPLATES.path, place),
        message=str(finding.message),
        keys=[key for _, key in finding.path],
    )
