"""Voice campaigns."""

from collections.abc import Sequence
from typing import Final

from sqlalchemy import RowMapping

from dialer.app.campaigns.readiness import agents_missing
from dialer.domain.queueing.plans import PREVIEW_SECONDS_MAX, PREVIEW_SECONDS_MIN
from dialer.domain.words.enums import AmdBehavior, AmdSensitivity, CampaignStatus, DialMethod
from dialer.resources.crud.declaration import OWNER, STAMPS, derived, optional, own, read_only, shapes, writable
from dialer.resources.crud.derived_columns import CURRENCY
from dialer.resources.crud.fields import AmountNumber, Boolean, Choice, Integer, Text
from dialer.resources.crud.forms import form
from dialer.resources.crud.references import Reference, ReferenceList
from dialer.resources.crud.resource import Change, FieldRule, Unit, Values
from dialer.resources.records.abandoned_budgets import ABANDONED_FIELDS, ABANDONED_RULE
from dialer.resources.records.activities import ACTIVITY, activities
from dialer.resources.records.campaign_life import (
    COST,
    DAILY_WINDOW,
    DNC_LISTS_OF_CAMPAIGN,
    LIFE,
    NAMED,
    STATE,
    WHEN,
    campaigns,
    code_of_campaign,
    dates,
    source,
)
from dialer.resources.records.campaign_recordings import RECORDED, RECORDING_RULES
from dialer.resources.records.phrases import AgentFields, LinkTemplate, Outcomes
from dialer.resources.records.purposes import PURPOSE_FIELDS
from dialer.resources.words.errors import Errors
from dialer.store.queries.campaign_figures import machines_of_campaigns
from dialer.store.queries.sealed_surveys import sealed_survey
from dialer.store.tables import VOICE, Campaign

CALLERID_MAX: Final = 80
EXTRA_MAX: Final = 120
SCRIPT_MAX: Final = 4_000
"""Characters of `agent_script`."""
FIELDS_TEXT_MAX: Final = 4_000
"""Characters of `agent_fields`."""
CRM_URL_MAX: Final = 1_000
"""Characters of `crm_url`."""
FREQUENCY_MAX: Final = 1_000_000
"""Calls a minute."""
CALL_SECONDS_MAX: Final = 86_400
RING_SECONDS_MAX: Final = 3_600
CALL_BACK_SECONDS_MAX: Final = 604_800
INTERVAL_SECONDS_MAX: Final = 31_536_000
RETRIES_MAX: Final = 1_000

