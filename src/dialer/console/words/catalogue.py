"""The pages of records: one row for each resource that the console lists, shows and changes."""

from collections.abc import Mapping
from typing import Final, NamedTuple

RECORDS: Final = "/console/records/"


class Within(NamedTuple):
    """A list of records that belong to a record: its title, the path of their resource, and the field that names it."""

    title: str
    path: str
    field: str


class RecordPage(NamedTuple):
    """The presentation of a resource: its list, and its form."""

    path: str
    """The path of the resource in the API."""
    title: str
    one: str
    """A single record in a sentence, such as `phonebook`."""
    about: str
    """The sentence below the title."""
    columns: tuple[str, ...]
    """The fields that lists show; the first one leads to the record."""
    place: str = ""
    """The item of the navigation."""
    add: str = ""
    """The button that leads to the form for a new record; empty if nobody makes one here."""
    empty: str = ""
    """The sentence in place of an empty list: what the records are for, or what to do next."""
    within: tuple[Within, ...] = ()
    counts: bool = False
    """True if lists show how many records of the first kind of `within` each record has."""
    is_tab: bool = True
    """True if the tabs of the place lead to it."""
    ordering: str = ""
    """The order of the list, as the API spells it. Empty: by id."""
    imports: bool = False
    """True if a CSV file can be imported into a record."""
    back: str = ""
    """The address of the list, if it is a page of its own."""
    new: str = ""
    """The address of the form for a new record, if it is a page of its own."""
    view: str = ""
    """The address before the id, if a record has a page of its own besides the one with its fields."""

    @property
    def url(self) -> str:
        """Return the address of the list."""
        return self.back or f"{RECORDS}{self.path}/"

    @property
    def record_url(self) -> str:
        """Return the address of a record, up to its id."""
        return self.view or f"{RECORDS}{self.path}/"


def _campaigns(path: str, one: str, about: str, add: str) -> RecordPage:
    """Return the page of the campaigns of one medium."""
    return RecordPage(
        path,
        "Campaigns",
        one,
        about,
        ("name", "status", "created_date"),
        add=add,
        within=(Within("People", "subscriber-list", "campaign"),),
        is_tab=False,
        back="/console/campaigns/",
        view="/console/campaigns/",
    )


