"""The service in which one scenario is played: a database of its own, a virtual clock, and simulated carriers."""

import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC
from pathlib import Path
from typing import Any, Final

import msgspec
from sqlalchemy import Connection, insert, select, update

from dialer.app.accounts.payments import record_payment
from dialer.app.campaigns.change import change_campaign
from dialer.app.imports.bulk import NewEntry, add_entries
from dialer.app.telling.audit_log import COMMAND_LINE
from dialer.app.telling.listeners import tell_listeners
from dialer.app.work.unit import UnitOfWork
from dialer.domain.billing.money import parse_money
from dialer.domain.calling_times.calling_hours import read_calling_hours
from dialer.domain.numbers.entries import entries_in
from dialer.domain.words.enums import CampaignStatus
from dialer.domain.words.roles import Role
from dialer.domain.words.sentences import message_of
from dialer.files.applying import names_given
from dialer.files.kinds import CAMPAIGNS, CONTACTS, RECORDINGS, Wanted, read_document
from dialer.files.nodes import FileError, FilePlace, Node, nodes_of
from dialer.files.people_files import people_files
from dialer.files.sounds import RecordingFiles
from dialer.files.surveys import LENGTHS
from dialer.files.units import OpenAccount, account_of
from dialer.resources.crud.fields import Conventions, FieldError
from dialer.resources.crud.moments import Timestamp, show_timestamp
from dialer.resources.crud.urls import Links
from dialer.resources.records.campaign_life import LIFE_MS
from dialer.runtime.steps.clock import VirtualClock
from dialer.runtime.steps.worker import Worker
from dialer.scenarios.document import CampaignScenario
from dialer.settings import Settings
from dialer.sim.carrier import SimulatedCarrier
from dialer.store.database import migrate
from dialer.store.database.database import Database
from dialer.store.queries.do_not_call import entries_on
from dialer.store.tables import (
    SMS,
    VOICE,
    AudioFile,
    CallerIdGroup,
    Campaign,
    CampaignDncList,
    DncList,
    Gateway,
    User,
)
from dialer.store.tables.key_ring import RING, GivenKeys

NAME: Final = "scenario"
"""The account of a scenario, and the list of its people."""
_AGENT_STATUS: Final = "available"
_SILENCE_MS: Final = 3_000
"""The length of a recording of which only the name is known."""
_KEY_BYTES: Final = 32


class Base:
    """An empty database, of which each scenario gets a copy."""

    def __init__(self, folder: Path) -> None:
        RING.hold(GivenKeys(secrets.token_urlsafe(_KEY_BYTES)))
        self._folder: Final = folder
        self._file: Final = folder / "empty.db"
        migrate.upgrade(f"sqlite:///{self._file}")

    @contextmanager
    def world(self, number: int) -> Iterator["World"]:
        """Open a service with a copy of the base database, for one scenario."""
        path = self._folder / f"{number}.db"
        path.write_bytes(self._file.read_bytes())
        database = Database(f"sqlite+aiosqlite:///{path}", synchronous="OFF")
        try:
            yield World(database)
        finally:
            database.close()
            for file in self._folder.glob(f"{path.name}*"):
                file.unlink()


