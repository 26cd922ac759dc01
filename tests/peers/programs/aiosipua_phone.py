"""A telephone on aiosipua and aiortp: told by lines, it tells what happens. It runs in an environment of its own."""

import asyncio
import sys

from aiosipua import SipUAC, SipUAS
from aiosipua.rtp_bridge import CallSession
from aiosipua.transport import UdpSipTransport

HOST = "127.0.0.1"
SIP_PORT, RTP_PORT = int(sys.argv[1]), int(sys.argv[2])
SESSION_EXPIRES = 90


class Phone:
    """One call at a time."""

    def __init__(self) -> None:
        transport = UdpSipTransport(local_addr=(HOST, SIP_PORT))
        self.uac = SipUAC(transport)
        self.uas = SipUAS(transport, uac=self.uac, session_expires=SESSION_EXPIRES)
        self.uas.on_invite = self.rings
        self.uas.on_bye = lambda *_: print("over", flush=True)
        self.uas.on_cancel = lambda *_: print("over", flush=True)
        self.uas.on_session_expired = lambda *_: print("expired", flush=True)
        self.uas.on_update = lambda *_: print("updated", flush=True)
        self.call = self.session = None

    def rings(self, call) -> None:
        self.call = call
        call.ringing()
        print("rings", flush=True)

    async def answer(self) -> None:
        self.session = CallSession(local_ip=HOST, rtp_port=RTP_PORT, offer=self.call.sdp_offer)
        self.call.accept(self.session.sdp_answer)
        await self.session.start()

    async def do(self, command: str, *words: str) -> None:
        match command:
            case "answer":
                await self.answer()
            case "press":
                self.session.send_dtmf(words[0])
            case "info":
                body = f"Signal={words[0]}\r\nDuration=160\r\n"
                self.uac.send_info(self.call.dialog, body, "application/dtmf-relay", self.call.source_addr)
            case "busy":
                self.call.reject(486)
            case "decline":
                self.call.reject(603)
            case "hangup":
                self.call.hangup()


async def main() -> None:
    phone = Phone()
    await phone.uas.start()
    print("ready", flush=True)
    loop = asyncio.get_running_loop()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        await phone.do(*line.split())


asyncio.run(main())
