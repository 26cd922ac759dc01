"""Users and their payments."""

from typing import Final

import msgspec
from litestar.openapi.spec import Schema

from dialer.app.accounts.payments import record_payment
from dialer.app.accounts.users import add_user, change_user, delete_user, find_user
from dialer.domain.numbers.destinations import read_countries, read_region
from dialer.domain.numbers.emergency import is_emergency_contact
from dialer.domain.words.currencies import read_currency
from dialer.domain.words.languages import LANGUAGES
from dialer.domain.words.roles import Permission, Role
from dialer.domain.words.sentences import Sentence, message_of
from dialer.passwords import (
    PASSWORD_LENGTH_MAX,
    PASSWORD_LENGTH_MIN,
    PasswordError,
    check_characters,
    check_password,
    hash_password,
)
from dialer.resources.crud.declaration import optional, own, read_only, shapes, writable, write_once, write_only
from dialer.resources.crud.derived_columns import CURRENCY
from dialer.resources.crud.fields import (
    TEXT_MAX,
    Amount,
    AmountNumber,
    Boolean,
    Conventions,
    FieldError,
    Json,
    Text,
    TextChoice,
)
from dialer.resources.crud.forms import form
from dialer.resources.crud.moments import Timestamp
from dialer.resources.crud.records import refuse_while_any
from dialer.resources.crud.references import Reference
from dialer.resources.crud.resource import Change, FieldRule, Resource, Unit, Values
from dialer.resources.crud.shapes import Parsed
from dialer.resources.records.agent_views import oneself
from dialer.resources.records.emergency import no_emergency_number
from dialer.resources.words.errors import Errors
from dialer.settings_values import USERNAME_MAX, is_username
from dialer.store.tables import (
    ApiKey,
    ConsoleSession,
    IdempotentResponse,
    OwnTelephone,
    Payment,
    RateCardLine,
    RecoveryCode,
    Row,
    SecondFactor,
    User,
)

COUNTRIES_TEXT_MAX: Final = 2_000
"""Characters of a list of countries."""
_LANGUAGES: Final = {code: f"{name}." for code, name in LANGUAGES.items()}


class Username(Text, frozen=True):
    """A name that HTTP Basic authentication can carry."""

    def parse(self, value: Json, conventions: Conventions) -> str:
        """Return the user name, if HTTP Basic authentication can carry it."""
        text = super().parse(value, conventions)
        if not is_username(text):
            raise FieldError(Sentence("Enter 1 to %(most)s characters, without blanks and colons.", most=USERNAME_MAX))
        return text

    def accepted(self) -> Schema:
        """Return the schema of a name without blanks and colons."""
        found = self.schema()
        found.pattern = r"^[^\u0000-\u0020:\u007f]+$"
        return found


class Countries(Text, frozen=True):
    """A list of countries."""

    def parse(self, value: Json, conventions: Conventions) -> str:
        """Return the codes of the countries, in order."""
        try:
            return ", ".join(sorted(read_countries(super().parse(value, conventions))))
        except ValueError as error:
            raise FieldError(
                Sentence("%(country)r is not a country. Enter ISO 3166 codes, such as US, CA.", country=str(error))
            ) from None


class OneCountry(Text, frozen=True):
    """A country, or none."""

    def parse(self, value: Json, conventions: Conventions) -> str:
        """Return the code of the country; empty for none."""
        text = super().parse(value, conventions)
        try:
            return read_region(text) if text.strip() else ""
        except ValueError as error:
            raise FieldError(message_of(error)) from None

    def accepted(self) -> Schema:
        """Return the schema of a country code or an empty text."""
        found = self.schema()
        found.pattern = "^([A-Z]{2})?$"
        return found


class OneCurrency(Text, frozen=True):
    """A currency, or none."""

    def parse(self, value: Json, conventions: Conventions) -> str:
        """Return the code of the currency; empty for none."""
        text = super().parse(value, conventions)
        try:
            return read_currency(text) if text.strip() else ""
        except ValueError as error:
            raise FieldError(message_of(error)) from None

    def accepted(self) -> Schema:
        """Return the schema of a currency code or an empty text."""
        found = self.schema()
        found.pattern = "^([A-Z]{3})?$"
        return found


class Password(Text, frozen=True):
    """A password; the column holds its hash."""

    def parse(self, value: Json, conventions: Conventions) -> str:
        """Return the password, which is hashed before the transaction."""
        text = super().parse(value, conventions)
        try:
            check_characters(text)
        except PasswordError as error:
            raise FieldError(_sentence(error)) from None
        return text

    def accepted(self) -> Schema:
        """Return the schema of a password that is long enough, without control characters."""
        found = self.schema()
        found.min_length, found.pattern = PASSWORD_LENGTH_MIN, r"^[^\u0000-\u001f]*$"
        return found


