"""Tests of the settings in environment variables, and of the messages for invalid ones."""

from pathlib import Path

import pytest

from dialer.domain.words.transcripts import Ears
from dialer.domain.words.voices import SpeechVoice
from dialer.settings import SETTINGS, Settings, SettingsError, load_settings


def test_an_empty_environment_gives_the_documented_defaults() -> None:
    assert load_settings({}) == Settings(
        database_url="sqlite+aiosqlite:///dialer.db",
        database_readers=6,
        database_lock_timeout=5,
        database_statement_timeout=30,
        media_dir=Path("media"),
        secrets_key=None,
        secrets_key_file=None,
        clock="real",
        clock_start=None,
        seed=0,
        timezone="UTC",
        default_region=None,
        currency="",
        calling_hours=None,
        allow_any_hour=False,
        speech=None,
        base_url=None,
        audit_log_days=365,
        event_days=30,
        rate_limit=None,
        admin_username=None,
        admin_password=None,
    )


def test_empty_variables_count_as_unset() -> None:
    assert load_settings({setting.variable: "" for setting in SETTINGS}) == Settings()


def test_a_service_that_names_no_voice_has_that_of_an_installed_program(tmp_path: Path) -> None:
    assert load_settings({"PATH": str(tmp_path)}).speech is None
    program = tmp_path / "espeak-ng"
    program.touch(mode=0o755)
    assert load_settings({"PATH": str(tmp_path)}).voice == SpeechVoice("en")
    assert load_settings({"PATH": str(tmp_path), "DIALER_SPEECH": "de"}).voice == SpeechVoice("de")
    assert not load_settings({"PATH": str(tmp_path), "DIALER_SPEECH": "off"}).voice
    program.chmod(0o644)
    assert load_settings({"PATH": str(tmp_path)}).speech is None


def test_either_a_server_or_a_program_writes_down_recordings() -> None:
    server = {"DIALER_TRANSCRIPTION_URL": "http://127.0.0.1:8000/v1/", "DIALER_TRANSCRIPTION_API_KEY": "k-1"}
    program = {"DIALER_TRANSCRIPTION_COMMAND": "/usr/local/bin/write --model 'a b'"}
    assert load_settings(server).ears == Ears("http://127.0.0.1:8000/v1", "whisper-1", "k-1")
    assert load_settings(program).ears.command == ("/usr/local/bin/write", "--model", "a b")
    assert (bool(load_settings({}).ears), "k-1" in repr(load_settings(server))) == (False, False)
    for wrong in (server | program, {"DIALER_TRANSCRIPTION_COMMAND": "'"}, {"DIALER_TRANSCRIPTION_URL": "ftp://x"}):
        with pytest.raises(SettingsError, match="DIALER_TRANSCRIPTION_"):
            load_settings(wrong)


def test_every_variable_is_read() -> None:
    settings = load_settings(
        {
            "DIALER_DATABASE_URL": "sqlite+aiosqlite:////var/lib/dialer.db",
            "DIALER_DATABASE_READERS": "20",
            "DIALER_DATABASE_LOCK_TIMEOUT": "1",
            "DIALER_DATABASE_STATEMENT_TIMEOUT": "3600",
            "DIALER_MEDIA_DIR": "/var/lib/media",
            "DIALER_SECRETS_KEY": "a-new-key-of-the-secrets-of-dialer the-old-key-of-the-secrets-of-dialer",
            "DIALER_SECRETS_KEY_FILE": "/etc/dialer/key",
            "DIALER_CLOCK": "x60",
            "DIALER_CLOCK_START": "2026-01-31T09:00:00Z",
            "DIALER_SEED": "7",
            "DIALER_TIMEZONE": "Europe/Berlin",
            "DIALER_DEFAULT_REGION": "de",
            "DIALER_CURRENCY": "eur",
            "DIALER_CALLING_HOURS": "09:30-20:00",
            "DIALER_ALLOW_ANY_HOUR": "yes-i-have-consent",
            "DIALER_CONTACT_RULES": "off",
            "DIALER_ALLOW_ANY_CONTACT": "yes-i-answer-for-it",
            "DIALER_ABANDON_HOURS": "24",
            "DIALER_SPEECH": "en-us+f3",
            "DIALER_BASE_URL": "https://dialer.example.com:8443/calls/",
            "DIALER_RATE_LIMIT": "600",
            "DIALER_ADMIN_USERNAME": "anna",
            "DIALER_ADMIN_PASSWORD": "correct horse battery",
        }
    )
    assert settings == Settings(
        database_url="sqlite+aiosqlite:////var/lib/dialer.db",
        database_readers=20,
        database_lock_timeout=1,
        database_statement_timeout=3_600,
        media_dir=Path("/var/lib/media"),
        secrets_key="a-new-key-of-the-secrets-of-dialer the-old-key-of-the-secrets-of-dialer",
        secrets_key_file=Path("/etc/dialer/key"),
        clock="x60",
        clock_start=1769850000000,
        seed=7,
        timezone="Europe/Berlin",
        default_region="DE",
        currency="EUR",
        calling_hours="09:30-20:00",
        allow_any_hour=True,
        contact_rules="off",
        allow_any_contact=True,
        abandon_hours=24,
        speech="en-us+f3",
        base_url="https://dialer.example.com:8443/calls",
        rate_limit=600,
        admin_username="anna",
        admin_password="correct horse battery",
    )