_CAMPAIGN: Final = shapes(
    "Campaign",
    Campaign,
    {
        **own("campaigns"),
        "campaign_code": code_of_campaign(title="Code"),
        **NAMED,
        **PURPOSE_FIELDS,
        "callerid": writable(
            Text(CALLERID_MAX),
            "The caller ID that callees see, if `callerid_group` has none for their number. Default: empty.",
            example="+12025550199",
            title="Caller ID",
            hint="The number that callees see, if the group of caller IDs has none for them.",
        ),
        "callerid_group": optional(
            Reference("callerid-group"),
            "The group whose caller IDs callees see: the one with the longest `areacode` that begins the number. Null:"
            " `callerid`.",
            title="Group of caller IDs",
            hint="A set of numbers, of which callees see the one that fits their area.",
        ),
        **dates("numbers are dialled"),
        **LIFE,
        **DAILY_WINDOW,
        "frequency": writable(
            Integer(1, FREQUENCY_MAX),
            "Calls a minute, spread evenly. A change holds at once. Used with `dial_method` 1 only.",
            example=30,
            title="Calls a minute",
            hint="Spread evenly over the minute.",
        ),
        "max_aleg": writable(
            Integer(),
            "The most calls in progress at the same time. 0: no limit of the campaign.",
            example=20,
            title="Most calls at once",
            hint="0: as many as the carrier allows.",
        ),
        "max_xfer": writable(
            Integer(),
            "The most transfers in progress at the same time, waiting calls included. 0: no limit.",
            example=5,
            title="Most transfers at once",
            hint="Calls that wait for an agent count too. 0: no limit.",
        ),
        "dial_method": writable(
            Choice(DialMethod),
            "The pace of dialling. 2, 3 and 4 dial for agents, so the survey must transfer calls to a queue.",
            title="How to dial",
            hint="Dialling for agents needs a survey that transfers calls to a queue.",
        ),
        "agent_dial_rate": writable(
            AmountNumber(minimum=1),
            "Calls for each free agent, calls in progress included. Used with `dial_method` 2 only. Default: 1.",
            example=1.5,
            title="Calls for each idle agent",
            hint="How many calls are in progress for each agent who is free.",
        ),
        "preview_seconds": writable(
            Integer(PREVIEW_SECONDS_MIN, PREVIEW_SECONDS_MAX),
            "Seconds that an agent has to call or skip a person. Used with `dial_method` 4 only.",
            example=90,
            title="Time to look at a person",
            hint="In which an agent calls or skips the person.",
        ),
        "preview_calls": writable(
            Boolean(),
            "What follows when that time is over. True: the person is called. False: the person waits for"
            " `intervalretry`, and the agent goes on a break.",
            title="Call when that time is over",
            hint="Without a tick, the person waits, and the agent goes on a break.",
        ),
        "manual_dialling": writable(
            Boolean(),
            "True if agents of the campaign's queues may dial numbers and contacts of their own choice, within its"
            " rules. Used with `dial_method` 4 only.",
            title="Agents may dial numbers",
            hint="Numbers of their own choice, within the rules of the campaign.",
        ),
        **ABANDONED_FIELDS,
        "callmaxduration": writable(
            Integer(1, CALL_SECONDS_MAX),
            "Seconds after the answer at which a call is cut off.",
            example=600,
            title="Longest call",
            hint="Longer calls are cut off.",
        ),
        "maxretry": writable(
            Integer(0, RETRIES_MAX),
            "The most further attempts for a subscriber who was not reached. 0: none.",
            example=2,
            title="Further calls if not reached",
            hint="0: nobody is called a second time.",
        ),
        "intervalretry": writable(
            Integer(0, INTERVAL_SECONDS_MAX),
            "Seconds from the end of a call that reached nobody to the next attempt.",
            example=900,
            title="Time between calls",
            hint="From the end of a call that reached nobody to the next one.",
        ),
        "carrier_maxretry": writable(
            Integer(0, RETRIES_MAX),
            "The most further attempts for a subscriber after calls that the carrier could not place. They do not count"
            " towards `maxretry`, as nobody was rung. 0: such calls count. Default: 0.",
            example=5,
            title="Further calls if the carrier fails",
            hint="Nobody was rung, so these do not count as calls that reached nobody. 0: they count.",
        ),
        "call_back_wait": writable(
            Integer(0, CALL_BACK_SECONDS_MAX),
            "Seconds for which a call-back waits for an agent who takes it themselves (`same_agent`). Then any agent of"
            " the queue takes it. Default: 900.",
            example=900,
            title="Call-backs wait for their agent",
            hint="If the agent wants to take the call-back themselves. Then any agent of the queue takes it.",
        ),
        "completion_maxretry": writable(
            Integer(0, RETRIES_MAX),
            "The most further calls to a subscriber who answered but did not reach a section marked `completed`. 0:"
            " none.",
            example=1,
            title="Further calls until completed",
            hint="Calls again people who answered, and left before a section that completes the survey. 0: none.",
        ),
        "completion_intervalretry": writable(
            Integer(0, INTERVAL_SECONDS_MAX),
            "Seconds from the end of such a call to the next one.",
            example=900,
            title="Time between these calls",
            hint="",
        ),
        "abandoned_maxretry": writable(
            Integer(0, RETRIES_MAX),
            "The most further calls to a subscriber who answered, and whom no agent took in time. An agent is kept for"
            " each of them, from the dial to its end. 0: none. Default: 0.",
            example=1,
            title="Further calls if no agent came",
            hint="Each is placed when an agent is free, who is kept for it. 0: none.",
        ),
        "abandoned_intervalretry": writable(
            Integer(0, INTERVAL_SECONDS_MAX),
            "Seconds from the end of such a call to the next one. Default: 259200, which is 72 hours.",
            example=259_200,
            title="Time from an abandoned call to the next",
            hint="72 hours is the longest time that rules ask for where no agent is kept.",
        ),
        "calltimeout": writable(
            Integer(1, RING_SECONDS_MAX),
            "Seconds of ringing after which an attempt is given up.",
            example=45,
            title="Longest ringing",
            hint="Then the call counts as not answered.",
        ),
        "aleg_gateway": writable(
            Reference("gateway"),
            "The gateway over which the calls go.",
            title="Carrier",
            hint="The carrier over which the calls go.",
        ),
        "sms_gateway": optional(
            Reference("sms-gateway"),
            "The gateway for the text messages of sections of type 10. Null: such sections send nothing.",
            title="Carrier for text messages",
            hint="For surveys that send text messages.",
        ),
        "object_id": writable(
            Reference("survey-template", shown_as_id=True),
            "The id of the survey template to play, as a string of digits. A URL is accepted too. The first start"
            " stores a copy of the survey, which the campaign plays. So this field cannot change afterwards.",
            example="1",
            title="Survey",
            hint="When the campaign starts, it keeps the survey as it is then. Later changes do not reach it.",
        ),
        "extra_data": writable(
            Text(EXTRA_MAX),
            "A text that the service keeps and does not use. Default: empty.",
            example="order 4711",
            title="Note for programs",
            hint="For your own programs, which read it over the API.",
        ),
        **RECORDED,
        "dispositions": writable(
            Outcomes(),
            "The outcomes of calls among which agents choose, with commas or line ends between them: a disposition, or"
            " a word of the campaign for one, as in `Sold = success`. Up to 20, of up to 100 characters each."
            " `do_not_call` can always be chosen. Empty: all dispositions.",
            example="Sold = success, Too expensive = not_interested, call_back",
            title="Outcomes of calls",
            hint="Agents choose one of them, such as: Sold = success, call_back. Empty: the usual ones.",
        ),
        "agent_script": writable(
            Text(SCRIPT_MAX),
            "What agents say. The desk shows it beside the callee. `{first_name}`, `{full_name}` and variables of the"
            " contact are replaced. Default: empty.",
            example="Good morning, {first_name}. This is Anna of the clinic.",
            title="What agents say",
            hint="Agents read it at the desk during the call. {first_name}, {full_name} and other columns of the"
            " list are replaced.",
        ),
        "agent_fields": writable(
            AgentFields(FIELDS_TEXT_MAX),
            "The columns of the contact that agents fill in during calls, with commas or line ends between them. Values"
            " to choose from stand behind a sign `=`, with `|` between them. Up to 20 columns, of up to 20 values each."
            " The desk saves them with the outcome. Default: empty.",
            example="email, interest = hot | warm | cold, newsletter = yes | no",
            title="Columns that agents fill in",
            hint="Saved into the list with the outcome, such as: email, interest = hot | cold, newsletter = yes | no.",
        ),
        "crm_url": writable(
            LinkTemplate(CRM_URL_MAX),
            "An http or https address that the desk shows as a link during calls, such as that of the callee in another"
            " program. `{phone_number}`, `{full_name}`, variables of the contact, `{call_id}`, `{campaign_id}`,"
            " `{subscriber_id}` and `{agent_id}` are replaced behind the name of the server, and encoded. Default:"
            " empty.",
            example="https://crm.example/people?phone={phone_number}",
            title="Page in your CRM",
            hint="Agents open it from their desk during the call. {phone_number}, {call_id} and columns of the list are"
            " replaced.",
        ),
        "voicemail": writable(
            Boolean(),
            "True to tell answering machines from people, in the first seconds after each answer.",
            title="Tell machines from people",
            hint="It takes the first seconds after each answer.",
        ),
        "amd_behavior": writable(
            Choice(AmdBehavior),
            "The callees who hear the survey. Used only if `voicemail` is true.",
            title="Who hears the survey",
            hint="",
        ),
        "machine_is_reached": writable(
            Boolean(),
            "True if a message on an answering machine is enough: once a machine has heard the message for machines, or"
            " the survey, to its end, the person counts as reached and is not called again. False: they are tried again"
            " like people who did not answer. Used only if `voicemail` is true and `amd_behavior` is 1. With 2 machines"
            " hear nothing, and with 3 a message is always enough.",
            title="A message on a machine is enough",
            hint="Once a machine has heard it to its end, the person counts as reached, and is not called again."
            " Without a tick, they are tried again like people who did not answer.",
        ),
        "amd_sensitivity": writable(
            Choice(AmdSensitivity),
            "The readiness to take an answer for that of a machine. Used only if `voicemail` is true. The manual has"
            " the errors of each. Default: 2.",
            title="How eager detection is",
            hint="",
        ),
        "voicemail_audiofile": optional(
            Reference("audio-files"),
            "The recording that answering machines hear instead of the survey, if `voicemail` is true. Null: the"
            " survey.",
            title="Recording for machines",
            hint="Machines hear it instead of the survey.",
        ),
        "dnc": optional(
            Reference("dnc-list"),
            "The do-not-call list whose numbers are not dialled, as it is at the moment of each dial. Null: none.",
            title="Do-not-call list",
            hint="Numbers on it are not called. Whoever asks not to be called again is put on it.",
        ),
        "dnc_lists": DNC_LISTS_OF_CAMPAIGN,
        "user": OWNER,
        "phonebook": writable(
            ReferenceList("phonebook"),
            "The phonebooks whose contacts are called. Contacts that are added later are called too. Default: none.",
            default=(),
            title="Phonebooks",
            hint="Contacts that are added later are called too.",
        ),
        **STATE,
        "activity": ACTIVITY,
        **source("campaigns"),
        "totalcontact": read_only(Integer(), "Number of subscribers.", example=500, title="People"),
        "completed": read_only(Integer(), "Subscribers who reached a section marked `completed`.", example=120),
        "calls": read_only(Integer(), "Number of calls that were placed, further attempts included.", example=640),
        "answered": read_only(Integer(), "Number of calls that were answered.", example=310),
        "machine_answered": derived(
            Integer(),
            "Number of calls that are over and that detection took for those of machines.",
            example=30,
            title="Answered by machines",
        ),
        "live_answered": read_only(
            Integer(),
            "Number of calls that persons answered, in surveys that have a queue.",
            example=280,
            title="Answered by people, for agents",
        ),
        "abandoned": read_only(
            Integer(), "Number of those calls that no agent took within 2 seconds of their transfer.", example=4
        ),
        "cost": COST,
        **STAMPS,
        "currency": CURRENCY,
    },
    form=form(
        ("", "name purpose"),
        ("Who is called", "phonebook dnc"),
        ("What they hear", "object_id aleg_gateway callerid"),
        ("When", WHEN),
        ("How fast", "frequency max_aleg"),
        ("If nobody answers", "maxretry intervalretry carrier_maxretry calltimeout"),
        ("Answering machines", "voicemail amd_behavior voicemail_audiofile machine_is_reached"),
        more=[
            (
                "Dialling for agents",
                "dial_method agent_dial_rate abandon_rate_max preview_seconds preview_calls manual_dialling max_xfer",
            ),
            ("Until the survey is completed", "completion_maxretry completion_intervalretry"),
            ("If no agent came in time", "abandoned_maxretry abandoned_intervalretry abandon_hours abandon_allowance"),
            ("Calls", "callmaxduration callerid_group amd_sensitivity sms_gateway dnc_lists"),
            (
                "Recordings of calls",
                "record record_notice record_notice_script record_refuse_key record_days transcribe",
            ),
            ("Agents", "agent_script agent_fields crm_url dispositions call_back_wait"),
            ("For whom it calls", "seller sector requires_consent"),
            ("For your notes", "description extra_data user"),
        ],
        hidden="activity status",
    ),
    write_doc="A voice campaign: its survey, its phonebooks, its hours and its pace.",
    read_doc="A voice campaign, as it is stored, with its status and its counters.",
)


