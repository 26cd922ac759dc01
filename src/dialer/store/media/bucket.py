"""Files in an S3 bucket, behind the five verbs of media files."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Final

from dialer.domain.formats.buckets import BucketAccess
from dialer.domain.formats.media_files import FileFacts, MediaError, StoreAwayError, parts_of_name

if TYPE_CHECKING:
    from obstore.store import S3Credential, S3Store

RETRIES_MAX: Final = 2
RETRIES_END_AFTER: Final = timedelta(seconds=10)
CONNECTS_WITHIN: Final = timedelta(seconds=5)
ANSWERS_WITHIN: Final = timedelta(seconds=60)
"""The longest request. A part of an upload has at most `PART_BYTES`."""
PART_BYTES: Final = 8 * 2**20
WHY_MAX: Final = 200
"""Characters of the store's own words in a reason."""
_WORDS: Final = (
    (("NoSuchBucket",), "there is no such bucket"),
    (
        ("InvalidAccessKeyId", "SignatureDoesNotMatch", "403 Forbidden", "401 Unauthorized", "AccessDenied"),
        "the store refuses the access key: see DIALER_S3_KEY_ID, DIALER_S3_SECRET, and what the key may do",
    ),
    (
        ("301 Moved", "PermanentRedirect", "AuthorizationHeaderMalformed"),
        "the bucket is in another region: see DIALER_S3_REGION",
    ),
    (
        ("error sending request", "HTTP error", "timed out", "dns error"),
        "the store cannot be reached: see DIALER_S3_ENDPOINT",
    ),
)
"""Words of the store, or of the library, and what they mean for an admin."""
_BEYOND_END: Final = "416 "
_OF_ONE_FILE: Final = ("AccessDenied", "403 Forbidden")
"""Words of a refusal that may concern one object alone, which a lock of the store keeps."""


class BucketError(OSError):
    """The store did not do what it was asked for; the message says why in words."""


class BucketMedia:
    """The files under one prefix of a bucket. Nothing is asked of the store before the first file is."""

    def __init__(self, access: BucketAccess) -> None:
        self._access: Final = access

    def save(self, name: str, content: bytes, *, zeros: int = 0, is_lasting: bool = True) -> None:  # noqa: ARG002 - what a store has accepted lasts
        """Save a file whole or not at all, in place of one with its name.

        Raises:
            MediaError: the store does not take it. Nothing of it is visible.
        """
        self.save_pieces(name, iter([content + bytes(zeros)]))

    def save_pieces(self, name: str, pieces: Iterator[bytes]) -> None:
        """Save a file from pieces, of which no more than one part of an upload is in memory.

        Raises:
            MediaError: as for `save`.
        """
        from obstore import put  # noqa: PLC0415 - a start does without

        parts = parts_of_name(name)
        if parts is None or parts[1].startswith("."):
            raise MediaError(f"{name!r} is no name of a file")
        try:
            with _in_words():
                put(self._store, name, pieces, chunk_size=PART_BYTES, max_concurrency=1)
        except OSError as error:
            raise MediaError(str(error)) from error

    def read(self, name: str, start: int = 0, size: int | None = None) -> bytes | None:
        """Return a part of a file; None if there is no such file.

        Raises:
            BucketError: the store does not say.
        """
        from obstore import get, get_range  # noqa: PLC0415 - a start does without

        if _is_odd(name):
            return None
        if size == 0:
            return None if self.facts(name) is None else b""
        try:
            with _in_words():
                if size is None:
                    return bytes(get(self._store, name, options={"range": {"offset": start}}).bytes())
                return bytes(get_range(self._store, name, start=start, length=size))
        except FileNotFoundError:
            return None
        except BucketError as error:
            if _BEYOND_END in str(error.__cause__):
                return b""
            raise

    def facts(self, name: str) -> FileFacts | None:
        """Return the facts of a file; None if there is none.

        Raises:
            BucketError: the store does not say.
        """
        from obstore import head  # noqa: PLC0415 - a start does without

        if _is_odd(name):
            return None
        try:
            with _in_words():
                found = head(self._store, name)
        except FileNotFoundError:
            return None
        return FileFacts(found["size"], int(found["last_modified"].timestamp()) * 10**9)

    def list_files(self, folder: str = "") -> Iterator[tuple[str, FileFacts]]:
        """Yield the names of the files outside of folders, or in a folder, and their facts.

        Raises:
            MediaError: they cannot be listed.
        """
        from obstore import list as listed  # noqa: PLC0415 - a start does without

        try:
            with _in_words():
                for chunk in listed(self._store, folder or None):
                    for one in chunk:
                        if one["path"].rpartition("/")[0] == folder:
                            changed_ns = int(one["last_modified"].timestamp()) * 10**9
                            yield one["path"], FileFacts(one["size"], changed_ns)
        except OSError as error:
            raise MediaError(str(error)) from error

    def delete(self, name: str) -> None:
        """Delete a file. Ignore names of no file.

        Raises:
            StoreAwayError: the store does nothing just now.
            MediaError: the store does not delete it.
        """
        from obstore import delete  # noqa: PLC0415 - a start does without

        if _is_odd(name):
            return
        try:
            with _in_words():
                delete(self._store, name)
        except FileNotFoundError:
            return
        except OSError as error:
            is_of_file = any(sign in str(error.__cause__) for sign in _OF_ONE_FILE)
            raise (MediaError if is_of_file else StoreAwayError)(str(error)) from error

    def _credential(self) -> "S3Credential":
        return {
            "access_key_id": self._access.key_id,
            "secret_access_key": self._access.secret,
            "token": None,
            "expires_at": None,
        }

    @cached_property
    def _store(self) -> "S3Store":
        from obstore.store import S3Store  # noqa: PLC0415 - a start does without

        # The library takes all that is not given here from variables AWS_… of the environment.
        access = self._access
        amazons = f"https://{access.place.bucket}.s3.{access.region}.amazonaws.com"
        return S3Store(
            access.place.bucket,
            prefix=access.place.prefix or None,
            endpoint=access.endpoint or amazons,
            region=access.region,
            credential_provider=self._credential,
            skip_signature=False,
            # Stores other than Amazon's rarely have a host name for each bucket.
            virtual_hosted_style_request=access.endpoint is None,
            client_options={
                "allow_http": (access.endpoint or "").startswith("http:"),
                "connect_timeout": CONNECTS_WITHIN,
                "timeout": ANSWERS_WITHIN,
            },
            retry_config={"max_retries": RETRIES_MAX, "retry_timeout": RETRIES_END_AFTER},
        )


def _is_odd(name: str) -> bool:
    parts = parts_of_name(name)
    return parts is None or parts[1].startswith(".")


@contextmanager
def _in_words() -> Iterator[None]:
    """Turn errors of the library into `BucketError`, and a missing file into FileNotFoundError."""
    from obstore.exceptions import BaseError  # noqa: PLC0415 - a start does without

    try:
        yield
    except FileNotFoundError as error:
        if "NoSuchBucket" in str(error):
            raise BucketError(_said(error)) from error
        raise
    except BaseError as error:
        raise BucketError(_said(error)) from error


def _said(error: Exception) -> str:
    """Return the reason of an error in words."""
    text = str(error)
    for signs, words in _WORDS:
        if any(sign in text for sign in signs):
            return words
    return f"the store says: {' '.join(text.partition('Debug source')[0].split())[:WHY_MAX]}"
