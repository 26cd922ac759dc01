"""Campaigns, the surveys that they play, and their subscribers."""

from typing import Final

from sqlalchemy import Boolean, CheckConstraint, ForeignKey, ForeignKeyConstraint, Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from dialer.domain.billing.money import MONEY_SCALE
from dialer.domain.calls.call_recording import NO_CALL
from dialer.domain.calls.plans import SMS, VOICE
from dialer.domain.pacing.inputs import ABANDON_HOURS, ABANDON_RATE_MAX_DEFAULT
from dialer.domain.words.consent_words import NO_CONSENT
from dialer.domain.words.enums import AmdBehavior, AmdSensitivity, CampaignStatus, DialMethod, SubscriberStatus
from dialer.domain.words.purposes import NOT_SAID
from dialer.store.tables._base import (
    BIG,
    UPDATED_OFTEN,
    Code,
    Count,
    LongText,
    Medium,
    Milliseconds,
    Money,
    Name,
    Row,
    ZoneKey,
    account_of,
    belongs_to,
    belongs_with_account,
    mentions,
    needs,
    where_known,
)
from dialer.store.tables.key_ring import AgentSecret

HALT_COMPLETED: Final = "completed"
"""The `halt_reason` of a subscriber who completed the survey in a call that came in, during an attempt."""


