"""The writing of files that were sent: in one transaction, after a look at what they need."""

from functools import partial
from typing import Final

import anyio.to_thread
from msgspec.structs import replace

from dialer.api.service import ApiRequest
from dialer.files.agent_addresses import check_addresses, new_addresses
from dialer.files.applying import apply, wanted_of
from dialer.files.exchange import FILES_MAX, ApplyAnswer, ApplyRequest, PeopleList
from dialer.files.kinds import Wanted
from dialer.files.nodes import FileError
from dialer.files.people_files import people_files, target_of
from dialer.files.recordings import needed_sounds
from dialer.files.request_size import RequestSize
from dialer.files.sent_changes import plan_of, sent_of
from dialer.files.sounds import SentSounds, SoundFacts
from dialer.resources.crud.resource import Unit
from dialer.resources.words.errors import AnsweredError, ConflictError, InvalidError

_FILE_NAME_MAX: Final = 1_000


class _RehearsedError(Exception):
    """Ends a transaction whose changes are only shown."""

    def __init__(self, answer: ApplyAnswer) -> None:
        super().__init__()
        self.answer: Final = answer


async def carry_out(request: ApiRequest, asked: ApplyRequest) -> ApplyAnswer:
    """Write the records of files, or return what would change if the request asks for that.

    Raises:
        InvalidError: a file is wrong.
        AnsweredError: a record is, or somebody has changed the records meanwhile.
    """
    try:
        wanted = await anyio.to_thread.run_sync(_wanted, asked)
        return await _carry_out(request, asked, wanted)
    except FileError as error:
        raise InvalidError({"files": list(error.messages)}) from None


def _wanted(asked: ApplyRequest) -> list[Wanted]:
    if len(asked.files) > FILES_MAX:
        raise FileError([f"{len(asked.files)} files are too many: give {FILES_MAX} at most"])
    size = RequestSize()
    return wanted_of([size.read(one, one.name[:_FILE_NAME_MAX]) for one in asked.files])


async def _carry_out(request: ApiRequest, asked: ApplyRequest, wanted: list[Wanted]) -> ApplyAnswer:
    service = request.service
    described_sounds = {one.path: SoundFacts(one.sha256, one.size) for one in asked.recordings}
    sounds = SentSounds(service.media, request.user.id, described_sounds, is_dry=asked.dry_run)
    try:
        needed = await service.read(request, lambda unit: needed_sounds(unit, unit.actor.id, wanted, sounds))
        await anyio.to_thread.run_sync(sounds.prepare, needed)
        nodes = await service.read(request, lambda unit: new_addresses(unit, wanted))
        conventions = service.conventions(request)
        await anyio.to_thread.run_sync(partial(check_addresses, nodes, conventions, request.user))
        work = partial(_apply, asked=asked, wanted=wanted, sounds=sounds)
        done = await service.write(request, work, is_long=True)
    except _RehearsedError as rehearsed:
        return rehearsed.answer
    except (FileError, AnsweredError):
        # After another failure the rows may be committed, so the files must stay.
        await anyio.to_thread.run_sync(sounds.drop)
        raise
    await anyio.to_thread.run_sync(sounds.drop_unused)
    return done


def _apply(unit: Unit, *, asked: ApplyRequest, wanted: list[Wanted], sounds: SentSounds) -> ApplyAnswer:
    strict = replace(unit, conventions=replace(unit.conventions, is_strict=True))
    changes = apply(strict, wanted, sounds)
    plan = plan_of(changes)
    new = {(change.kind, change.name) for change in changes if change.action == "new"} if asked.dry_run else set()
    people = [
        PeopleList(one.kind.one, one.name, 0 if (one.kind.one, one.name) in new else target.record_id, target.running)
        for one in people_files(wanted)
        for target in (target_of(unit, unit.actor.id, one),)
    ]
    answer = ApplyAnswer(asked.dry_run, unit.actor.username, plan, sent_of(changes), sounds.missing, people)
    if asked.dry_run:
        raise _RehearsedError(answer)
    if asked.plan not in {"", plan}:
        raise ConflictError("Somebody has changed the records meanwhile. Make a dry run again.")
    if sounds.missing:
        raise ConflictError(f"Send these recordings before: {', '.join(sounds.missing)}")
    return answer
