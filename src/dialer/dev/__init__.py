"""The service on the machine of somebody who builds on it: example data, a clock that a hand moves, and a sign-in."""

from typing import Final

FOLDER: Final = ".dialer-dev"
"""The folder of `dialer dev`, unless another one is named."""
