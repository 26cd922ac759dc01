"""The resource table: every resource under `/rest-api/`, in the order of the documentation.

A new resource is a row here. A module of this package declares its fields (`dialer.resources.crud.declaration`). Lists,
filters, references, ownership, merging, validation, errors, URLs and the OpenAPI document follow from the declaration.

Two kinds of code extend a resource from outside of its row:

- A **route of its own**, such as `POST /rest-api/audio-files/`, is an ordinary Litestar handler in
  `dialer.api.app.EXTRA_ROUTES` whose path begins after `/rest-api`. It is authenticated like the others.
  `request.user` is the `Actor`. `request.service` (`dialer.api.service`) gives it the database, the worker, the
  settings, and units of work for `dialer.resources.crud.records`. The row of the resource leaves the method out of
  `methods`. The permission that the route needs stands in `dialer.api.http.permissions.ROUTES`.
- An **export** serves resources whose row says `exported`. The list handler calls the `export` of
  `dialer.api.app.create_app` with the request, the row, and an iterator of chunks of all selected records in id order.
  If `export` returns a response, the handler returns it; if it returns None, the handler answers in JSON.
"""

from typing import Final

from dialer.resources.crud.resource import Resource
from dialer.resources.records.accounts import PAYMENTS, USERS
from dialer.resources.records.api_keys import API_KEYS
from dialer.resources.records.audit_log import AUDIT_LOG
from dialer.resources.records.call_recordings import CALL_RECORDINGS
from dialer.resources.records.calls import CALLREQUESTS, CDRS, SURVEY_RESULTS
from dialer.resources.records.campaigns import CAMPAIGNS
from dialer.resources.records.carriers import CALLERID_GROUPS, CALLERIDS, GATEWAYS, SMS_GATEWAYS
from dialer.resources.records.consents import CONSENTS
from dialer.resources.records.contact_rules import CONTACT_RULES
from dialer.resources.records.contacts import CONTACTS, DNC_CONTACTS, DNC_LISTS, PHONEBOOKS
from dialer.resources.records.dids import DIDS
from dialer.resources.records.ledger import LEDGER
from dialer.resources.records.messages import SMS_CAMPAIGNS, SMS_MESSAGES
from dialer.resources.records.number_notes import NUMBER_NOTES
from dialer.resources.records.queues import AGENTS, QUEUES, TIERS
from dialer.resources.records.rate_cards import RATE_CARDS
from dialer.resources.records.received_texts import SMS_RECEIVED
from dialer.resources.records.report_links import REPORT_LINKS
from dialer.resources.records.report_schedules import REPORT_SCHEDULES
from dialer.resources.records.subscribers import SUBSCRIBERS
from dialer.resources.records.surveys import AUDIO_FILES, BRANCHING_TEMPLATES, SECTION_TEMPLATES, SURVEY_TEMPLATES
from dialer.resources.records.transfers import TRANSFERS
from dialer.resources.records.webhooks import WEBHOOKS

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
    CONTACT_RULES,
    CONSENTS,
    NUMBER_NOTES,
    PAYMENTS,
    LEDGER,
    RATE_CARDS,
    CDRS,
    CALLREQUESTS,
    TRANSFERS,
    CALL_RECORDINGS,
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
    REPORT_LINKS,
    REPORT_SCHEDULES,
)
