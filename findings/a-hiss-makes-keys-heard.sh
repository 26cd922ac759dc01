#!/usr/bin/env bash
# One would guess: a detector of keys hears a clean line at least as well as a noisy one.
# What happens: dtmf-detection-stream forgets nothing while a line is quiet, and tells of a key only at a block of 92
#   samples that has another key, or sound that is none. So it hangs on the place of the key's end in a block. Of 92
#   calls with the keys 1100, each begun one sample later than the one before, it hears 49 right if there is digital
#   silence between keys, and the same 49 in a hiss of -61 dBFS. In a hiss of -49 dBFS it hears all 92. These keys are
#   of 100 ms, and so are the pauses; longer ones do not help: of 250 ms, 41 are right. Equal keys are not the cause:
#   of 1209, 59 are.
# So: try a detector at each place in its block, in silence too; or add a hiss before this one.
# Versions: npm dtmf-detection-stream 1.18.0, Node.js 20. Read 2026-11-29.
# Needs: node with npm.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts dtmf-detection-stream@1.18.0

cat >try.js <<'JS'
const assert = require("assert");
const DtmfDetectionStream = require("dtmf-detection-stream");

const RATE = 8000;
const BLOCK = 92;
const FRAME = 160;
const LEVEL = 8000; // -12 dBFS for each of the two tones
const TONES = { 0: [941, 1336], 1: [697, 1209], 2: [697, 1336], 9: [852, 1477] };

function hiss(height) {
  let state = 1;
  return () => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    return (state / 0x7fffffff - 0.5) * 2 * height;
  };
}

function sound(keys, { keyMs, pauseMs, lead, height }) {
  const quiet = (count) => new Array(count).fill(0);
  const samples = quiet(800 + lead);
  for (const key of keys) {
    const steps = TONES[key].map((hz) => (2 * Math.PI * hz) / RATE);
    for (let at = 0; at < (keyMs * RATE) / 1000; at += 1) {
      samples.push(LEVEL * (Math.sin(steps[0] * at) + Math.sin(steps[1] * at)));
    }
    samples.push(...quiet((pauseMs * RATE) / 1000));
  }
  samples.push(...quiet(4000));
  const noise = hiss(height);
  return Int16Array.from(samples, (sample) => Math.round(sample + noise()));
}

function heard(samples) {
  const stream = new DtmfDetectionStream({ format: { sampleRate: RATE, bitDepth: 16, channels: 1 } });
  let keys = "";
  stream.on("dtmf", ({ digit }) => (keys += digit));
  for (let at = 0; at + FRAME <= samples.length; at += FRAME) {
    stream.write(Buffer.from(samples.slice(at, at + FRAME).buffer));
  }
  return keys;
}

function right(keys, terms) {
  const calls = Array.from({ length: BLOCK }, (_, lead) => heard(sound(keys, { ...terms, lead })));
  const count = calls.filter((found) => found === keys).length;
  console.log(`${keys}: ${count} of ${BLOCK} calls are heard right`, JSON.stringify(terms));
  return count;
}

const usual = { keyMs: 100, pauseMs: 100, height: 0 };
assert.strictEqual(right("1100", usual), 49);
assert.strictEqual(right("1209", usual), 59);
assert.strictEqual(right("1100", { keyMs: 250, pauseMs: 250, height: 0 }), 41);
assert.strictEqual(right("1100", { ...usual, height: 50 }), 49);
assert.strictEqual(right("1100", { ...usual, height: 200 }), BLOCK);
assert.strictEqual(right("1209", { ...usual, height: 200 }), BLOCK);
process.exit(0); // the stream waits for more keys
JS
node try.js