class World:
    """A service with one account, which pays for a scenario."""

    def __init__(self, database: Database) -> None:
        self.database: Final = database
        self.settings: Final = Settings()
        self.campaign_id = 0
        self.now_ms = 0

    def furnish(self, scenario: CampaignScenario, records: Sequence[Wanted], place: FilePlace) -> None:
        """Make the account, the gateways and recordings that the records name, the records, and the people.

        Raises:
            FileError: the records are wrong, or have no such campaign.
        """
        self.now_ms = moment_ms(scenario.start, place)
        self.database.write_now(lambda connection: self._prepare(connection, scenario, records))
        self._perform(lambda unit: record_payment(unit, 1, parse_money(scenario.balance)))
        account = self.account()
        adapted = _adapted(scenario, records, place)
        account.apply(adapted)
        for one in people_files(adapted):  # Numbers that must not be called: the people are those of the scenario.
            account.import_people(one)
        campaign = self.database.read_now(lambda connection: _campaign(connection, scenario.campaign))
        if campaign is None:
            raise FileError.at(place, f"there is no campaign {scenario.campaign!r} in these files")
        self.campaign_id = campaign
        self._perform(lambda unit: self._call_off(unit, scenario))

    def account(self) -> OpenAccount:
        """Return the account of the scenario."""
        return account_of(self.settings, self.database, self.now_ms, NAME)

    async def play(self, scenario: CampaignScenario) -> None:
        """Start the campaign, and let time pass until it is over, or the scenario is.

        Raises:
            AppError: the campaign cannot start.
        """
        worker = Worker(
            self.database,
            VirtualClock(self.now_ms),
            seed=scenario.seed,
            service_zone=self.settings.timezone,
            new_carrier=SimulatedCarrier,
            hours=read_calling_hours(self.settings.calling_hours),
            new_lines=None,
        )
        started = {"status": CampaignStatus.START}
        self._perform(lambda unit: change_campaign(unit, self.campaign_id, started))
        await worker.settle()
        self.now_ms += scenario.seconds * 1_000
        await worker.advance(self.now_ms)

    def _perform(self, work: Any) -> None:  # noqa: ANN401 - a use case
        def run(connection: Connection) -> None:
            unit = UnitOfWork(connection=connection, now_ms=self.now_ms)
            work(unit)
            tell_listeners(unit, COMMAND_LINE)

        self.database.write_now(run)

    def _prepare(self, connection: Connection, scenario: CampaignScenario, records: Sequence[Wanted]) -> None:
        rates = {"call_rate": parse_money(scenario.call_rate), "sms_rate": parse_money(scenario.sms_rate)}
        account = {"username": NAME, "password_hash": "-", "role": Role.ADMIN, "keeps_events": True}
        connection.execute(insert(User).values(**account, **rates, **self._stamps(User)))
        parameters = msgspec.json.encode(scenario.behaviour()).decode()
        for medium, field in ((VOICE, "gateway"), (SMS, "sms_gateway")):
            for name in names_given(records, field):
                values = {"name": name, "medium": medium, "parameters": parameters, **self._stamps(Gateway)}
                connection.execute(insert(Gateway).values(values))
        for name in names_given(records, "callerid_group"):
            connection.execute(insert(CallerIdGroup).values(name=name, **self._stamps(CallerIdGroup)))
        for number, (name, length_ms) in enumerate(sorted(_recordings(records).items())):
            sound = {"audio_file": f"{number}.wav", "format": "wav", "size": 0, "duration_ms": length_ms}
            connection.execute(insert(AudioFile).values(user_id=1, name=name, **sound, **self._stamps(AudioFile)))

    def _stamps(self, table: Any) -> dict[str, int]:  # noqa: ANN401 - a table
        return {name: self.now_ms for name in ("created_date", "updated_date") if name in table.__table__.c}

    def _call_off(self, unit: UnitOfWork, scenario: CampaignScenario) -> None:
        """Put the numbers of the scenario on the first list of its campaign, or on the account's own."""
        if not scenario.on_dnc:
            return
        connection = unit.connection
        further = select(CampaignDncList.dnc_id).where(CampaignDncList.campaign_id == self.campaign_id)
        first = connection.scalar(select(Campaign.dnc_id).where(Campaign.id == self.campaign_id))
        dnc_id = first or connection.scalar(further.order_by(CampaignDncList.id).limit(1))
        if dnc_id is None:
            values = {"user_id": 1, "name": NAME, **self._stamps(DncList)}
            dnc_id = connection.execute(insert(DncList).values(values).returning(DncList.id)).scalar_one()
            connection.execute(update(Campaign).where(Campaign.id == self.campaign_id).values(dnc_id=dnc_id))
        found = (entry for text in scenario.on_dnc for entry in entries_in(str(text), None)[0])
        entries = {entry.number: entry for entry in found}
        for _, number in entries_on(connection, [dnc_id], entries):
            del entries[number]
        add_entries(unit, [NewEntry(dnc_id, *entry) for entry in entries.values()])


