"""Settings from environment variables and a settings file, read and checked once at the start."""

from collections.abc import Mapping
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, Final

import msgspec

from dialer.contact_settings import CONTACT_SETTINGS
from dialer.database_settings import DATABASE_SETTINGS
from dialer.domain.credentials.secret_keys import KEY_MIN
from dialer.domain.forecast.process_limits import PROCESSES_DEFAULT_MAX, PROCESSES_MAX
from dialer.domain.formats.buckets import BucketAccess, BucketPlace
from dialer.domain.pacing.inputs import ABANDON_HOURS
from dialer.domain.words.currencies import read_currency
from dialer.domain.words.transcripts import Ears
from dialer.domain.words.voices import SpeechVoice
from dialer.mail_settings import MAIL_SETTINGS
from dialer.recording_settings import (
    RECORDING_SETTINGS,
    USUAL_REGION,
    refuse_half_a_bucket,
)
from dialer.settings_values import (
    ADMINS,
    DIRECT,
    EVERYBODY,
    HIDDEN,
    KEPT_DAYS_MAX,
    KEPT_DAYS_MIN,
    NETWORKS_MAX,
    OPEN,
    OPTIONAL,
    OTHER_HOSTS_MAX,
    RATE_LIMIT_MAX,
    REAL,
    RECORDINGS_FOLDER,
    SEED_MAX,
    USERNAME_MAX,
    Setting,
    SettingsError,
    SettingsFile,
    milliseconds_of,
    read_base_url,
    read_clock,
    read_hosts,
    read_keys,
    read_moment,
    read_networks,
    read_one_of,
    read_region,
    read_username,
    read_whole,
    read_zone,
    refuse_contradictions,
    without_password,
)
from dialer.speech_settings import MODEL, SPEECH_SETTINGS, refuse_half_a_server, voice_by_default, voice_of_settings
from dialer.telephone_settings import TELEPHONE_SETTINGS
from dialer.transcription_settings import TRANSCRIPTION_SETTINGS, WRITER, refuse_two_ears

