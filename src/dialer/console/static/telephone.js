// The telephone of an agent at the desk: sound to and from the server over WebRTC. Calls are answered by the server, so
// this script only keeps the connection: after a change of network it makes another one, and a call goes on with that.

const CONNECT_MS = 8000;
const RETRY_MS = [1500, 3000, 5000, 10000, 20000, 30000];
const LOST_MS = 2500;
const LOOK_MS = 5000;
const LEVEL_MS = 100;
const LEVEL_GAIN = 4; // Speech at a good distance fills most of the meter.
const LOSSY_PERCENT = 3;
const GONE = 404;
const box = document.querySelector("#telephone");
const words = box.dataset;
const parts = Object.fromEntries([...box.querySelectorAll("[data-part]")].map((part) => [part.dataset.part, part]));
const pause = (ms) => new Promise((done) => setTimeout(done, ms));
let token = "";
let stream = null;
let link = null; // The connection in use.
let isOver = false;
let isMuted = false;
let isConnecting = false;
let waitMs = 0; // As long as the server wants us to wait before the next attempt.
let turn = 0;

function say(name, percent = 0) {
  box.dataset.now = name;
  const text = words[name].replace("{percent}", percent);
  if (parts.state.textContent !== text) parts.state.textContent = text;
}

function ready(percent = 0) {
  if (isMuted) say("muted");
  else if (percent >= LOSSY_PERCENT) say("lossy", percent);
  else say("connected");
}

async function post(url, fields) {
  const body = new URLSearchParams({ csrf: words.csrf, ...fields });
  return fetch(url, { method: "POST", body, headers: { Accept: "application/json" } });
}

// The server speaks nothing but PCMU, which carriers take as it is.
function limit(transceiver) {
  const known = RTCRtpReceiver.getCapabilities?.("audio")?.codecs ?? [];
  const spoken = known.filter((codec) => /pcmu|telephone-event/i.test(codec.mimeType) && codec.clockRate === 8000);
  if (spoken.length) transceiver.setCodecPreferences?.(spoken);
}

// Connect, until it works or the telephone is open elsewhere. The newest attempt counts. Each one waits for longer.
async function connect() {
  const mine = ++turn;
  isConnecting = true;
  for (let tries = 0; !isOver && mine === turn; tries++) {
    const made = new RTCPeerConnection();
    waitMs = 0;
    if (await attempt(made, mine)) break;
    made.close();
    await pause(Math.max(RETRY_MS[Math.min(tries, RETRY_MS.length - 1)], waitMs));
  }
  if (mine === turn) isConnecting = false;
}

// A refusal is shown in the server's words, until a connection is up.
async function refused(answer) {
  waitMs = 1000 * (Number(answer.headers.get("Retry-After")) || 0);
  const { messages } = await answer.json();
  box.dataset.now = "waiting";
  parts.state.textContent = messages.join(" ");
  return false;
}

async function attempt(made, mine) {
  try {
    limit(made.addTransceiver(stream.getAudioTracks()[0], { direction: "sendrecv", streams: [stream] }));
    made.addEventListener("track", (event) => {
      parts.speaker.srcObject = new MediaStream([event.track]);
      parts.speaker.play().catch(() => {}); // A page that uses the microphone may play.
    });
    await made.setLocalDescription();
    const answer = await post("/console/desk/telephone/", { offer: made.localDescription.sdp, token });
    if (answer.status === GONE && token) return await isElsewhere() && over("elsewhere");
    if (!answer.ok) return await refused(answer);
    const told = await answer.json();
    token = told.token;
    await made.setRemoteDescription({ type: "answer", sdp: told.answer });
  } catch {
    return false;
  }
  link?.close();
  link = made;
  const isUp = await settled(made);
  if (isUp && mine === turn) {
    watch(made);
    parts.mute.disabled = false;
    ready();
  } else if (!isUp && mine === turn) say("port");
  return isUp;
}

// The server forgets a telephone that was away for long, and all of them if their process ends. Then the page opens a new
// one. If it has another one for this agent, another window does the work.
async function isElsewhere() {
  const answer = await post("/console/desk/telephone/state/", {});
  if (answer.ok && (await answer.json()).state === "off") token = "";
  return token !== "" && answer.ok;
}

