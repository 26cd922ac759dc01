// A prompt recorded in the browser: record, listen, cut the beginning and the end, and save it as a WAV file with a
// name. Without this script, or without a microphone, the form for files beside it does the same. A file that the
// service does not take, such as the M4A of a telephone, becomes a WAV file here if the browser can play it.

const RATE_HZ = 16000; // More than a telephone carries.
const RECORD_S_MAX = 300;
const LEVEL_GAIN = 4; // Speech at a good distance fills most of the meter.
const STEP_S = 0.05; // The shortest piece that is left.
const WAV_HEADER_BYTES = 44;
const FILE_BYTES_MAX = 20 * 1024 * 1024;
const FILE_S_MAX = 600;
const TAKEN_AS_IT_IS = /^(RIFF|fLaC|ID3|\xff[\xe2-\xe7\xea-\xef\xf2-\xf7\xfa-\xff])/; // WAV, FLAC, MP3.

class Recorder {
  constructor(root) {
    this.root = root;
    this.parts = Object.fromEntries([...root.querySelectorAll("[data-part]")].map((part) => [part.dataset.part, part]));
    this.context = null;
    this.sound = null;
    this.source = null;
    root.hidden = false;
    root.addEventListener("click", (event) => {
      const action = event.target.closest("[data-do]")?.dataset.do;
      if (action) this[action]();
    });
    for (const end of [this.parts.start, this.parts.end]) end.addEventListener("input", () => this.cut(end));
    this.parts.form.addEventListener("submit", (event) => this.save(event));
    window.addEventListener("beforeunload", (event) => {
      if (this.sound && !this.isSaved) event.preventDefault();
    });
    if (!navigator.mediaDevices?.getUserMedia || !window.MediaRecorder) {
      this.say(window.isSecureContext ? "missing" : "insecure");
      this.parts.record.disabled = true;
    }
  }

  // A sentence, which the page brings along in the viewer's language; none clears it.
  say(name) {
    this.parts.message.textContent = name ? this.root.dataset[name] : "";
  }

  show({ isRecording, hasTake }) {
    this.parts.record.hidden = isRecording || hasTake;
    this.parts.stop.hidden = !isRecording;
    this.parts.take.hidden = !hasTake;
    this.parts.meter.hidden = hasTake;
  }

  async record() {
    this.quiet();
    this.say("");
    let stream;
    try {
      stream = await navigator.mediaDevices.getUserMedia({ audio: { channelCount: 1 } });
    } catch (error) {
      this.say(error.name === "NotAllowedError" ? "refused" : "missing");
      return;
    }
    this.sound = null;
    this.context ??= new AudioContext();
    await this.context.resume();
    this.stream = stream;
    this.meter(stream);
    const pieces = [];
    this.recorder = new MediaRecorder(stream);
    this.recorder.ondataavailable = (event) => pieces.push(event.data);
    this.recorder.onstop = () => this.take(new Blob(pieces));
    this.recorder.start();
    this.began = performance.now();
    this.timer = setTimeout(() => this.stop(), RECORD_S_MAX * 1000);
    this.show({ isRecording: true, hasTake: false });
    this.parts.stop.focus();
  }

  meter(stream) {
    const analyser = this.context.createAnalyser();
    analyser.fftSize = 1024;
    this.context.createMediaStreamSource(stream).connect(analyser);
    const samples = new Float32Array(analyser.fftSize);
    const draw = () => {
      if (this.stream !== stream) return;
      analyser.getFloatTimeDomainData(samples);
      const power = samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length;
      this.parts.level.value = Math.min(1, Math.sqrt(power) * LEVEL_GAIN);
      this.parts.time.value = clock((performance.now() - this.began) / 1000);
      requestAnimationFrame(draw);
    };
    requestAnimationFrame(draw);
  }

  stop() {
    clearTimeout(this.timer);
    if (this.recorder?.state === "recording") this.recorder.stop();
    for (const track of this.stream?.getTracks() ?? []) track.stop();
    this.stream = null;
  }

  async take(blob) {
    try {
      this.sound = await this.context.decodeAudioData(await blob.arrayBuffer());
    } catch {
      this.sound = null;
    }
    if (!this.sound || this.sound.duration < STEP_S) {
      this.sound = null;
      this.show({ isRecording: false, hasTake: false });
      this.say("silent");
      return;
    }
    this.isSaved = false;
    for (const [end, value] of [[this.parts.start, 0], [this.parts.end, this.sound.duration]]) {
      end.max = this.sound.duration.toFixed(2);
      end.value = value.toFixed(2);
    }
    this.show({ isRecording: false, hasTake: true });
    this.cut(this.parts.end);
    this.parts.listen.focus();
  }

  again() {
    this.quiet();
    this.sound = null;
    this.show({ isRecording: false, hasTake: false });
    this.record();
  }

  // The part that is left, in seconds. The end that was not moved stays.
  cut(moved) {
    const { start, end } = this.parts;
    if (Number(end.value) - Number(start.value) < STEP_S) {
      if (moved === start) start.value = Number(end.value) - STEP_S;
      else end.value = Number(start.value) + STEP_S;
    }
    for (const [range, shown] of [[start, this.parts.starts], [end, this.parts.ends]]) {
      shown.value = clock(Number(range.value), 1);
      range.setAttribute("aria-valuetext", shown.value);
    }
    this.parts.length.value = clock(Number(end.value) - Number(start.value), 1);
    this.quiet();
    this.draw();
  }

