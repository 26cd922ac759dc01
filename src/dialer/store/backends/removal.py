"""When rows that prove what happened may be removed."""

from typing import Final

REMOVABLE_MS: Final = 30 * 86_400_000
"""Age that a row of the audit log must have, compared with the newest row, before anybody can remove it."""