function over(name) {
  isOver = true;
  link?.close();
  stream?.getTracks().forEach((track) => track.stop());
  parts.mute.disabled = true;
  say(name);
  return true;
}

// Wait until a connection is up, and return whether it is.
function settled(made) {
  return new Promise((done) => {
    const end = setTimeout(() => done(false), CONNECT_MS);
    made.addEventListener("connectionstatechange", () => {
      if (!["connected", "failed", "closed"].includes(made.connectionState)) return;
      clearTimeout(end);
      done(made.connectionState === "connected");
    });
  });
}

// A connection that is down for a moment comes back by itself. One that stays down is made anew.
function watch(made) {
  const check = async () => {
    if (made !== link || isOver || made.connectionState === "connected") return;
    say("lost");
    if (made.connectionState === "disconnected") await pause(LOST_MS);
    if (made !== link || made.connectionState === "connected") return made === link && ready();
    connect();
  };
  made.addEventListener("connectionstatechange", check);
}

window.addEventListener("online", () => token && connect());
navigator.connection?.addEventListener("change", () => token && link?.connectionState !== "connected" && connect());

// How much of the agent's sound gets lost, and whether the telephone is still the one of this page.
async function look() {
  const seen = link;
  if (isOver || isConnecting || seen?.connectionState !== "connected") return;
  const answer = await post("/console/desk/telephone/state/", {}).catch(() => null);
  const found = answer?.ok ? await answer.json() : null;
  if (!found || isOver || isConnecting || seen !== link || seen.connectionState !== "connected") return;
  if (found.state === "connected") return ready(found.loss ?? 0);
  if (found.state === "connecting") return;
  say("lost"); // The server hears nothing of this telephone, or has none any more.
  connect();
}

async function open(deviceId = "") {
  const chosen = deviceId ? { deviceId: { exact: deviceId } } : {};
  const sound = { echoCancellation: true, noiseSuppression: true, autoGainControl: true, ...chosen };
  const opened = await navigator.mediaDevices.getUserMedia({ audio: sound });
  const [track] = opened.getAudioTracks();
  track.enabled = !isMuted;
  const sender = link?.getSenders().find((one) => one.track);
  await sender?.replaceTrack(track);
  stream?.getTracks().forEach((one) => one.stop());
  stream = opened;
  meter(opened);
}

let analyser = null;
const context = window.AudioContext && new AudioContext();
function meter(opened) {
  if (!context) return;
  context.resume().catch(() => {});
  analyser = context.createAnalyser();
  analyser.fftSize = 1024;
  context.createMediaStreamSource(opened).connect(analyser);
}
function draw() {
  if (!analyser) return;
  const samples = new Float32Array(analyser.fftSize);
  analyser.getFloatTimeDomainData(samples);
  const loudness = Math.sqrt(samples.reduce((sum, one) => sum + one * one, 0) / samples.length);
  parts.level.value = isMuted ? 0 : Math.min(1, loudness * LEVEL_GAIN);
}

async function list() {
  const found = (await navigator.mediaDevices.enumerateDevices()).filter((one) => one.kind === "audioinput");
  const used = stream?.getAudioTracks()[0]?.getSettings().deviceId;
  const options = found.map((one, place) => new Option(one.label || String(place + 1), one.deviceId, false, one.deviceId === used));
  parts.microphone.replaceChildren(...options);
}

parts.mute?.addEventListener("click", () => {
  isMuted = !isMuted;
  stream.getAudioTracks().forEach((track) => (track.enabled = !isMuted));
  parts.mute.setAttribute("aria-pressed", String(isMuted));
  ready();
});
parts.microphone?.addEventListener("change", () => open(parts.microphone.value).catch(() => list()));

async function begin() {
  if (!navigator.mediaDevices?.getUserMedia || !window.RTCPeerConnection) {
    return say(window.isSecureContext ? "missing" : "insecure");
  }
  try {
    await open();
  } catch (error) {
    return say(error.name === "NotAllowedError" ? "refused" : "missing");
  }
  navigator.mediaDevices.addEventListener("devicechange", list);
  setInterval(draw, LEVEL_MS);
  setInterval(look, LOOK_MS);
  list();
  connect();
}
if (parts.mute) begin();
