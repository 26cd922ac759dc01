"""The texts of the OpenAPI document that belong to no operation: a short guide, and the groups of operations."""

from collections.abc import Iterable
from typing import Final

from dialer.api.openapi.parts import Json
from dialer.resources.crud.pagination import PAGE_SIZE, PAGE_SIZE_MAX

GUIDE: Final = f"""\
Outbound voice and SMS campaigns: phonebooks, surveys, campaigns, calls and their costs.

**First steps.** Upload a recording (`audio-files`), create a survey (`survey-template`) with at least one section
(`section-template`), create a phonebook with contacts, create a campaign (`campaigns`), and start it: change its
`status` to 1. Then read `cdr` and `survey-result`.

**Authentication.** Every request under `/rest-api/` carries credentials: HTTP Basic with a user name and a password, or
`Authorization: Bearer` with an API key. Create keys for programs at `api-key`; the secret is shown once. Without right
credentials the response is 401. A request that the role of the user or the scopes of the key do not allow is 403. Users
see their own records; the record of another user is 404.

**Requests.** Bodies are `application/json`, except uploads and imports. Numbers and booleans may be strings as well.
A reference is the URL of a record, its path, or its id. PUT and PATCH both change only the fields that they give.
Unknown fields are ignored and listed in `X-Ignored-Fields`, unknown query parameters in `X-Ignored-Parameters`. With
`Prefer: handling=strict` they are errors.

**Errors.** A 400 has messages by field, all at once: {{"name": ["This field is required."]}}. Other errors have one
`detail`. Nothing is changed by a request that fails. With `Accept: application/problem+json`, errors follow RFC 9457
and have a `code`, one word for programs, such as `still_used`.

**Pages.** A list has `count`, `next`, `previous` and `results`, {PAGE_SIZE} records on a page unless `page_size` says
otherwise, {PAGE_SIZE_MAX} at most. Follow `next` until it is null. `format=csv` and `format=ndjson` stream everything,
and `format=xlsx` gives a spreadsheet.

**Repeating requests.** Send an `Idempotency-Key` with a POST: a repetition with the same key and body gets the first
response, and has no further effect. 429 and 503 have `Retry-After`, in seconds.

**Money.** Amounts have five decimals. They are strings such as "0.02000", except the balance and the rates of users,
which are numbers. Amounts in requests may be either. `currency` beside them is the ISO 4217 code of the account, or of
the service; beside the balance of a user it is `currency_in_force`. Empty: nobody has said one. Nothing is converted.

**Time.** Moments are ISO 8601, in answers always in UTC with `Z`. In requests, a moment without an offset is in the
time zone of the service. Times of day are `HH:MM:SS` in the time zone of the callee. Durations are whole seconds.
"""
_GROUPS: Final[dict[str, str]] = {
    "campaigns": "Voice campaigns: who is called when, how fast, and with which survey.",
    "subscriber-list": "Subscribers: the places of callees in campaigns, with their status and their attempts.",
    "sms-campaigns": "Campaigns of text messages.",
    "phonebook": "Phonebooks, which hold contacts, and imports of contacts from CSV.",
    "contact": "Contacts: the people to call.",
    "survey-template": "Surveys: what callees hear, and how a call goes on.",
    "section-template": "Sections of surveys: messages, questions, transfers and other actions.",
    "branching-template": "Branches of surveys: the section that follows each answer.",
    "audio-files": "Recordings that surveys play.",
    "cdr": "Call detail records: one for each leg of a call that is over.",
    "callrequest": "Call requests: attempts to call subscribers, and calls from subscribers.",
    "survey-result": "Answers of callees, single and counted, and what they recorded.",
    "call-recording": "Recordings of whole calls.",
    "transfer": "Transfers of calls to numbers and to agents.",
    "sms-message": "Text messages that campaigns and surveys have sent.",
    "sms-received": "Text messages that came in, and what users have decided about them.",
    "dnc-list": "Do-not-call lists, and imports of their numbers from CSV.",
    "dnc-contact": "Entries of do-not-call lists.",
    "number-note": "Notes on the people who have numbers.",
    "queue": "Queues, in which calls wait for agents.",
    "agent": "Agents, who take calls from queues.",
    "tier": "Tiers: the places of agents in queues.",
    "callerid": "Caller IDs: the numbers that callees see.",
    "callerid-group": "Groups of caller IDs, from which campaigns choose by area.",
    "did": "Numbers for inbound calls, and the campaigns that answer them.",
    "gateway": "Gateways for calls to carriers.",
    "sms-gateway": "Gateways for text messages to carriers.",
    "users": "User accounts, with their balance and their rates.",
    "api-key": "API keys, with which programs log in instead of a user name and a password.",
    "payment": "Payments into accounts.",
    "ledger": "The ledger: every change of a balance, with its cause.",
    "contact-rule": "How often people may be contacted, over all campaigns of an account.",
    "consent": "What people have agreed to, with proof, and what they have withdrawn.",
    "rate-card": "Prices of calls by the prefix of the number.",
    "apply": "Files of records, as `dialer apply` sends them and `dialer export` gets them, in one transaction.",
    "audit-log": "The audit log: who changed which record, and when.",
    "clock": "The clock of the service, which admins can advance if it is virtual.",
    "webhook": "Webhooks, which post the events of an account to programs, signed.",
    "report-link": "Links by which people without an account open a report of a campaign.",
    "report-schedule": "Reports that are sent by mail in the morning, or when their campaign has ended.",
    "events": "The events of an account, for programs outside of the service.",
    "own-settings": "The settings that users change for themselves.",
    "root": "The entry point: the lists of all resources.",
    "health": "The health of the service and its metrics, without authentication.",
}
"""The groups of operations with their descriptions, in the order of the document."""
SERVERS: Final[list[Json]] = [{"url": "/", "description": "The service from which this document was read"}]


def groups(used: Iterable[str]) -> list[Json]:
    """Return the groups of operations: those with a description in its order, then all others."""
    names = dict.fromkeys(used)
    ordered = [name for name in _GROUPS if name in names] + [name for name in names if name not in _GROUPS]
    return [{"name": name, **({"description": _GROUPS[name]} if name in _GROUPS else {})} for name in ordered]
