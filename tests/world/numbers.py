"""Numbers as phonenumbers knows them: a row for each country, and the validity of numbers that never change here."""

from collections.abc import Iterator
from typing import Final

import phonenumbers
from phonenumbers import PhoneMetadata, PhoneNumberDesc, PhoneNumberType

from tests.world.short_texts import digest

SAMPLE: Final = (
    *("+12025550101", "+14165550101", "+16045550101", "+18765550101", "+16005550101", "+18005550101", "+19005550101"),
    *("+4915112345678", "+49301234567", "+4932121234567", "+447400123456", "+442071234567", "+447911123456"),
    *("+33123456789", "+33612345678", "+33757600123", "+33937012345", "+34612345678", "+34912345678", "+34400123456"),
    *("+390612345678", "+393123456789", "+5215512345678", "+525512345678", "+5491112345678", "+541112345678"),
    *("+5511961234567", "+551161234567", "+2250123456789", "+22901234567", "+2290195123456", "+242061234567"),
    *("+79161234567", "+77710009998", "+6281234567890", "+56961234567", "+61412345678", "+61491570006"),
    *("+819012345678", "+8613123456789", "+919812345678", "+2348021234567", "+27711234567", "+97333001234"),
    *("+380391234567", "+383491234567", "+21161234567", "+870312345678", "+80012345678", "+97912345678"),
)
"""Numbers of each kind that a list has, and of plans that have moved: of examples and of ranges kept for fiction."""
_TYPES: Final = {value: name.lower() for name, value in vars(PhoneNumberType).items() if isinstance(value, int)}


def country_facts(region: str) -> str:
    """Return the lengths of a country's numbers, and a digest of all its metadata, as cells of a table."""
    found = PhoneMetadata.metadata_for_region(region)
    assert found is not None
    return f"{_lengths(found.fixed_line)} | {_lengths(found.mobile)} | {digest(repr(found))}"


def elsewhere() -> Iterator[str]:
    """Yield a row for each calling code that is no country's."""
    for code in sorted(phonenumbers.COUNTRY_CODES_FOR_NON_GEO_REGIONS):
        found = PhoneMetadata.metadata_for_nongeo_region(code)
        assert found is not None
        yield f"| +{code} | {_lengths(found.general_desc)} | {digest(repr(found))} |"


def sample() -> Iterator[str]:
    """Yield a row for each number of the sample."""
    for number in SAMPLE:
        parsed = phonenumbers.parse(number)
        is_valid = "valid" if phonenumbers.is_valid_number(parsed) else "not valid"
        kind = _TYPES[phonenumbers.number_type(parsed)].replace("_", " ")
        yield f"| {number} | {phonenumbers.region_code_for_number(parsed) or 'none'} | {is_valid} | {kind} |"


def _lengths(kind: PhoneNumberDesc | None) -> str:
    """Return the lengths that a kind of numbers has, such as `8-10`; a dash if there are none."""
    lengths = sorted(length for length in (kind.possible_length if kind else ()) if length > 0)
    if not lengths:
        return "-"
    is_whole = lengths == list(range(lengths[0], lengths[-1] + 1)) and len(lengths) > 1
    return f"{lengths[0]}-{lengths[-1]}" if is_whole else ", ".join(map(str, lengths))
