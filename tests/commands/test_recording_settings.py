"""Tests of the settings of recordings: a folder, or a bucket with its keys."""

from pathlib import Path
from typing import Final

import pytest

from dialer.domain.formats.buckets import BucketAccess, BucketPlace
from dialer.settings import Settings, SettingsError, load_settings

KEYS: Final = {"DIALER_S3_KEY_ID": "id", "DIALER_S3_SECRET": "hidden"}


def test_recordings_are_in_the_media_folder_unless_another_place_is_set() -> None:
    assert (Settings().recordings_dir, Settings().recordings_bucket) == (Path("media/recordings"), None)
    other = load_settings({"DIALER_RECORDINGS": "/srv/calls"})
    assert (other.recordings_dir, other.recordings_bucket) == (Path("/srv/calls"), None)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("s3://calls", BucketPlace("calls")),
        ("s3://calls/", BucketPlace("calls")),
        ("S3://calls.example/of/dialer/", BucketPlace("calls.example", "of/dialer")),
    ],
)
def test_a_bucket_is_named_with_its_keys(text: str, place: BucketPlace) -> None:
    given = {"DIALER_RECORDINGS": text, "DIALER_S3_ENDPOINT": "https://s3.example", **KEYS}
    settings = load_settings(given)
    assert settings.recordings_bucket == BucketAccess(place, "https://s3.example", "us-east-1", "id", "hidden")
    assert settings.recordings_dir == Path("media/recordings")
    assert "hidden" not in repr(settings) + repr(settings.recordings_bucket)


@pytest.mark.parametrize(
    "given",
    [
        {"DIALER_RECORDINGS": "s3://", **KEYS},
        {"DIALER_RECORDINGS": "s3://UPPER", **KEYS},
        {"DIALER_RECORDINGS": "s3://calls/../other", **KEYS},
        {"DIALER_RECORDINGS": "s3://calls/a//b", **KEYS},
        {"DIALER_RECORDINGS": "s3://calls"},
        {"DIALER_RECORDINGS": "s3://calls", "DIALER_S3_KEY_ID": "id"},
        {"DIALER_RECORDINGS": "/srv/calls", **KEYS},
        KEYS,
        {"DIALER_RECORDINGS": "s3://calls", **KEYS, "DIALER_S3_ENDPOINT": "ftp://s3.example"},
        {"DIALER_RECORDINGS": "s3://calls", **KEYS, "DIALER_S3_REGION": "Mars!"},
    ],
)
def test_half_a_bucket_is_refused(given: dict[str, str]) -> None:
    with pytest.raises(SettingsError) as refused:
        load_settings(given)
    assert "hidden" not in str(refused.value)
