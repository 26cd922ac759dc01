"""Events: the facts that use cases report, for code that reacts to them."""

from typing import Any

import msgspec


class AppEvent(msgspec.Struct, frozen=True):
    """The base of all events."""


class RecordWritten(AppEvent, frozen=True):
    """A record was created, changed or deleted, for the audit log. The values hold no secrets and no numbers."""

    action: str
    resource: str
    record_id: int | None
    user_id: int | None
    before: dict[str, Any]
    after: dict[str, Any]


class CampaignStarted(AppEvent, frozen=True):
    """A campaign was started, and dials from now on."""

    campaign_id: int


class CampaignPaused(AppEvent, frozen=True):
    """A campaign was paused, and does not dial until it is started again."""

    campaign_id: int


class CampaignAborted(AppEvent, frozen=True):
    """A campaign was aborted, and its calls are hung up."""

    campaign_id: int


class CampaignEnded(AppEvent, frozen=True):
    """A campaign was ended, and its calls continue to their end."""

    campaign_id: int


class CampaignCopied(AppEvent, frozen=True):
    """A campaign was copied; the copy has no subscribers yet."""

    campaign_id: int
    copy_id: int


class CampaignDeleted(AppEvent, frozen=True):
    """A campaign and its subscribers were deleted."""

    campaign_id: int


class CallDisposed(AppEvent, frozen=True):
    """An agent said what came of a call."""

    campaign_id: int
    callrequest_id: int


class SubscriberAdded(AppEvent, frozen=True):
    """A subscriber was added to a campaign."""

    campaign_id: int
    subscriber_id: int


class SubscriberStatusChanged(AppEvent, frozen=True):
    """A subscriber was paused, aborted, or set back to be called again."""

    campaign_id: int
    subscriber_id: int
    status: int


class SubscribersRecycled(AppEvent, frozen=True):
    """Subscribers of a campaign who were done were set back to be called again."""

    campaign_id: int
    count: int


class SubscriberDeleted(AppEvent, frozen=True):
    """A subscriber was deleted from a campaign."""

    campaign_id: int
    subscriber_id: int


class PaymentRecorded(AppEvent, frozen=True):
    """A payment was recorded. `amount` is an integer of 1e-5, negative for money that was paid back."""

    payment_id: int
    user_id: int
    amount: int


class CallRefunded(AppEvent, frozen=True):
    """The price of a call was refunded. `amount` is an integer of 1e-5."""

    cdr_id: int
    user_id: int
    amount: int


class TrialCallPlaced(AppEvent, frozen=True):
    """A trial call was placed over a gateway. The event does not name the number."""

    gateway_id: int


class RateCardChanged(AppEvent, frozen=True):
    """The prices of a user's calls have changed."""

    user_id: int


class UserCreated(AppEvent, frozen=True):
    """A user account was created."""

    user_id: int


class PasswordChanged(AppEvent, frozen=True):
    """The password of a user was changed."""

    user_id: int


class UserChanged(AppEvent, frozen=True):
    """The details, the rates, the role or the status of a user were changed."""

    user_id: int


class UserDeleted(AppEvent, frozen=True):
    """A user account was deleted."""

    user_id: int


class ApiKeyCreated(AppEvent, frozen=True):
    """An API key was created."""

    key_id: int
    user_id: int


class ApiKeyRevoked(AppEvent, frozen=True):
    """An API key was deleted."""

    key_id: int
    user_id: int


class AgentStatusChanged(AppEvent, frozen=True):
    """An agent logged in or out, or went on a break."""

    agent_id: int
    status: int


class AgentDeleted(AppEvent, frozen=True):
    """An agent was deleted."""

    agent_id: int


class QueueDeleted(AppEvent, frozen=True):
    """A queue was deleted."""

    queue_id: int


class ContactDeleted(AppEvent, frozen=True):
    """A contact was deleted, and is no longer called."""

    contact_id: int


class PhonebookDeleted(AppEvent, frozen=True):
    """A phonebook and its contacts were deleted."""

    phonebook_id: int


class ContactsImported(AppEvent, frozen=True):
    """One chunk of an imported file became contacts of a phonebook."""

    phonebook_id: int
    count: int


class NumberCalledOff(AppEvent, frozen=True):
    """A number was put on a do-not-call list."""

    dnc_id: int
    entry_id: int


class NumberAllowed(AppEvent, frozen=True):
    """A number was removed from a do-not-call list."""

    dnc_id: int
    entry_id: int


class NumbersCalledOff(AppEvent, frozen=True):
    """One chunk of an imported file was put on a do-not-call list."""

    dnc_id: int
    count: int


class DncListDeleted(AppEvent, frozen=True):
    """A do-not-call list was deleted."""

    dnc_id: int


class SubscribersErased(AppEvent, frozen=True):
    """Subscribers of old campaigns were erased."""

    subscribers: int


class AnswersErased(AppEvent, frozen=True):
    """Old answers whose campaigns were deleted were erased."""

    answers: int


class PersonErased(AppEvent, frozen=True):
    """The personal data of a number was erased. The event does not name the number."""

    subscribers: int


class SignedIn(AppEvent, frozen=True):
    """A user signed in to the console."""

    user_id: int


class SessionEnded(AppEvent, frozen=True):
    """A session of the console ended because a user signed out or revoked it."""

    user_id: int


class SecondFactorSet(AppEvent, frozen=True):
    """A user set up a second factor."""

    user_id: int


class SecondFactorRemoved(AppEvent, frozen=True):
    """The second factor of a user was turned off, by the user or by an admin."""

    user_id: int


class RecoveryCodeUsed(AppEvent, frozen=True):
    """A user signed in with a recovery code, which is used up."""

    user_id: int
