"""Conditions under which a campaign may call people, and not only simulated callees."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from sqlalchemy import Connection, select

from dialer.app.errors import FieldErrors
from dialer.domain.plans import FREESWITCH, SIMULATED, SIP
from dialer.domain.survey.sections.table import definition_of
from dialer.domain.survey.survey import Section, Survey
from dialer.store.service_state import read_settings
from dialer.store.tables import SMS, Gateway, SmsGateway

WITHOUT_SPEECH: Final = frozenset({SIP, FREESWITCH})
"""Protocols of carriers that play recordings, and cannot speak texts."""
WITHOUT_TRANSFERS: Final = frozenset({SIP, FREESWITCH})
"""Protocols of carriers that cannot place B-legs."""
REAL: Final = "real"
"""The clock of a service that calls people, as in DIALER_CLOCK."""
_gateways = Gateway.__table__
_sms_gateways = SmsGateway.__table__


def line_errors(connection: Connection, campaign: Mapping[str, Any], survey: Survey) -> FieldErrors:
    """Return the errors that keep a campaign from calling people, by field; none if its callees are simulated."""
    is_sms = campaign["medium"] == SMS
    field = "sms_gateway" if is_sms else "aleg_gateway"
    table = _sms_gateways if is_sms else _gateways
    protocol = connection.scalar(select(table.c.protocol).where(table.c.id == campaign[f"{field}_id"]))
    if protocol in {None, SIMULATED}:
        return {}
    errors: FieldErrors = {}
    settings = read_settings(connection)
    if settings is not None and settings.clock != REAL:
        message = f"The gateway calls people, but the service's clock is {settings.clock!r}. Set DIALER_CLOCK."
        errors[field] = [message]
    unplayable = [message for section in survey.sections for message in _unplayable(section, protocol)]
    return errors | ({"object_id": unplayable} if unplayable else {})


def _unplayable(section: Section, protocol: str) -> Iterator[str]:
    """Yield the errors of a section that the gateway's carrier cannot play."""
    if definition_of(section).transfers and protocol in WITHOUT_TRANSFERS:
        yield f"Section {section.id} transfers the call, which gateways of the protocol {protocol!r} cannot do."
    prompts = [one for one in (section.prompt, section.invalid_prompt) if one is not None]
    has_lost_file = any(one.audio_ms and not one.file for one in prompts)
    has_words = section.prompt.audio_ms is None and section.prompt.script.strip()
    if has_words and protocol in WITHOUT_SPEECH:
        yield f"Section {section.id} has a script and no recording. Set audiofile."
    if has_lost_file:
        yield f"Section {section.id} was sealed without its recording. Copy the campaign, and start the copy."
