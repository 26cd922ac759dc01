"""The currency of the amounts on a page: that of the account whose money it is."""

from collections.abc import Iterable
from contextvars import ContextVar
from functools import cache
from typing import Final, NamedTuple

from dialer.console.words.language import viewers_language
from dialer.domain.words.languages import ENGLISH


class PageCurrency(NamedTuple):
    """The currency of the amounts on a page."""

    code: str | None = ""
    """ISO 4217 code; empty if nobody has said one, and None if the accounts on the page have several."""
    default: str = ""
    """The currency of accounts without one of their own."""


_NONE: Final = PageCurrency()
_shown: Final[ContextVar[PageCurrency]] = ContextVar("currency", default=_NONE)


def show_currency(currency: PageCurrency) -> None:
    """Show amounts in a currency from here on: in this request, with its threads and its stream."""
    _shown.set(currency)


def page_currency() -> PageCurrency:
    """Return the currency of the amounts on this page."""
    return _shown.get()


def common_currency(codes: Iterable[str | None], default: str) -> PageCurrency:
    """Return the currency of some accounts. An empty code stands for the default, and None for no account."""
    found = {code or default for code in codes if code is not None}
    return PageCurrency(found.pop() if len(found) == 1 else None if found else default, default)


def is_of_several() -> bool:
    """Return whether the accounts on this page have several currencies, so that a sum over them has none."""
    return _shown.get().code is None


def code_for(own: str | None = None) -> str:
    """Return the currency of an amount: that of the page.

    On a page of several it is that of the amount's account, which has `own`: empty for that of the service, and None if
    the amount is of no single account.
    """
    code, default = _shown.get()
    if code is not None:
        return code
    return "" if own is None else own or default


def with_currency(number: str, own: str | None = None) -> str:
    """Return a number, as the viewer's language writes it, with the currency of `code_for`."""
    code = code_for(own)
    if not code:
        return number
    language = viewers_language()
    return language.formats.money % {"number": number, "currency": _symbol(code, language.code)}


@cache
def _symbol(code: str, language: str) -> str:
    """Return the sign of a currency in a language. A sign that ends in a letter keeps away from the number."""
    from babel.numbers import get_currency_symbol  # noqa: PLC0415 - it takes 70 ms, which a start need not wait for

    symbol: str = get_currency_symbol(code, language)
    return f"{symbol}\xa0" if language == ENGLISH and symbol[-1].isalpha() else symbol
