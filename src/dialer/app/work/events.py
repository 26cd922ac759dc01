"""Events: the facts that use cases report, for the listeners of `dialer.app.telling.listeners`.

The tag of a class is the type of its events, and `msgspec.json.schema` derives their JSON schema from the class. The
fields of an event are ids, counts and amounts only, because personal data in it would outlive its erasure.
"""

from typing import Annotated, ClassVar, NamedTuple

import msgspec
from sqlalchemy import Connection, select

from dialer.store.tables import Agent, CallRecording, Campaign, DncList, Phonebook


class Subject(NamedTuple):
    """The record that an event is about."""

    resource: str
    """Path of its resource in the API."""
    id_field: str
    """Field of the event that has the id of the record."""
    owner: type[Agent | CallRecording | Campaign | DncList | Phonebook] | str | None = None
    """Table whose row of the record names its owner, or the field of the event that does. None: the service owns it."""


class AppEvent(msgspec.Struct, frozen=True, tag_field="type"):
    """Base class of all events."""

    subject: ClassVar[Subject | None] = None
    """None for an event that is about no single record."""

    @property
    def type(self) -> str:
        """The name of the kind of event, such as `campaign.started`."""
        return str(self.__struct_config__.tag)

    @property
    def subject_id(self) -> int | None:
        """The id of the record that the event is about; None if it is about no single record."""
        return None if self.subject is None else getattr(self, self.subject.id_field)

    def account(self, connection: Connection) -> int | None:
        """Return the account that owns the subject; None if the subject is deleted, or belongs to no account."""
        owner = None if self.subject is None else self.subject.owner
        if owner is None or isinstance(owner, str):
            return None if owner is None else getattr(self, owner)
        return connection.scalar(select(owner.user_id).where(owner.id == self.subject_id))


class CampaignEvent(AppEvent, frozen=True):
    """Base class of events about a campaign."""

    subject: ClassVar = Subject("campaigns", "campaign_id", Campaign)
    campaign_id: int


class CampaignStarted(CampaignEvent, frozen=True, tag="campaign.started"):
    """A campaign was started, and dials from now on."""


class CampaignPaused(CampaignEvent, frozen=True, tag="campaign.paused"):
    """A campaign was paused, and does not dial until it is started again."""


class CampaignAborted(CampaignEvent, frozen=True, tag="campaign.aborted"):
    """A campaign was aborted, and its calls are hung up."""


class CampaignEnded(CampaignEvent, frozen=True, tag="campaign.ended"):
    """A campaign was ended, and its calls continue to their end."""


class CallDisposed(CampaignEvent, frozen=True, tag="disposition.saved"):
    """An agent said what came of a call."""

    callrequest_id: int


class SubscribersRecycled(CampaignEvent, frozen=True, tag="subscribers.recycled"):
    """Subscribers of a campaign who were done were set back to be called again."""

    count: int


class CampaignProved(CampaignEvent, frozen=True, tag="campaign.proved"):
    """An archive that proves a campaign was made. Its manifest has this SHA-256, in hexadecimal digits."""

    manifest_sha256: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]


class PaymentRecorded(AppEvent, frozen=True, tag="payment.recorded"):
    """A payment was recorded. `amount` is an integer of 1e-5, negative for money that was paid back."""

    subject: ClassVar = Subject("payment", "payment_id", "user_id")
    payment_id: int
    user_id: int
    amount: int


class CallRefunded(AppEvent, frozen=True, tag="call.refunded"):
    """The price of a call was refunded. `amount` is an integer of 1e-5."""

    subject: ClassVar = Subject("cdr", "cdr_id", "user_id")
    cdr_id: int
    user_id: int
    amount: int


class TrialCallPlaced(AppEvent, frozen=True, tag="trial_call.placed"):
    """A trial call was placed over a gateway. The event does not name the number."""

    subject: ClassVar = Subject("gateway", "gateway_id")
    gateway_id: int


