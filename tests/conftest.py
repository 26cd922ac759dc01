"""What every test shares: how properties are explored, and what asynchronous tests run on."""

import gc

import pytest
from hypothesis import HealthCheck, settings

# No test asserts a time, so a slow machine must not fail one: no deadlines and no "too slow".
_PATIENT = [HealthCheck.too_slow]

# The same examples at every run, here and in CI. To look for new ones: pytest --hypothesis-profile=explore
settings.register_profile(
    "ci",
    max_examples=50,
    derandomize=True,
    database=None,
    deadline=None,
    print_blob=True,
    suppress_health_check=_PATIENT,
)
settings.register_profile("explore", max_examples=1000, deadline=None, suppress_health_check=_PATIENT)
settings.load_profile("ci")


def pytest_collection_finish() -> None:
    """Let the collector of garbage leave alone what is there for good: to look through it costs a tenth of the time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """Asynchronous tests run on asyncio, as the server does."""
    return "asyncio"