def test_a_start_without_a_zone_is_in_the_service_s_zone() -> None:
    environ = {
        "DIALER_CLOCK": "virtual",
        "DIALER_CLOCK_START": "2026-01-31 10:00:00",
        "DIALER_TIMEZONE": "Europe/Berlin",
    }
    assert load_settings(environ).clock_start == 1769850000000


@pytest.mark.parametrize(
    ("variable", "text"),
    [
        ("DIALER_DATABASE_URL", "mysql://localhost/dialer"),
        ("DIALER_RATE_LIMIT", "0"),
        ("DIALER_RATE_LIMIT", "1000001"),
        ("DIALER_RATE_LIMIT", "ten"),
        ("DIALER_DATABASE_URL", "dialer.db"),
        ("DIALER_DATABASE_URL", "sqlite+aiosqlite://"),
        ("DIALER_CLOCK", "fast"),
        ("DIALER_CLOCK", "x0"),
        ("DIALER_CLOCK", "x1.5"),
        ("DIALER_CLOCK_START", "tomorrow"),
        ("DIALER_CLOCK_START", "0001-01-01T00:00:00"),
        ("DIALER_SEED", "-1"),
        ("DIALER_SEED", "٣"),
        ("DIALER_SEED", "9" * 5_000),
        ("DIALER_TIMEZONE", "Mars/Olympus"),
        ("DIALER_TIMEZONE", "localtime"),
        ("DIALER_TIMEZONE", "../etc/passwd"),
        ("DIALER_DEFAULT_REGION", "XX"),
        ("DIALER_CURRENCY", "XXX"),
        ("DIALER_CURRENCY", "€"),
        ("DIALER_SPEECH", "--version"),
        ("DIALER_SPEECH", "en/../x"),
        ("DIALER_CALLING_HOURS", "8-21"),
        ("DIALER_CALLING_HOURS", "21:00-08:00"),
        ("DIALER_CALLING_HOURS", "08:00-08:00"),
        ("DIALER_CALLING_HOURS", "00:00-24:00"),
        ("DIALER_CALLING_HOURS", "0٨:00-21:00"),
        ("DIALER_CALLING_HOURS", "OFF"),
        ("DIALER_ALLOW_ANY_HOUR", "yes"),
        ("DIALER_CONTACT_RULES", "some"),
        ("DIALER_ALLOW_ANY_CONTACT", "yes-i-have-consent"),
        ("DIALER_ABANDON_HOURS", "0"),
        ("DIALER_ABANDON_HOURS", "8761"),
        ("DIALER_BASE_URL", "dialer.example.com"),
        ("DIALER_BASE_URL", "https://user:secret@dialer.example.com"),
        ("DIALER_BASE_URL", "https://dialer.example.com:port"),
        ("DIALER_BASE_URL", "https://dialer.example.com/?q"),
        ("DIALER_ADMIN_USERNAME", "anna:b"),
        ("DIALER_ADMIN_USERNAME", "a" * 151),
    ],
)
def test_a_wrong_value_is_refused_in_one_line(variable: str, text: str) -> None:
    with pytest.raises(SettingsError) as error:
        load_settings({variable: text})
    (setting,) = (setting for setting in SETTINGS if setting.variable == variable)
    line = str(error.value)
    assert line.startswith(f"{variable} is ")
    assert line.endswith(f": it may hold {setting.may_hold}")
    assert "\n" not in line
    assert len(line) < 400


@pytest.mark.parametrize("driver", ["postgresql", "postgresql+psycopg", "postgresql+asyncpg"])
def test_a_url_names_a_database_whichever_driver_it_names(driver: str) -> None:
    url = f"{driver}://dialer:hunter2@localhost/dialer"
    assert load_settings({"DIALER_DATABASE_URL": url}).database_url == url


def test_a_wrong_url_is_shown_without_its_password() -> None:
    with pytest.raises(SettingsError) as error:
        load_settings({"DIALER_DATABASE_URL": "postgresql://dialer:hunter2@localhost"})
    assert str(error.value) == (
        "DIALER_DATABASE_URL is 'postgresql://dialer:***@localhost': it may hold"
        " sqlite+aiosqlite:///FILE (four slashes before an absolute path) or postgresql://USER@HOST/NAME"
    )


def test_settings_can_be_shown_without_their_passwords() -> None:
    shown = repr(Settings(database_url="postgresql+asyncpg://d:hunter2@localhost/d", admin_password="hunter3 hunter3"))
    assert "hunter" not in shown


@pytest.mark.parametrize(
    "environ",
    [
        {"DIALER_ADMIN_USERNAME": "anna"},
        {"DIALER_ADMIN_PASSWORD": "correct horse battery"},
        {"DIALER_CLOCK_START": "2026-01-31T09:00:00Z"},
        {"DIALER_CALLING_HOURS": "off"},
        {"DIALER_CONTACT_RULES": "off"},
    ],
)
def test_settings_that_contradict_each_other_are_refused(environ: dict[str, str]) -> None:
    with pytest.raises(SettingsError):
        load_settings(environ)


def test_calls_at_any_hour_need_a_second_variable() -> None:
    environ = {"DIALER_CALLING_HOURS": "off"}
    with pytest.raises(SettingsError) as error:
        load_settings(environ)
    assert str(error.value) == (
        "DIALER_CALLING_HOURS is 'off', which needs DIALER_ALLOW_ANY_HOUR=yes-i-have-consent: set that too if every"
        " callee has agreed to calls at any hour, or set hours such as 08:00-21:00"
    )
    assert load_settings({**environ, "DIALER_ALLOW_ANY_HOUR": "yes-i-have-consent"}).calling_hours == "off"