class Campaign(Row):
    """A campaign of calls or of text messages: its settings, state and counters."""

    __tablename__ = "campaign"

    user_id: Mapped[int] = belongs_to("user_account")
    medium: Mapped[Medium] = mapped_column(default=VOICE, server_default=VOICE)
    """`voice` or `sms`. Both follow one life cycle; an attempt is a call or a text message."""
    campaign_code: Mapped[str] = mapped_column(String(20), unique=True)
    name: Mapped[str] = mapped_column(String(100))
    description: Mapped[LongText]
    purpose: Mapped[str] = mapped_column(String(16), default=NOT_SAID, server_default=NOT_SAID)
    """A `dialer.domain.words.purposes.Purpose`, or empty if it is not said."""
    sector: Mapped[str] = mapped_column(String(16), default=NOT_SAID, server_default=NOT_SAID)
    """A `dialer.domain.words.purposes.Sector`, or empty."""
    seller: Mapped[str] = mapped_column(String(100), default="", server_default="")
    """The firm for which the campaign calls."""
    requires_consent: Mapped[str] = mapped_column(String(8), default=NO_CONSENT, server_default=NO_CONSENT)
    """The `dialer.domain.words.consent_words.ConsentKind` that it needs of everybody, or empty."""
    callerid: Mapped[str] = mapped_column(String(80), default="")
    callerid_group_id: Mapped[int | None] = needs("callerid_group")
    startingdate: Mapped[Milliseconds]
    expirationdate: Mapped[Milliseconds]
    daily_start_time: Mapped[str] = mapped_column(String(8), default="00:00:00")
    daily_stop_time: Mapped[str] = mapped_column(String(8), default="23:59:59")
    monday: Mapped[bool] = mapped_column(Boolean, default=True)
    tuesday: Mapped[bool] = mapped_column(Boolean, default=True)
    wednesday: Mapped[bool] = mapped_column(Boolean, default=True)
    thursday: Mapped[bool] = mapped_column(Boolean, default=True)
    friday: Mapped[bool] = mapped_column(Boolean, default=True)
    saturday: Mapped[bool] = mapped_column(Boolean, default=True)
    sunday: Mapped[bool] = mapped_column(Boolean, default=True)
    frequency: Mapped[int] = mapped_column(default=10)
    max_aleg: Mapped[Count]
    max_xfer: Mapped[Count]
    dial_method: Mapped[Code] = mapped_column(default=DialMethod.FIXED_RATE)
    agent_dial_rate: Mapped[Money] = mapped_column(default=MONEY_SCALE)
    """Calls per idle agent, in multiples of 1e-5."""
    preview_seconds: Mapped[int] = mapped_column(default=60, server_default="60")
    """Time that an agent has to call or skip a person whom they preview."""
    preview_calls: Mapped[bool] = mapped_column(Boolean, default=False, server_default="0")
    """True if the person is called when that time is over; false if they wait, and the agent goes on a break."""
    manual_dialling: Mapped[bool] = mapped_column(Boolean, default=False, server_default="0")
    """True if agents may dial numbers of their own choice within the rules of the campaign."""
    callmaxduration: Mapped[int] = mapped_column(default=1800)
    maxretry: Mapped[int] = mapped_column(default=0)
    intervalretry: Mapped[int] = mapped_column(default=300)
    carrier_maxretry: Mapped[Count]
    call_back_wait: Mapped[int] = mapped_column(default=900, server_default="900")
    """Seconds for which a call-back waits for the agent who takes it themselves."""
    completion_maxretry: Mapped[int] = mapped_column(default=0)
    completion_intervalretry: Mapped[int] = mapped_column(default=900)
    abandoned_maxretry: Mapped[Count]
    abandoned_intervalretry: Mapped[int] = mapped_column(default=259_200, server_default="259200")
    """Seconds from an abandoned call to the next one. Default: 72 hours."""
    calltimeout: Mapped[int] = mapped_column(default=45)
    aleg_gateway_id: Mapped[int | None] = mapped_column(BIG, index=True)
    sms_gateway_id: Mapped[int | None] = mapped_column(BIG, index=True)
    sms_medium: Mapped[Medium] = mapped_column(default=SMS, server_default=SMS)
    """Always `sms`: half of the foreign key of `sms_gateway_id`, as `medium` is of that of `aleg_gateway_id`."""
    text_message: Mapped[str] = mapped_column(String(1600), default="", server_default="")
    """Text that a campaign of text messages sends."""
    object_id: Mapped[int] = mapped_column(BIG, index=True)
    """Id of the survey template; 0 for text messages. No foreign key: a sealed survey does not need its template."""
    record: Mapped[str] = mapped_column(String(10), default=NO_CALL, server_default=NO_CALL)
    """The calls that are recorded: `no`, `all` or `share:N` (`dialer.domain.calls.call_recording`)."""
    record_days: Mapped[Count]
    """Days for which recordings are kept; 0: for ever."""
    record_notice_id: Mapped[int | None] = needs("audio_file")
    """The recording that callees hear before a call is recorded. Null: `record_notice_script`."""
    record_notice_script: Mapped[LongText]
    record_refuse_key: Mapped[str] = mapped_column(String(1), default="", server_default="")
    """The key with which callees refuse to be recorded; empty if there is none."""
    transcribe: Mapped[bool] = mapped_column(Boolean, default=False, server_default="0")
    """True if what its recordings of calls say is written down."""
    extra_data: Mapped[str] = mapped_column(String(120), default="")
    dispositions: Mapped[LongText]
    """The outcomes of calls among which agents choose (`dialer.domain.calls.outcomes`). Empty: all of them."""
    agent_script: Mapped[LongText]
    """A text with placeholders that the desk shows agents, to be said in calls. Empty: nothing is proposed."""
    agent_fields: Mapped[LongText]
    """The columns that agents fill in during calls (`dialer.domain.calls.agent_fields`). Empty: none."""
    crm_url: Mapped[LongText]
    """An address with placeholders that the desk shows agents as a link during calls. Empty: none."""
    voicemail: Mapped[bool] = mapped_column(Boolean, default=False)
    amd_behavior: Mapped[Code] = mapped_column(default=AmdBehavior.ALWAYS)
    amd_sensitivity: Mapped[Code] = mapped_column(default=AmdSensitivity.BALANCED, server_default="2")
    machine_is_reached: Mapped[bool] = mapped_column(Boolean, default=False, server_default="0")
    """True if a message that an answering machine has heard to its end is enough."""
    voicemail_audiofile_id: Mapped[int | None] = needs("audio_file")
    dnc_id: Mapped[int | None] = needs("dnc_list")
    status: Mapped[Code] = mapped_column(default=CampaignStatus.NEW, index=True)
    status_reason: Mapped[str] = mapped_column(String(40), default="")
    end_when_done: Mapped[bool] = mapped_column(Boolean, default=True, server_default="1")
    """False keeps the campaign open until it expires, although nobody is left to call."""
    source_campaign_id: Mapped[int | None] = mentions("campaign", index=False)
    """The campaign some of whose people this one calls again; null for any other campaign."""
    trial_of_id: Mapped[int | None] = mapped_column(BIG, default=None)
    """The campaign with whose settings this one calls its user as a test; null for a campaign that people see."""
    totalcontact: Mapped[Count]
    completed: Mapped[Count]
    calls: Mapped[Count]
    answered: Mapped[Count]
    cost: Mapped[Money] = mapped_column(default=0)
    next_dial_us: Mapped[int] = mapped_column(BIG, default=0)
    """Time from which pacing allows the next dial, in microseconds since the epoch."""
    abandon_rate_max: Mapped[Money] = mapped_column(
        default=ABANDON_RATE_MAX_DEFAULT * MONEY_SCALE, server_default="300000"
    )
    """Highest percentage of calls answered by a person that may find no agent in time, in multiples of 1e-5."""
    abandon_hours: Mapped[int] = mapped_column(default=ABANDON_HOURS, server_default=str(ABANDON_HOURS))
    """Length of each period that keeps this limit by itself, in hours."""
    abandon_allowance: Mapped[bool] = mapped_column(Boolean, default=False, server_default="0")
    """True if each period may begin with what the first hundred answers allow."""
    live_answered: Mapped[Count]
    """Number of calls answered by a person, in a campaign whose survey leads to queues."""
    abandoned: Mapped[Count]
    pacing_figures: Mapped[LongText]
    """A `dialer.domain.pacing.inputs.PacingFigures` as JSON, or empty."""
    callerid_turns: Mapped[LongText]
    """JSON object: how often caller IDs were shown, by area code, so that they take turns. Or empty."""
    created_date: Mapped[Milliseconds]
    updated_date: Mapped[Milliseconds]

    __table_args__ = (
        ForeignKeyConstraint(["medium", "aleg_gateway_id"], ["gateway.medium", "gateway.id"], ondelete="RESTRICT"),
        ForeignKeyConstraint(["sms_medium", "sms_gateway_id"], ["gateway.medium", "gateway.id"], ondelete="RESTRICT"),
        CheckConstraint("sms_medium = 'sms'", name="sms_medium"),
        Index("uq_campaign_id_user_id", "id", "user_id", unique=True),
        where_known("ix_campaign_source_campaign_id", "source_campaign_id"),
        where_known("ix_campaign_trial_of_id", "trial_of_id"),
        UPDATED_OFTEN,
    )


