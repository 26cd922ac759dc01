"""A self-hosted platform for outbound voice and SMS campaigns."""

from importlib.metadata import version
from typing import Final

__version__: Final = version("dialer")