class UserEvent(AppEvent, frozen=True):
    """Base class of events about a user account."""

    subject: ClassVar = Subject("users", "user_id", "user_id")
    user_id: int


class RateCardChanged(UserEvent, frozen=True, tag="rate_card.changed"):
    """The prices of a user's calls have changed."""


class UserCreated(UserEvent, frozen=True, tag="user.created"):
    """A user account was created."""


class PasswordChanged(UserEvent, frozen=True, tag="password.changed"):
    """The password of a user was changed."""


class UserChanged(UserEvent, frozen=True, tag="user.changed"):
    """The details, the rates, the role or the status of a user were changed."""


class SignedIn(UserEvent, frozen=True, tag="session.started"):
    """A user signed in to the console."""


class SessionEnded(UserEvent, frozen=True, tag="session.ended"):
    """A session of the console ended because a user signed out or revoked it."""


class SecondFactorSet(UserEvent, frozen=True, tag="second_factor.set"):
    """A user set up a second factor."""


class SecondFactorRemoved(UserEvent, frozen=True, tag="second_factor.removed"):
    """The second factor of a user was turned off, by the user or by an admin."""


class RecoveryCodeUsed(UserEvent, frozen=True, tag="recovery_code.used"):
    """A user signed in with a recovery code, which is used up."""


class ApiKeyEvent(AppEvent, frozen=True):
    """Base class of events about an API key."""

    subject: ClassVar = Subject("api-key", "key_id", "user_id")
    key_id: int
    user_id: int


class ApiKeyCreated(ApiKeyEvent, frozen=True, tag="api_key.created"):
    """An API key was created."""


class ApiKeyRevoked(ApiKeyEvent, frozen=True, tag="api_key.revoked"):
    """An API key was deleted."""


class RecordingHeard(AppEvent, frozen=True, tag="recording.heard"):
    """A user heard, or downloaded, the recording of a call, or a part of it."""

    subject: ClassVar = Subject("call-recording", "recording_id", CallRecording)
    recording_id: int


class WebhookSecretRotated(AppEvent, frozen=True, tag="webhook.secret_rotated"):
    """The secret of a webhook was replaced."""

    subject: ClassVar = Subject("webhook", "webhook_id", "user_id")
    webhook_id: int
    user_id: int


class AgentStatusChanged(AppEvent, frozen=True, tag="agent.status"):
    """An agent logged in or out, or went on a break."""

    subject: ClassVar = Subject("agent", "agent_id", Agent)
    agent_id: int
    status: int


class CallHungUp(AppEvent, frozen=True, tag="call.hung_up"):
    """The call in which an agent talks is to be hung up."""

    subject: ClassVar = Subject("agent", "agent_id", Agent)
    agent_id: int
    callrequest_id: int


class CallHeld(AppEvent, frozen=True, tag="call.held"):
    """The callee with whom an agent talks is to wait on hold."""

    subject: ClassVar = Subject("agent", "agent_id", Agent)
    agent_id: int
    callrequest_id: int


class CallTransferred(AppEvent, frozen=True, tag="call.transferred"):
    """The callee with whom an agent talks is to go on to a number, a queue or another agent."""

    subject: ClassVar = Subject("agent", "agent_id", Agent)
    agent_id: int
    callrequest_id: int


class CallConsulted(AppEvent, frozen=True, tag="call.consulted"):
    """An agent is to talk with a third person while the callee waits on hold."""

    subject: ClassVar = Subject("agent", "agent_id", Agent)
    agent_id: int
    callrequest_id: int


class ConsultationChanged(AppEvent, frozen=True, tag="call.swapped"):
    """An agent is to talk with the other one of callee and third person, or with both."""

    subject: ClassVar = Subject("agent", "agent_id", Agent)
    agent_id: int
    callrequest_id: int


class CallHandedOver(AppEvent, frozen=True, tag="call.handed_over"):
    """An agent is to leave a call, so that the callee talks with the third person."""

    subject: ClassVar = Subject("agent", "agent_id", Agent)
    agent_id: int
    callrequest_id: int


