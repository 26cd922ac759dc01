"""`dialer line`: the process that holds the calls of SIP gateways. Workers start it by themselves."""

from collections.abc import Sequence
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

import anyio

from dialer.carriers.voice.kept_messages import capture_folder
from dialer.carriers.voice.line_process import alone, serve_lines
from dialer.carriers.voice.telephone_frames import exchange_path
from dialer.commands.output import VOICE, say
from dialer.logs import configure_logs, log_unhandled
from dialer.store.media.folder import FolderMedia

if TYPE_CHECKING:
    from dialer.webhooks.call_names import CallNames


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
    return _names().addresses(host, port, networks=networks, account_id=account_id)


@cache
def _names() -> "CallNames":
    from dialer.webhooks.call_names import CallNames  # noqa: PLC0415 - few calls have programs

    return CallNames()
