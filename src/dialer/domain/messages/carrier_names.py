"""Names that carriers give to messages, which some of them spell in another way in receipts.

Capital letters become small ones, zeros are put before, and a hexadecimal number comes as a decimal one or the other
way round. The base can be told only if the hexadecimal number has a letter: digits alone may be another name.
"""

import re
from typing import Final

NUMBER_MAX: Final = 20
"""Characters of a number that is read in another base: 64 bits have so many digits."""
HEX: Final = 16
_DECIMAL: Final = re.compile(r"[0-9]+\Z")
_HEXADECIMAL: Final = re.compile(r"(?=[0-9]*[a-f])[0-9a-f]+\Z")
_SMALL: Final = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")


def plain_name(name: str) -> str:
    """Return a name without leading zeros and capital letters."""
    return name.translate(_SMALL).lstrip("0")


def plain_names_meant(name: str) -> frozenset[str]:
    """Return the plain forms of the names that a receipt may mean by a name: its own, and in another base."""
    plain = plain_name(name)
    if not plain or len(plain) > NUMBER_MAX:
        return frozenset((plain,) if plain else ())
    if _DECIMAL.match(plain):
        in_hex = f"{int(plain):x}"
        return frozenset((plain, in_hex)) if _HEXADECIMAL.match(in_hex) else frozenset((plain,))
    if _HEXADECIMAL.match(plain):
        return frozenset((plain, str(int(plain, HEX))))
    return frozenset((plain,))


def name_meant(name: str, names: tuple[str, ...]) -> str | None:
    """Return the name of some that a receipt means by a name: this one, else the only one alike; None if none is."""
    if name in names:
        return name
    meant = plain_names_meant(name)
    alike = [one for one in names if plain_name(one) in meant]
    return alike[0] if len(alike) == 1 else None
