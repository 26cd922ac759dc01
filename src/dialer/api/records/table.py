"""The resource table: every resource under `/rest-api/`, in the order in which the documentation lists them.

A new resource is a row here, which declares its fields (`dialer.api.crud.declaration`) in a module of
`dialer.api.records`. Lists, filters, references, ownership, merging, validation, errors, URLs and the OpenAPI document
follow.

What does not fit a row plugs in from outside, and nothing here needs to know of it:

- A **route of its own** (`POST /rest-api/audio-files/`, `POST /rest-api/phonebook/<id>/import/`) is an ordinary
  Litestar handler whose path begins after `/rest-api`, listed in `dialer.api.app.EXTRA_ROUTES`. It is authenticated
  like all others, `request.user` is the `Actor`, and `request.service` (`dialer.api.service`) gives it
  the database, the worker, the settings, and units of work for the functions of `dialer.api.crud.records`. A resource
  row whose `methods` lack the method leaves the path free for it.
- An **export** is for resources whose row says `exported`: the list handler asks `dialer.api.app.create_app`'s `export`
  with the request, the row and an asynchronous iterator of chunks of answers, all that the filters select in id order;
  when it returns a response instead of None, that is the answer.
"""

from typing import Final

from dialer.api.crud.resource import Resource
from dialer.api.records.accounts import PAYMENTS, USERS
from dialer.api.records.calls import CALLREQUESTS, CDRS, SURVEY_RESULTS
from dialer.api.records.campaigns import CAMPAIGNS
from dialer.api.records.carriers import CALLERID_GROUPS, CALLERIDS, DIDS, GATEWAYS, SMS_GATEWAYS
from dialer.api.records.contacts import CONTACTS, DNC_CONTACTS, DNC_LISTS, PHONEBOOKS
from dialer.api.records.ledger import LEDGER
from dialer.api.records.messages import SMS_CAMPAIGNS, SMS_MESSAGES
from dialer.api.records.queues import AGENTS, QUEUES, TIERS
from dialer.api.records.rate_cards import RATE_CARDS
from dialer.api.records.subscribers import SUBSCRIBERS
from dialer.api.records.surveys import AUDIO_FILES, BRANCHING_TEMPLATES, SECTION_TEMPLATES, SURVEY_TEMPLATES
from dialer.api.records.transfers import TRANSFERS

RESOURCES: Final[tuple[Resource, ...]] = (
    CALLERIDS,
    CALLERID_GROUPS,
    CONTACTS,
    PHONEBOOKS,
    SURVEY_TEMPLATES,
    SECTION_TEMPLATES,
    BRANCHING_TEMPLATES,
    AUDIO_FILES,
    QUEUES,
    AGENTS,
    TIERS,
    DNC_LISTS,
    DNC_CONTACTS,
    PAYMENTS,
    LEDGER,
    RATE_CARDS,
    CDRS,
    CALLREQUESTS,
    TRANSFERS,
    SURVEY_RESULTS,
    USERS,
    GATEWAYS,
    SMS_GATEWAYS,
    CAMPAIGNS,
    SUBSCRIBERS,
    SMS_CAMPAIGNS,
    SMS_MESSAGES,
    DIDS,
)