class ConsultationEnded(AppEvent, frozen=True, tag="call.consultation_ended"):
    """The third person whom an agent consults is to be hung up."""

    subject: ClassVar = Subject("agent", "agent_id", Agent)
    agent_id: int
    callrequest_id: int


class CallResumed(AppEvent, frozen=True, tag="call.resumed"):
    """An agent is to talk again with the callee on hold."""

    subject: ClassVar = Subject("agent", "agent_id", Agent)
    agent_id: int
    callrequest_id: int


class CallListened(AppEvent, frozen=True, tag="call.listened"):
    """A supervisor is to hear the call in which an agent talks, and to be heard by nobody."""

    subject: ClassVar = Subject("agent", "agent_id", Agent)
    agent_id: int
    callrequest_id: int


class CallWhispered(AppEvent, frozen=True, tag="call.whispered"):
    """A supervisor is to hear the call in which an agent talks, and to be heard by the agent alone."""

    subject: ClassVar = Subject("agent", "agent_id", Agent)
    agent_id: int
    callrequest_id: int


class CallJoined(AppEvent, frozen=True, tag="call.joined"):
    """A supervisor is to talk with an agent and the callee."""

    subject: ClassVar = Subject("agent", "agent_id", Agent)
    agent_id: int
    callrequest_id: int


class CallLeft(AppEvent, frozen=True, tag="call.left"):
    """A supervisor is to hear the call in which an agent talks no more."""

    subject: ClassVar = Subject("agent", "agent_id", Agent)
    agent_id: int
    callrequest_id: int


class PersonCalled(AppEvent, frozen=True, tag="person.called"):
    """An agent wants to call the person whom they see."""

    subject: ClassVar = Subject("agent", "agent_id", Agent)
    agent_id: int
    subscriber_id: int


class PersonDialled(AppEvent, frozen=True, tag="person.dialled"):
    """An agent wants to call a person of their own choice."""

    subject: ClassVar = Subject("agent", "agent_id", Agent)
    agent_id: int
    subscriber_id: int


class PersonSkipped(AppEvent, frozen=True, tag="person.skipped"):
    """An agent does not want to call the person whom they see."""

    subject: ClassVar = Subject("agent", "agent_id", Agent)
    agent_id: int
    subscriber_id: int


class PersonFilledIn(AppEvent, frozen=True, tag="person.filled_in"):
    """An agent filled in columns of a person in a call: `count` of them."""

    subject: ClassVar = Subject("subscriber-list", "subscriber_id", "user_id")
    subscriber_id: int
    user_id: int
    callrequest_id: int
    count: int


class ContactsImported(AppEvent, frozen=True, tag="contacts.imported"):
    """One chunk of an imported file became contacts of a phonebook."""

    subject: ClassVar = Subject("phonebook", "phonebook_id", Phonebook)
    phonebook_id: int
    count: int


class DncEvent(AppEvent, frozen=True):
    """Base class of events about a do-not-call list."""

    subject: ClassVar = Subject("dnc-list", "dnc_id", DncList)
    dnc_id: int


class NumberCalledOff(DncEvent, frozen=True, tag="dnc.added"):
    """A number was put on a do-not-call list."""

    entry_id: int


class NumberAllowed(DncEvent, frozen=True, tag="dnc.removed"):
    """A number was removed from a do-not-call list."""

    entry_id: int


class NumbersCalledOff(DncEvent, frozen=True, tag="dnc.imported"):
    """One chunk of an imported file was added to a do-not-call list."""

    count: int


class SubscribersErased(AppEvent, frozen=True, tag="subscribers.erased"):
    """Subscribers of old campaigns were erased."""

    subscribers: int


class AnswersErased(AppEvent, frozen=True, tag="answers.erased"):
    """Old answers whose campaigns were deleted were erased."""

    answers: int


class PersonErased(AppEvent, frozen=True, tag="person.erased"):
    """The personal data of a number was erased. The event does not name the number."""

    subscribers: int
