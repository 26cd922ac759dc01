"""The plugin of pytest, which an installed dialer makes known to it: a service as fixtures.

One process serves all tests of a session. pytest is no dependency of the service.
"""

from collections.abc import Iterator, Mapping

import pytest

from dialer.testing.process import ServiceProcess, service_process
from dialer.testing.service import DialerService


@pytest.fixture(scope="session")
def dialer_settings() -> Mapping[str, str]:
    """Override this to give the service settings, such as `{"DIALER_SEED": "7"}`."""
    return {}


@pytest.fixture(scope="session")
def dialer_process(
    tmp_path_factory: pytest.TempPathFactory, dialer_settings: Mapping[str, str]
) -> Iterator[ServiceProcess]:
    """Run one service for all tests of the session, in a folder of its own."""
    with service_process(tmp_path_factory.mktemp("dialer"), dialer_settings) as process:
        yield process


@pytest.fixture
def dialer_service(dialer_process: ServiceProcess) -> Iterator[DialerService]:
    """Give a test the service: an account with a key and a balance, on a Monday at 15:00 UTC of a virtual clock."""
    with dialer_process.new_service() as service:
        yield service