_PAGES: Final[Mapping[str, tuple[RecordPage, ...]]] = {
    "people": (
        RecordPage(
            "phonebook",
            "Phonebooks",
            "phonebook",
            "Lists of people to call. A campaign uses one or more.",
            ("name", "description", "created_date"),
            add="New phonebook",
            empty="There is no phonebook yet. Make one, and import a spreadsheet of people into it.",
            within=(Within("Contacts", "contact", "phonebook"),),
            counts=True,
            imports=True,
        ),
        RecordPage(
            "contact",
            "Contacts",
            "contact",
            "A person in a phonebook. Search for a name, or for a number in any spelling.",
            ("contact", "full_name", "phonebook", "created_date"),
            add="New contact",
            empty="There is nobody here yet. Open a phonebook, and import a spreadsheet of people.",
        ),
        RecordPage(
            "dnc-list",
            "Do-not-call lists",
            "do-not-call list",
            "Numbers that are never called. A list that keeps wishes holds without being chosen.",
            ("name", "keeps_wishes_of", "is_global", "created_date"),
            add="New do-not-call list",
            empty="There is no do-not-call list yet. Make one, and import the numbers that must not be called.",
            within=(Within("Numbers", "dnc-contact", "dnc"),),
            counts=True,
            imports=True,
        ),
        RecordPage(
            "dnc-contact",
            "Do-not-call numbers",
            "entry",
            "A number on a do-not-call list. Search for it in any spelling.",
            ("phone_number", "dnc", "source", "said", "created_date"),
            add="New number",
            empty="No number is on the list yet. Open the list, and import a file of numbers or add them one by one.",
        ),
        RecordPage(
            "contact-rule",
            "Contact rules",
            "rule",
            "How often people may be called and texted, over all campaigns.",
            ("name", "enabled", "limit", "period", "unit", "after", "created_date"),
            add="New rule",
            empty="There is no rule yet. Make one, such as at most 2 calls in 7 days.",
        ),
        RecordPage(
            "consent",
            "Consents",
            "consent",
            "What people have agreed to, with proof. A campaign may need one of everybody.",
            ("phone_number", "kind", "purposes", "given_date", "withdrawn_date", "last_used_date"),
            add="New consent",
            empty="There is no consent yet. Add one, or send them over the API.",
        ),
        RecordPage(
            "number-note",
            "Notes on numbers",
            "note",
            "A note on the person who has a number. Agents see it at the desk.",
            ("number", "text", "author", "user", "updated_date"),
            add="New note",
            empty="There is no note yet. Write one here, or on the page of a number.",
            is_tab=False,
        ),
        RecordPage(
            "sms-received",
            "Received texts",
            "text message",
            "Texts that need a person come first. Nobody calls or writes to their senders until somebody looks.",
            ("said", "number", "needs_person", "understood", "verdict", "campaign", "created_date"),
            empty="No text message has come in yet.",
            ordering="-needs_person",
        ),
    ),
    "surveys": (
        RecordPage(
            "survey-template",
            "Surveys",
            "survey",
            "What callees hear, and where each key leads.",
            ("name", "description", "created_date", "updated_date"),
            add="New survey",
            empty="There is no survey yet. A survey is what callees hear, and what each key does.",
            within=(Within("Sections", "section-template", "survey"),),
            counts=True,
            new="/console/surveys/new/",
            view="/console/surveys/",
        ),
        RecordPage(
            "section-template",
            "Sections",
            "section",
            "One step of a survey.",
            ("question", "type", "order", "survey"),
            add="New section",
            empty="There is no section yet. A section is one step of a survey: a message, a question, a transfer.",
            within=(Within("Branches", "branching-template", "section"),),
            is_tab=False,
            ordering="order",
            view="/console/sections/",
        ),
        RecordPage(
            "branching-template",
            "Branches",
            "branch",
            "A key or an answer, and the section that follows.",
            ("keys", "goto", "section"),
            add="New branch",
            empty="There is no branch yet. A branch says which section follows after a key.",
            is_tab=False,
        ),
        RecordPage(
            "audio-files",
            "Recordings",
            "recording",
            "Sounds that surveys play.",
            ("name", "created_date"),
            add="New recording",
            empty="There is no recording yet. Upload a sound, or let the program speak a text.",
            new="/console/recordings/new/",
        ),
    ),
    "centre": (
        RecordPage(
            "queue",
            "Queues",
            "queue",
            "Callers wait in a queue for an agent.",
            ("name", "strategy", "max_wait_time", "created_date"),
            add="New queue",
            empty="There is no queue yet. Make one, assign agents to it, and let a survey transfer calls to it.",
            within=(Within("Agents of the queue", "tier", "queue"),),
        ),
        RecordPage(
            "agent",
            "Agents",
            "agent",
            "People who take calls.",
            ("name", "status", "break_reason", "login", "wrap_up_time"),
            add="New agent",
            empty="There is no agent yet. An agent takes the calls of a queue, at a telephone.",
            within=(Within("Queues of the agent", "tier", "agent"),),
            view="/console/agents/",
        ),
        RecordPage(
            "tier",
            "Assignments",
            "assignment",
            "An agent of a queue. Agents of a lower level are asked first.",
            ("agent", "queue", "level", "position"),
            add="New assignment",
            empty="No agent is assigned yet. Agents get calls of the queues to which they are assigned.",
            is_tab=False,
        ),
    ),
    "lines": (
        RecordPage(
            "gateway",
            "Carriers",
            "carrier",
            "The carriers for calls, with the limits of each.",
            ("name", "protocol", "line_down", "max_channels", "max_cps"),
            add="Add a carrier",
            empty="There is no carrier yet. Begin with a simulated one: it calls nobody, and costs nothing.",
        ),
        RecordPage(
            "sms-gateway",
            "Carriers for messages",
            "carrier",
            "The carriers for text messages.",
            ("name", "protocol", "line_down", "max_cps"),
            add="Add a carrier",
            empty="There is no carrier for text messages yet. Begin with a simulated one: it writes to nobody.",
        ),
        RecordPage(
            "callerid",
            "Caller IDs",
            "caller ID",
            "Numbers that callees see, by the area of the callee.",
            ("callerid_num", "callerid_name", "areacode", "callerid_group"),
            add="New caller ID",
            empty="There is no caller ID yet. It is a number that callees see, for one area.",
        ),
        RecordPage(
            "callerid-group",
            "Groups of caller IDs",
            "group",
            "A campaign shows the caller ID of its group that fits the callee.",
            ("name", "description", "created_date"),
            add="New group",
            empty="There is no group yet. A group shows callees a caller ID of their own area.",
            within=(Within("Caller IDs", "callerid", "callerid_group"),),
        ),
        RecordPage(
            "did",
            "Numbers for calls in",
            "number",
            "Numbers that people call, and campaigns answer. Calls reach a number once an admin has assigned it.",
            ("did_number", "campaign", "is_assigned", "user", "created_date"),
            add="New number",
            empty="There is no number yet. Add one that your carrier sends here, and choose its campaign.",
        ),
    ),
    "money": (
        RecordPage(
            "ledger",
            "Ledger",
            "entry",
            "Every change of a balance, the newest first.",
            ("created_date", "kind", "amount", "reference", "user"),
            empty="No balance has changed yet. Calls and payments appear here.",
            ordering="-created_date",
        ),
        RecordPage(
            "payment",
            "Payments",
            "payment",
            "Money that was put on an account.",
            ("created_date", "amount", "user", "description"),
            add="New payment",
            empty="There is no payment yet. Add one, and the balance of its user grows.",
            ordering="-created_date",
        ),
        RecordPage(
            "rate-card",
            "Rates",
            "rate",
            "Prices of calls by the beginning of the number. The longest beginning that fits counts.",
            ("prefix", "rate", "connection_fee", "first_increment", "next_increment", "user"),
            add="New rate",
            empty="There is no rate yet, so calls cost what their user pays a minute.",
        ),
    ),
    "administration": (
        RecordPage(
            "users",
            "Users",
            "user",
            "People who sign in, and accounts that pay.",
            ("username", "role", "enabled", "balance", "call_rate"),
            add="New user",
            empty="There is no user yet.",
        ),
        RecordPage(
            "api-key",
            "API keys",
            "API key",
            "Keys with which programs use the API. The whole key is shown once, when it is made.",
            ("name", "prefix", "scopes", "enabled", "expirationdate", "last_used_date"),
            add="New API key",
            empty="There is no key yet. Make one for each program that uses the API.",
        ),
        RecordPage(
            "webhook",
            "Webhooks",
            "webhook",
            "Programs to which events are sent, such as the end of a call. The secret is shown once.",
            ("name", "target_url", "types", "state", "created_date"),
            add="New webhook",
            empty="There is no webhook yet. Make one for each program that is to hear of calls and campaigns.",
            view="/console/webhooks/",
        ),
        RecordPage(
            "audit-log",
            "Audit log",
            "entry",
            "Who changed what, the newest first.",
            ("created_date", "actor", "action", "resource", "record_id", "after", "address"),
            empty="Nothing has been changed yet.",
            ordering="-id",
        ),
    ),
    "campaigns": (
        _campaigns("campaigns", "campaign", "A survey for the people of some phonebooks.", "New campaign"),
        _campaigns(
            "sms-campaigns",
            "campaign of text messages",
            "A text for the people of some phonebooks.",
            "New campaign of text messages",
        ),
        RecordPage(
            "subscriber-list",
            "People",
            "person",
            "The people of a campaign, and what each of them waits for.",
            ("duplicate_contact", "full_name", "status", "status_reason", "count_attempt", "last_attempt", "waits_for"),
            add="New person",
            empty="Nobody is in the campaign yet. The people of its phonebooks join it when it starts.",
            is_tab=False,
        ),
        RecordPage(
            "report-link",
            "Links to reports",
            "link",
            "Whoever has a link opens one report of one campaign, without an account, until the link expires.",
            ("name", "campaign", "report", "expirationdate", "opened", "last_opened_date", "created_date"),
            add="New link to a report",
            empty="There is no link yet. Make one for people who need a report, and have no account here.",
            is_tab=False,
        ),
        RecordPage(
            "report-schedule",
            "Scheduled reports",
            "scheduled report",
            "Reports that are sent by mail in the morning, or when their campaign has ended.",
            ("name", "report", "campaign", "sent_when", "state", "next_due", "last_sent_date", "failing_since"),
            add="New scheduled report",
            empty="There is no scheduled report yet. Make one, and whoever needs it gets it by mail.",
            is_tab=False,
        ),
    ),
}
"""The pages by the item of the navigation to which they belong."""
PAGES: Final[Mapping[str, RecordPage]] = {
    page.path: page._replace(place=place) for place, pages in _PAGES.items() for page in pages
}
"""The pages by the path of their resource."""


def tabs_of(place: str) -> list[RecordPage]:
    """Return the lists that belong to an item of the navigation."""
    return [page for page in PAGES.values() if page.place == place and page.is_tab]
