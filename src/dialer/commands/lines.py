"""The worker of a process that dials, with the real carriers by the protocols of their gateways."""

from collections.abc import Mapping
from pathlib import Path

from dialer.carriers.freeswitch.line_factory import freeswitch_lines
from dialer.carriers.texts.line_factories import TEXT_LINES
from dialer.carriers.voice.line_factory import lines_folder, sip_lines
from dialer.carriers.voice.speech import Speaker
from dialer.domain.calling_times.calling_hours import read_calling_hours
from dialer.domain.calls.plans import FREESWITCH, SIP
from dialer.forecast.processes import processes_of_machine
from dialer.runtime.fleet.fleet_coordinator import FleetCoordinator
from dialer.runtime.lines.lines import NewLine
from dialer.runtime.steps.clock import Clock
from dialer.runtime.steps.worker import Worker
from dialer.settings import Settings
from dialer.sim.carrier import SimulatedCarrier
from dialer.store.database.database import Database
from dialer.store.media.files import Media
from dialer.store.media.folder import FolderMedia


def new_worker(settings: Settings, database: Database, clock: Clock, fleet: FleetCoordinator | None = None) -> Worker:
    """Return a worker that dials, alone or in a fleet."""
    media, voice = settings.media_dir, settings.speech or ""
    folder = lines_folder(media, "" if fleet is None else fleet.name)
    return Worker(
        database,
        clock,
        seed=settings.seed,
        service_zone=settings.timezone,
        new_carrier=SimulatedCarrier,
        hours=read_calling_hours(settings.calling_hours),
        recordings=Media(FolderMedia(media)),
        coordinator=fleet,
        new_lines=new_lines(media, folder, voice, _helpers(settings)),
    )


def _helpers(settings: Settings) -> int:
    return processes_of_machine() if settings.sound_processes is None else settings.sound_processes


def new_lines(media: Path, folder: Path, voice: str, helpers: int = 0) -> Mapping[str, NewLine]:
    """Return the factories of lines, by the protocols of their gateways. At most `helpers` processes share sound."""
    return {
        **TEXT_LINES,
        SIP: sip_lines(folder, media, voice, helpers),
        FREESWITCH: freeswitch_lines(media, Speaker(FolderMedia(media), voice)),
    }
