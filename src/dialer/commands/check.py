"""`dialer check`: the errors and probable mistakes of a campaign, before it is started."""

import contextlib
from collections.abc import Iterator

import anyio
import msgspec
import rich_click as click

from dialer.app.campaigns.check import findings_of_campaign
from dialer.app.campaigns.covered_people import CoveredPeople, covered_people
from dialer.app.campaigns.people_to_join import people_to_join
from dialer.app.work.errors import CampaignNotReadyError, VoiceUntriedError
from dialer.commands.open_service import OpenService, open_service
from dialer.commands.output import print_json, printable
from dialer.commands.speaking import tried_voice_now
from dialer.domain.calling_times.calling_hours import read_calling_hours
from dialer.domain.survey.findings import Finding, FindingLevel
from dialer.domain.words.voices import TriedVoice
from dialer.forecast.findings import findings_of_forecast
from dialer.forecast.forecast import CampaignOverError, forecast_campaign
from dialer.forecast.parameters import CHECK_SEEDS, Order
from dialer.logs import configure_logs
from dialer.store.database.service_state import save_tried_voice
from dialer.store.queries.accounts import free_balance
from dialer.store.queries.campaigns import find_campaign


class CampaignFindings(msgspec.Struct, frozen=True):
    """The findings about a campaign, and the numbers of errors and warnings."""

    campaign_id: int
    errors: int
    warnings: int
    findings: list[Finding]
    people: int
    """People who are in it or join it at the start, each number once."""
    doubles: int
    """Further contacts of its phonebooks that have the same numbers."""
    do_not_call: int
    """Those of `people` whose numbers are on a do-not-call list."""
    consent: CoveredPeople | None = None
    """Those of them with the consent that the campaign needs; None if it needs none."""


def check(campaign: str, *, forecast: bool, as_json: bool) -> None:
    """Check a campaign before it is started. The campaign itself does not change."""
    with open_service() as service:
        configure_logs()
        checked = _check(service, campaign, has_forecast=forecast)
    if as_json:
        print_json(checked)
    else:
        click.echo("\n".join(_lines(checked)))
    if checked.errors:
        raise SystemExit(1)


def _check(service: OpenService, named: str, *, has_forecast: bool) -> CampaignFindings:
    settings, database = service
    now_ms, hours = service.now_ms(), read_calling_hours(settings.calling_hours)
    campaign = database.read_now(lambda connection: dict(find_campaign(connection, named)))
    consent = database.read_now(lambda connection: covered_people(connection, campaign, now_ms, settings.timezone))
    find = lambda connection: findings_of_campaign(  # noqa: E731 - both times the same
        connection,
        campaign,
        now_ms,
        service_zone=settings.timezone,
        hours=hours,
        covered=consent,
        ears=settings.ears,
    )
    try:
        findings = database.read_now(find)
    except VoiceUntriedError as error:  # It has one at most.
        tried = TriedVoice(error.wanted, now_ms, *tried_voice_now(settings.voice, error.wanted))
        database.write_now(lambda connection: save_tried_voice(connection, tried))
        findings = database.read_now(find)
    errors = sum(finding.level is FindingLevel.ERROR for finding in findings)
    if has_forecast and not errors:
        order = Order(
            campaign["id"],
            now_ms,
            settings.timezone,
            CHECK_SEEDS,
            calling_hours=settings.calling_hours,
            service_seed=settings.seed,
            is_rich=True,
            currency=service.currency_of(campaign["user_id"]),
        )
        free = database.read_now(lambda connection: free_balance(connection, campaign["user_id"]))
        # Without these errors there is something to forecast.
        with contextlib.suppress(CampaignOverError, CampaignNotReadyError):
            findings += findings_of_forecast(anyio.run(forecast_campaign, database, order), free)
    plain = [msgspec.structs.replace(finding, message=str(finding.message)) for finding in findings]
    joining = database.read_now(lambda connection: people_to_join(connection, campaign["id"]))
    return CampaignFindings(campaign["id"], errors, len(findings) - errors, plain, *joining, consent)


def _lines(checked: CampaignFindings) -> Iterator[str]:
    for finding in checked.findings:
        place = finding.field if finding.section_id is None else f"section {finding.section_id}"
        text = f"{finding.level.value:<8} {place or 'survey'}: {finding.message}"
        yield printable(text)
    yield f"People: {checked.people}"
    if checked.doubles:
        yield f"Further entries with their numbers: {checked.doubles}"
    if checked.do_not_call:
        left = checked.people - checked.do_not_call
        yield f"On do-not-call lists: {checked.do_not_call}, which leaves {left} to call"
    if checked.consent is not None:
        yield f"Have agreed: {checked.consent.covered} of {checked.consent.needed}"
    counts = f"{_counted(checked.errors, 'error')}, {_counted(checked.warnings, 'warning')}"
    yield f"Campaign {checked.campaign_id}: {counts}"


def _counted(count: int, noun: str) -> str:
    """Return a number of something in words."""
    return f"{count or 'no'} {noun}{'' if count == 1 else 's'}"
