"""A gateway's prefixes: the form in which its carrier receives and gives a number."""

from typing import Final, NamedTuple

from dialer.domain.numbers.by_the_library import NUMBER_DIGITS_MAX
from dialer.domain.numbers.normal_form import NumberError, is_possible, normalise


class Prefixes(NamedTuple):
    """The prefixes of a gateway: one to add, and those to remove."""

    add: str = ""
    remove: str = ""


NO_PREFIXES: Final = Prefixes()
"""The prefixes of a gateway whose carrier takes numbers in normal form."""


def dialled_number(number: str, *, addprefix: str = "", removeprefix: str = "") -> str:
    """Return the form in which the carrier receives a number in normal form, whose `+` counts as its first character.

    `removeprefix` is one prefix or several, separated by commas. The longest prefix that the number begins with is
    removed, unless nothing would be left. After that, `addprefix` is put in front. Newfies-Dialer uses this order in
    its `dialer_cdr/tasks.py`.
    """
    if not removeprefix:
        return addprefix + number
    fits = [prefix for prefix in _prefixes(removeprefix) if number.startswith(prefix)]
    longest = max(map(len, fits), default=0)
    return addprefix + (number[longest:] or number)


def numbers_meant(number: str, *, addprefix: str = "", removeprefix: str = "") -> tuple[str, ...]:
    """Return the numbers in normal form that a carrier may understand by a number in normal form.

    A number with a country code means itself. One without it, too, and those that the gateway's prefixes turn into the
    same digits, or make of it. For example, a carrier that takes numbers without `+` takes 49301234 for +49301234.
    """
    if number[:1] == "+" or not (addprefix or removeprefix):
        return (number,)
    dialled = dialled_number(number, addprefix=addprefix, removeprefix=removeprefix)
    bare = dialled.removeprefix(addprefix)
    spelled = [f"+{dialled}", *(prefix + bare for prefix in _prefixes(removeprefix) if prefix[:1] == "+")]
    whole = [spelling[: NUMBER_DIGITS_MAX + 1] for spelling in spelled if _is_whole(spelling)]
    return number, *filter(None, map(_normal_form, (dialled, *whole)))


def _is_whole(number: str) -> bool:
    """Return whether a number has enough digits for its country. Carriers ignore digits behind a complete number."""
    return any(is_possible(number[:end]) for end in range(NUMBER_DIGITS_MAX + 1, 1, -1))


def number_given(number: str, *, addprefix: str = "", removeprefix: str = "") -> str:
    """Return the normal form of a number that the carrier gives of a call that comes in; empty if it is no number.

    The gateway's prefixes are undone if that makes a number that is possible in its country.
    """
    for prefix in sorted(_prefixes(removeprefix), key=len, reverse=True):
        whole = prefix + number.removeprefix(addprefix)
        bare_number = _normal_form(whole)
        is_from_it = dialled_number(whole, addprefix=addprefix, removeprefix=removeprefix) == number
        if bare_number and is_from_it and is_possible(whole):
            return bare_number
    return _normal_form(number)


def _normal_form(text: str) -> str:
    """Return the normal form of a number; empty if the text is no number."""
    try:
        return normalise(text, None)
    except NumberError:
        return ""


def _prefixes(removeprefix: str) -> list[str]:
    return [prefix for prefix in map(str.strip, removeprefix.split(",")) if prefix]