def _agents_to_dial_for(change: Change) -> Errors:
    """Return an error if the dial method needs agents, and the sealed survey transfers no call to a queue."""
    if change.is_new or not change.moves("dial_method"):
        return {}
    survey = sealed_survey(change.unit.connection, change.record_id)
    return {} if survey is None else agents_missing(change.values["dial_method"], survey)


def _sealed_survey(change: Change) -> Errors:
    """Return an error if a started campaign gets another survey: it plays the copy that its first start sealed."""
    if change.is_new or not change.moves("object_id") or change.stored["status"] == CampaignStatus.NEW:
        return {}
    message = "A started campaign plays the survey of its first start, so it may get no other. Create a new campaign."
    return {"object_id": [message]}


def _derived(unit: Unit, rows: Sequence[RowMapping]) -> list[Values]:
    """Return what each campaign does, and how many of its calls machines answered. A few queries read all rows."""
    counts = machines_of_campaigns(unit.connection, [row["id"] for row in rows])
    return [
        {**activity, "machine_answered": counts.get(row["id"], 0)}
        for row, activity in zip(rows, activities(unit, rows), strict=True)
    ]


CAMPAIGNS = campaigns(
    "campaigns",
    _CAMPAIGN,
    medium=VOICE,
    code="campaign_code",
    filters=("dial_method",),
    rules=(
        FieldRule(("object_id",), _sealed_survey),
        ABANDONED_RULE,
        FieldRule(("dial_method",), _agents_to_dial_for),
        *RECORDING_RULES,
    ),
    derived=_derived,
)