def _campaign(connection: Connection, name: str) -> int | None:
    found = connection.scalar(select(Campaign.id).where(Campaign.name == name))
    return None if found is None else int(found)


def _adapted(scenario: CampaignScenario, records: Sequence[Wanted], place: FilePlace) -> list[Wanted]:
    """Return the records of the files, with the people of the scenario, its time, and its agents at work."""
    people = [
        {"contact": person.contact, "full_name": person.full_name, "additional_vars": person.additional_vars}
        for person in scenario.people
    ]
    (phonebooks,) = read_document(nodes_of({"phonebooks": [{"name": NAME, CONTACTS: people}]}, place))
    others = (one for one in records if one.kind.key != RECORDINGS)  # They are there, as long as their files are.
    return [phonebooks, *(_adapted_one(scenario, one, place) for one in others)]


def _adapted_one(scenario: CampaignScenario, one: Wanted, place: FilePlace) -> Wanted:
    if one.kind.part == CONTACTS:
        return one._replace(parts=None, file=None)  # Only the people of the scenario are called.
    if one.kind.key == "agents":
        status = scenario.agents.get(one.name, _AGENT_STATUS)
        return one._replace(given={"status": Node(status, place), **one.given})
    if one.kind.key in CAMPAIGNS and one.name == scenario.campaign:
        starting_ms = moment_ms(scenario.start, place)
        dates = {"startingdate": starting_ms, "expirationdate": starting_ms + _span_ms(scenario, one)}
        given = {name: Node(show_timestamp(at_ms), place) for name, at_ms in dates.items()}
        return one._replace(given={**one.given, **given, "phonebooks": Node([Node(NAME, place)], place)})
    return one


def _span_ms(scenario: CampaignScenario, campaign: Wanted) -> int:
    """Return the time from the start of a campaign until it expires: that of its file, if it has both dates."""
    given = campaign.given
    if "startingdate" in given and "expirationdate" in given:
        start, end = (given[name] for name in ("startingdate", "expirationdate"))
        return max(1, moment_ms(end.text(), end.place) - moment_ms(start.text(), start.place))
    return max(LIFE_MS, scenario.seconds * 1_000)


def moment_ms(text: str, place: FilePlace) -> int:
    """Return a moment in milliseconds since the epoch; raises FileError if the text is none."""
    try:
        return Timestamp().parse(text, Conventions(UTC, None, Links(base="", hosts=frozenset())))
    except FieldError as error:
        raise FileError.at(place, str(message_of(error))) from None


def _recordings(records: Sequence[Wanted]) -> dict[str, int]:
    """Return the names of recordings that the records have, each with its length in milliseconds.

    Raises:
        FileError: a file that the records name is no recording.
    """
    found: dict[str, int] = {}
    for record in records:
        for field in ("voicemail_audiofile", "record_notice"):
            if field in record.given and isinstance(record.given[field].value, str):
                found.setdefault(record.given[field].value, _SILENCE_MS)
        if record.kind.key == "surveys" and record.parts is not None:
            for section in record.parts.plain():
                for length, name in LENGTHS.items():
                    if isinstance(section.get(name), str):
                        seconds = section.get(length)
                        known = isinstance(seconds, (int, float)) and seconds >= 0
                        found[section[name]] = int(seconds * 1_000) if known else _SILENCE_MS
    files = RecordingFiles()
    given = {
        record.name: record.file for record in records if record.kind.key == RECORDINGS and record.file is not None
    }
    return found | {name: files.sound(node).duration_ms for name, node in given.items()}