class CampaignPhonebook(Row):
    """A phonebook of a campaign, with the progress of turning its contacts into subscribers."""

    __tablename__ = "campaign_phonebook"

    campaign_id: Mapped[int] = belongs_to("campaign", index=False)
    phonebook_id: Mapped[int] = belongs_to("phonebook")
    collected_contact_id: Mapped[int] = mapped_column(BIG, default=0)
    """Contacts of the phonebook up to this id are subscribers already."""

    __table_args__ = (
        Index("uq_campaign_phonebook_campaign_id_phonebook_id", "campaign_id", "phonebook_id", unique=True),
        UPDATED_OFTEN,
    )


class ExampleCampaign(Row):
    """A campaign that shows an account how campaigns go, and what was made for it, to be deleted with it.

    Its people are made up, so it may call over simulated carriers only.
    """

    __tablename__ = "example_campaign"

    campaign_id: Mapped[int] = belongs_to("campaign", index=False)
    phonebook_id: Mapped[int | None] = mentions("phonebook")
    survey_id: Mapped[int | None] = mentions("survey_template")
    gateway_id: Mapped[int | None] = mapped_column(BIG, default=None)
    """The carrier of calls that was made for it, which may be gone; null if it calls over one that was there."""

    __table_args__ = (
        Index("uq_example_campaign_campaign_id", "campaign_id", unique=True),
        {"sqlite_autoincrement": True},
    )


class PeopleToCopy(Row):
    """The people of its `source_campaign_id` that a campaign calls again, until all are its subscribers.

    `id` is that of the new campaign.
    """

    __tablename__ = "people_to_copy"

    id: Mapped[int] = mapped_column(BIG, ForeignKey("campaign.id", ondelete="CASCADE"), primary_key=True)
    outcomes: Mapped[str] = mapped_column(Text)
    """The outcomes of those people, as `dialer.domain.rules.call_again` names them, with commas between them."""
    after_number: Mapped[str] = mapped_column(String(16), default="")
    """The people up to this number are copied already."""

    __table_args__ = UPDATED_OFTEN


class CampaignDncList(Row):
    """A do-not-call list of a campaign, besides its `dnc_id`; the rows of a campaign are in the order of their ids."""

    __tablename__ = "campaign_dnc_list"

    campaign_id: Mapped[int] = belongs_to("campaign", index=False)
    dnc_id: Mapped[int] = needs("dnc_list")

    __table_args__ = (
        Index("uq_campaign_dnc_list_campaign_id_dnc_id", "campaign_id", "dnc_id", unique=True),
        {"sqlite_autoincrement": True},
    )


