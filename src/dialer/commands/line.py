"""`dialer line`: the process that holds the calls of SIP gateways. Workers start it by themselves."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import anyio

from dialer.carriers.voice.kept_messages import capture_folder
from dialer.carriers.voice.line_process import alone, serve_lines
from dialer.carriers.voice.telephone_frames import exchange_path
from dialer.commands.output import VOICE, say
from dialer.logs import configure_logs, log_unhandled
from dialer.store.media.folder import FolderMedia


def line(folder: Path, media: Path, helpers: int) -> None:
    """Hold the calls of SIP gateways, until no worker has needed the process for a while."""
    VOICE.begin_log()
    configure_logs()
    log_unhandled()
    with alone(folder) as is_alone:
        if is_alone:
            serve = partial(serve_lines, allowed=_allowed, telephones=exchange_path(media))
            anyio.run(serve, folder, FolderMedia(media), capture_folder(media), helpers)
        else:
            say("another process serves the lines of this folder")


def _allowed(host: str, port: int, *, networks: Sequence[str], account_id: int) -> Sequence[str]:
    """Return the addresses of a program to which webhooks might be sent, too, among the lookups of an account."""
    from dialer.webhooks.addresses import AddressGuard  # noqa: PLC0415 - few calls have programs
    from dialer.webhooks.names import names_of  # noqa: PLC0415 - as above

    with names_of(account_id):
        return AddressGuard(tuple(networks)).addresses(host, port)