  draw() {
    const canvas = this.parts.wave;
    const pen = canvas.getContext("2d");
    const colours = getComputedStyle(canvas);
    const samples = this.sound.getChannelData(0);
    const step = Math.max(1, Math.floor(samples.length / canvas.width));
    pen.clearRect(0, 0, canvas.width, canvas.height);
    for (let x = 0; x < canvas.width; x += 1) {
      let peak = 0;
      for (let at = x * step; at < Math.min((x + 1) * step, samples.length); at += 4) peak = Math.max(peak, Math.abs(samples[at]));
      const moment = (x / canvas.width) * this.sound.duration;
      const isLeft = moment >= Number(this.parts.start.value) && moment <= Number(this.parts.end.value);
      pen.fillStyle = isLeft ? colours.color : colours.borderTopColor;
      const height = Math.max(1, peak * canvas.height);
      pen.fillRect(x, (canvas.height - height) / 2, 1, height);
    }
  }

  listen() {
    if (this.source) return this.quiet();
    const [start, end] = [Number(this.parts.start.value), Number(this.parts.end.value)];
    this.source = new AudioBufferSourceNode(this.context, { buffer: this.sound });
    this.source.connect(this.context.destination);
    this.source.onended = () => this.quiet();
    this.source.start(0, start, end - start);
    this.parts.listen.setAttribute("aria-pressed", "true");
  }

  quiet() {
    const playing = this.source;
    this.source = null;
    if (playing) {
      playing.onended = null;
      playing.stop();
    }
    this.parts.listen.setAttribute("aria-pressed", "false");
  }

  async save(event) {
    event.preventDefault();
    event.stopImmediatePropagation();
    const form = this.parts.form;
    if (form.getAttribute("aria-busy")) return;
    this.quiet();
    this.say("");
    form.setAttribute("aria-busy", "true");
    try {
      const [start, end] = [Number(this.parts.start.value), Number(this.parts.end.value)];
      const filled = new FormData(form);
      filled.set(form.dataset.file, new File([await wavOf(this.sound, start, end)], "recording.wav", { type: "audio/wav" }));
      const answer = await fetch(form.action, { method: "POST", body: filled });
      if (answer.ok) {
        this.isSaved = true;
        location.assign(answer.url);
        return;
      }
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const reason = page.querySelector("[role=alert], h1 ~ p")?.textContent.trim();
      this.parts.message.textContent = reason || this.root.dataset.failed;
    } catch {
      this.say("failed");
    } finally {
      form.removeAttribute("aria-busy");
    }
  }
}

// A part of a sound as a WAV file: one channel, 16 bits.
async function wavOf(sound, start, end) {
  const frames = Math.max(1, Math.round((end - start) * RATE_HZ));
  const renderer = new OfflineAudioContext(1, frames, RATE_HZ);
  const source = new AudioBufferSourceNode(renderer, { buffer: sound });
  source.connect(renderer.destination);
  source.start(0, start, end - start);
  const samples = (await renderer.startRendering()).getChannelData(0);
  const file = new DataView(new ArrayBuffer(WAV_HEADER_BYTES + 2 * frames));
  const write = (at, text) => [...text].forEach((letter, place) => file.setUint8(at + place, letter.charCodeAt(0)));
  write(0, "RIFF");
  file.setUint32(4, file.byteLength - 8, true);
  write(8, "WAVEfmt ");
  file.setUint32(16, 16, true);
  file.setUint16(20, 1, true); // PCM.
  file.setUint16(22, 1, true); // One channel.
  file.setUint32(24, RATE_HZ, true);
  file.setUint32(28, 2 * RATE_HZ, true);
  file.setUint16(32, 2, true);
  file.setUint16(34, 16, true);
  write(36, "data");
  file.setUint32(40, 2 * frames, true);
  samples.forEach((sample, place) => {
    file.setInt16(WAV_HEADER_BYTES + 2 * place, Math.round(Math.max(-1, Math.min(1, sample)) * 0x7fff), true);
  });
  return file.buffer;
}

// Put a WAV file in the place of a chosen file that only the browser can play. Others stay: the service names them.
async function convertChosen(input) {
  const [file] = input.files;
  if (!file || file.size > FILE_BYTES_MAX) return;
  const start = String.fromCharCode(...new Uint8Array(await file.slice(0, 4).arrayBuffer()));
  if (TAKEN_AS_IT_IS.test(start)) return;
  const sound = await new OfflineAudioContext(1, 1, RATE_HZ).decodeAudioData(await file.arrayBuffer()).catch(() => null);
  if (!sound || sound.duration > FILE_S_MAX) return;
  const chosen = new DataTransfer();
  const name = `${file.name.replace(/\.[^.]*$/, "")}.wav`;
  chosen.items.add(new File([await wavOf(sound, 0, sound.duration)], name, { type: "audio/wav" }));
  if (input.files[0] === file) input.files = chosen.files; // Unless another one was chosen meanwhile.
}

// A length of time such as 1:05, with some decimals.
function clock(seconds, decimals = 0) {
  const minutes = Math.floor(seconds / 60);
  const rest = (seconds - 60 * minutes).toFixed(decimals);
  return `${minutes}:${rest.padStart(decimals ? 3 + decimals : 2, "0")}`;
}

for (const root of document.querySelectorAll("[data-recorder]")) new Recorder(root);
for (const input of document.querySelectorAll("input[data-sound]")) {
  const button = input.form.querySelector("button.primary");
  input.addEventListener("change", async () => {
    button.disabled = true;
    await convertChosen(input).finally(() => (button.disabled = false));
  });
}