_USER: Final = shapes(
    "User",
    User,
    {
        **own("users"),
        "username": write_once(
            Username(USERNAME_MAX, min_length=1),
            "The name with which the user logs in, without blanks and colons. It is unique, regardless of case.",
            example="ann",
            title="User name",
            hint="Without blanks and colons.",
        ),
        "last_name": writable(Text(), "The family name. It may be empty.", example="Lee", hint=""),
        "first_name": writable(Text(), "The given name. It may be empty.", example="Ann", hint=""),
        "email": writable(
            Text(),
            "The e-mail address. It may be empty. The service sends no mail.",
            example="ann@example.com",
            hint="No mail is sent to it.",
        ),
        "balance": read_only(
            AmountNumber(),
            "The money of the account, in its `currency_in_force`: a number with five decimals. It is the sum of"
            " the user's ledger entries and never below zero.",
            example=25.5,
        ),
        "call_rate": writable(
            AmountNumber(minimum=0),
            "The price of a minute of calls to numbers for which the user has no rate card: a number with five"
            " decimals. An answered call lasts at least a second, which is billed.",
            example=0.02,
            title="Price of a minute",
            hint="Of calls to numbers for which the user has no rate of their own.",
        ),
        "sms_rate": writable(
            AmountNumber(minimum=0),
            "The price of one part of a text message: a number with five decimals.",
            example=0.05,
            title="Price of a text message",
            hint="Long texts are sent in several parts, and each part costs so much.",
        ),
        "role": writable(
            TextChoice(tuple(Role)),
            "What the user may do: admin (everything), manager (everything with their own records), agent (take"
            " calls), viewer (read a manager's records).",
            example="manager",
            hint="",
        ),
        "enabled": writable(
            Boolean(),
            "False keeps the user, and all their API keys, from logging in.",
            example=True,
            title="May sign in",
            hint="Without a tick, nobody can sign in with it.",
        ),
        "allowed_countries": writable(
            Countries(COUNTRIES_TEXT_MAX),
            "The countries that the user may call and send messages to: ISO 3166 codes, separated by commas. Numbers"
            " without a country code are then refused. Default: empty, for all countries.",
            example="US, CA",
            title="Countries that may be called",
            hint="Tick none to allow all countries. If you tick any, numbers without a country code are refused.",
        ),
        "allows_special": writable(
            Boolean(),
            "Whether the user may call premium-rate, shared-cost and satellite numbers. If false, only those that a"
            " prefix of the user's rate card names. Default: false.",
            title="May call premium-rate, shared-cost and satellite numbers",
            hint="Without a tick, only those whose beginning is in a rate of the user.",
        ),
        "recordings": writable(
            Boolean(),
            "Whether a viewer or an agent may hear recordings of whole calls; agents only those of their own calls."
            " Admins and managers need no such right. Default: false.",
            title="May hear recordings of calls",
            hint="Viewers and agents need a tick to hear recordings, and agents then hear those of their own calls.",
        ),
        "default_region": writable(
            OneCountry(2),
            "The country of numbers that the user writes without a country code: an ISO 3166 code. Users change it for"
            " themselves with `PATCH /rest-api/own-settings/`. Default: empty, for the service's default region.",
            example="DE",
        ),
        "currency": writable(
            OneCurrency(3),
            "The currency of the account's amounts: an ISO 4217 code. It names them, and converts nothing: after a"
            " change, what was billed before keeps its figures. Default: empty, for the service's `DIALER_CURRENCY`.",
            example="EUR",
            hint="ISO 4217 code, such as EUR. Amounts are never converted: what was billed before keeps its figures."
            " Empty: the currency of the service.",
        ),
        "language": writable(
            TextChoice(("", *LANGUAGES), {"": "The language that the browser asks for.", **_LANGUAGES}, "Language"),
            "The language in which the console speaks to the user. Default: empty, for that of the browser. The API"
            " answers in English.",
            example="de",
        ),
        "telephone": writable(
            Text(),
            "The phone number or extension at which the user hears calls of agents as a supervisor. Calls to it are"
            " charged to nobody. Not an emergency number. Default: empty.",
            example="+12025550150",
            hint="It rings when the user listens to a call of an agent. Calls to it cost nothing.",
        ),
        "manager": optional(
            Reference("users"),
            "The user for whom this one works, or null. A viewer reads the manager's records.",
            hint="The user for whom this one works. A viewer reads the manager's records.",
        ),
        "password": write_only(
            Password(PASSWORD_LENGTH_MAX, column="password_hash"),
            f"The password, {PASSWORD_LENGTH_MIN} to {PASSWORD_LENGTH_MAX} characters. No answer shows it."
            " A new password ends the use of the old one at once.",
            example="correct horse battery",
            hint=f"At least {PASSWORD_LENGTH_MIN} characters.",
        ),
        "currency_in_force": CURRENCY,
    },
    form=form(
        ("Who signs in", "username password enabled"),
        ("What the user may do", "role manager recordings"),
        ("What calls cost", "currency call_rate sms_rate"),
        ("Where the user may call", "allowed_countries allows_special"),
        more=[
            ("About the person", "first_name last_name email telephone"),
        ],
    ),
    write_doc="A user account: a person or a program that logs in, with its rates. Only admins write it.",
    read_doc="A user account, with its balance and its rates.",
)

