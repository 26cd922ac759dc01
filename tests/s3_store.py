"""An S3 store for tests: the one of moto, in this process, behind a proxy that can hold uploads back."""

import logging
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final
from urllib.parse import urlsplit

import boto3  # type: ignore[import-untyped] # it has no types of its own
from moto.server import ThreadedMotoServer

from dialer.domain.formats.buckets import BucketAccess, BucketPlace

BUCKET: Final = "calls"
PREFIX: Final = "of/dialer"
_BYTES: Final = 65_536


class S3:
    """A store with one bucket."""

    def __init__(self, host: str, port: int) -> None:
        self.endpoint: Final = f"http://{host}:{port}"
        self._client: Final = boto3.client(
            "s3",
            endpoint_url=self.endpoint,
            region_name="us-east-1",
            aws_access_key_id="key",
            aws_secret_access_key="secret",
        )
        self.add_bucket(BUCKET)

    def add_bucket(self, name: str) -> None:
        self._client.create_bucket(Bucket=name)

    def access(self, endpoint: str | None = None, bucket: str = BUCKET) -> BucketAccess:
        """Return how it is reached, by another address if one is given."""
        return BucketAccess(BucketPlace(bucket, PREFIX), endpoint or self.endpoint, "us-east-1", "key", "secret")

    def objects(self) -> dict[str, bytes]:
        """Return the objects of the bucket by their whole names."""
        listed = self._client.list_objects_v2(Bucket=BUCKET).get("Contents", [])
        return {one["Key"]: self._client.get_object(Bucket=BUCKET, Key=one["Key"])["Body"].read() for one in listed}


@contextmanager
def s3_store() -> Iterator[S3]:
    """Run a store while the context is entered."""
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        yield S3(*server.get_host_and_port())
    finally:
        server.stop()


class HoldingProxy:
    """An address of the store that takes the beginning of an upload, tells of it, and answers nothing any more."""

    def __init__(self, store: S3) -> None:
        self._listening: Final = socket.create_server(("127.0.0.1", 0))
        self._store: Final = urlsplit(store.endpoint)
        self.endpoint: Final = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        self.has_begun: Final = threading.Event()
        """Set once some bytes of an upload have come."""
        self._open: Final[list[socket.socket]] = [self._listening]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                store = socket.create_connection((self._store.hostname or "", self._store.port or 0))
                self._open.extend([client, store])
                threading.Thread(target=self._pass_on, args=(client, store), daemon=True).start()
                threading.Thread(target=self._pass_on, args=(store, client), daemon=True).start()

    def _pass_on(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while piece := source.recv(_BYTES):
                if piece.startswith(b"PUT"):
                    self.has_begun.set()
                    return
                target.sendall(piece)

    def close(self) -> None:
        """Close all connections."""
        for one in self._open:
            one.close()
