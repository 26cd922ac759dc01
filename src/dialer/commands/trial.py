"""`dialer try`: a talk with a program, from the terminal."""

import asyncio
import uuid
import wave
from pathlib import Path
from typing import Final

import msgspec
import rich_click as click

from dialer.carriers.media import g711
from dialer.carriers.media.rtp import RATE_HZ
from dialer.carriers.voice.agent_addresses import agent_addresses
from dialer.carriers.voice.sound_files import SoundFileError, decode_sound
from dialer.commands.open_service import settings_from_environment
from dialer.commands.output import say
from dialer.dev.tried_agent import AgentTrial, TriedAgent, lines_of, try_agent
from dialer.domain.sessions.leg_protocol import Converse
from dialer.domain.survey.agent_urls import agent_url_fault
from dialer.domain.survey.survey import BRANCH_INVALID
from dialer.webhooks.addresses import AddressGuard

KEYS: Final = frozenset("0123456789*#ABCD")
KEYS_MAX: Final = 100
SECRET_MAX: Final = 255
_SECOND_MS: Final = 1_000


def trial(
    url: str,
    *,
    voice: Path | None,
    keys: str,
    save: Path | None,
    seconds: int,
    patience: int,
    secret_file: Path | None,
    as_json: bool,
) -> None:
    """Let a program talk up to its end, and report how it did."""
    if fault := agent_url_fault(url):
        raise click.UsageError(f"--agent: {fault}")
    if not set(keys) <= KEYS or len(keys) > KEYS_MAX:
        raise click.UsageError(f"--keys: use at most {KEYS_MAX} of the digits, *, #, A, B, C and D.")
    networks = settings_from_environment().webhook_networks
    try:
        sound = b"" if voice is None else decode_sound(voice.read_bytes(), voice.name)
        secret = "" if secret_file is None else secret_file.read_text("utf-8").strip()[:SECRET_MAX]
        if save is not None:
            save.open("xb").close()  # Before the talk, which cannot be had again.
    except (OSError, SoundFileError, UnicodeDecodeError) as error:
        raise click.ClickException(str(error)) from None
    order = Converse(
        1,
        (),
        url,
        patience * _SECOND_MS,
        seconds * _SECOND_MS,
        str(uuid.uuid4()),
        {"direction": "outbound"},
        secret=secret,
    )
    try:
        heard, seen = asyncio.run(_talk(order, sound, keys, AddressGuard(networks)))
    except KeyboardInterrupt:
        raise click.Abort from None
    if save is not None:
        _save(save, heard)
    if as_json:
        click.echo(msgspec.json.encode(seen))
    else:
        for line in lines_of(seen):
            say(line)
    if seen.branch == BRANCH_INVALID:
        raise SystemExit(1)


async def _talk(order: Converse, voice: bytes, keys: str, guard: AddressGuard) -> tuple[bytes, TriedAgent]:
    addresses = await agent_addresses(order.url, guard.addresses)
    one = AgentTrial(msgspec.structs.replace(order, addresses=addresses), voice, keys)
    seen = await try_agent(one)
    return bytes(one.heard), seen


def _save(path: Path, sound: bytes) -> None:
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE_HZ)
        file.writeframes(g711.decode(sound).tobytes())
