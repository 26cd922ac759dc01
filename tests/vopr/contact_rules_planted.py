"""Planted bugs of contact rules and consents, which worlds with them find."""

from typing import Final

import pytest

from dialer.domain.engine import person_verdicts
from dialer.domain.engine.recent_contacts import RecentContacts
from tests.vopr.planted import Planted


def _contacts_since_are_forgotten(patch: pytest.MonkeyPatch) -> None:
    """Believe what people were read with, whatever other campaigns have done since."""
    patch.setattr(RecentContacts, "outdate", lambda *_: False)


def _consents_never_end(patch: pytest.MonkeyPatch) -> None:
    """Take each consent that covers the campaign for one that is good now."""
    patch.setattr(person_verdicts, "good_at", lambda spans, _now_ms: [span.id for span in spans])


CONTACTS_PLANTED: Final = (
    Planted("contacts since a read are forgotten", _contacts_since_are_forgotten, 187),
    Planted("consents never end", _consents_never_end, 153),
)
"""Bugs that only worlds with contact rules or consents find."""
