"""The resource table: every resource under `/rest-api/`, in the order of the documentation.

A new resource is a row here. A module of this package declares its fields (`dialer.api.crud.declaration`). Lists,
filters, references, ownership, merging, validation, errors, URLs and the OpenAPI document follow from the declaration.

Two kinds of code extend a resource from outside of its row:

- A **route of its own**, such as `POST /rest-api/audio-files/`, is an ordinary Litestar handler in
  `dialer.api.app.EXTRA_ROUTES` whose path begins after `/rest-api`. It is authenticated like the others.
  `request.user` is the `Actor`. `request.service` (`dialer.api.service`) gives it the database, the worker, the
  settings, and units of work for `dialer.api.crud.records`. The row of the resource leaves the method out of
  `methods`. The permission that the route needs stands in `dialer.api.http.permissions.ROUTES`.
- An **export** serves resources whose row says `exported`. The list handler calls the `export` of
  `dialer.api.app.create_app` with the request, the row, and an iterator of chunks of all selected records in id order.
  If `export` returns a response, the handler returns it; if it returns None, the handler answers in JSON.
"""

from typing import Final

from dialer.api.crud.resource import Resource
from dialer.api.records.accounts import PAYMENTS, USERS
from dialer.api.records.api_keys import API_KEYS
from dialer.api.records.audit_log import AUDIT_LOG
from dialer.api.records.calls import CALLREQUESTS, CDRS, SURVEY_RESULTS
from dialer.api.records.campaigns import CAMPAIGNS
from dialer.api.records.carriers import CALLERID_GROUPS, CALLERIDS, GATEWAYS, SMS_GATEWAYS
from dialer.api.records.contacts import CONTACTS, DNC_CONTACTS, DNC_LISTS, PHONEBOOKS
from dialer.api.records.dids import DIDS
from dialer.api.records.ledger import LEDGER
from dialer.api.records.messages import SMS_CAMPAIGNS, SMS_MESSAGES
from dialer.api.records.queues import AGENTS, QUEUES, TIERS
from dialer.api.records.rate_cards import RATE_CARDS
from dialer.api.records.received_texts import SMS_RECEIVED
from dialer.api.records.subscribers import SUBSCRIBERS
from dialer.api.records.surveys import AUDIO_FILES, BRANCHING_TEMPLATES, SECTION_TEMPLATES, SURVEY_TEMPLATES
from dialer.api.records.transfers import TRANSFERS
from dialer.api.records.webhooks import WEBHOOKS

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
    API_KEYS,
    WEBHOOKS,
    AUDIT_LOG,
    GATEWAYS,
    SMS_GATEWAYS,
    CAMPAIGNS,
    SUBSCRIBERS,
    SMS_CAMPAIGNS,
    SMS_MESSAGES,
    SMS_RECEIVED,
    DIDS,
)
