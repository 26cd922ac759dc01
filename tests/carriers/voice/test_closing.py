"""A telephone is closed, whatever its carrier does."""

import socket
from pathlib import Path

import pytest

from dialer.carriers.sip.parameters import SipParameters
from dialer.carriers.voice import sip_trunk_endpoint
from dialer.carriers.voice.sound_files import SoundFiles
from dialer.carriers.voice.sound_room import SoundRoom
from dialer.store.media.folder import FolderMedia
from tests.carriers.sip.test_sipp import free_port
from tests.carriers.voice.listener import Listener


async def test_a_telephone_whose_registrar_says_nothing_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its port is free again."""
    monkeypatch.setattr(sip_trunk_endpoint, "CLOSING_S", 0.01)
    ours = free_port()
    parameters = SipParameters(server=f"127.0.0.1:{free_port()}", username="anna", register=True, local_port=ours)
    phone = sip_trunk_endpoint.SipTrunkEndpoint(parameters, SoundRoom(), SoundFiles(FolderMedia(tmp_path)), Listener())
    await phone.open()
    await phone.close()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("", ours))