__all__ = ["SETTINGS", "Setting", "Settings", "SettingsError", "SettingsFile", "load_settings"]


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of the service."""

    database_url: str = "sqlite+aiosqlite:///dialer.db"
    database_readers: int = 6
    """Reads of one process at once."""
    database_lock_timeout: int = 5
    """Seconds that a request waits for other processes that write."""
    database_statement_timeout: int = 30
    """Seconds of the longest statement on PostgreSQL."""
    media_dir: Path = Path("media")
    recordings: Path | BucketPlace | None = None
    """Folder or bucket of the recordings of whole calls; None: `recordings` in the media folder."""
    s3_endpoint: str | None = None
    """URL of the store of that bucket; None: Amazon's."""
    s3_region: str = USUAL_REGION
    s3_key_id: str | None = None
    s3_secret: str | None = None
    recording_days: int | None = None
    """The most days for which any recording of a whole call is kept; None: there is no such limit."""
    clock: str = "real"
    """`real`, `virtual`, or a factor such as `x60`: sixty times real time."""
    clock_start: int | None = None
    """Start of a virtual or scaled clock on an empty database, in milliseconds since the epoch."""
    seed: int = 0
    timezone: str = "UTC"
    """IANA name of the zone of timestamps and daily windows without a zone."""
    default_region: str | None = None
    """ISO 3166 code of the country of phone numbers without a `+`."""
    currency: str = ""
    """ISO 4217 code of the currency of accounts that have none of their own; empty: none is shown."""
    calling_hours: str | None = None
    """The service's calling hours as text (`dialer.domain.calling_times.calling_hours`); None: the default."""
    places_file: Path | None = None
    """File with the time zones of starts of numbers, which go before those that this version knows."""
    allow_any_hour: bool = False
    """True if the administrator has stated that calls at any hour are allowed."""
    contact_rules: str = ""
    """Where rows of law about contacts hold: `on` everywhere, `off` nowhere; empty: on gateways not simulated."""
    allow_any_contact: bool = False
    """True if the administrator answers for contacts without those rows."""
    abandon_hours: int = ABANDON_HOURS
    """Hours of each period with a budget of abandoned calls, for new campaigns that do not say."""
    speech: str | None = None
    """Voice of espeak-ng that speaks scripts without a recording; None: they are not spoken."""
    speech_url: str | None = None
    """Start of the URLs of a server that speaks them instead; None: there is none."""
    speech_api_key: str | None = None
    speech_model: str = MODEL
    speech_voices: dict[str, str] = msgspec.field(default_factory=dict)
    """Voices of the server by language."""
    transcription_url: str | None = None
    """Start of the URLs of a server that writes down what recordings say; None: there is none."""
    transcription_command: tuple[str, ...] = ()
    """Program that does so in place of a server, with its arguments; empty: there is none."""
    transcription_api_key: str | None = None
    transcription_model: str = WRITER
    base_url: str | None = None
    """Start of absolute URLs, without a slash at its end; None: that of the request."""
    other_hosts: tuple[str, ...] = ()
    """Names of the service besides that of `base_url`."""
    second_factor: str = OPTIONAL
    """The users who need a second factor: `optional` (nobody), `admins` or `everybody`."""
    metrics: str = OPEN
    """`open`, or `direct`: requests that passed a proxy get no metrics."""
    audit_log_days: int = 365
    """Days for which entries of the audit log are kept."""
    event_days: int = 30
    """Days for which the events of accounts are kept."""
    webhook_networks: tuple[str, ...] = ()
    """Networks besides the public internet to which events may be sent."""
    mail_url: str | None = None
    """URL of the mail server; None: no mails are sent."""
    mail_from: str | None = None
    """Address of the sender of mails."""
    mail_clock: str = REAL
    """`real`, or `any`: mails are sent by a clock that is virtual or fast, too."""
    call_record_days: int | None = None
    """Days for which calls, messages and answers are kept; None: for ever."""
    forecast_processes: int | None = None
    """Processes of one forecast; None: one a core, at most 8."""
    sound_processes: int | None = None
    """Processes that share the sound of many calls over SIP; None: one a core, at most 8."""
    telephone_port: int | None = None
    """UDP port of agents' telephones in browsers; None: there are none."""
    public_host: str | None = None
    """Address of that port, as browsers reach it; None: the machine's own."""
    rate_limit: int | None = None
    """Requests per minute of one user, and of one address; None: no limit."""
    secrets_key: str | None = None
    """Keys of stored secrets between blanks, of which the first encrypts; None: those of the file."""
    secrets_key_file: Path | None = None
    """File of the keys of stored secrets; None: beside the database."""
    admin_username: str | None = None
    admin_password: str | None = None

    @property
    def voice(self) -> SpeechVoice:
        """The voice that speaks texts."""
        return voice_of_settings(
            self.speech, self.speech_url, self.speech_api_key, self.speech_model, self.speech_voices
        )

    @property
    def ears(self) -> Ears:
        """The server or the program that writes down what recordings say."""
        key = self.transcription_api_key or ""
        return Ears(self.transcription_url or "", self.transcription_model, key, self.transcription_command)

    @property
    def recordings_dir(self) -> Path:
        """The folder in which whole calls are recorded. With a bucket, recordings wait there for their upload."""
        return self.recordings if isinstance(self.recordings, Path) else self.media_dir / RECORDINGS_FOLDER

    @property
    def recordings_bucket(self) -> BucketAccess | None:
        """The bucket of the recordings of whole calls; None if they stay in their folder."""
        if not isinstance(self.recordings, BucketPlace):
            return None
        keys = self.s3_key_id or "", self.s3_secret or ""
        return BucketAccess(self.recordings, self.s3_endpoint, self.s3_region, *keys)

    def __repr__(self) -> str:
        """Leave out the passwords, so that no log line or failed test shows them."""
        shown = {field: getattr(self, field) for field in self.__struct_fields__}
        shown["database_url"] = without_password(self.database_url)
        for setting in SETTINGS:
            if setting.is_secret and shown[setting.field] is not None:
                shown[setting.field] = HIDDEN
        return f"Settings({', '.join(f'{field}={value!r}' for field, value in shown.items())})"


