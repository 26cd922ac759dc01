#!/usr/bin/env bash
# One would guess: the transport that asyncio hands to a DatagramProtocol is an asyncio.DatagramTransport, as the
#   documentation and the type stubs say.
# What happens: up to Python 3.11 its class derives from Transport, the one of streams, and from no DatagramTransport;
#   since 3.12 from both. A program that checks with isinstance works on 3.12 and not on 3.11. The SIP library aiosipua
#   asserts it in connection_made. asyncio logs an exception in a callback and goes on, so each start prints a
#   traceback, and calls still work, because the library keeps the transport a second time elsewhere.
# So: an assertion on a type of the standard library is a test of the Python version; and an exception in a callback
#   of asyncio does not stop what follows.
# Versions: Python 3.11.7, aiosipua 0.7.1. Read 2026-11-28.
# Needs: python3.11 (as python3.11 or python3) with venv, and PyPI.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python=$(command -v python3.11 || command -v python3)
"$python" -c 'import sys; assert sys.version_info[:2] == (3, 11), "this needs Python 3.11"'
"$python" -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --disable-pip-version-check aiosipua==0.7.1

"$folder/venv/bin/python" - <<'PYTHON'
import asyncio

from aiosipua.transport import UdpSipTransport

raised = []


async def main() -> None:
    asyncio.get_running_loop().set_exception_handler(lambda _, context: raised.append(context["exception"]))
    transport, _ = await asyncio.get_running_loop().create_datagram_endpoint(
        asyncio.DatagramProtocol, local_addr=("127.0.0.1", 0)
    )
    is_datagram = isinstance(transport, asyncio.DatagramTransport)
    print("asyncio's transport for UDP is a DatagramTransport:", is_datagram)
    assert not is_datagram and isinstance(transport, asyncio.Transport)
    sip = UdpSipTransport(local_addr=("127.0.0.1", 0))
    await sip.start()
    print("aiosipua raised", [type(error).__name__ for error in raised], "and has a transport:", sip._udp_transport is not None)
    assert [type(error) for error in raised] == [AssertionError]
    assert sip._udp_transport is not None
    await sip.stop()


asyncio.run(main())
PYTHON
