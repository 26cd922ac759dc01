"""The versions of records, which entity tags hold: digests of their fields."""

from collections.abc import Mapping
from functools import lru_cache
from hashlib import blake2b
from typing import Any, Final

import msgspec

from dialer.resources.crud.resource import Resource
from dialer.resources.crud.shapes import fields_of

DIGEST_BYTES: Final = 8
RESOURCES_KEPT_MAX: Final = 256
"""Resources whose field names are kept in a cache."""


def version_of(resource: Resource, values: Mapping[str, Any]) -> str:
    """Return the version of a record: a digest of the stored values of the fields that clients write."""
    return digest(msgspec.json.encode([values["id"], *[values[name] for name in _written(resource)]]))


def digest(content: bytes) -> str:
    """Return a digest as hexadecimal digits."""
    return blake2b(content, digest_size=DIGEST_BYTES).hexdigest()


@lru_cache(maxsize=RESOURCES_KEPT_MAX)
def _written(resource: Resource) -> tuple[str, ...]:
    """Return the names of the fields that clients write and read."""
    writable = {field.name for field in fields_of(resource.write)} if resource.write else set()
    return tuple(field.name for field in fields_of(resource.read) if field.name in writable)
