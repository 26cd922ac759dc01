"""The fields that say what a campaign is for, and for whom it calls; and the filters by purpose."""

from typing import Any, Final

from sqlalchemy import ColumnElement, select

from dialer.domain.words.consent_words import NO_CONSENT, ConsentKind
from dialer.domain.words.purposes import NOT_SAID, Purpose, Sector
from dialer.resources.crud.declaration import writable
from dialer.resources.crud.fields import Text, TextChoice
from dialer.resources.crud.resource import AskedValue, Change, FieldRule
from dialer.resources.words.errors import Errors
from dialer.store.tables import Campaign

SELLER_MAX: Final = 100
PURPOSE: Final = "purpose"
PURPOSES: Final = TextChoice((NOT_SAID, *Purpose), {NOT_SAID: "It is not said, so every rule holds."})
"""The kind of a field with a purpose."""
PURPOSE_FIELDS: Final = {
    PURPOSE: writable(
        PURPOSES,
        "The purpose of the campaign. Laws and rules about who may be called, and how often, look at it. Empty: it is"
        " not said, and every rule holds. Only admins may set `emergency`.",
        example=Purpose.INFORMATION.value,
        title="What it is for",
        hint="Rules about how often people may be called look at it. If it is not said, every rule holds.",
    ),
    "sector": writable(
        TextChoice((NOT_SAID, *Sector), {NOT_SAID: "Any other, or it is not said."}),
        "The trade for which the campaign calls, where laws have rules for it alone. Empty: any other, or it is not"
        " said.",
        example=Sector.HEALTH.value,
        title="Trade",
        hint="For laws that hold for one trade only.",
    ),
    "seller": writable(
        Text(SELLER_MAX),
        "The firm or the body for which the campaign calls, in your words. Rules with the `scope` `seller` count the"
        " contacts of all campaigns of the account with the same text. Default: empty.",
        example="Example Energy",
        title="For whom it calls",
        hint="The firm for which you call, if you call for several.",
    ),
    "requires_consent": writable(
        TextChoice((NO_CONSENT, *ConsentKind), {NO_CONSENT: "It needs none."}),
        "The kind of consent that the campaign needs of everybody: this one, or a stronger one. Whoever has given none"
        " that covers its `purpose` and `seller` is refused at their turn (`no_consent`). Empty, the default: none.",
        example=ConsentKind.EXPRESS.value,
        title="Consent that it needs",
        hint="Whoever has not agreed is not called. See Consents below People.",
    ),
}
"""The fields of a campaign that say what it is for, for whom it calls, and which consent it needs."""


def _emergency_by_admins(change: Change) -> Errors:
    """Return an error if somebody who is no admin makes a campaign one of warnings of danger."""
    is_new_emergency = change.values[PURPOSE] == Purpose.EMERGENCY and change.moves(PURPOSE)
    if not is_new_emergency or change.unit.actor.is_admin:
        return {}
    return {PURPOSE: ["Only admins may set emergency. Ask one, or choose another purpose."]}


EMERGENCY_RULE: Final = FieldRule((PURPOSE,), _emergency_by_admins)


def by_purpose(campaign_id: ColumnElement[Any]) -> AskedValue:
    """Return the filter of records by the purpose of their campaign, to which `campaign_id` refers."""

    def has_purpose(purpose: str) -> ColumnElement[bool]:
        return campaign_id.in_(select(Campaign.id).where(Campaign.purpose == purpose))

    return AskedValue(PURPOSE, PURPOSES, has_purpose)
