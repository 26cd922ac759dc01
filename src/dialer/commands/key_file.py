"""The keys of stored secrets as the settings give them: in the environment, or in a file that a first start creates."""

import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Final

from dialer.commands.output import say
from dialer.domain.credentials.secret_keys import KEY_MIN, is_keys
from dialer.settings import Settings
from dialer.store.backends.backend import backend_for
from dialer.store.tables.key_ring import SecretsKeyError

DEFAULT_NAME: Final = "dialer.key"
FILE_BYTES_MAX: Final = 4_096
_KEY_BYTES: Final = 32
_MODE: Final = 0o600


class KeyFile:
    """The keys of a service's secrets (`dialer.store.tables.key_ring.KeySource`)."""

    def __init__(self, settings: Settings) -> None:
        self._given: Final = settings.secrets_key
        self.path: Final = key_path(settings)

    def read(self) -> str | None:
        """Return the keys; None if there are none yet.

        Raises:
            SecretsKeyError: the file cannot be read, or holds something else.
        """
        if self._given is not None:
            return self._given
        try:
            with self.path.open(encoding="utf-8") as file:
                text = file.read(FILE_BYTES_MAX)
                is_exposed = bool(os.fstat(file.fileno()).st_mode & (stat.S_IRGRP | stat.S_IROTH))
        except FileNotFoundError:
            return None
        except (OSError, UnicodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is not text"
            raise SecretsKeyError(f"the key of stored secrets in {self.path} cannot be read: {reason}") from None
        if not is_keys(text):
            raise SecretsKeyError(f"{self.path} does not hold a key of stored secrets: {KEY_MIN} characters or more")
        if is_exposed:
            say(f"Other users of this machine can read the key of stored secrets: chmod 600 {self.path}")
        return text

    def create(self) -> str:
        """Make up a key and store it in the file, unless another process does so first. Return the keys.

        Raises:
            SecretsKeyError: the file cannot be created.
        """
        try:
            _write(self.path, new_key(), overwrite=False)
        except OSError as error:
            raise SecretsKeyError(
                f"the key of stored secrets cannot be created in {self.path}: {error.strerror}"
            ) from None
        say(f"Made the key of stored secrets in {self.path}. Keep a copy of it elsewhere than your backups.")
        return self.read() or ""

    def replace(self, keys: str) -> None:
        """Store other keys in the file, all at once. The change outlasts a loss of power.

        Raises:
            SecretsKeyError: the file cannot be written.
        """
        try:
            _write(self.path, keys, overwrite=True)
        except OSError as error:
            raise SecretsKeyError(f"{self.path} cannot be written: {error.strerror}") from None

    def missing(self) -> str:
        """Return the message for a missing key."""
        return (
            f"the key of the secrets in this database is missing: put your copy of it at {self.path}, or set"
            " DIALER_SECRETS_KEY or DIALER_SECRETS_KEY_FILE"
        )


def key_path(settings: Settings) -> Path:
    """Return the path of the key file: the one of the settings, or in the folder of the database file.

    On PostgreSQL, it is in the working directory, as is the media folder.
    """
    if settings.secrets_key_file is not None:
        return settings.secrets_key_file
    backend = backend_for(settings.database_url)
    if not backend.HAS_FILE:
        return Path(DEFAULT_NAME).absolute()
    return Path(backend.synchronous_url(settings.database_url).database or "").absolute().with_name(DEFAULT_NAME)


def new_key() -> str:
    """Return a new random key."""
    return secrets.token_urlsafe(_KEY_BYTES)


def _write(path: Path, keys: str, *, overwrite: bool) -> None:
    """Write a file that only its owner can read, so that it appears complete, or not at all."""
    with NamedTemporaryFile("w", dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
        unfinished = Path(file.name)
        try:
            os.fchmod(file.fileno(), _MODE)
            file.write("\n".join([*keys.split(), ""]))
            file.flush()
            os.fsync(file.fileno())
            if overwrite:
                unfinished.replace(path)
            else:
                with suppress(FileExistsError):
                    path.hardlink_to(unfinished)
        finally:
            unfinished.unlink(missing_ok=True)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
