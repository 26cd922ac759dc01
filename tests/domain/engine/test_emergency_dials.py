"""Tests that the engine dials no emergency number, of any region and in any spelling, whatever the gateway."""

import phonenumbers
import pytest

from dialer.domain.calls.plans import GatewayPlan
from dialer.domain.numbers.by_the_library import parse
from dialer.domain.numbers.normal_form import NumberError, normalise
from tests.domain.numbers.emergencies import PATTERNS, numbers_of
from tests.domain.workers import DAY_MS, START_MS, Fleet, plan
from tests.gateways import FIRST

FREQUENCY = 1_000_000


def spelt(region: str) -> list[str]:
    """Return the emergency numbers of a region as a phonebook would hold them, except what is a valid number."""
    country_code = phonenumbers.country_code_for_region(region)
    found = set()
    for number in numbers_of(region):
        for prefix in ("", "0", "00", "+", f"+{country_code}", f"00{country_code}", f"011{country_code}"):
            try:
                normal = normalise(f"{prefix}{number}", None)
            except NumberError:
                continue
            parsed = parse(normal)
            if parsed is None or not phonenumbers.is_valid_number(parsed):
                found.add(normal)
    return sorted(found)


@pytest.mark.parametrize("is_simulated", [True, False], ids=["simulated", "real"])
def test_no_emergency_number_of_any_region_is_dialled(*, is_simulated: bool) -> None:
    numbers = sorted({number for region in PATTERNS for number in spelt(region)})
    assert len(numbers) > 1_000
    fleet = Fleet(
        plan(frequency=FREQUENCY),
        callees=[[(number, "UTC") for number in numbers]],
        gateway=GatewayPlan(FIRST, protocol="sim" if is_simulated else "sip"),
    )
    fleet.run(START_MS + DAY_MS)
    assert [call.subscriber.number for call in fleet.dials] == []
