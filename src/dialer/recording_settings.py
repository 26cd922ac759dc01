"""The settings of recordings of whole calls: the folder or the S3 bucket where they are kept, and for how long."""

import re
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final

from dialer.domain.formats.buckets import S3, BucketPlace
from dialer.settings_values import KEPT_DAYS_MAX, Setting, SettingsError, read_base_url, read_whole

USUAL_REGION: Final = "us-east-1"
"""The region that stores other than Amazon's take for granted."""
KEY_LENGTH_MAX: Final = 500
_BUCKET: Final = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]", re.ASCII)
_PREFIX: Final = re.compile(r"[A-Za-z0-9_.=-]{1,100}(/[A-Za-z0-9_.=-]{1,100}){0,9}", re.ASCII)
_REGION: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,62}", re.ASCII)


def read_recordings(text: str) -> Path | BucketPlace:
    """Return the folder or the bucket that a text names.

    Raises:
        ValueError: it begins as a bucket, and is none.
    """
    if not text.lower().startswith(S3):
        return Path(text)
    bucket, _, prefix = text[len(S3) :].partition("/")
    prefix = prefix.rstrip("/")
    is_fit = _BUCKET.fullmatch(bucket) and (not prefix or _PREFIX.fullmatch(prefix))
    if not is_fit or {".", ".."} & set(prefix.split("/")):
        raise ValueError(text)
    return BucketPlace(bucket, prefix)


def refuse_half_a_bucket(values: Mapping[str, Any]) -> None:
    """Check the settings of a bucket that were given, by the names of their fields.

    Raises:
        SettingsError: one is missing, or there is no bucket to which they belong.
    """
    given = [name for name in ("s3_endpoint", "s3_region", "s3_key_id", "s3_secret") if values.get(name) is not None]
    if isinstance(values.get("recordings"), BucketPlace):
        if not {"s3_key_id", "s3_secret"} <= set(given):
            raise SettingsError(
                "DIALER_RECORDINGS names an S3 bucket, which needs DIALER_S3_KEY_ID and DIALER_S3_SECRET"
            )
    elif given:
        raise SettingsError(
            f"DIALER_{given[0].upper()} is set, and DIALER_RECORDINGS names no bucket, such as s3://BUCKET/PREFIX"
        )


def _read_region(text: str) -> str:
    if not _REGION.fullmatch(text):
        raise ValueError(text)
    return text


def _read_key(text: str) -> str:
    if len(text) > KEY_LENGTH_MAX or not (text.isascii() and text.isprintable()) or " " in text:
        raise ValueError(text)
    return text


RECORDING_SETTINGS: Final = (
    Setting(
        variable="DIALER_RECORDINGS",
        field="recordings",
        default="recordings in the media folder",
        meaning="encrypted recordings of whole calls; a folder is created with mode 0700",
        may_hold="the path of a folder, or a bucket such as s3://BUCKET/PREFIX",
        read=read_recordings,
    ),
    Setting(
        variable="DIALER_S3_ENDPOINT",
        field="s3_endpoint",
        default="unset",
        meaning="the store of that bucket; unset: Amazon's",
        may_hold="an http or https URL without query, such as https://s3.example",
        read=read_base_url,
    ),
    Setting(
        variable="DIALER_S3_REGION",
        field="s3_region",
        default=USUAL_REGION,
        meaning="the region of that bucket",
        may_hold="the name of a region, such as eu-central-1",
        read=_read_region,
    ),
    Setting(
        variable="DIALER_S3_KEY_ID",
        field="s3_key_id",
        default="unset",
        meaning="the id of the access key of that bucket",
        may_hold=f"up to {KEY_LENGTH_MAX} printable ASCII characters without blanks",
        read=_read_key,
    ),
    Setting(
        variable="DIALER_S3_SECRET",
        field="s3_secret",
        default="unset",
        meaning="the secret of that access key",
        may_hold=f"up to {KEY_LENGTH_MAX} printable ASCII characters without blanks",
        read=_read_key,
        is_secret=True,
    ),
    Setting(
        variable="DIALER_RECORDING_DAYS",
        field="recording_days",
        default="for ever",
        meaning="the most days for which any recording of a whole call is kept",
        may_hold=f"a whole number from 1 to {KEPT_DAYS_MAX}",
        read=partial(read_whole, least=1, most=KEPT_DAYS_MAX),
    ),
)
"""The variables of recordings, in the order of the help."""
