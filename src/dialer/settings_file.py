"""The settings file: `dialer.toml` in the working directory, or the file that `--config` or `DIALER_CONFIG` names."""

import contextlib
import difflib
import stat
import tomllib
from datetime import date
from pathlib import Path
from typing import Final

from dialer.settings import SETTINGS, Setting, SettingsError, SettingsFile
from dialer.settings_values import HELD_MAX

DEFAULT_FILE: Final = Path("dialer.toml")
FILE_BYTES_MAX: Final = 256 * 1024
_BY_KEY: Final = {setting.key: setting for setting in SETTINGS}


def read_settings_file(path: Path | None = None) -> SettingsFile | None:
    """Return the settings file at `path`. Without a path, return that of the working directory, or None.

    Raises:
        SettingsError: the file cannot be read, is not TOML, or has a key that is not a setting.
    """
    if path is None and not DEFAULT_FILE.is_file():
        return None
    path = DEFAULT_FILE if path is None else path
    texts = {key: _text(path, _setting(path, key), value) for key, value in _table(path).items()}
    return SettingsFile(path, texts)


def is_exposed(file: SettingsFile) -> bool:
    """Return whether other users of the machine can read a secret in the file."""
    secrets = (setting for setting in SETTINGS if setting.is_secret)
    return any(file.texts.get(secret.key) for secret in secrets) and bool(file.path.stat().st_mode & stat.S_IROTH)


def _table(path: Path) -> dict[str, object]:
    try:
        with path.open("rb") as file:
            content = file.read(FILE_BYTES_MAX + 1)
    except OSError as error:
        raise SettingsError(f"the settings file {path} cannot be read: {error.strerror}") from None
    if len(content) > FILE_BYTES_MAX:
        raise SettingsError(f"the settings file {path} has more than {FILE_BYTES_MAX // 1024} KiB")
    try:
        return tomllib.loads(content.decode())
    except (ValueError, RecursionError) as error:
        reason = "too many brackets" if isinstance(error, RecursionError) else str(error)
        raise SettingsError(f"the settings file {path} is not TOML: {reason}") from None


def _setting(path: Path, key: str) -> Setting:
    if key in _BY_KEY:
        return _BY_KEY[key]
    near = difflib.get_close_matches(key.lower().removeprefix("dialer_"), _BY_KEY, n=1)
    hint = f"did you mean {near[0]}?" if near else f"it may hold {', '.join(_BY_KEY)}"
    raise SettingsError(f"{path}: {key[:HELD_MAX]!r} is not a setting: {hint}")


def _text(path: Path, setting: Setting, value: object) -> str:
    """Return a value of TOML as the text that the variable would hold."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, int | float | str):
        with contextlib.suppress(ValueError):  # A number may have too many digits to be written.
            return str(value)
    raise SettingsError(
        f"{path}: {setting.key} is neither a text nor a number nor a timestamp: it may hold {setting.may_hold}"
    )
