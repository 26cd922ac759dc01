"""docs/tour.md with the client in Python: the outcome is printed as JSON.

The arguments are the address of the service, a key of its admin, one of ben, a WAV file and a CSV file.
"""

import json
import sys
from datetime import UTC
from pathlib import Path
from typing import Any

from dialer_client import RefusedError, connect, done
from dialer_client import models as m
from dialer_client.api.audio_files import upload_audio
from dialer_client.api.branching_template import create_branching_template
from dialer_client.api.campaigns import change_campaign, create_campaign
from dialer_client.api.cdr import list_cdrs
from dialer_client.api.clock import advance_clock
from dialer_client.api.contact import create_contact
from dialer_client.api.gateway import create_gateway
from dialer_client.api.payment import create_payment
from dialer_client.api.phonebook import create_phonebook, import_contacts
from dialer_client.api.section_template import create_section_template
from dialer_client.api.survey_result import list_survey_results
from dialer_client.api.survey_template import create_survey_template
from dialer_client.api.users import read_user
from dialer_client.client import AuthenticatedClient
from dialer_client.types import File

SCRIPT = "{first_name}, do you come on Monday? One for yes, two for no."


def surveyed(ben: AuthenticatedClient, recording: Path) -> m.SurveyTemplateRead:
    """Upload the greeting, and create the survey that plays it and asks."""
    with recording.open("rb") as sound:
        upload = m.UploadAudioBody(name="hello", audio_file=File(sound, "hello.wav", "audio/wav"))
        audio = done(upload_audio.sync_detailed(client=ben, body=upload))
    survey = done(create_survey_template.sync_detailed(client=ben, body=m.SurveyTemplateWrite(name="Appointments")))
    sections = [
        done(create_section_template.sync_detailed(client=ben, body=body))
        for body in (
            m.SectionTemplateWrite(
                survey=survey.url,
                order=1,
                type_=m.SectionType.PLAY_MESSAGE,
                question="Hello",
                audiofile=audio.url,
            ),
            m.SectionTemplateWrite(
                survey=survey.url,
                order=2,
                type_=m.SectionType.MULTI_CHOICE,
                question="Will you come?",
                script=SCRIPT,
                key_1="yes",
                key_2="no",
                completed=True,
            ),
        )
    ]
    branch = m.BranchingTemplateWrite(section=sections[0].url, keys="0", goto=sections[1].url)
    done(create_branching_template.sync_detailed(client=ben, body=branch))
    return survey


def started(ben: AuthenticatedClient, survey: m.SurveyTemplateRead, gateway: str, rows: Path) -> m.ImportReport:
    """Import the patients, start the campaign, and return the report on the rows."""
    book = done(create_phonebook.sync_detailed(client=ben, body=m.PhonebookWrite(name="Patients")))
    with rows.open("rb") as content:
        form = m.ImportContactsFilesBody(file=File(content, "patients.csv"))
        report = done(import_contacts.sync_detailed(book.id, client=ben, body=form))
    campaign = m.CampaignWrite(
        name="Monday",
        object_id=str(survey.id),
        phonebook=[book.url],
        aleg_gateway=gateway,
        callerid="+12025550199",
        maxretry=1,
        intervalretry=600,
        daily_start_time="09:00:00",
        daily_stop_time="20:00:00",
    )
    created = done(create_campaign.sync_detailed(client=ben, body=campaign))
    start = m.CampaignChange(status=m.CampaignStatus.START)
    done(change_campaign.sync_detailed(created.id, client=ben, body=start))
    return report


def outcome(ben: AuthenticatedClient) -> dict[str, Any]:
    """Return the calls, answers and the balance, as docs/tour.md shows them."""
    calls = done(list_cdrs.sync_detailed(client=ben)).results
    answers = done(list_survey_results.sync_detailed(client=ben)).results
    return {
        "calls": [
            [
                call.phone_number,
                f"{call.starting_date.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}",
                *(str(value) for value in (call.duration, call.billsec, call.call_cost, call.billed_duration)),
                str(call.hangup_cause_q850),
            ]
            for call in calls
        ],
        "answers": [[answer.question, answer.response] for answer in answers],
        "balance": done(read_user.sync_detailed(2, client=ben)).balance,
    }


def refused(ben: AuthenticatedClient) -> list[Any]:
    """Return how the service refuses a contact of an unknown phonebook."""
    try:
        body = m.ContactWrite(contact="+12025550100", phonebook="4711")
        done(create_contact.sync_detailed(client=ben, body=body))
    except RefusedError as error:
        return [error.status, error.messages]
    return []


def main(url: str, admin_key: str, key: str, recording: Path, rows: Path) -> None:
    """Walk the tour."""
    with connect(url, admin_key) as anna, connect(url, key) as ben:
        done(create_payment.sync_detailed(client=anna, body=m.PaymentWrite(user="2", amount="10")))
        gateway = done(create_gateway.sync_detailed(client=anna, body=m.GatewayWrite(name="Simulated carrier")))
        report = started(ben, surveyed(ben, recording), gateway.url, rows)
        done(advance_clock.sync_detailed(client=anna, body=m.ClockAdvance(seconds=3_600)))
        lines = [error.line for error in report.errors or ()]
        imported = [report.imported, report.rejected, *lines]
        print(json.dumps({"imported": imported, **outcome(ben), "refused": refused(ben)}))


main(sys.argv[1], sys.argv[2], sys.argv[3], Path(sys.argv[4]), Path(sys.argv[5]))
