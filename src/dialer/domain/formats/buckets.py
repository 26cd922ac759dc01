"""Places in S3 buckets, and how they are reached."""

from typing import Final

import msgspec

S3: Final = "s3://"


class BucketPlace(msgspec.Struct, frozen=True):
    """A place in an S3 bucket."""

    bucket: str
    prefix: str = ""
    """The start of the names of all objects, without slashes at its ends; empty: none."""

    def __str__(self) -> str:
        """Return the place as it is set."""
        return f"{S3}{self.bucket}" + (f"/{self.prefix}" if self.prefix else "")


class BucketAccess(msgspec.Struct, frozen=True):
    """A place in a bucket, and how it is reached."""

    place: BucketPlace
    endpoint: str | None
    """The URL of the store; None: Amazon's own."""
    region: str
    key_id: str
    secret: str

    def __repr__(self) -> str:
        """Leave out the keys, so that no log line shows them."""
        return f"{type(self).__name__}({str(self.place)!r}, {self.endpoint!r}, {self.region!r})"
