"""Events of use cases: their types, subjects, owners and schemas, their audit log entries, and their listeners."""

import re
from collections.abc import Iterator
from typing import Any, Final, Union

import msgspec
import pytest

from dialer.app.campaigns.change import start_campaign
from dialer.app.telling import listeners
from dialer.app.telling.audit_log import Origin
from dialer.app.work import events
from dialer.app.work.events import AppEvent
from dialer.app.work.unit import UnitOfWork
from dialer.store.tables import AuditLog, Campaign
from tests.runtime.house import House

ADMIN: Final = Origin(via="password", actor_id=9, actor="ada")
OWNER: Final = 1
OF_NOBODY: Final = 9
"""Entries about records of the service have the user who acted as their user."""
LOGGED: Final[list[tuple[AppEvent, tuple[str, str, int | None, int, dict[str, int | str]]]]] = [
    (events.CampaignStarted(1), ("campaign_started", "campaigns", 1, OWNER, {"campaign_id": 1})),
    (events.CampaignPaused(1), ("campaign_paused", "campaigns", 1, OWNER, {"campaign_id": 1})),
    (events.CampaignAborted(1), ("campaign_aborted", "campaigns", 1, OWNER, {"campaign_id": 1})),
    (events.CampaignEnded(1), ("campaign_ended", "campaigns", 1, OWNER, {"campaign_id": 1})),
    (
        events.CallDisposed(1, 7),
        ("call_disposed", "campaigns", 1, OWNER, {"campaign_id": 1, "callrequest_id": 7}),
    ),
    (
        events.SubscribersRecycled(1, 5),
        ("subscribers_recycled", "campaigns", 1, OWNER, {"campaign_id": 1, "count": 5}),
    ),
    (
        events.CampaignProved(1, "9f" * 32),
        ("campaign_proved", "campaigns", 1, OWNER, {"campaign_id": 1, "manifest_sha256": "9f" * 32}),
    ),
    (
        events.PaymentRecorded(3, 1, 500),
        ("payment_recorded", "payment", 3, OWNER, {"payment_id": 3, "user_id": 1, "amount": 500}),
    ),
    (
        events.CallRefunded(4, 1, 60),
        ("call_refunded", "cdr", 4, OWNER, {"cdr_id": 4, "user_id": 1, "amount": 60}),
    ),
    (events.TrialCallPlaced(1), ("trial_call_placed", "gateway", 1, OF_NOBODY, {"gateway_id": 1})),
    (
        events.RecordingHeard(5),
        ("recording_heard", "call-recording", 5, OF_NOBODY, {"recording_id": 5}),
    ),
    (events.RateCardChanged(1), ("rate_card_changed", "users", 1, OWNER, {"user_id": 1})),
    (events.UserCreated(1), ("user_created", "users", 1, OWNER, {"user_id": 1})),
    (events.PasswordChanged(1), ("password_changed", "users", 1, OWNER, {"user_id": 1})),
    (events.UserChanged(1), ("user_changed", "users", 1, OWNER, {"user_id": 1})),
    (events.SignedIn(1), ("signed_in", "users", 1, OWNER, {"user_id": 1})),
    (events.SessionEnded(1), ("session_ended", "users", 1, OWNER, {"user_id": 1})),
    (events.SecondFactorSet(1), ("second_factor_set", "users", 1, OWNER, {"user_id": 1})),
    (events.SecondFactorRemoved(1), ("second_factor_removed", "users", 1, OWNER, {"user_id": 1})),
    (events.RecoveryCodeUsed(1), ("recovery_code_used", "users", 1, OWNER, {"user_id": 1})),
    (events.ApiKeyCreated(6, 1), ("api_key_created", "api-key", 6, OWNER, {"key_id": 6, "user_id": 1})),
    (
        events.WebhookSecretRotated(2, 1),
        ("webhook_secret_rotated", "webhook", 2, OWNER, {"webhook_id": 2, "user_id": 1}),
    ),
    (events.ApiKeyRevoked(6, 1), ("api_key_revoked", "api-key", 6, OWNER, {"key_id": 6, "user_id": 1})),
    (
        events.AgentStatusChanged(1, 2),
        ("agent_status_changed", "agent", 1, OWNER, {"agent_id": 1, "status": 2}),
    ),
    (
        events.ContactsImported(1, 8),
        ("contacts_imported", "phonebook", 1, OWNER, {"phonebook_id": 1, "count": 8}),
    ),
    (
        events.NumberCalledOff(1, 2),
        ("number_called_off", "dnc-list", 1, OWNER, {"dnc_id": 1, "entry_id": 2}),
    ),
    (events.NumberAllowed(1, 2), ("number_allowed", "dnc-list", 1, OWNER, {"dnc_id": 1, "entry_id": 2})),
    (
        events.NumbersCalledOff(1, 3),
        ("numbers_called_off", "dnc-list", 1, OWNER, {"dnc_id": 1, "count": 3}),
    ),
    (
        events.CallHungUp(1, 7),
        ("call_hung_up", "agent", 1, OWNER, {"agent_id": 1, "callrequest_id": 7}),
    ),
    (events.PersonCalled(1, 9), ("person_called", "agent", 1, OWNER, {"agent_id": 1, "subscriber_id": 9})),
    (events.PersonDialled(1, 9), ("person_dialled", "agent", 1, OWNER, {"agent_id": 1, "subscriber_id": 9})),
    (events.PersonSkipped(1, 9), ("person_skipped", "agent", 1, OWNER, {"agent_id": 1, "subscriber_id": 9})),
    (
        events.PersonFilledIn(9, 1, 7, 2),
        (
            *("person_filled_in", "subscriber-list", 9, OWNER),
            {"subscriber_id": 9, "user_id": 1, "callrequest_id": 7, "count": 2},
        ),
    ),
    (events.CallHeld(1, 7), ("call_held", "agent", 1, OWNER, {"agent_id": 1, "callrequest_id": 7})),
    (events.CallTransferred(1, 7), ("call_transferred", "agent", 1, OWNER, {"agent_id": 1, "callrequest_id": 7})),
    (events.CallConsulted(1, 7), ("call_consulted", "agent", 1, OWNER, {"agent_id": 1, "callrequest_id": 7})),
    (
        events.ConsultationChanged(1, 7),
        ("call_swapped", "agent", 1, OWNER, {"agent_id": 1, "callrequest_id": 7}),
    ),
    (events.CallHandedOver(1, 7), ("call_handed_over", "agent", 1, OWNER, {"agent_id": 1, "callrequest_id": 7})),
    (
        events.ConsultationEnded(1, 7),
        ("call_consultation_ended", "agent", 1, OWNER, {"agent_id": 1, "callrequest_id": 7}),
    ),
    (events.CallResumed(1, 7), ("call_resumed", "agent", 1, OWNER, {"agent_id": 1, "callrequest_id": 7})),
    (events.CallListened(1, 7), ("call_listened", "agent", 1, OWNER, {"agent_id": 1, "callrequest_id": 7})),
    (events.CallWhispered(1, 7), ("call_whispered", "agent", 1, OWNER, {"agent_id": 1, "callrequest_id": 7})),
    (events.CallJoined(1, 7), ("call_joined", "agent", 1, OWNER, {"agent_id": 1, "callrequest_id": 7})),
    (events.CallLeft(1, 7), ("call_left", "agent", 1, OWNER, {"agent_id": 1, "callrequest_id": 7})),
    (events.SubscribersErased(2), ("subscribers_erased", "", None, OF_NOBODY, {"subscribers": 2})),
    (events.AnswersErased(2), ("answers_erased", "", None, OF_NOBODY, {"answers": 2})),
    (events.PersonErased(2), ("person_erased", "", None, OF_NOBODY, {"subscribers": 2})),
]


