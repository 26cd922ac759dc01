#!/usr/bin/env bash
# One would guess: a framework for voice agents turns a second of speech at 24 kHz into a second of mu-law for the telephone.
# What happens: pipecat's serializers for Twilio, Telnyx and Plivo resample with a stream that holds sound back, and never
#   ask for the rest. Of an utterance of 1,000 ms they send 962.5 ms, of 200 ms 137.5 ms, and of 100 ms nothing at all.
#   They drop the rest if the next utterance begins more than 0.2 s later. With resampler_clear_after_secs=None, which its
#   docstring recommends for telephony with irregular gaps, the next utterance begins with the end of the one before.
#   From the telephone, at 8 kHz, to the pipeline's 16 kHz, the first five packets of 20 ms give no sound.
#   A pipeline that speaks at 8 kHz loses nothing, but the default is 24 kHz. Speech that ends in silence hides the loss.
# So: ask of each stage that resamples how much comes out for 100 ms of sound.
# Versions: pipecat-ai 1.14.0, soxr 1.0.0, Python 3.11.7. Read 2026-11-28.
# Needs: python3 (3.11 or newer) with venv, and PyPI. It installs the part of pipecat's dependencies that this import needs.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --disable-pip-version-check --no-deps pipecat-ai==1.14.0 soxr==1.0.0 resampy==0.4.3
"$folder/venv/bin/pip" install -q --disable-pip-version-check 'audioop-lts==0.2.2; python_version >= "3.13"' \
  aiofiles==25.1.0 aiohttp==3.14.5 docstring-parser==0.18.0 loguru==0.7.3 loudness==0.2.0 numpy==2.4.6 \
  pillow==13.0.0 pydantic==2.14.4 sentencex==1.0.32 websockets==17.4 wait-for2==0.4.1 2>"$folder/errors" ||
  { cat "$folder/errors"; exit 1; }

PYTHONWARNINGS=ignore "$folder/venv/bin/python" - <<'PYTHON'
import asyncio
import base64
import json
import math
import struct
from types import SimpleNamespace

from loguru import logger

logger.remove()

from pipecat.frames.frames import OutputAudioRawFrame
from pipecat.serializers.plivo import PlivoFrameSerializer
from pipecat.serializers.telnyx import TelnyxFrameSerializer
from pipecat.serializers.twilio import TwilioFrameSerializer

DEFAULT = 24_000


def serializer(name, **wishes):
    kind = {"Plivo": PlivoFrameSerializer, "Telnyx": TelnyxFrameSerializer, "Twilio": TwilioFrameSerializer}[name]
    encodings = {"inbound_encoding": "PCMU", "outbound_encoding": "PCMU"} if name == "Telnyx" else {}
    return kind("stream", **encodings, params=kind.InputParams(auto_hang_up=False, **wishes))


async def sent(to, length_ms, level=8000, rate=DEFAULT):
    """Return the mu-law that leaves for a tone, given in chunks of 40 ms as pipecat's transports do."""
    tone = [round(level * math.sin(2 * math.pi * 440 * n / rate)) for n in range(rate * length_ms // 1000)]
    chunk, out = rate // 25, b""
    for at in range(0, len(tone), chunk):
        part = tone[at : at + chunk]
        frame = OutputAudioRawFrame(audio=struct.pack(f"<{len(part)}h", *part), sample_rate=rate, num_channels=1)
        message = await to.serialize(frame)
        out += base64.b64decode(json.loads(message)["media"]["payload"]) if message else b""
    return out


def loud(ulaw):
    return [at for at, byte in enumerate(ulaw) if ~byte & 0x7F > 0x20]


async def main():
    lengths = (100, 200, 500, 1000)
    for name in ("Twilio", "Telnyx", "Plivo"):
        seen = {length: len(await sent(serializer(name), length)) / 8 for length in lengths}
        print(f"{name}: milliseconds spoken at 24 kHz and sent: {seen}")
        assert seen == {100: 0, 200: 137.5, 500: 412.5, 1000: 962.5}, seen
    at_8_khz = {length: len(await sent(serializer("Twilio"), length, rate=8000)) / 8 for length in lengths}
    print(f"Twilio: the same at 8 kHz: {at_8_khz}")
    assert all(length == out for length, out in at_8_khz.items()), at_8_khz

    after = {}
    for clear in (0.2, None):
        stream = serializer("Twilio", resampler_clear_after_secs=clear)
        first = await sent(stream, 1000)
        await asyncio.sleep(0.4)
        silence = await sent(stream, 1000, level=0)
        after[clear] = len(first) / 8, len(loud(silence)), max(loud(silence), default=0) / 8
        print(f"clear after {clear}: sent {after[clear][0]} ms; 0.4 s later, in silence, {after[clear][1]} loud samples")
    assert after[0.2] == (962.5, 0, 0), after
    assert after[None][0] == 962.5 and after[None][1] > 200 and 35 < after[None][2] < 40, after

    heard, packet = serializer("Twilio"), base64.b64encode(bytes([0x20, 0xA0] * 80)).decode()
    await heard.setup(SimpleNamespace(audio_in_sample_rate=16_000))  # the default of a pipeline
    frames = [await heard.deserialize(json.dumps({"event": "media", "media": {"payload": packet}})) for _ in range(50)]
    silent = next(at for at, frame in enumerate(frames) if frame and frame.audio)
    print(f"from the telephone, 8 to 16 kHz: the first {silent} packets of 20 ms give no sound")
    assert silent == 5, silent


asyncio.run(main())
PYTHON
