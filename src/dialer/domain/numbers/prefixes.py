"""A gateway's prefixes: the form in which its carrier is given a number."""


def dialled_number(number: str, *, addprefix: str = "", removeprefix: str = "") -> str:
    """Return the number that the carrier is given for one in normal form; its `+` counts as its first character.

    `removeprefix` is one prefix or several, separated by commas; the longest that the number begins with is taken off,
    unless nothing would be left. Then `addprefix` comes before it. This is the order of Newfies-Dialer (its
    `dialer_cdr/tasks.py`).
    """
    if not removeprefix:
        return addprefix + number
    fits = [prefix for prefix in map(str.strip, removeprefix.split(",")) if prefix and number.startswith(prefix)]
    longest = max(map(len, fits), default=0)
    return addprefix + (number[longest:] or number)
