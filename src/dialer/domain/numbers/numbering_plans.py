"""Numbering plans: what they say of all numbers that begin alike, so that most numbers are only looked up.

The rules are those of phonenumbers, which takes 20 to 60 µs for a number. They are applied to the first digits and the
length of a number, with three results: yes, no, and None if the other digits matter. Then phonenumbers is asked.
"""

import re
from collections.abc import Callable, Sequence
from typing import Final, Generic, NamedTuple, TypeVar

import phonenumbers
from phonenumbers import PhoneMetadata, PhoneNumberDesc, ValidationResult

from dialer.domain.numbers.digit_patterns import UnknownPatternError, digit_pattern

_Result = TypeVar("_Result")
LENGTH_MAX: Final = 16
"""Characters of the longest number that is looked up, its `+` included."""
STARTS_KEPT_MAX: Final = 65_536
_COUNTRY_CODE_ENDS: Final = (1, 2, 3)
_NOT_TRIED: Final = object()
_STRIPPED: Final = frozenset({ValidationResult.IS_POSSIBLE, ValidationResult.TOO_LONG})
"""Lengths of numbers without prefix for which the prefix is taken off."""
_NOT_GEOGRAPHICAL: Final = (
    "premium_rate",
    "toll_free",
    "shared_cost",
    "voip",
    "personal_number",
    "pager",
    "uan",
    "voicemail",
)
"""The kinds of numbers that the library tries first. A number of none of them is a fixed line or a mobile."""


class Start(NamedTuple):
    """All numbers of a length, the national part of E.164, that begin with some digits."""

    digits: str
    length: int

    def behind(self, digits: int) -> "Start":
        """Return the numbers without as many of their first digits."""
        return Start(self.digits[digits:], self.length - digits)


class PrefixTable(Generic[_Result]):
    """A table of results that hold for all numbers of a length with the same start, worked out when first needed.

    The function that works it out returns None if the start does not settle it. Then a longer start is tried, as long
    as there is a further one in `ends`, the lengths of the starts.
    """

    def __init__(self, work_out: Callable[[str, int], _Result | None], ends: Sequence[int]) -> None:
        self.work_out: Final = work_out
        self._ends: Final = tuple(ends)
        self._known: Final[list[dict[str, _Result | None]]] = [{} for _ in range(LENGTH_MAX + 1)]
        self._kept = 0

    def of(self, number: str) -> _Result | None:
        """Return the value of the shortest prefix that decides one for a number; None if none does."""
        length = len(number)
        if length > LENGTH_MAX or not (number.isascii() and number[1:].isdigit()):
            return None
        known = self._known[length]
        for end in self._ends:
            if end > length:
                break
            start = number[:end]
            found = known.get(start, _NOT_TRIED)
            if found is _NOT_TRIED:
                found = self._keep(known, start, length)
            if found is not None:
                return found  # type: ignore[return-value]
        return None

    def _keep(self, known: dict[str, _Result | None], start: str, length: int) -> _Result | None:
        if self._kept >= STARTS_KEPT_MAX:
            for starts in self._known:
                starts.clear()
            self._kept = 0
        self._kept += 1
        try:
            found = self.work_out(start, length)
        except UnknownPatternError:
            found = None
        known[start] = found
        return found


def split(start: str, length: int) -> tuple[int, Start] | None:
    """Return the country code of all numbers of a length that begin with a start such as `+1202`, and their rest."""
    if start[:1] == "+" and start[1] != "0":
        for end in _COUNTRY_CODE_ENDS:
            country_code = int(start[1 : end + 1])
            if country_code in phonenumbers.COUNTRY_CODE_TO_REGION_CODE:
                return country_code, Start(start[end + 1 :], length - end - 1)
    return None


def plan_of(country_code: int) -> PhoneMetadata | None:
    """Return the main numbering plan of a country code."""
    region = phonenumbers.region_code_for_country_code(country_code)
    return PhoneMetadata.metadata_for_region_or_calling_code(country_code, region)


def national_part(plan: PhoneMetadata, numbers: Start) -> Start | None:
    """Return national numbers as E.164 has them, without a prefix; None if that is not settled."""
    rest = _without_prefix(plan, numbers)
    return rest if rest is None or _length(plan, rest.length) in _STRIPPED else numbers


def dialled_inland(region: str, numbers: Start) -> tuple[int, Start] | None:
    """Return the country code and the national part of numbers as dialled in a region; None if that is not settled."""
    plan = PhoneMetadata.metadata_for_region(region, None) if region in phonenumbers.SUPPORTED_REGIONS else None
    if plan is None or _begins(numbers, plan.international_prefix) is not False:
        return None
    country_code = phonenumbers.country_code_for_region(region)
    has_code = _has_country_code(plan, numbers)
    if has_code is None:
        return None
    if has_code:
        behind = _without_prefix(plan, numbers.behind(len(str(country_code))))
        plan = plan_of(country_code)
        if behind is None or plan is None:
            return None
        numbers = behind
    rest = national_part(plan, numbers)
    return None if rest is None else (country_code, rest)


def is_assigned(country_code: int, numbers: Start) -> bool | None:
    """Return whether a numbering plan assigns national numbers; None if that differs among them."""
    return _by_region(country_code, numbers, lambda plan: _is_known(plan, numbers))


