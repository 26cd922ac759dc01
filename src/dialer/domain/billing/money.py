"""Money: integers of 1e-5 of the account's currency."""

import re
from decimal import Context, Decimal, Inexact, InvalidOperation
from typing import Final, Self

from dialer.domain.words.sentences import Sentence

MONEY_SCALE: Final = 100_000
"""One unit of currency, in integers of 1e-5."""
MONEY_PLACES: Final = 5
MONEY_LIMIT: Final = 10_000_000
"""Upper bound of amounts, in units of currency; amounts are below it."""
_TEXT_MAX: Final = 40
"""Maximum characters of an amount as text; every amount below the limit is shorter, sign and exponent included."""
_EXACT: Final = Context(prec=_TEXT_MAX, traps=[Inexact])
"""The decimal context that keeps every digit of an amount, or raises `Inexact`."""
_SMALLEST: Final = Decimal(1).scaleb(-MONEY_PLACES)
_DECIMAL: Final = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?\Z")
"""The syntax of a decimal. `Decimal` itself also accepts underscores, and the digits of every script."""


class MoneyError(ValueError):
    """An error for a value that cannot be an amount. The message is for the client."""


def parse_money(value: object) -> int:
    """Return an amount of money as an integer in units of 0.00001 of the currency: 150000 for `"1.5"`.

    The value is an integer, a finite decimal or float, or a numeric string. The float 0.1 counts as exactly 0.1.

    Raises:
        MoneyError: the value is not a number, has more than five decimals, or is 10 million units of currency or more,
            or -10 million or less.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float, str, Decimal)):
        raise MoneyError("A valid number is required.")
    text = str(value).strip()
    if len(text) > _TEXT_MAX or not _DECIMAL.match(text):
        raise MoneyError("A valid number is required.")
    try:
        amount = Decimal(text)
    except InvalidOperation:  # The exponent is out of range for a decimal.
        raise MoneyError("A valid number is required.") from None
    if amount.copy_abs() >= MONEY_LIMIT:  # Arithmetic on such a number would round or overflow.
        raise MoneyError(Sentence("Ensure that this amount is less than %(most)s.", most=MONEY_LIMIT))
    try:
        exact = amount.quantize(_SMALLEST, context=_EXACT)
    except Inexact:
        raise MoneyError(
            Sentence("Ensure that there are no more than %(places)s decimal places.", places=MONEY_PLACES)
        ) from None
    return int(exact.scaleb(MONEY_PLACES))


class MoneyAmount(int):
    """An amount in a sentence, which the API writes with five decimal places, and pages with two."""

    currency: str
    """An ISO 4217 code; empty if nobody has said one. Pages have a currency of their own."""

    def __new__(cls, amount: int = 0, currency: str = "") -> Self:
        """Make an amount of money, an integer of 1e-5 of a currency."""
        made = super().__new__(cls, amount)
        made.currency = currency
        return made

    def __str__(self) -> str:
        """Return the amount as the API writes it, with its currency."""
        return f"{format_money(int(self))} {self.currency}".rstrip()


def format_money(amount: int) -> str:
    """Return the amount as the API writes it: `-12.34000`."""
    units, rest = divmod(abs(amount), MONEY_SCALE)
    return f"{'-' if amount < 0 else ''}{units}.{rest:05d}"
