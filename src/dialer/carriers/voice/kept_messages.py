"""The messages of each leg that `call_trace` has kept: where they are, and how to read them."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

KEPT_S: Final = 86_400
LEG_BYTES_MAX: Final = 64 * 1024
"""Bytes of the file of one leg. Messages after them are not kept."""
_SIP_CALL_ID: Final = re.compile(r"\s*(?:call-id|i)\s*:\s*([!-~]{1,256})\s*", re.IGNORECASE)
NAME: Final = re.compile(r"[0-9A-Za-z-]{8,36}", re.ASCII)
"""The form of the key of a leg, which names its file."""


def capture_folder(media: Path) -> Path:
    """Return the folder of the messages, beside the media folder."""
    absolute = media.absolute()
    return absolute.with_name(f"{absolute.name}-messages")


def read_capture(folder: Path, key: str, now_s: float) -> list[str]:
    """Return the lines that were kept of a leg in the last day; none if there are none, or if they cannot be read."""
    path = folder / f"{key}.txt"
    try:
        if not NAME.fullmatch(key) or now_s - path.stat().st_mtime >= KEPT_S:
            return []
        return path.read_text(encoding="utf-8", errors="replace")[: 2 * LEG_BYTES_MAX].splitlines()
    except OSError:
        return []


def sip_call_id(lines: Iterable[str]) -> str:
    """Return the Call-ID of the messages of a call, by which its carrier knows it; empty without one."""
    matches = (_SIP_CALL_ID.fullmatch(line) for line in lines)
    return next((match.group(1) for match in matches if match), "")
