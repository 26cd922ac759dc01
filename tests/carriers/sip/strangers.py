"""Strangers who send SIP to a call: third parties with what they overheard or guessed, from anywhere."""

from random import Random
from typing import Final

from dialer.carriers.sip.flows import Flow
from dialer.carriers.sip.messages import Received, read_message
from dialer.carriers.sip.outputs import LegArrived, Output, Send
from dialer.carriers.sip.trunk import Trunk
from tests.carriers.sip.network import SERVER, T1_MS, Network, at_once

CARRIER: Final = "192.0.2.10"
EVIL: Final = ("203.0.113.66", 5060)
CHALLENGES: Final = (
    ("401 Unauthorized", "WWW-Authenticate"),
    ("407 Proxy Authentication Required", "Proxy-Authenticate"),
)
METHODS: Final = ("BYE", "INFO", "INVITE", "CANCEL", "ACK", "UPDATE", "OPTIONS", "REFER", "MESSAGE", "NOTIFY")


class Tapped(Network):
    """A network in which a stranger overhears everything, and sends what he likes after each datagram of the call."""

    def __init__(self, callee: "object", chance: Random, trunk: Trunk) -> None:
        super().__init__(callee, at_once, trunk)  # type: ignore[arg-type] # a telephone of these tests
        self._chance = chance
        self._overheard: list[bytes] = []
        self.to_strangers: list[Send] = []
        """Datagrams to addresses that are not the carrier's."""
        self.caused: list[Output] = []
        """Outputs that datagrams of strangers have caused."""
        self.with_credentials: list[Send] = []

    def take(self, outputs: list[Output]) -> None:
        """Overhear what is sent, and pass it on."""
        for one in outputs:
            if isinstance(one, Send):
                self._overheard.append(one.data)
                if b"Authorization:" in one.data:
                    self.with_credentials.append(one)
                if one.flow.address[0] != CARRIER:
                    self.to_strangers.append(one)
        super().take(outputs)

    def to_us(self, data: bytes) -> None:
        """Overhear what comes in, and let the stranger send something at once."""
        self._overheard.append(data)
        super().to_us(data)
        for _ in range(self._chance.choice((0, 1, 3))):
            self.attack()

    def attack(self) -> None:
        """Send one datagram of a stranger."""
        source = (f"203.0.113.{self._chance.randrange(1, 255)}", self._chance.choice((5060, SERVER[1], 40_000)))
        self.caused += (outputs := self.agent.receive(self.now_ms, self._forged(), Flow(source)))
        super().take(outputs)

    def _forged(self) -> bytes:
        """Return a datagram made of what was overheard."""
        data = self._chance.choice(self._overheard)
        message = read_message(data)
        match self._chance.randrange(5):
            case 0:
                return data
            case 1:
                return data[: self._chance.randrange(len(data))]
            case 2 if not message.status:
                return challenge(message, *self._chance.choice(CHALLENGES))
            case 3:
                return self._chance.randbytes(400)
            case _:
                return request(message, self._chance.choice(METHODS), self._chance.randrange(1, 99))


def challenge(asked: Received, line: str, header: str, realm: str = "carrier.example") -> bytes:
    """Return a challenge to a request."""
    copied = [f"{name}: {asked.header(name)}" for name in ("Via", "From", "Call-ID", "CSeq")]
    to = asked.header("To") if asked.to_tag else f"{asked.header('To')};tag=evil"
    lines = [f"SIP/2.0 {line}", *copied, f"To: {to}", f'{header}: Digest realm="{realm}", nonce="n1"']
    return "\r\n".join([*lines, "Content-Length: 0", "", ""]).encode()


def request(overheard: Received, method: str, cseq: int) -> bytes:
    """Return a request within the call of a message that was overheard."""
    to, sender = overheard.header("To"), overheard.header("From")
    lines = [
        f"{method} sip:anna@192.0.2.1:5070 SIP/2.0",
        f"Via: SIP/2.0/UDP {EVIL[0]}:{EVIL[1]};branch=z9hG4bK{method}{cseq}",
        f"From: {sender if cseq % 2 else to}",
        f"To: {to if cseq % 2 else sender}",
        f"Call-ID: {overheard.call_id}",
        f"CSeq: {cseq} {method}",
        f"Contact: <sip:evil@{EVIL[0]}>",
        "Content-Length: 0",
    ]
    return "\r\n".join([*lines, "", ""]).encode()


def story(network: Network) -> tuple[list[str], list[str]]:
    """Return what was told of a call, and what was sent."""
    names = [type(one).__name__ for one in network.told if not isinstance(one, LegArrived)]
    return names, network.lines


SETTLED_MS: Final = 200 * T1_MS
"""Time by which a call of these tests is over."""