def kinds(base: type[AppEvent] = AppEvent) -> Iterator[type[AppEvent]]:
    """Yield the classes of events."""
    for kind in base.__subclasses__():
        yield from kinds(kind) if kind.__subclasses__() else [kind]


@pytest.fixture
def calling(house: House) -> House:
    """Return a house of user 1 with campaign 1, phonebook 1, do-not-call list 1 and agent 1."""
    house.campaign(house.survey({"type": 1, "script": "Hello"}), house.phonebook("+12025550100"))
    house.dnc_list()
    house.agent()
    return house


def entries(house: House) -> list[tuple[Any, ...]]:
    columns = ("action", "resource", "record_id", "user_id")
    return [(*(row[one] for one in columns), msgspec.json.decode(row["after"])) for row in house.rows(AuditLog)]


@pytest.mark.parametrize("kind", list(kinds()), ids=lambda kind: kind.__name__)
def test_each_event_has_a_type_and_a_schema_of_numbers_and_hashes(kind: type[AppEvent]) -> None:
    """Personal data in an event would outlive its erasure."""
    schema = msgspec.json.schema(kind)["$defs"][kind.__name__]
    name = schema["properties"].pop("type")["enum"][0]
    assert re.fullmatch(r"[a-z_]+\.[a-z_]+", name)
    assert schema["description"] == kind.__doc__
    held = {(field["type"], field.get("pattern", "")) for field in schema["properties"].values()}
    assert held <= {("integer", ""), ("string", "^[0-9a-f]{64}$")}
    assert kind.subject is None or kind.subject.id_field in schema["properties"]


def test_all_events_together_are_a_union_that_can_be_read_again() -> None:
    reported = [event for event, _ in LOGGED]
    any_event: Any = Union[tuple(kinds())]  # noqa: UP007 - of a tuple
    assert msgspec.json.decode(msgspec.json.encode(reported), type=list[any_event]) == reported
    assert {type(event) for event in reported} == set(kinds())


def test_the_audit_log_has_an_entry_for_each_event(calling: House) -> None:
    def report(unit: UnitOfWork) -> None:
        unit.happened.extend(event for event, _ in LOGGED)
        listeners.tell_listeners(unit, ADMIN)

    calling.perform(report)
    assert entries(calling) == [entry for _, entry in LOGGED]


def test_further_listeners_hear_of_events_in_the_same_transaction(
    calling: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[tuple[str, int | None, int | None]] = []

    def listen(unit: UnitOfWork, _origin: Origin) -> None:
        heard.extend((event.type, event.subject_id, event.account(unit.connection)) for event in unit.happened)
        if len(heard) > 1:
            raise RuntimeError("full")

    def start(unit: UnitOfWork) -> None:
        start_campaign(unit, 1)
        listeners.tell_listeners(unit, ADMIN)

    monkeypatch.setattr(listeners, "LISTENERS", (*listeners.LISTENERS, listen))
    calling.perform(start)
    assert heard == [("campaign.started", 1, OWNER)]
    calling.change(Campaign, 1, status=2)
    with pytest.raises(RuntimeError, match="full"):
        calling.perform(start)
    assert (calling.row(Campaign, 1)["status"], len(entries(calling))) == (2, 1)
