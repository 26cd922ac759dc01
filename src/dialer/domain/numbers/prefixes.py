"""A gateway's prefixes: the form in which its carrier receives a number."""


def dialled_number(number: str, *, addprefix: str = "", removeprefix: str = "") -> str:
    """Return the form in which the carrier receives a number in normal form, whose `+` counts as its first character.

    `removeprefix` is one prefix or several, separated by commas. The longest prefix that the number begins with is
    removed, unless nothing would be left. After that, `addprefix` is put in front. Newfies-Dialer uses this order in
    its `dialer_cdr/tasks.py`.
    """
    if not removeprefix:
        return addprefix + number
    fits = [prefix for prefix in map(str.strip, removeprefix.split(",")) if prefix and number.startswith(prefix)]
    longest = max(map(len, fits), default=0)
    return addprefix + (number[longest:] or number)