_PAYMENT: Final = shapes(
    "Payment",
    Payment,
    {
        **own("payment"),
        "amount": writable(
            Amount(),
            "The amount with five decimals. A negative amount is a refund to the payer; it must not exceed the"
            " balance.",
            example="25.00000",
            hint="A negative amount is a refund to the payer, up to the balance.",
        ),
        "user": writable(
            Reference("users"), "The user into whose account the payment goes.", hint="Whose balance it is added to."
        ),
        "description": writable(
            Text(TEXT_MAX), "A note about the payment. Default: empty.", example="Bank transfer of 18 November", hint=""
        ),
        "created_date": read_only(Timestamp(), "The moment of the payment, in UTC.", title="Created"),
        "currency": CURRENCY,
    },
    form=form(("", "user amount description")),
    write_doc="A payment into an account. A negative amount is a refund to the payer.",
    read_doc="A payment, as it is stored.",
)


def _hashed(parsed: Parsed, _conventions: Conventions) -> Parsed:
    """Return a request with the hash of its password in place of the password, or with the error of the password."""
    password = parsed.values.get("password")
    if password is None or "password" in parsed.errors:
        return parsed
    try:
        if parsed.errors:
            check_password(password)
            return parsed
        values = {**parsed.values, "password": hash_password(password)}
    except PasswordError as error:
        return msgspec.structs.replace(parsed, errors={**parsed.errors, "password": [_sentence(error)]})
    return msgspec.structs.replace(parsed, values=values)


def _sentence(error: PasswordError) -> str:
    message = str(error)
    return f"{message[0].upper()}{message[1:]}."


def _name_free(change: Change) -> Errors:
    taken = find_user(change.unit.connection, change.values["username"]) if change.is_new else None
    return (
        {}
        if taken is None
        else {
            "username": [
                Sentence("There is a user %(username)s already. Choose another name.", username=taken.username)
            ]
        }
    )


def _manager_is_another(change: Change) -> Errors:
    if change.is_new or change.values["manager"] != change.record_id:
        return {}
    return {"manager": ["A user cannot be their own manager. Name another user, or null."]}


def _owns_nothing(unit: Unit, stored: Values) -> None:
    """Raise an error that names the records that would be deleted together with a user."""
    named = [
        (table, key.parent == stored["id"])
        for table in Row.metadata.sorted_tables
        for key in table.foreign_keys
        if key.column.table is User.__table__ and key.ondelete != "SET NULL" and table not in _GO_WITH_THE_USER
    ]
    refuse_while_any(unit, named)


_GO_WITH_THE_USER: Final = frozenset(
    {
        model.__table__
        for model in (
            ApiKey,
            ConsoleSession,
            IdempotentResponse,
            OwnTelephone,
            RateCardLine,
            RecoveryCode,
            SecondFactor,
        )
    }
)
"""Tables whose rows are deleted with their user."""

USERS = Resource(
    path="users",
    shapes=_USER,
    owner="id",
    admins_write=True,
    agents_see=oneself,
    filters=("username", "email", "role", "enabled"),
    orderings=("username", "last_name", "first_name", "email", "balance"),
    names=("username", "first_name", "last_name", "email"),
    prepare=_hashed,
    rules=(
        FieldRule(("username",), _name_free),
        FieldRule(("manager",), _manager_is_another),
        no_emergency_number("telephone", is_emergency_contact),
    ),
    insert=lambda change, columns: add_user(change.unit, columns),
    update=lambda change, columns: change_user(change.unit, change.record_id, columns),
    before_delete=_owns_nothing,
    remove=delete_user,
)
PAYMENTS = Resource(
    path="payment",
    shapes=_PAYMENT,
    orderings=("amount", "created_date"),
    names=("description",),
    admins_only=True,
    writes=Permission.MONEY,
    methods=frozenset({"POST"}),
    insert=lambda change, columns: record_payment(
        change.unit, columns["user_id"], columns["amount"], columns["description"]
    ),
)