class SealedSurvey(Row):
    """A copy of the survey from when the campaign first started; `id` is the campaign's."""

    __tablename__ = "sealed_survey"

    id: Mapped[int] = mapped_column(BIG, ForeignKey("campaign.id", ondelete="CASCADE"), primary_key=True)
    document: Mapped[str]
    """A `dialer.domain.survey.survey.Survey` as JSON."""
    agent_secrets: Mapped[str | None] = mapped_column(AgentSecret, default=None)
    """The secrets of its programs that talk, by the ids of their sections, as JSON; null for none."""


class CampaignForecast(Row):
    """The newest forecast of a campaign from the console; `id` is the campaign's."""

    __tablename__ = "campaign_forecast"

    id: Mapped[int] = mapped_column(BIG, ForeignKey("campaign.id", ondelete="CASCADE"), primary_key=True)
    document: Mapped[str]
    """A `dialer.domain.forecast.kept_forecast.KeptForecast` as JSON."""


class Subscriber(Row):
    """A number's place in a campaign. A campaign has each number only once."""

    __tablename__ = "subscriber"

    campaign_id: Mapped[int] = mapped_column(BIG)
    user_id: Mapped[int] = account_of("campaign", "campaign_id")
    contact_id: Mapped[int | None] = mentions("contact")
    phonebook_id: Mapped[int | None] = mapped_column(BIG, default=None)
    """The phonebook from which the subscriber came, for statistics. It may be deleted since."""
    duplicate_contact: Mapped[str] = mapped_column(String(64))
    number: Mapped[str] = mapped_column(String(16))
    zone: Mapped[ZoneKey]
    """Zone key that decides when the number may be called (`dialer.domain.calling_times.zones`)."""
    full_name: Mapped[Name] = mapped_column(default="")
    gmt_offset: Mapped[str] = mapped_column(String(8), default="")
    tz_code: Mapped[ZoneKey] = mapped_column(default="")
    """The person's own zones (`dialer.domain.calling_times.own_zones`)."""
    additional_vars: Mapped[LongText] = mapped_column(default="{}", server_default="{}")
    status: Mapped[Code] = mapped_column(default=SubscriberStatus.PENDING)
    status_reason: Mapped[str] = mapped_column(String(40), default="")
    halt_reason: Mapped[str] = mapped_column(String(40), default="")
    """Set during an attempt: its end makes the subscriber ABORT for this reason, or COMPLETED for `HALT_COMPLETED`."""
    count_attempt: Mapped[Count]
    failure_count: Mapped[Count]
    """Number of attempts that were busy, failed, or were not answered."""
    completion_count: Mapped[Count]
    """Number of further attempts because the survey was not completed."""
    abandoned_count: Mapped[Count]
    """Number of further calls because no agent took a call in time. From the first one, an agent is kept for each."""
    skip_count: Mapped[Count]
    """Number of times an agent previewed the subscriber and skipped them."""
    last_attempt: Mapped[int | None] = mapped_column(BIG, default=None)
    due_ms: Mapped[int] = mapped_column(BIG, default=0)
    """Time at which a retry is due; 0 before the first attempt."""
    promised_agent_id: Mapped[int | None] = mapped_column(BIG, default=None)
    """The agent who takes the call-back themselves; null for any agent. They may be deleted since."""
    promised_until_ms: Mapped[int] = mapped_column(BIG, default=0, server_default="0")
    """Time from which any agent may take the call-back."""
    created_date: Mapped[Milliseconds]
    updated_date: Mapped[Milliseconds]

    __table_args__ = (
        belongs_with_account("campaign", "campaign_id"),
        Index("uq_subscriber_campaign_id_number", "campaign_id", "number", "user_id", unique=True),
        Index("ix_subscriber_hopper", "campaign_id", "status", "zone", "due_ms", "id"),
        Index("ix_subscriber_number", "number", "id", "campaign_id"),
        Index(
            "ix_subscriber_last_attempt",
            "last_attempt",
            "id",
            "campaign_id",
            postgresql_ops={"last_attempt": "NULLS FIRST"},  # As SQLite does anyway.
        ),
        {"sqlite_autoincrement": True},
    )
