"""Settings of all tests: hypothesis profiles, and the event loop of asynchronous tests."""

import gc

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dialer.domain.figures.statistics import Strictness
from dialer.store.tables.key_ring import RING, GivenKeys
from tests import SECRETS_KEY
from tests.sizes import EXAMPLES, IS_WHOLE

pytest_plugins = ["tests.databases.plugin", "tests.durations", "tests.kinds", "tests.order"]

# A share above 100 % is a defect, and no test may overlook one.
Strictness.raises = True

# No test asserts a time, so a slow machine must not fail one: no deadlines and no "too slow".
_PATIENT = [HealthCheck.too_slow]

# Every run uses equal examples, more of them in CI. To find new ones: pytest --hypothesis-profile=explore
settings.register_profile(
    "default" if not IS_WHOLE else "ci",
    max_examples=EXAMPLES,
    derandomize=True,
    database=None,
    deadline=None,
    print_blob=True,
    suppress_health_check=_PATIENT,
)
settings.register_profile("explore", max_examples=1000, deadline=None, suppress_health_check=_PATIENT)
settings.load_profile("default" if not IS_WHOLE else "ci")


@settings(max_examples=1)
@given(st.none())
def _first_example(_: None) -> None:
    """Let hypothesis make its source of chance."""


def pytest_collection_finish() -> None:
    """Freeze long-lived objects: scanning them takes the garbage collector a tenth of the run."""
    # Python 3.14 finds nobody who refers to what is made later in a frozen dictionary, and hypothesis then warns that
    # its source of chance may be collected.
    _first_example()
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)


@pytest.fixture(autouse=True)
def _key_of_secrets() -> None:
    """Take back a key that a command of the test before held."""
    RING.hold(GivenKeys(SECRETS_KEY))


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """Run asynchronous tests on asyncio, as the server does."""
    return "asyncio"
