"""Call three people, ask them a question, and print how the calls end, and the answers."""

import os

from dialer_client import connect, done, follow
from dialer_client import models as m
from dialer_client.api.campaigns import change_campaign, create_campaign
from dialer_client.api.contact import add_contacts
from dialer_client.api.events import switch_events
from dialer_client.api.gateway import list_gateways
from dialer_client.api.phonebook import create_phonebook
from dialer_client.api.section_template import create_section_template
from dialer_client.api.survey_result import list_survey_results
from dialer_client.api.survey_template import create_survey_template

NUMBERS = ("+12025550101", "+12025550102", "+12025550111")  # One presses 1, one presses 2, one is busy.

with connect(os.environ["DIALER_URL"], os.environ["DIALER_API_KEY"]) as client:
    done(switch_events.sync_detailed(client=client, body=m.EventsChange(enabled=True)))
    book = done(create_phonebook.sync_detailed(client=client, body=m.PhonebookWrite(name="Guests"))).id
    people = [m.ContactWrite(phonebook=book, contact=number) for number in NUMBERS]
    done(add_contacts.sync_detailed(client=client, body=people))
    survey = done(create_survey_template.sync_detailed(client=client, body=m.SurveyTemplateWrite(name="Party"))).id
    question = m.SectionTemplateWrite(survey=survey, type_=m.SectionType.MULTI_CHOICE, question="Do you come?")
    question.script, question.key_1, question.key_2 = "Do you come? Press 1 for yes, 2 for no.", "yes", "no"
    done(create_section_template.sync_detailed(client=client, body=question))
    gateway = done(list_gateways.sync_detailed(client=client)).results[0].id
    party = m.CampaignWrite(name="Party", object_id=survey, phonebook=[book], aleg_gateway=gateway)
    campaign = done(create_campaign.sync_detailed(client=client, body=party)).id
    with follow(client, types=["call.ended", "campaign.ended"], campaign=campaign) as events:
        start = m.CampaignChange(status=m.CampaignStatus.START)
        done(change_campaign.sync_detailed(campaign, client=client, body=start))
        for event in events:
            if isinstance(event, m.CallEndedEvent | m.CampaignEndedEvent):
                print(event.type_, event.data.state, flush=True)
            if isinstance(event, m.CampaignEndedEvent):
                break
    for result in done(list_survey_results.sync_detailed(client=client, campaign_id=campaign)).results:
        print(result.question, result.response)
