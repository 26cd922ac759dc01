// The recording of a call: its moments become buttons, and its waveform a slider, by mouse and by keyboard. Without this
// script, the recording is played by the browser's own controls beside the list of moments.

const STEP_S = 5;

function begin(player) {
  const audio = player.querySelector("audio");
  const seconds = Number(player.dataset.seconds);
  const wave = player.querySelector("[data-wave]");
  if (!audio || !wave || !seconds) return;
  const head = player.querySelector("[data-head]");
  const width = wave.querySelector("svg").viewBox.baseVal.width;
  const clock = (at) => `${Math.floor(at / 60)}:${String(Math.floor(at % 60)).padStart(2, "0")}`;
  const moments = [...player.querySelectorAll("time[data-at]")].map((time) => moment(time, go));

  function show(at) {
    for (const end of ["x1", "x2"]) head.setAttribute(end, (at / seconds) * width);
    wave.setAttribute("aria-valuenow", Math.round(at));
    wave.setAttribute("aria-valuetext", clock(at));
    const now = moments.filter((one) => one.at <= at + 0.05).at(-1);
    for (const one of moments) one.item.toggleAttribute("aria-current", one === now);
    now?.item.setAttribute("aria-current", "true");
  }
  function move(at) {
    audio.currentTime = Math.min(Math.max(0, at), seconds);
    show(audio.currentTime);
  }
  function go(at) {
    move(at);
    audio.play().catch(() => {}); // A browser may want another click.
  }

  wave.setAttribute("role", "slider");
  wave.setAttribute("tabindex", "0");
  wave.setAttribute("aria-label", wave.dataset.label);
  wave.setAttribute("aria-valuemin", "0");
  wave.setAttribute("aria-valuemax", Math.round(seconds));
  wave.querySelector("svg").setAttribute("aria-hidden", "true");
  wave.addEventListener("click", (event) => {
    const box = wave.getBoundingClientRect();
    go(((event.clientX - box.left) / box.width) * seconds);
  });
  wave.addEventListener("keydown", (event) => {
    const at = audio.currentTime;
    const places = { ArrowLeft: at - STEP_S, ArrowDown: at - STEP_S, ArrowRight: at + STEP_S, ArrowUp: at + STEP_S };
    const place = { ...places, Home: 0, End: seconds }[event.key];
    const plays = event.key === " " || event.key === "Enter";
    if (place === undefined && !plays) return;
    event.preventDefault();
    if (!plays) move(place);
    else if (audio.paused) go(at);
    else audio.pause();
  });
  audio.addEventListener("timeupdate", () => show(audio.currentTime));
  show(0);
}

// A moment is a button that plays the recording from there.
function moment(time, go) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "small";
  const at = Number(time.dataset.at);
  button.addEventListener("click", () => go(at));
  time.replaceWith(button);
  button.append(time);
  return { at, item: button.closest("li") };
}

document.querySelectorAll("[data-player]").forEach(begin);
