"""The worker of a process that dials, with the real carriers by the protocols of their gateways."""

from collections.abc import Callable, Mapping
from functools import cache, partial
from pathlib import Path

from dialer.carriers.line_port import Exchange, Line
from dialer.commands.speaking import watching_speech
from dialer.domain.calling_times.calling_hours import read_calling_hours
from dialer.domain.calls.plans import FREESWITCH, HTTP, KANNEL, SIP, SMPP
from dialer.domain.words.voices import SpeechVoice
from dialer.forecast.processes import processes_of_machine
from dialer.runtime.fleet.fleet_coordinator import FleetCoordinator
from dialer.runtime.lines.lines import NewLine
from dialer.runtime.steps.clock import Clock
from dialer.runtime.steps.worker import Worker
from dialer.settings import Settings
from dialer.settings_values import RECORDINGS_FOLDER
from dialer.sim.carrier import SimulatedCarrier
from dialer.store.database.database import Database
from dialer.store.media.call_recordings import opened_store
from dialer.store.media.files import Media
from dialer.store.media.folder import FolderMedia
from dialer.store.tables.key_ring import RING, derived_keys


def new_worker(settings: Settings, database: Database, clock: Clock, fleet: FleetCoordinator | None = None) -> Worker:
    """Return a worker that dials, alone or in a fleet."""
    media, voice = settings.media_dir, settings.voice
    name = "" if fleet is None else fleet.name
    return Worker(
        database,
        clock,
        seed=settings.seed,
        service_zone=settings.timezone,
        new_carrier=SimulatedCarrier,
        hours=read_calling_hours(settings.calling_hours),
        recordings=Media(FolderMedia(media)),
        coordinator=fleet,
        new_lines=new_lines(media, name, voice, _helpers(settings), settings.recordings_dir, settings.webhook_networks),
        beside=partial(watching_speech, settings.voice, database),
    )


def _helpers(settings: Settings) -> int:
    return processes_of_machine() if settings.sound_processes is None else settings.sound_processes


def new_lines(
    media: Path,
    name: str,
    voice: SpeechVoice,
    helpers: int = 0,
    recordings: Path | None = None,
    agent_networks: tuple[str, ...] = (),
) -> Mapping[str, NewLine]:
    """Return the factories of lines of the worker `name`, by the protocols of their gateways.

    At most `helpers` processes share the sound. Whole calls are recorded into the folder `recordings`.
    Programs that talk may be in `agent_networks` besides the public internet.
    """
    recordings = recordings or media / RECORDINGS_FOLDER
    return {
        **{protocol: _late(partial(_text_lines, protocol)) for protocol in (HTTP, KANNEL, SMPP)},
        SIP: _late(partial(_sip_lines, media, name, voice, helpers, recordings, agent_networks)),
        FREESWITCH: _late(partial(_freeswitch_lines, media, voice)),
    }


def _late(factory: Callable[[], NewLine]) -> NewLine:
    """Return a factory of lines whose modules are imported with the first line, as most services have one protocol."""
    made = cache(factory)

    def new_line(gateway_id: int, parameters: str, exchange: Exchange) -> Line:
        return made()(gateway_id, parameters, exchange)

    return new_line


def _text_lines(protocol: str) -> NewLine:
    from dialer.carriers.texts.line_factories import TEXT_LINES  # noqa: PLC0415 - see `_late`

    return TEXT_LINES[protocol]


def _sip_lines(
    media: Path, name: str, voice: SpeechVoice, helpers: int, recordings: Path, agent_networks: tuple[str, ...]
) -> NewLine:
    from dialer.carriers.voice.line_factory import lines_folder, sip_lines  # noqa: PLC0415 - see `_late`

    opened = partial(opened_store, recordings)
    return sip_lines(lines_folder(media, name), media, voice, helpers, _seal_of_handles, opened, agent_networks)


def _seal_of_handles() -> str:
    return derived_keys(RING.keys(), "handles of legs")


def _freeswitch_lines(media: Path, voice: SpeechVoice) -> NewLine:
    from dialer.carriers.freeswitch.line_factory import freeswitch_lines  # noqa: PLC0415 - see `_late`
    from dialer.carriers.voice.speech import Speaker  # noqa: PLC0415 - see `_late`

    return freeswitch_lines(media, Speaker(FolderMedia(media), voice))
