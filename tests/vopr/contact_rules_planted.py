"""A planted bug of contact rules, which worlds with rules find."""

from typing import Final

import pytest

from dialer.domain.engine.recent_contacts import RecentContacts
from tests.vopr.planted import Planted


def _contacts_since_are_forgotten(patch: pytest.MonkeyPatch) -> None:
    """Believe what people were read with, whatever other campaigns have done since."""
    patch.setattr(RecentContacts, "are_newer", lambda *_: False)


CONTACTS_PLANTED: Final = (Planted("contacts since a read are forgotten", _contacts_since_are_forgotten, 150),)
"""Bugs that only worlds with contact rules find."""
