"""Rate cards: the prices of a user's calls by the prefix of the number."""

import re
from typing import Final

from litestar.openapi.spec import Schema
from litestar.openapi.spec.enums import OpenAPIType
from sqlalchemy import func, select

from dialer.app.accounts.rate_cards import add_rate, change_rate, delete_rate
from dialer.domain.billing.rates import CARDS_MAX, INCREMENT_S_MAX, PREFIX_DIGITS_MAX
from dialer.domain.words.roles import Permission
from dialer.domain.words.sentences import Sentence
from dialer.resources.crud.declaration import STAMPS, own, shapes, writable, write_once
from dialer.resources.crud.derived_columns import CURRENCY
from dialer.resources.crud.fields import Amount, Conventions, FieldError, Integer, Json, Kind, echo
from dialer.resources.crud.forms import form
from dialer.resources.crud.references import Reference
from dialer.resources.crud.resource import Change, FieldRule, Resource
from dialer.resources.words.errors import Errors
from dialer.store.tables import RateCardLine

_PREFIX: Final = re.compile(rf"\+?([0-9]{{0,{PREFIX_DIGITS_MAX}}})\Z", re.ASCII)


class Prefix(Kind, frozen=True):
    """The first digits of numbers, beginning with the country code; an empty prefix matches every number."""

    def parse(self, value: Json, conventions: Conventions) -> str:  # noqa: ARG002 - digits are digits anywhere
        """Return the digits, without a plus sign."""
        is_text = isinstance(value, (str, int)) and not isinstance(value, bool)
        match = _PREFIX.match(str(value)[: PREFIX_DIGITS_MAX + 2].strip()) if is_text else None
        if match is None:
            rule = Sentence(
                "Use at most %(most)s digits with the country code, or none for every number.", most=PREFIX_DIGITS_MAX
            )
            raise FieldError(Sentence('"%(value)s" is not a prefix. %(rule)s', value=echo(value), rule=rule))
        return match[1]

    def schema(self) -> Schema:
        """Return the schema of a string of digits."""
        return Schema(type=OpenAPIType.STRING, pattern=f"^[0-9]{{0,{PREFIX_DIGITS_MAX}}}$")

    def accepted(self) -> Schema:
        """Return the schema of a string of digits, which may begin with a plus sign."""
        return Schema(type=OpenAPIType.STRING, pattern=rf"^\+?[0-9]{{0,{PREFIX_DIGITS_MAX}}}$")


_RATE_CARD: Final = shapes(
    "RateCard",
    RateCardLine,
    {
        **own("rate-card"),
        "user": write_once(
            Reference("users"),
            "The user to whose calls the price applies. It is set at creation only.",
            hint="Whose calls cost so much.",
        ),
        "prefix": writable(
            Prefix(),
            "The first digits of numbers, beginning with the country code; the longest match counts. Empty: every"
            " number.",
            example="1202",
            title="Numbers that begin with",
            hint="Digits, beginning with the country code. The longest beginning that fits counts. Empty: every"
            " number.",
        ),
        "rate": writable(
            Amount(minimum=0),
            "The price of a minute, with five decimals.",
            example="0.02000",
            title="Price a minute",
            hint="For example 0.015.",
        ),
        "connection_fee": writable(
            Amount(minimum=0),
            "The price of each answered call in addition, with five decimals. Default: 0.",
            default=0,
            example="0.01000",
            title="Price of a connection",
            hint="Added once to each answered call.",
        ),
        "first_increment": writable(
            Integer(1, INCREMENT_S_MAX),
            "Seconds of the first increment: a shorter call costs as much.",
            default=60,
            title="Shortest time charged",
            hint="A shorter call costs as much.",
        ),
        "next_increment": writable(
            Integer(1, INCREMENT_S_MAX),
            "Seconds of each further increment; a started one is billed as a whole.",
            default=60,
            title="Then charged in steps of",
            hint="A started step is charged as a whole.",
        ),
        **STAMPS,
        "currency": CURRENCY,
    },
    form=form(
        ("For whom", "user prefix"),
        ("Price", "rate connection_fee"),
        ("What is charged", "first_increment next_increment"),
    ),
    write_doc="""The price of a user's calls to numbers that begin with `prefix`; the longest match counts.

    `rate` is the price of a minute. A started increment is billed as a whole. An answered call lasts at
    least a second, which is billed. An unanswered call costs nothing.
    """,
    read_doc="The price of a user's calls to numbers that begin with `prefix`, as it is stored.",
)


def _once(change: Change) -> Errors:
    same = (RateCardLine.user_id == change.values["user"], RateCardLine.prefix == change.values["prefix"])
    found = change.unit.connection.execute(
        select(RateCardLine.id).where(*same, RateCardLine.id != change.record_id)
    ).first()
    message = Sentence(
        "The user has a rate for the prefix %(prefix)r already. Change that one.", prefix=change.values["prefix"]
    )
    return {} if found is None else {"prefix": [message]}


def _not_too_many(change: Change) -> Errors:
    query = select(func.count()).where(RateCardLine.user_id == change.values["user"])
    if not change.is_new or change.unit.connection.execute(query).scalar_one() < CARDS_MAX:
        return {}
    return {"user": [Sentence("A user has at most %(most)s prefixes. Delete one first.", most=CARDS_MAX)]}


RATE_CARDS = Resource(
    path="rate-card",
    shapes=_RATE_CARD,
    admins_write=True,
    writes=Permission.MONEY,
    filters=("prefix",),
    orderings=("prefix", "rate", "created_date", "updated_date"),
    numbers=("prefix",),
    rules=(FieldRule(("user", "prefix"), _once), FieldRule(("user",), _not_too_many)),
    insert=lambda change, columns: add_rate(change.unit, columns),
    update=lambda change, columns: change_rate(change.unit, change.record_id, columns),
    remove=delete_rate,
    exported=True,
)
