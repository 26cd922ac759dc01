"""Hostile input: mutated streams of an event socket.

`python -m tests.carriers.freeswitch.hostile --count 250000` attacks by hand; the suite does so a little.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Final

from dialer.carriers.freeswitch.event_socket_frames import BODY_BYTES_MAX, HEAD_BYTES_MAX, FrameReader, FramingError
from dialer.carriers.freeswitch.events import SwitchEvent, read_event
from dialer.carriers.freeswitch.leg_lookup import alive_by, over_by_dump, over_by_note, read_dump
from dialer.carriers.freeswitch.legs import ForTurn, LegOutput, Say, SwitchLegs
from dialer.carriers.freeswitch.parameters import FreeSwitchParameters
from dialer.carriers.line_port import LiveLeg
from dialer.domain.sessions.leg_protocol import Ask, Bridge, Clear, Detect, Dialling, Hold, Order, Play, Record, Speech
from tests.carriers.hostile import mutated, report

OUTPUTS_MAX: Final = 4
"""Commands and news that one event may cause."""
COMMAND_BYTES_MAX: Final = 1_000
LEGS: Final = 3
STREAM_ATTACKS: Final = 40
"""Attacks on one stream, before another one begins. A mutated length may have swallowed many of them."""
_EVENTS: Final = (
    *("CHANNEL_CREATE", "CHANNEL_PROGRESS", "CHANNEL_PROGRESS_MEDIA", "CHANNEL_ANSWER", "CHANNEL_UNBRIDGE"),
    *("CHANNEL_EXECUTE_COMPLETE", "CHANNEL_HANGUP_COMPLETE", "BACKGROUND_JOB", "HEARTBEAT"),
)
_NOTE: Final = "17_1700000000000000_1700000002000000_USER_BUSY"


class SwitchCapture:
    """Legs in several states, and frames that concern them."""

    def __init__(self) -> None:
        parameters = FreeSwitchParameters(password="x", dial_string="user/{number}")
        self.legs = SwitchLegs(parameters, "gateway-1", lambda name: str(Path("/media") / name))
        self.keys: Final = [f"key-{number}" for number in range(LEGS)]
        self.reader = FrameReader()
        self.now_ms = 0
        self._turn = 0
        for key in self.keys:
            self._check(self.legs.dial(0, Dialling(key, "1", "", 30_000, 60_000)))
        replies = [b"Content-Type: auth/request\n\n", b"Content-Type: command/reply\nReply-Text: +OK\n\n"]
        self.frames: Final = replies + [
            _event(name, key, turn) for name in _EVENTS for key in self.keys for turn in (1, 2)
        ]

    def attack(self, chance: Random) -> None:
        """Send some frames, of which at least one is mutated, and do something that the service does."""
        self.now_ms += chance.randrange(3_000)
        wanted = [chance.choice(self.frames) for _ in range(chance.randrange(1, 4))]
        data = mutated(b"".join(wanted), chance)
        try:
            for frame in self.reader.feed(data):
                self._hear(read_event(frame.body), frame.reply, chance)
        except FramingError:
            self.reader = FrameReader()
        assert len(self.reader._buffer) <= BODY_BYTES_MAX + HEAD_BYTES_MAX  # noqa: SLF001 - it may not grow
        self._check(list(self.legs.tick(self.now_ms)), OUTPUTS_MAX * LEGS)
        self._check(self.legs.perform(self.now_ms, chance.choice(self.keys), self._order(chance)))
        assert len(self.legs) <= LEGS

    def _hear(self, event: SwitchEvent | None, reply: str, chance: Random) -> None:
        live = LiveLeg(Dialling("key-0", "1", "", 1, 1), 9, chance.choice((None, 5)))
        over_by_note(mutated(_NOTE.encode(), chance).decode("utf-8", "replace"), live, self.now_ms)
        dump = read_dump(reply) if event is None else event
        if dump is not None:
            alive_by(dump, live)
            over_by_dump(dump)
            self._check(self.legs.hear(self.now_ms, dump))
        self._check(self.legs.replied(self.now_ms, ForTurn(chance.choice(self.keys), self._turn), reply))

    def _order(self, chance: Random) -> Order:
        self._turn += 1
        turn, speeches = self._turn, (Speech("a.wav"), Speech("b.wav"))
        orders = (Play(turn, speeches), Ask(turn, speeches, 3, 1_000), Record(turn, "r"), Hold(turn), Detect(turn))
        return chance.choice((*orders, *orders, Bridge(turn, "key-1"), Clear(turn)))

    def _check(self, outputs: list[LegOutput], most: int = OUTPUTS_MAX) -> None:
        assert len(outputs) <= most, outputs
        for one in outputs:
            if isinstance(one, Say):
                assert len(one.command) <= COMMAND_BYTES_MAX
                assert "\n\n" not in one.command


def _event(name: str, key: str, turn: int) -> bytes:
    fields = {
        "Event-Name": name,
        "Unique-ID": key,
        "Core-UUID": "c",
        "Event-Date-Timestamp": "1700000003000000",
        "Answer-State": "answered",
        "Channel-State": "CS_EXECUTE",
        "Application-UUID": f"{key}:{turn}",
        "Job-UUID": key,
        "_body": "-ERR USER_BUSY",
        "Hangup-Cause": "USER_BUSY",
        "variable_record_ms": "1500",
        f"variable_keys_{turn}": "12",
        "Caller-Channel-Answered-Time": "1700000000000000",
        "variable_hangup_cause_q850": "17",
    }
    body = json.dumps(fields).encode()
    return b"Content-Length: %d\nContent-Type: text/event-json\n\n" % len(body) + body


def attacks(count: int, seed: int) -> Iterator[int]:
    """Attack `count` times. Now and then, another stream and other legs begin."""
    chance, capture = Random(seed), SwitchCapture()  # noqa: S311 - chance makes attacks, never a secret
    for number in range(count):
        if number % STREAM_ATTACKS == STREAM_ATTACKS - 1:
            capture = SwitchCapture()
        capture.attack(chance)
        yield number


if __name__ == "__main__":
    report(attacks, __doc__, 250_000)
