"""Tests of agents' contacts as carriers receive them."""

import pytest

from dialer.domain.calls.plans import SIP, GatewayPlan
from dialer.domain.engine.gateway_load import GatewayLoad
from tests.gateways import FIRST


@pytest.mark.parametrize(
    ("contact", "dialled"),
    [
        ("+1 (202) 555-0150", "912025550150"),
        (" 1001 ", "1001"),
        ("110", ""),  # an extension here, the police elsewhere
        ("112", ""),
        ("by post", ""),
        ("", ""),
    ],
)
def test_a_contact_is_dialled_with_the_prefixes_unless_it_is_an_extension(contact: str, dialled: str) -> None:
    gateway = GatewayLoad(GatewayPlan(FIRST, addprefix="9", removeprefix="+", protocol=SIP))
    assert gateway.number_of_agent(contact) == dialled
    assert GatewayLoad(GatewayPlan(FIRST)).number_of_agent(contact) == ""
