"""The states of postal codes, by how these begin: of the United States, Canada, Australia, Spain and Portugal.

Sources, read on 2026-11-28: the three digits of ZIP codes by state as the United States Postal Service assigns them
(Domestic Mail Manual, L002), the letters of Canada Post, and the ranges of Australia Post. The ZIP codes were compared
with the 42,789 codes of the package `zipcodes` 3.0.0. The islands
of Spain and Portugal are those of public lists, and of the 205,148 codes in `countrystatecity-postal-codes` 2.0.1.
"""

import re
from functools import cache
from typing import Final

from dialer.domain.calling_times.states import CountryState, states_of

_ZIP: Final = """
NY 005 063 100-149; PR 006-007 009; VI 008; MA 010-027 055; RI 028-029; NH 030-038; ME 039-049; VT 050-054 056-059;
CT 060-069; NJ 070-089; PA 150-196; DE 197-199; DC 200 202-205 569; VA 201 205 220-246; MD 205-219; WV 247-268;
NC 270-289; SC 290-299; GA 300-319 398-399; FL 320-339 341-342 344 346-347 349; AL 350-352 354-369; TN 370-385;
MS 386-397; KY 400-427; OH 430-459; IN 460-479; MI 480-499; IA 500-528; WI 530-549; MN 550-567; SD 570-577;
ND 580-588; MT 590-599; IL 600-629; MO 630-658 726; KS 660-679; NE 680-693; LA 700-714; AR 716-729; OK 730-732 734-749;
TX 733 739 750-799 885; CO 800-816; WY 820-831 834; ID 832-838; UT 840-847; AZ 850-865; NM 870-884; NV 889-898;
CA 900-961; HI 967-968; AS 967; OR 970-979; WA 980-994; AK 995-999
"""
_CANADA: Final = """
NL A; NS B; PE C; NB E; QC G H J; ON K L M N P; MB R; SK S; AB T; BC V; NT X; NU X; YT Y
"""
_AUSTRALIA: Final = """
NSW 1000-2599 2619-2899 2921-2999; ACT 0200-0299 2600-2618 2900-2920; VIC 3000-3999 8000-8999;
QLD 4000-4999 9000-9999; SA 5000-5999; WA 6000-6999; TAS 7000-7999; NT 0800-0999
"""
_SPAIN: Final = """
peninsula 01-34 36-37 39-52; GC 35; TF 38
"""
_PORTUGAL: Final = """
continente 10-89; madeira 90-94; acores 95-99
"""
_US_CODE: Final = re.compile(r"([0-9]{3})[0-9]{2}(?:-?[0-9]{4})?", re.ASCII)
_US_SHORT: Final = re.compile(r"[0-9]{3,4}(?:\.0)?|[0-9]{5}\.0", re.ASCII)
"""A code from which a spreadsheet took the zeros at its beginning, or to which it added decimals."""
_CANADIAN_CODE: Final = re.compile(r"([ABCEGHJ-NPRSTVXY])[0-9][A-Z] ?-?[0-9][A-Z][0-9]", re.ASCII)
_AUSTRALIAN_CODE: Final = re.compile(r"[0-9]{3,4}", re.ASCII)
_SPANISH_CODE: Final = re.compile(r"[0-9]{4,5}", re.ASCII)
_PORTUGUESE_CODE: Final = re.compile(r"([0-9]{2})[0-9]{2}(?:[ -]?[0-9]{3})?", re.ASCII)


def states_of_code(text: str, number: str) -> tuple[CountryState, ...]:
    """Return the states in which a postal code may be, by the country of a number in E.164; none if it is unknown."""
    code = text.strip().upper()
    bare = code.removesuffix(".0")
    if number.startswith("+34"):
        return _found("ES", _SPAIN, bare.zfill(5)[:2]) if _SPANISH_CODE.fullmatch(bare) else ()
    if number.startswith("+351"):
        portuguese = _PORTUGUESE_CODE.fullmatch(bare)
        return () if portuguese is None else _found("PT", _PORTUGAL, portuguese[1])
    if number.startswith("+61"):
        return _found("AU", _AUSTRALIA, bare.zfill(4)) if _AUSTRALIAN_CODE.fullmatch(bare) else ()
    if not number.startswith("+1"):
        return ()
    if _US_SHORT.fullmatch(code):
        code = code.removesuffix(".0").zfill(5)
    match = _US_CODE.fullmatch(code)
    if match is not None:
        return _found("US", _ZIP, match[1])
    canadian = _CANADIAN_CODE.fullmatch(code)
    return () if canadian is None else _found("CA", _CANADA, canadian[1])


def _found(country: str, ranges: str, start: str) -> tuple[CountryState, ...]:
    states = states_of(country)
    return tuple(states[code] for code in _read(ranges).get(start, ()))


@cache
def _read(text: str) -> dict[str, tuple[str, ...]]:
    """Return the codes of states by each start in a table of ranges, which take 1 MB once somebody asks."""
    found = dict[str, tuple[str, ...]]()
    for row in text.replace("\n", " ").split(";"):
        state, *ranges = row.split()
        for one in ranges:
            first, dash, last = one.partition("-")
            starts = [f"{at:0{len(first)}d}" for at in range(int(first), int(last) + 1)] if dash else [first]
            found.update({start: (*found.get(start, ()), state) for start in starts})
    return found
