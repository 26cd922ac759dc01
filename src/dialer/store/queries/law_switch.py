"""The condition that rows of law hold for a campaign: by its gateway, and by the stored setting."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from sqlalchemy import Boolean, bindparam, case, false, func, select, true

from dialer.domain.calls.plans import SIMULATED, SMS
from dialer.domain.words.contact_words import OFF, ON
from dialer.store.tables import Campaign, Gateway, ServiceState


class LawSwitch:
    """A switch: this process leaves rows of law aside, or not, where another one has switched them off. Commands do."""

    def __init__(self) -> None:
        self.follows_off = True

    @contextmanager
    def stated(self, setting: str) -> Iterator[None]:
        """Dial past rows of law only if this process itself was started with `off`, and so with its second setting."""
        before, self.follows_off = self.follows_off, setting == OFF
        try:
            yield
        finally:
            self.follows_off = before


LAW_SWITCH: Final = LawSwitch()
"""That of this process."""
_STORED: Final = func.coalesce(select(ServiceState.contact_rules).limit(1).scalar_subquery(), "")
_FOLLOWS_OFF: Final = bindparam("follows_off", callable_=lambda: LAW_SWITCH.follows_off, type_=Boolean())
_PROTOCOL: Final = (
    select(Gateway.protocol)
    .where(
        Gateway.medium == Campaign.medium,  # The two media are numbered separately.
        Gateway.id == case((Campaign.medium == SMS, Campaign.sms_gateway_id), else_=Campaign.aleg_gateway_id),
    )
    .scalar_subquery()
)
IS_REAL: Final = func.coalesce(_PROTOCOL, SIMULATED) != SIMULATED
"""True if the gateway of a campaign is not simulated."""
HAS_LAW: Final = case(
    ((_STORED == OFF) & (true() == _FOLLOWS_OFF), false()),
    (_STORED == ON, true()),
    else_=IS_REAL,
)
"""True if rows of law hold for a campaign."""
