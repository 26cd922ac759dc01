"""`dialer secrets`: the key that encrypts stored secrets."""

from typing import Final

from dialer.commands.key_file import KeyFile, new_key
from dialer.commands.open_service import open_existing_database, serving_alone, settings_from_environment
from dialer.commands.output import print_json, say
from dialer.settings import Settings, SettingsError
from dialer.store.backends.backend import backend_for
from dialer.store.moving.key_check import forget as forget_secrets
from dialer.store.moving.key_check import rotate as rotate_secrets
from dialer.store.tables.key_ring import RING, SecretsKeyError

_BOTH: Final = "the new key, a blank, and the key in use"


def rotate(*, as_json: bool) -> None:
    """Encrypt all secrets anew with a new key, and forget the old one."""
    settings = settings_from_environment()
    file = KeyFile(settings)
    with serving_alone(settings), open_existing_database(settings) as database:
        keys = _keys(settings, file)
        RING.hold(KeyFile(settings))
        count = database.write_now(rotate_secrets)
        backend = backend_for(settings.database_url)
        # The free parts of the database still hold the secrets that the old key decrypts.
        backend.compact(backend.synchronous_url(settings.database_url))
        if settings.secrets_key is None:
            file.replace(keys.split()[0])
    then = "" if settings.secrets_key is None else " Now remove the old key from DIALER_SECRETS_KEY."
    say(f"Encrypted {count:,} secrets with the new key.{then}")
    if settings.secrets_key is None:
        say(f"The new key is in {file.path}. Make a copy of it elsewhere than your backups.")
    say("Calls with encrypted sound that go on now end if the process of their line does.")
    if as_json:
        print_json({"secrets": count, "key_file": None if settings.secrets_key is not None else str(file.path)})


def forget(*, as_json: bool) -> None:
    """Delete all secrets that cannot be decrypted, because their key is lost."""
    settings = settings_from_environment()
    with serving_alone(settings), open_existing_database(settings) as database:
        count = database.write_now(forget_secrets)
    say(f"Deleted {count:,} secrets that could not be decrypted.")
    if as_json:
        print_json({"deleted": count})


def _keys(settings: Settings, file: KeyFile) -> str:
    """Return the keys with the new one first. Those of a file are stored; a command that was killed has done that.

    Raises:
        SettingsError: DIALER_SECRETS_KEY holds no new key.
        SecretsKeyError: there is no key yet.
    """
    keys = file.read()
    if keys is None:
        raise SecretsKeyError(file.missing())
    if len(keys.split()) > 1:
        return keys
    if settings.secrets_key is not None:
        raise SettingsError(f"DIALER_SECRETS_KEY holds one key: set it to {_BOTH}")
    keys = f"{new_key()} {keys}"
    file.replace(keys)
    return keys
