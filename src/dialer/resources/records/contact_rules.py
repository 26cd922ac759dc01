"""Contact rules: how often people may be contacted, over all campaigns of an account."""

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace
from sqlalchemy import RowMapping, func, select

from dialer.app.contacts.contact_rules import RULES_MAX, add_rule, change_rule, delete_rule
from dialer.domain.calling_times.states import states_of
from dialer.domain.places.places import zones_of_country
from dialer.domain.rules.contact_rule_words import in_words
from dialer.domain.words.contact_words import NUMBER, ContactKind, ContactMedium, PeriodUnit, RestAfter, RuleScope
from dialer.domain.words.purposes import Purpose
from dialer.domain.words.sentences import FieldName, Sentence
from dialer.resources.crud.declaration import NAME, OWNER, STAMPS, derived, optional, own, read_only, shapes, writable
from dialer.resources.crud.fields import TEXT_MAX, Boolean, Integer, Text, TextChoice
from dialer.resources.crud.forms import form
from dialer.resources.crud.moments import Timestamp
from dialer.resources.crud.records import FIXED
from dialer.resources.crud.resource import AskedValue, Change, FieldRule, Resource, Unit, Values
from dialer.resources.records.word_lists import DayText, WordList
from dialer.resources.words.errors import Errors, ForbiddenError
from dialer.store.queries.contact_law import law_row
from dialer.store.queries.contact_rules import rule_of
from dialer.store.tables import ContactRule

LIMIT_MAX: Final = 10_000
PERIOD_MAX: Final = 9_999
SECONDS_MAX: Final = 86_400
CODE_MAX: Final = 2
IS_LAW: Final = "is_law"
"""The parameter of a list that tells rows of law from the rules of accounts."""
CAP: Final = "cap"
REST: Final = "rest"
_KINDS: Final = {
    CAP: "At most so many contacts in a time.",
    REST: "No further contacts for a time after something has happened.",
}
_CONTACT_RULE: Final = shapes(
    "ContactRule",
    ContactRule,
    {
        **own("contact-rule"),
        "user": replace(
            OWNER,
            description=f"{OWNER.description} Null for a row of law, which holds for the campaigns of all users.",
            null_in_answers=True,
        ),
        "name": NAME,
        "source": writable(
            Text(TEXT_MAX),
            "The place from which the rule comes, in your words. Default: empty.",
            example="Our code of conduct, 4.2",
            title="Where it comes from",
            hint="A law, a contract, or a decision of yours.",
        ),
        "row": read_only(
            Text(),
            "The id of a row of law; empty for your own rules. Of a row of law, admins can change `enabled`, and nobody"
            " the rest.",
            example="us-fl-cap",
        ),
        "kind": derived(TextChoice((CAP, REST), _KINDS, "ContactRuleKind"), "The kind of the rule.", example=CAP),
        "confidence": derived(Text(), "The confidence in a row of law; empty for your own rules.", example="verified"),
        "switched_by": read_only(
            Text(),
            "The admin who last switched a row of law on or off. Empty: nobody has.",
            example="root",
            title="Switched by",
        ),
        "switched_date": read_only(
            Timestamp(),
            "The moment at which a row of law was last switched on or off. Null: nobody has.",
            nullable=True,
            title="Switched",
        ),
        "in_words": derived(
            Text(),
            "The rule in a sentence.",
            example="At most 2 calls in 7 days to a number, over all campaigns of the account.",
        ),
        "enabled": writable(
            Boolean(), "True if the rule holds.", title="It holds", hint="Without a tick, it holds nobody back."
        ),
        "from_date": optional(
            DayText(),
            "The first day on which the rule holds, by the calendar of the callee. Null: since ever.",
            example="2027-01-31",
            title="From the day",
            hint="Such as 2027-01-31. Empty: since ever.",
        ),
        "until_date": optional(
            DayText(),
            "The last day on which the rule holds, by the calendar of the callee. Null: for ever.",
            example="2027-12-31",
            title="Until the day",
            hint="Such as 2027-12-31. Empty: for ever.",
        ),
        "country": writable(
            Text(CODE_MAX),
            "The ISO 3166 code of the country to whose numbers the rule applies. Empty, the default: everywhere.",
            example="US",
            title="Country",
            hint="Two letters, such as US. Empty: everywhere.",
        ),
        "state": writable(
            Text(CODE_MAX + 1),
            "The code of the state to whose people the rule applies: by the column `state` of the contact and by the"
            " area code. Needs `country`. Empty, the default: all states.",
            example="FL",
            title="State",
            hint="Such as FL. Empty: all states.",
        ),
        "purposes": writable(
            WordList(tuple(Purpose)),
            "The purposes of the campaigns that the rule binds, and whose contacts it counts. An empty list, the"
            " default: all. A campaign whose purpose is not said is bound by every rule.",
            example=["sales"],
            title="Only for these purposes",
            hint="None ticked: all. Campaigns that do not say what they are for are bound in any case.",
        ),
        "media": writable(
            WordList(tuple(ContactMedium), least=1),
            "The media that are counted, together, and that wait: `call`, `text` or both. Default: `call`.",
            example=["call"],
            title="Calls or texts",
            hint="Both: they are counted together.",
        ),
        "counts": writable(
            TextChoice(tuple(ContactKind)),
            "The contacts that count. Default: `attempts`.",
            example=ContactKind.ATTEMPTS.value,
            title="What counts",
            hint="",
        ),
        "after": writable(
            TextChoice(("", *RestAfter), {"": "The rule is a limit, and no rest."}),
            "Makes the rule a rest: `limit` then counts contacts since the end of the newest such call.",
            example="",
            title="Rest after",
            hint="Makes it a rest: nobody is contacted for that time after such a call.",
        ),
        "seconds": writable(
            Integer(1, SECONDS_MAX),
            "The least `billsec` of a conversation. Default: 1.",
            title="Shortest conversation",
            hint="Seconds from which a call counts as a conversation.",
        ),
        "limit": writable(
            Integer(0, LIMIT_MAX, column="most"),
            "The contacts that are allowed in the period: 1 or more, and 0 or more for a rest. It must be given, except"
            " for a rest, where the default is 0.",
            default=None,
            example=2,
            title="At most",
            hint="Contacts in the period. For a rest, usually 0.",
        ),
        "period": writable(
            Integer(1, PERIOD_MAX), "The length of the period, in units.", example=7, title="In", hint="So many units."
        ),
        "unit": writable(
            TextChoice(tuple(PeriodUnit)), "The unit of the period.", example=PeriodUnit.DAYS.value, hint=""
        ),
        "per": writable(
            TextChoice((NUMBER,), {NUMBER: "Contacts with a number are counted together."}, "CountedPer"),
            "What contacts are counted by: the number.",
            example=NUMBER,
            title="For each",
            hint="",
        ),
        "scope": writable(
            TextChoice(tuple(RuleScope)),
            "The campaigns whose contacts are counted together. Default: `account`.",
            example=RuleScope.ACCOUNT.value,
            title="Over",
            hint="",
        ),
        **STAMPS,
    },
    form=form(
        ("", "name"),
        ("How often", "limit period unit"),
        ("Rest", "after"),
        ("What is counted", "media counts scope"),
        more=[
            ("For whom", "purposes country state"),
            ("When", "enabled from_date until_date"),
            ("", "seconds per source user"),
        ],
    ),
    write_doc="A rule about how often people may be contacted. It holds on every gateway.",
    read_doc="A rule about how often people may be contacted, as it is stored.",
)


