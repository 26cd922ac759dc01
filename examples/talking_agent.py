#!/usr/bin/env python3
"""A program that talks at ws://127.0.0.1:8765/: it asks for three keys, beeps them back, and ends with a branch."""

import asyncio
import base64
import json
import math

from websockets.asyncio.server import ServerConnection, serve

RATE, KEYS, SILENCE = 8_000, 3, b"\xff"  # The line carries mu-law at 8,000 Hz.


def mulaw(sample: int) -> int:
    """Return a sample of 16 bits as one byte of mu-law."""
    magnitude = min(abs(sample), 32_635) + 132
    exponent = magnitude.bit_length() - 8
    return ~((0x80 if sample < 0 else 0) | exponent << 4 | magnitude >> exponent + 3 & 0xF) & 0xFF


def tone(hertz: int, ms: int) -> bytes:
    """Return a tone and a pause."""
    wave = (round(8_000 * math.sin(2 * math.pi * hertz * at / RATE)) for at in range(RATE * ms // 1_000))
    return bytes(map(mulaw, wave)) + SILENCE * 1_600


async def say(socket: ServerConnection, sound: bytes, mark: str) -> None:
    """Send sound of any length at once, and a mark that comes back when it was heard."""
    await socket.send(json.dumps({"event": "media", "media": {"payload": base64.b64encode(sound).decode()}}))
    await socket.send(json.dumps({"event": "mark", "mark": {"name": mark}}))


async def talk(socket: ServerConnection) -> None:
    """Ask, beep each key back as often as it says, and end once the last one was heard."""
    keys = ""
    async for raw in socket:
        message = json.loads(raw)
        # A `media` message has 20 ms of the callee's voice: a model would hear it here, and answer by `say`.
        if message["event"] == "start":
            await say(socket, tone(440, 600), "asked")
        elif message["event"] == "dtmf" and len(keys) < KEYS:
            digit = message["dtmf"]["digit"]
            keys += digit
            await socket.send(json.dumps({"event": "clear"}))  # The callee interrupts.
            await say(socket, tone(880, 150) * (int(digit) if digit.isdigit() else 1), f"key {len(keys)}")
        elif message["event"] == "mark" and message["mark"]["name"] == f"key {KEYS}":
            end = {"branch": keys[0], "result": {"keys": keys}, "summary": f"Pressed {keys}."}
            await socket.send(json.dumps({"event": "end", "end": end}))


async def main() -> None:
    """Serve calls until the program is stopped."""
    async with serve(talk, "127.0.0.1", 8765) as server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
