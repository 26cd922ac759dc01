"""A test of a receiver in another language: the npm package `standardwebhooks` verifies what was signed here."""

import json
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

from dialer.webhooks.signing import new_secret, signed_headers
from tests.optional_tools import find_tool, install_packages

FOLDER = Path(__file__).parent / "node"
BODY = '{"type":"call.ended","note":"Zoë"}'


def said(secret: str, headers: dict[str, str], body: str = BODY) -> str:
    """Return what a receiver with a secret says about an event."""
    done = subprocess.run(
        [find_tool("node"), "receiver.mjs", secret],
        cwd=FOLDER,
        input=json.dumps({"headers": headers, "body": body}),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return done.stdout.strip()


def test_a_program_in_node_verifies_events_and_refuses_others() -> None:
    install_packages(FOLDER)
    old, new = new_secret(), new_secret()
    now = datetime.now(UTC)
    headers = signed_headers([new, old], "evt_7", BODY, now)
    assert [said(secret, headers) for secret in (old, new)] == ["call.ended"] * 2
    assert said(new_secret(), headers) == "refused: No matching signature found"
    assert said(new, headers, BODY.replace("ended", "begun")) == "refused: No matching signature found"
    late = signed_headers([new], "evt_7", BODY, now - timedelta(minutes=6))
    assert said(new, late) == "refused: Message timestamp too old"
