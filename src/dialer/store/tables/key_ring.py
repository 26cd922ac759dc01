"""The keys of stored secrets, and the type of the columns that hold secrets.

A column of the type `Secret` holds a Fernet token in the database, and its text in the program. Values of bulk
statements go to the driver as they are, so a bulk statement may only copy such a column from another row.
"""

import base64
import contextlib
import hashlib
import hmac
import threading
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, Protocol

from advanced_alchemy.types import EncryptedString, FernetBackend

if TYPE_CHECKING:
    from cryptography.fernet import Fernet, MultiFernet

_RINGS_MAX: Final = 4
_SIGNING_KEY_BYTES: Final = 16
_SIGNATURE_BYTES: Final = 32


class SecretsKeyError(Exception):
    """Raised when the key of stored secrets is missing or wrong; nothing has changed, and the message is one line."""


class UnreadableSecretError(Exception):
    """A stored secret was not encrypted with a key of this process, or was edited."""


class KeySource(Protocol):
    """The place that a process has its keys from, as one text (`dialer.domain.credentials.secret_keys`)."""

    def read(self) -> str | None:
        """Return the keys; None if there are none yet."""

    def create(self) -> str:
        """Make up a key, keep it, and return the keys."""

    def missing(self) -> str:
        """Return a message for a user that says where a key is expected."""


class GivenKeys:
    """Keys of secrets that another process passed on."""

    def __init__(self, keys: str) -> None:
        self._keys: Final = keys

    def read(self) -> str:
        """Return the keys that were passed on."""
        return self._keys

    create = missing = read


class KeyRing:
    """The keys of this process for secrets, read from their source at the first use."""

    def __init__(self) -> None:
        self._source: KeySource | None = None
        self._keys: str | None = None
        self._lock: Final = threading.Lock()

    def hold(self, source: KeySource) -> None:
        """Take the keys from `source` from now on."""
        with self._lock:
            self._source, self._keys = source, None

    def keys(self, *, may_create: bool = False) -> str:
        """Return the keys of secrets. Without any, create a key if `may_create`.

        Raises:
            SecretsKeyError: there are none.
        """
        with self._lock:
            if self._source is None:
                raise SecretsKeyError("this process has no key of stored secrets")
            if self._keys is None:
                self._keys = self._source.read()
            if self._keys is None and may_create:
                self._keys = self._source.create()
            if self._keys is None:
                raise SecretsKeyError(self._source.missing())
            return self._keys


RING: Final = KeyRing()
"""The keys of this process."""


@lru_cache(maxsize=_RINGS_MAX)
def fernet_of(keys: str) -> "MultiFernet":
    """Return a cipher for `keys`, which are separated by blanks.

    It encrypts with the first key, and decrypts with any of them.
    """
    from cryptography.fernet import MultiFernet  # noqa: PLC0415 - most processes have no secret, and save 8 MB

    return MultiFernet([_fernet(key) for key in keys.split()])


def _fernet(key: str) -> "Fernet":
    backend = FernetBackend()
    backend.mount_vault(key)
    return backend.fernet


def derived_keys(keys: str, purpose: str) -> str:
    """Return Fernet keys for one purpose of another process, one for each of `keys`, which do not follow from them."""
    return " ".join(
        base64.urlsafe_b64encode(hmac.digest(key.encode(), purpose.encode(), "sha256")).decode() for key in keys.split()
    )


def is_signed(token: str, keys: str) -> bool:
    """Return whether a Fernet token was made with one of `keys`, by its signature and without decrypting it."""
    try:
        signed = base64.urlsafe_b64decode(token)
    except ValueError:
        return False
    signature = signed[-_SIGNATURE_BYTES:]
    return any(hmac.compare_digest(signature, _signature(signed[:-_SIGNATURE_BYTES], key)) for key in keys.split())


def _signature(text: bytes, key: str) -> bytes:
    # The cipher is made of the hash of a key, whose first half signs.
    return hmac.digest(hashlib.sha256(key.encode()).digest()[:_SIGNING_KEY_BYTES], text, "sha256")


class _RingBackend(FernetBackend):
    """Fernet with several keys."""

    def mount_vault(self, key: str | bytes) -> None:
        """Take keys, given as texts between blanks."""
        self.fernet: Any = fernet_of(key if isinstance(key, str) else key.decode())

    def decrypt(self, value: Any) -> str:  # noqa: ANN401 - as in the base class
        """Return the text of a token.

        Raises:
            UnreadableSecretError: it is no token of these keys.
        """
        from cryptography.fernet import InvalidToken  # noqa: PLC0415 - as for `fernet_of`

        try:
            return super().decrypt(value)
        except (InvalidToken, UnicodeError):
            raise UnreadableSecretError("a stored secret cannot be decrypted with the keys of this process") from None


class Secret(EncryptedString):
    """A column type for texts that are encrypted in the database."""

    cache_ok = True

    def __init__(self) -> None:
        super().__init__(key=RING.keys, backend=_RingBackend)

    def __repr__(self) -> str:
        """Return the name of the type only, because migrations contain it."""
        return f"{type(self).__name__}()"

    def bind_expression(self, bindparam: Any) -> Any:  # noqa: ANN401 - as in the base class
        """Return the parameter. Statements are compiled before the keys are known."""
        return bindparam

    def column_expression(self, column: Any) -> Any:  # noqa: ANN401 - as in the base class
        """Return the column. Statements are compiled before the keys are known."""
        return column


class SecretParameters(Secret):
    """Parameters of a gateway: a JSON object as text that is encrypted, because any part of it may be a secret.

    Parameters that cannot be decrypted are empty. So one row that was edited by hand stops its own gateway only, whose
    carrier says which parameters are missing.
    """

    cache_ok = True

    def process_result_value(self, value: Any, dialect: Any) -> str | None:  # noqa: ANN401 - as in the base class
        """Return the parameters of a row."""
        with contextlib.suppress(UnreadableSecretError):
            return super().process_result_value(value, dialect)
        return "{}"


class AgentSecret(Secret):
    """The secrets of programs that talk. One that cannot be decrypted is none, so it stops its own program only."""

    cache_ok = True

    def process_result_value(self, value: Any, dialect: Any) -> str | None:  # noqa: ANN401 - as in the base class
        """Return the secret of a row."""
        with contextlib.suppress(UnreadableSecretError):
            return super().process_result_value(value, dialect)
        return None


class SoundKey(Secret):
    """The key of a recording. A statement reads its token, which `opened_key` opens: a list needs none of its keys."""

    cache_ok = True

    def process_result_value(self, value: Any, dialect: Any) -> str | None:  # noqa: ANN401, ARG002 - as in the base class
        """Return the token of a row."""
        return None if value is None else str(value)


def opened_key(token: str | None) -> str:
    """Return the key in a token. It is empty if it cannot be decrypted, so that nobody hears this recording alone."""
    from cryptography.fernet import InvalidToken  # noqa: PLC0415 - as for `fernet_of`

    try:
        return fernet_of(RING.keys()).decrypt((token or "").encode()).decode()
    except (InvalidToken, SecretsKeyError, UnicodeError):
        return ""