def is_mobile(country_code: int, numbers: Start) -> bool | None:
    """Return whether national numbers are mobile ones that the plan tells from fixed lines; None if not settled."""
    return _by_region(country_code, numbers, lambda plan: _is_mobile_in(plan, numbers))


def _by_region(country_code: int, numbers: Start, judge: Callable[[PhoneMetadata], bool | None]) -> bool | None:
    """Return the judgement of the plan that national numbers belong to, of those that share a country code."""
    regions = phonenumbers.COUNTRY_CODE_TO_REGION_CODE[country_code]
    for region in regions:
        plan = PhoneMetadata.metadata_for_region_or_calling_code(country_code, region)
        if plan is None:
            continue
        if len(regions) > 1 and plan.leading_digits is not None:
            is_of_region = _begins(numbers, plan.leading_digits)
        else:
            is_of_region = _is_known(plan, numbers) if len(regions) > 1 else True
        if is_of_region is None:
            return None
        if is_of_region:
            return judge(plan)
    return False


def _is_known(plan: PhoneMetadata, numbers: Start) -> bool | None:
    """Return whether a plan has numbers of a known kind."""
    kinds = [plan.fixed_line, plan.mobile, *(getattr(plan, kind) for kind in _NOT_GEOGRAPHICAL)]
    fits = [_fits(numbers, kind) for kind in (plan.general_desc, *kinds)]
    if fits[0] is not True:
        return fits[0]
    return True if True in fits[1:] else None if None in fits[1:] else False


def _is_mobile_in(plan: PhoneMetadata, numbers: Start) -> bool | None:
    if plan.same_mobile_and_fixed_line_pattern:
        return False
    is_number, is_fixed, is_mobile = (
        _fits(numbers, kind) for kind in (plan.general_desc, plan.fixed_line, plan.mobile)
    )
    others = [is_fixed, *(_fits(numbers, getattr(plan, kind)) for kind in _NOT_GEOGRAPHICAL)]
    if False in {is_number, is_mobile} or True in others:
        return False
    return None if None in {is_number, is_mobile, *others} else True


def _without_prefix(plan: PhoneMetadata, numbers: Start) -> Start | None:
    """Return national numbers without the digits that are dialled before them; None if that is not settled."""
    pattern = plan.national_prefix_for_parsing
    if not pattern:
        return numbers
    ends = digit_pattern(pattern).ends(*numbers)
    if ends is None or len(ends) > 1:
        return None
    match = re.match(pattern, numbers.digits.ljust(numbers.length, "0")) if ends else None
    if match is None or match.end() == 0:
        return numbers
    if plan.national_prefix_transform_rule and match[match.re.groups] is not None:
        return None
    rest = numbers.behind(match.end())
    was_viable, is_viable = _matches(numbers, plan), _matches(rest, plan)
    if was_viable is False or is_viable is True:
        return rest
    return numbers if was_viable and is_viable is False else None


def _fits(numbers: Start, kind: PhoneNumberDesc | None) -> bool | None:
    """Return whether national numbers are of a kind."""
    if kind is None or not kind.national_number_pattern:
        return False
    if kind.possible_length and numbers.length not in kind.possible_length:
        return False
    return digit_pattern(kind.national_number_pattern).matches(*numbers)


def _begins(numbers: Start, pattern: str | None) -> bool | None:
    """Return whether numbers begin with a pattern."""
    if not pattern:
        return False
    ends = digit_pattern(pattern).ends(*numbers)
    return None if ends is None else bool(ends)


def _length(plan: PhoneMetadata, digits: int) -> int:
    """Return what a plan says of a length, as `phonenumbers.is_possible_number_with_reason` does."""
    kind = plan.general_desc
    if kind is None or not kind.possible_length:
        return ValidationResult.INVALID_LENGTH
    if digits in kind.possible_length_local_only:
        return ValidationResult.IS_POSSIBLE_LOCAL_ONLY
    if digits in kind.possible_length:
        return ValidationResult.IS_POSSIBLE
    if digits < kind.possible_length[0]:
        return ValidationResult.TOO_SHORT
    return ValidationResult.TOO_LONG if digits > kind.possible_length[-1] else ValidationResult.INVALID_LENGTH


def _has_country_code(plan: PhoneMetadata, numbers: Start) -> bool | None:
    """Return whether numbers as dialled in a region begin with its country code, without `+`."""
    code = str(plan.country_code)
    if not numbers.digits.startswith(code):
        return False
    if _length(plan, numbers.length) == ValidationResult.TOO_LONG:
        return True
    rest = _without_prefix(plan, numbers.behind(len(code)))
    if rest is None:
        return None
    was_viable, is_viable = _matches(numbers, plan), _matches(rest, plan)
    if was_viable is True or is_viable is False:
        return False
    return True if was_viable is False and is_viable is True else None


def _matches(numbers: Start, plan: PhoneMetadata) -> bool | None:
    """Return whether numbers match the general pattern of a plan, whatever lengths it has."""
    pattern = None if plan.general_desc is None else plan.general_desc.national_number_pattern
    return digit_pattern(pattern).matches(*numbers) if pattern else False
