"""The tests of dialer, in the shape of its source tree."""

import os
from typing import Final

from dialer.store.tables.key_ring import RING, GivenKeys

SECRETS_KEY: Final = "key-of-the-secrets-of-all-tests-of-dialer"
"""Processes that tests start have it from their environment, unless a test gives them another one."""

os.environ["DIALER_SECRETS_KEY"] = SECRETS_KEY
RING.hold(GivenKeys(SECRETS_KEY))