def load_settings(environ: Mapping[str, str], file: SettingsFile | None = None) -> Settings:
    """Return the settings of a file and an environment, whose variables go before the file.

    A setting that is unset or empty in both has its default.

    Raises:
        SettingsError: a setting has a wrong value, or two of them contradict each other.
    """
    values: dict[str, Any] = {}
    for setting in SETTINGS:
        if file is not None and file.texts.get(setting.key):
            values[setting.field] = setting.value(file.texts[setting.key], file.name(setting))
        if environ.get(setting.variable):
            values[setting.field] = setting.value(environ[setting.variable])
    start: datetime | None = values.pop("clock_start", None)
    refuse_contradictions(values, start)
    refuse_half_a_server(values)
    values["speech"] = voice_by_default(values.get("speech"), environ.get("PATH", ""))
    refuse_half_a_bucket(values)
    refuse_two_ears(values)
    settings = Settings(**values)
    if start is None:
        return settings
    return msgspec.structs.replace(settings, clock_start=milliseconds_of(start, settings.timezone))


SETTINGS: Final = (
    *DATABASE_SETTINGS,
    Setting(
        variable="DIALER_MEDIA_DIR",
        field="media_dir",
        default="media",
        meaning="uploads and recordings; created with mode 0700",
        may_hold="the path of a folder",
        read=Path,
    ),
    *RECORDING_SETTINGS,
    Setting(
        variable="DIALER_SECRETS_KEY_FILE",
        field="secrets_key_file",
        default="dialer.key beside the database",
        meaning="file of the key of stored secrets; created with mode 0600",
        may_hold="the path of a file",
        read=Path,
    ),
    Setting(
        variable="DIALER_SECRETS_KEY",
        field="secrets_key",
        default="from the file",
        meaning="the key of stored secrets, in place of the file",
        may_hold=f"{KEY_MIN} random characters or more; after a blank, an older key",
        read=read_keys,
        is_secret=True,
    ),
    Setting(
        variable="DIALER_ADMIN_USERNAME",
        field="admin_username",
        default="unset",
        meaning="the first admin of an empty database",
        may_hold=f"1 to {USERNAME_MAX} characters, no blanks and no colon",
        read=read_username,
    ),
    Setting(
        variable="DIALER_ADMIN_PASSWORD",
        field="admin_password",
        default="unset",
        meaning="the first admin's password",
        may_hold="any text",
        read=str,
        is_secret=True,
    ),
    Setting(
        variable="DIALER_CLOCK",
        field="clock",
        default="real",
        meaning="the clock of the whole service",
        may_hold="real, virtual (advanced by request) or xN, such as x60 (N times real time, N up to 99999)",
        read=read_clock,
    ),
    Setting(
        variable="DIALER_CLOCK_START",
        field="clock_start",
        default="now",
        meaning="start of the clock on an empty database, unless real",
        may_hold="an ISO 8601 timestamp of the years 1970 to 2199, such as 2026-01-31T09:00:00Z",
        read=read_moment,
    ),
    Setting(
        variable="DIALER_SEED",
        field="seed",
        default="0",
        meaning="the seed of all simulated chance",
        may_hold=f"a whole number from 0 to {SEED_MAX}",
        read=partial(read_whole, least=0, most=SEED_MAX),
    ),
    Setting(
        variable="DIALER_TIMEZONE",
        field="timezone",
        default="UTC",
        meaning="zone of timestamps and daily windows without one",
        may_hold="an IANA time zone, such as Europe/Berlin",
        read=read_zone,
    ),
    Setting(
        variable="DIALER_DEFAULT_REGION",
        field="default_region",
        default="unset",
        meaning="the country of numbers without a +",
        may_hold="an ISO 3166 country code, such as US",
        read=read_region,
    ),
    Setting(
        variable="DIALER_CURRENCY",
        field="currency",
        default="unset",
        meaning="the currency of accounts that have none of their own",
        may_hold="an ISO 4217 currency code, such as EUR",
        read=read_currency,
    ),
    *CONTACT_SETTINGS,
    *SPEECH_SETTINGS,
    *TRANSCRIPTION_SETTINGS,
    Setting(
        variable="DIALER_BASE_URL",
        field="base_url",
        default="from the request",
        meaning="start of the absolute URLs in responses",
        may_hold="an http or https URL without query, such as https://dialer.example.com",
        read=read_base_url,
    ),
    Setting(
        variable="DIALER_OTHER_HOSTS",
        field="other_hosts",
        default="unset",
        meaning="names of the service besides DIALER_BASE_URL's",
        may_hold=f"1 to {OTHER_HOSTS_MAX} host names with commas, such as dialer.internal,dialer.lan",
        read=read_hosts,
    ),
    Setting(
        variable="DIALER_SECOND_FACTOR",
        field="second_factor",
        default=OPTIONAL,
        meaning="the users who need a second factor",
        may_hold="optional, admins or everybody",
        read=partial(read_one_of, words=frozenset({OPTIONAL, ADMINS, EVERYBODY})),
    ),
    Setting(
        variable="DIALER_METRICS",
        field="metrics",
        default=OPEN,
        meaning="who may read /metrics",
        may_hold="open, or direct: requests that passed a proxy get status 404",
        read=partial(read_one_of, words=frozenset({OPEN, DIRECT})),
    ),
    Setting(
        variable="DIALER_AUDIT_LOG_DAYS",
        field="audit_log_days",
        default="365",
        meaning="days for which the audit log is kept",
        may_hold=f"a whole number from {KEPT_DAYS_MIN} to {KEPT_DAYS_MAX}",
        read=partial(read_whole, least=KEPT_DAYS_MIN, most=KEPT_DAYS_MAX),
    ),
    Setting(
        variable="DIALER_EVENT_DAYS",
        field="event_days",
        default="30",
        meaning="days for which the events of accounts are kept",
        may_hold=f"a whole number from 1 to {KEPT_DAYS_MAX}",
        read=partial(read_whole, least=1, most=KEPT_DAYS_MAX),
    ),
    Setting(
        variable="DIALER_WEBHOOK_NETWORKS",
        field="webhook_networks",
        default="unset",
        meaning="networks besides the public internet to which events may be sent",
        may_hold=f"1 to {NETWORKS_MAX} IP networks with commas, such as 10.1.0.0/16,192.0.2.7/32",
        read=read_networks,
    ),
    *MAIL_SETTINGS,
    Setting(
        variable="DIALER_CALL_RECORD_DAYS",
        field="call_record_days",
        default="for ever",
        meaning="days for which calls, messages and answers are kept",
        may_hold=f"a whole number from {KEPT_DAYS_MIN} to {KEPT_DAYS_MAX}",
        read=partial(read_whole, least=KEPT_DAYS_MIN, most=KEPT_DAYS_MAX),
    ),
    Setting(
        variable="DIALER_FORECAST_PROCESSES",
        field="forecast_processes",
        default=f"one a core, at most {PROCESSES_DEFAULT_MAX}",
        meaning="processes of one forecast",
        may_hold=f"a whole number from 1 to {PROCESSES_MAX}",
        read=partial(read_whole, least=1, most=PROCESSES_MAX),
    ),
    Setting(
        variable="DIALER_SOUND_PROCESSES",
        field="sound_processes",
        default=f"one a core, at most {PROCESSES_DEFAULT_MAX}",
        meaning="processes that share the sound of many calls over SIP",
        may_hold=f"a whole number from 0 to {PROCESSES_MAX}",
        read=partial(read_whole, least=0, most=PROCESSES_MAX),
    ),
    *TELEPHONE_SETTINGS,
    Setting(
        variable="DIALER_RATE_LIMIT",
        field="rate_limit",
        default="unset",
        meaning="requests per minute of a user or an address",
        may_hold=f"a whole number from 1 to {RATE_LIMIT_MAX}",
        read=partial(read_whole, least=1, most=RATE_LIMIT_MAX),
    ),
)
"""Every variable, in the order of the help."""
