"""What a section takes as an answer: which digits are right, and what is kept of them."""

from dialer.domain.enums import SectionType
from dialer.domain.survey.survey import Section


def response_to(section: Section, digits: str) -> str | None:
    """What is kept of an input as the answer; None for a wrong input or none."""
    if not digits:
        return None
    if section.type is SectionType.MULTI_CHOICE:
        return section.key_labels.get(digits)
    if not (digits.isascii() and digits.isdigit()):
        return None
    value = int(digits)
    if section.type is SectionType.RATING:
        return digits if 1 <= value <= section.rating_laps else None
    in_range = not section.validate_number or section.min_number <= value <= section.max_number
    return digits if in_range else None


def count_answers(section: Section) -> int:
    """How many different inputs are right; 07 and 7 are two."""
    if section.type is SectionType.MULTI_CHOICE:
        return len(section.key_labels)
    least, greatest = 1, section.rating_laps
    if section.type is SectionType.CAPTURE_DIGITS:
        least, greatest = max(0, section.min_number), section.max_number
        if not section.validate_number:
            return sum(10**length for length in range(1, section.digits_max + 1))
    return sum(max(0, min(greatest, 10**length - 1) - least + 1) for length in range(1, section.digits_max + 1))
