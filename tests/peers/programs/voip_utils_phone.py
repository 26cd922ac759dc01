"""A telephone on voip-utils, as Home Assistant uses it. It answers every call, and tells when one is over."""

import asyncio
import sys

from voip_utils import SdpInfo, VoipDatagramProtocol


class Sound(asyncio.DatagramProtocol):
    """Sound that nobody hears."""

    def disconnect(self) -> None:
        """Do nothing."""


class Phone(VoipDatagramProtocol):
    """A telephone that plays nothing."""

    def on_call(self, call_info) -> None:
        print("rings", flush=True)
        super().on_call(call_info)

    def on_hangup(self, call_info) -> None:
        super().on_hangup(call_info)
        print("over", flush=True)


async def main() -> None:
    loop = asyncio.get_running_loop()
    info = SdpInfo(username="dialer", id=1, session_name="tests", version="1")
    await loop.create_datagram_endpoint(
        lambda: Phone(info, lambda *_: Sound()), local_addr=("127.0.0.1", int(sys.argv[1]))
    )
    print("ready", flush=True)
    await asyncio.Event().wait()


asyncio.run(main())