def _of_law(change: Change) -> Errors:
    """Return an error for each field of a row of law that cannot be changed.

    Raises:
        ForbiddenError: it is a row of law, and the caller is no admin.
    """
    row = "" if change.is_new else change.stored["row"]
    if not row:
        return {}
    if not change.unit.actor.is_admin:
        raise ForbiddenError
    errors: Errors = {name: [FIXED] for name in sorted(change.given) if name != "enabled" and change.moves(name)}
    law = law_row(row)
    if change.values["enabled"] and law is not None and not law.binds:
        errors["enabled"] = [Sentence("The service cannot keep this row of law: %(why)s", why=law.not_built)]
    return errors


def _switch(change: Change) -> Values:
    """Return who has switched a row of law, and when, if the change does."""
    if change.is_new or not change.stored["row"] or not change.moves("enabled"):
        return {}
    return {"switched_by": change.unit.actor.username, "switched_date": change.unit.now_ms}


def _limit_of_cap(change: Change) -> Errors:
    """Return an error for a limit of none, which only a rest may have."""
    if change.values["after"] or change.values["limit"]:
        return {}
    if "limit" in change.given:
        return {"limit": ["Ensure this value is greater than or equal to 1."]}
    return {"limit": ["This field is required."]}


def _place(change: Change) -> Errors:
    """Return an error for a country that does not exist, or a state that it does not have."""
    country, state = change.values["country"], change.values["state"]
    if country and not zones_of_country(country):
        return {"country": [Sentence('"%(code)s" is no ISO 3166 code of a country.', code=country)]}
    if state and not country:
        return {"state": [Sentence("A state needs a %(field)s.", field=FieldName("country"))]}
    if state and state not in states_of(country):
        return {"state": [Sentence('"%(code)s" is no state that is known there.', code=state)]}
    return {}


def _days_in_order(change: Change) -> Errors:
    first, last = change.values["from_date"], change.values["until_date"]
    if first is None or last is None or first <= last:
        return {}
    return {"until_date": [Sentence("It is before %(field)s.", field=FieldName("from_date"))]}


def _not_too_many(change: Change) -> Errors:
    query = select(func.count()).where(ContactRule.user_id == change.values["user"])
    if not change.moves("user") or change.unit.connection.execute(query).scalar_one() < RULES_MAX:
        return {}
    return {"user": [Sentence("A user has at most %(most)s rules. Delete one first.", most=RULES_MAX)]}


def _derived(_unit: Unit, rows: Sequence[RowMapping]) -> list[Values]:
    return [_derived_of(row) for row in rows]


def _derived_of(row: RowMapping) -> Values:
    law = law_row(row["row"])
    if law is not None:
        return {"kind": law.kind, "confidence": law.confidence, "in_words": law.words}
    return {"kind": REST if row["after"] else CAP, "confidence": "", "in_words": in_words(rule_of(row))}


CONTACT_RULES = Resource(
    path="contact-rule",
    shapes=_CONTACT_RULE,
    has_common_records=True,
    asked=(
        AskedValue(
            IS_LAW,
            Boolean(),
            lambda value: ContactRule.user_id.is_(None) == value,
            "True: rows of law alone. False: rules of accounts alone.",
        ),
    ),
    filters=("name", "enabled", "scope", "row"),
    orderings=("name", "created_date", "updated_date"),
    names=("name",),
    users_alone_change_it=True,
    defaults=lambda _unit, given: {"limit": given.get("limit", 0)},
    rules=(
        FieldRule((), _of_law),
        FieldRule(("after", "limit"), _limit_of_cap),
        FieldRule(("country", "state"), _place),
        FieldRule(("from_date", "until_date"), _days_in_order),
        FieldRule(("user",), _not_too_many),
    ),
    derived=_derived,
    columns=_switch,
    insert=lambda change, columns: add_rule(change.unit, columns),
    update=lambda change, columns: change_rule(change.unit, change.record_id, columns),
    remove=delete_rule,
)
