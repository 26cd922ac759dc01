"""Builders of one valid record of every resource."""

from typing import Any

from dialer.resources.crud.resource import Resource
from dialer.store.database.database import Database
from dialer.store.tables import (
    AudioFile,
    CallRecording,
    CallRequest,
    Cdr,
    LedgerEntry,
    Row,
    SmsMessage,
    SmsReceived,
    Subscriber,
    SurveyResult,
    Transfer,
)
from tests.api.harness import NOW_MS, Caller, Json

_audio = {"name": "hello", "audio_file": "0a1b.wav", "format": "wav", "size": 1, "duration_ms": 1_000}


def stored(database: Database, model: type[Row], **columns: Json) -> int:
    """Insert a row that no request can create, and return its id."""
    table = model.__table__
    stamps = {"created_date": NOW_MS, "updated_date": NOW_MS}
    values = {**{name: value for name, value in stamps.items() if name in table.c}, **columns}
    statement = table.insert().values(**values).returning(table.c.id)
    return int(database.write_now(lambda connection: connection.execute(statement).scalar_one()))


class Estate:
    """One record of every resource of one user, created over the API where the API can create it."""

    def __init__(self, owner: Caller, admin: Caller, database: Database, user_id: int) -> None:
        self.owner, self.admin, self.database, self.user_id = owner, admin, database, user_id
        self.gateway = admin.create("gateway", name="trunk")
        self.sms_gateway = admin.create("sms-gateway", name="texts")
        self.callerid_group = admin.create("callerid-group", name="numbers")
        self.phonebook = owner.create("phonebook", name="friends")
        self.contact = owner.create("contact", contact="+12025550100", phonebook=self.phonebook["url"])
        self.survey = owner.create("survey-template", name="poll")
        self.section = owner.create("section-template", survey=self.survey["url"], question="How are you?")
        self.branch = owner.create("branching-template", section=self.section["url"], keys="1")
        self.dnc = owner.create("dnc-list", name="never")
        self.dnc_contact = owner.create("dnc-contact", phone_number="+12025550111", dnc=self.dnc["url"])
        rule = {"name": "often enough", "limit": 9, "period": 1, "unit": "hours", "enabled": False}
        self.contact_rule = owner.create("contact-rule", **rule)
        self.consent = owner.create("consent", phone_number="+12025550111", kind="express")
        self.campaign = owner.create("campaigns", **self.campaign_fields())
        self.subscriber = owner.create(
            "subscriber-list", campaign=self.campaign["url"], duplicate_contact="+12025550122"
        )
        self.queue = owner.create("queue", name="desk")
        self.agent = owner.create("agent", name="Ann")
        self.api_key = owner.create("api-key", name="import")
        self.webhook = owner.create("webhook", name="CRM", target_url="https://192.0.2.7/events", enabled=False)
        self.number_note = owner.create("number-note", number="+12025550111", text="Prefers mornings")
        self.report_link = owner.create("report-link", name="board", campaign=self.campaign["url"])
        self.report_schedule = owner.create(
            "report-schedule", name="board", campaign=self.campaign["url"], recipients=["ada@example.com"]
        )
        self.tier = owner.create("tier", queue=self.queue["url"], agent=self.agent["url"])
        self.callerid = owner.create("callerid", callerid_num="+12025550199", callerid_group=self.callerid_group["url"])
        self.did = owner.create("did", did_number=f"+1202555013{user_id}", campaign=self.campaign["url"])
        self.rate_card = admin.create("rate-card", user=user_id, prefix="1202", rate="0.05", connection_fee="0.01")
        self.entry_id = stored(
            self.database, LedgerEntry, user_id=user_id, kind="call", amount=-123_456, reference=f"call:call-{user_id}"
        )
        self.audio_id = stored(database, AudioFile, user_id=user_id, **_audio)
        self.call_id = self._call()
        self.sms_campaign = owner.create("sms-campaigns", name="party", sms_gateway=self.sms_gateway["url"])
        self.message_id = self._message()
        self.received_id = self._received()

    def campaign_fields(self) -> dict[str, Any]:
        """Return the required fields of a campaign."""
        return {"name": "spring", "aleg_gateway": self.gateway["url"], "object_id": str(self.survey["id"])}

    def _call(self) -> int:
        call_id = stored(
            self.database,
            CallRequest,
            campaign_id=self.campaign["id"],
            subscriber_id=self.subscriber["id"],
            user_id=self.user_id,
            gateway_id=self.gateway["id"],
            attempt=1,
            callid=f"call-{self.user_id}",
            phone_number="+12025550122",
            callerid="",
            status=4,
            started_ms=NOW_MS,
            ring_limit_ms=45_000,
            talk_limit_ms=1_800_000,
            hold=0,
            call_rate=0,
        )
        common = {"user_id": self.user_id, "callrequest_id": call_id, "campaign_id": self.campaign["id"]}
        self.cdr_id = stored(
            self.database,
            Cdr,
            **common,
            callid=f"call-{self.user_id}",
            callerid="",
            phone_number="+12025550122",
            starting_date=NOW_MS,
            duration=70,
            billsec=61,
            call_cost=123_456,
            billed_duration=120,
            hangup_cause_q850=16,
            leg_type=1,
            amd_status=1,
            subscriber_id=self.subscriber["id"],
            contact_id=None,
        )
        self.result_id = stored(
            self.database,
            SurveyResult,
            **common,
            callid=f"call-{self.user_id}",
            section_id=self.section["id"],
            section_type=2,
            question="How are you?",
            response="Fine",
        )
        self.recording_id = stored(
            self.database,
            CallRecording,
            **common,
            callid=f"call-{self.user_id}",
            phone_number="+12025550122",
            start_date=NOW_MS,
            seconds=6_140_000,
            size=982_458,
            state="stored",
        )
        self.transfer_id = stored(
            self.database,
            Transfer,
            callrequest_id=call_id,
            place=1,
            section_id=self.section["id"],
            queue_id=self.queue["id"],
            status=3,
            reason="gave_up",
            score_from_ms=NOW_MS - 30_000,
            joined_ms=NOW_MS - 30_000,
            ended_ms=NOW_MS,
        )
        return call_id

    def _message(self) -> int:
        campaign = {"campaign_id": self.sms_campaign["id"]}
        subscriber_id = stored(
            self.database, Subscriber, **campaign, duplicate_contact="+12025550122", number="+12025550122", zone=""
        )
        return stored(
            self.database,
            SmsMessage,
            **campaign,
            sms_campaign_id=self.sms_campaign["id"],
            subscriber_id=subscriber_id,
            user_id=self.user_id,
            gateway_id=self.sms_gateway["id"],
            attempt=1,
            message_id=f"message-{self.user_id}",
            callerid="",
            phone_number="+12025550122",
            text_message="Come!",
            parts=1,
            status="Delivered",
            cost=5_000,
            hold=0,
            send_date=NOW_MS,
            ended_ms=NOW_MS,
        )

    def _received(self) -> int:
        return stored(
            self.database,
            SmsReceived,
            user_id=self.user_id,
            gateway_id=self.sms_gateway["id"],
            campaign_id=self.sms_campaign["id"],
            sms_message_id=self.message_id,
            phone_number="12025550122",
            number="+12025550122",
            said="Who is this?",
            understood="perhaps",
        )

    @property
    def entry(self) -> Json:
        """Return the first entry of the owner in the audit log."""
        return self.owner.get("audit-log/", page_size=1)["results"][0]

    def writer(self, resource: Resource) -> Caller:
        """Return the user who may change a record of a resource."""
        return self.admin if resource.is_written_by_admins else self.owner

    def paths(self) -> dict[str, str]:
        """Return the path of one record of every resource that belongs to a user, by resource."""
        records = {
            "phonebook": self.phonebook,
            "contact": self.contact,
            "survey-template": self.survey,
            "section-template": self.section,
            "branching-template": self.branch,
            "dnc-list": self.dnc,
            "dnc-contact": self.dnc_contact,
            "contact-rule": self.contact_rule,
            "consent": self.consent,
            "campaigns": self.campaign,
            "subscriber-list": self.subscriber,
            "queue": self.queue,
            "agent": self.agent,
            "api-key": self.api_key,
            "webhook": self.webhook,
            "report-link": self.report_link,
            "number-note": self.number_note,
            "report-schedule": self.report_schedule,
            "audit-log": self.entry,
            "tier": self.tier,
            "callerid": self.callerid,
            "did": self.did,
            "sms-campaigns": self.sms_campaign,
            "rate-card": self.rate_card,
        }
        ids = {name: record["id"] for name, record in records.items()} | {
            "audio-files": self.audio_id,
            "callrequest": self.call_id,
            "transfer": self.transfer_id,
            "cdr": self.cdr_id,
            "survey-result": self.result_id,
            "call-recording": self.recording_id,
            "sms-message": self.message_id,
            "sms-received": self.received_id,
            "ledger": self.entry_id,
            "users": self.user_id,
        }
        return {name: f"/rest-api/{name}/{record_id}/" for name, record_id in ids.items()}
