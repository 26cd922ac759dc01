"""Money: integers of 1e-5 of the account's currency, and the price of a call."""

import re
from decimal import Context, Decimal, Inexact, InvalidOperation
from typing import Final

import msgspec

MONEY_SCALE: Final = 100_000
"""One unit of currency, in integers of 1e-5."""
MONEY_PLACES: Final = 5
MONEY_LIMIT: Final = 10_000_000
"""Upper bound of amounts, in units of currency; amounts are below it."""
_MINUTE_S: Final = 60
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
    """Return an amount as an integer of 1e-5, from an integer, a finite decimal or float, or a numeric string.

    A float counts as the shortest decimal that reads as it: 0.1 is a tenth.

    Raises:
        MoneyError: the value is not a number, has more than five decimals, or is ten million or more.
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
        raise MoneyError(f"Ensure that this amount is less than {MONEY_LIMIT}.")
    try:
        exact = amount.quantize(_SMALLEST, context=_EXACT)
    except Inexact:
        raise MoneyError(f"Ensure that there are no more than {MONEY_PLACES} decimal places.") from None
    return int(exact.scaleb(MONEY_PLACES))


def format_money(amount: int) -> str:
    """Return the amount as the API writes it: `-12.34000`."""
    units, rest = divmod(abs(amount), MONEY_SCALE)
    return f"{'-' if amount < 0 else ''}{units}.{rest:05d}"


class Rate(msgspec.Struct, frozen=True):
    """A price per minute, billed in increments of whole seconds, and a connection fee."""

    per_minute: int
    """The price per minute, in integers of 1e-5."""
    first_increment_s: int = 60
    next_increment_s: int = 60
    connection_fee: int = 0

    def billed_duration(self, billsec: int) -> int:
        """Return the seconds to charge for `billsec` seconds of conversation: 0 for a call that was not answered."""
        if billsec <= 0:
            return 0
        if billsec <= self.first_increment_s:
            return self.first_increment_s
        beyond = billsec - self.first_increment_s
        return self.first_increment_s + -(-beyond // self.next_increment_s) * self.next_increment_s

    def cost(self, billed_s: int) -> int:
        """Return the price of `billed_s` charged seconds, rounded half up to 1e-5."""
        if billed_s <= 0:
            return 0
        return (2 * self.per_minute * billed_s + _MINUTE_S) // (2 * _MINUTE_S) + self.connection_fee

    def price(self, billsec: int) -> int:
        """Return the price of a call with `billsec` seconds of conversation."""
        return self.cost(self.billed_duration(billsec))

    def affordable_s(self, money: int, wanted_s: int) -> int:
        """Return the longest call, up to `wanted_s` seconds, that `money` pays for; 0 if one increment costs more."""
        if self.price(wanted_s) <= money:
            return wanted_s
        if self.cost(self.first_increment_s) > money:
            return 0
        low, high = 0, (wanted_s - self.first_increment_s) // self.next_increment_s
        while low < high:
            middle = (low + high + 1) // 2
            fits = self.cost(self.first_increment_s + middle * self.next_increment_s) <= money
            low, high = (middle, high) if fits else (low, middle - 1)
        return self.first_increment_s + low * self.next_increment_s
