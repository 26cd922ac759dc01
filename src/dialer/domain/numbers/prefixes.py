"""A gateway's prefixes: the form in which its carrier receives and gives a number."""

from dialer.domain.numbers.normal_form import NumberError, is_possible, normalise


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


def number_given(number: str, *, addprefix: str = "", removeprefix: str = "") -> str:
    """Return the normal form of a number that the carrier gives of a call that comes in; empty if it is no number.

    The gateway's prefixes are undone if that makes a number that is possible in its country.
    """
    for prefix in sorted(_prefixes(removeprefix), key=len, reverse=True):
        whole = prefix + number.removeprefix(addprefix)
        found = _normal_form(whole)
        is_from_it = dialled_number(whole, addprefix=addprefix, removeprefix=removeprefix) == number
        if found and is_from_it and is_possible(whole):
            return found
    return _normal_form(number)


def _normal_form(text: str) -> str:
    """Return the normal form of a number; empty if the text is no number."""
    try:
        return normalise(text)
    except NumberError:
        return ""


def _prefixes(removeprefix: str) -> list[str]:
    return [prefix for prefix in map(str.strip, removeprefix.split(",")) if prefix]
