"""The real carriers of a worker, by the protocols of their gateways."""

from collections.abc import Mapping
from pathlib import Path

from dialer.carriers.freeswitch.starting import freeswitch_lines
from dialer.carriers.texts.line_factories import TEXT_LINES
from dialer.carriers.voice.starting import sip_lines
from dialer.domain.plans import FREESWITCH, SIP
from dialer.runtime.lines import NewLine


def new_lines(media: Path, folder: Path, speech: str | None) -> Mapping[str, NewLine]:
    """Return the factories of lines. Sound files are in `media`; the socket of SIP calls is in `folder`.

    Texts are spoken with the voice `speech`.
    """
    voice = speech or ""
    return {**TEXT_LINES, SIP: sip_lines(folder, media, voice), FREESWITCH: freeswitch_lines(media, voice)}
