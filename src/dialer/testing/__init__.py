"""A whole service for the tests of whoever builds on it: simulated calls, a virtual clock, callees who do the same.

`dialer.testing.plugin` has it as fixtures of pytest.
"""

from dialer.local_service.magic_numbers import MagicNumber
from dialer.testing.process import ServiceProcess, service_process
from dialer.testing.service import DialerService, NotHeardError

__all__ = ["DialerService", "MagicNumber", "NotHeardError", "ServiceProcess", "service_process"]
