// The desk: orders are sent without leaving the page, and what an agent types is kept on the server at once.

const RETRY_MS = [300, 700, 1500, 3000, 5000, 5000, 5000, 5000];
const TYPED_MS = 250;
const TOO_BUSY = new Set([429, 502, 503, 504]);
const part = document.querySelector("[data-live]");
const connection = document.querySelector("#connection");
const refusals = document.querySelector("#refusals");
const words = refusals.dataset;
const token = document.querySelector("#outcome [name=csrf]").value;
const pause = (ms) => new Promise((done) => setTimeout(done, ms));
let isEnded = false;

// No connection: since when, and that the call goes on. It stays until the server answers again.
function say(text) {
  if (isEnded || !connection.hidden) return;
  connection.textContent = text;
  connection.hidden = false;
}
const troubles = new Set();
function lost(what) {
  troubles.add(what);
  const time = new Date().toLocaleTimeString(document.documentElement.lang || [], { hour: "2-digit", minute: "2-digit" });
  say(connection.dataset.lost.replace("{time}", time));
}
function found(what) {
  troubles.delete(what);
  if (!isEnded && !troubles.size) connection.hidden = true;
}
function ended() {
  if (isEnded) return;
  connection.hidden = true;
  say(`${connection.dataset.ended} `);
  const link = document.createElement("a");
  link.href = "/console/sign-in/?next=%2Fconsole%2Fdesk%2F";
  link.textContent = connection.dataset.signIn;
  connection.append(link);
  isEnded = true;
}
part.addEventListener("live-lost", () => lost("stream"));
part.addEventListener("live-found", () => found("stream"));
part.addEventListener("live-ended", ended);

// Send a form until the server has answered, and return the answer; null if it never did. All these orders name their
// call or person, so one that arrives twice does nothing more.
async function send(url, fields, waits = RETRY_MS) {
  const body = new URLSearchParams(fields);
  for (const wait of [...waits, 0]) {
    try {
      const answer = await fetch(url, { method: "POST", body, headers: { Accept: "application/json" }, keepalive: true });
      if (answer.status === 401) ended();
      if (!TOO_BUSY.has(answer.status)) {
        found(url);
        return answer;
      }
    } catch {
      lost(url);
    }
    if (wait) await pause(wait);
  }
  if (waits.length) found(url); // Nothing is sent again by itself.
  return null;
}

// A refusal stands beside its button until somebody has read it.
function refuse(button, messages) {
  const place = button.closest("[data-keep]")?.querySelector("[data-refusals]") ?? refusals;
  const shown = messages.map((message) => {
    const line = document.createElement("p");
    line.className = "notice bad";
    line.setAttribute("role", "alert");
    const text = document.createElement("span");
    text.textContent = `${button.textContent.trim()}: ${message}`;
    const close = document.createElement("button");
    close.type = "button";
    close.textContent = words.close;
    close.addEventListener("click", () => line.remove());
    line.append(text, close);
    return line;
  });
  place.replaceChildren(...shown);
}

// What is typed: kept in this tab until the server has it. Each box is sent by itself, in the order of typing.
const keyOf = (call) => `dialer-draft-${call}`;
const timers = new Map();
let sending = Promise.resolve();

function fieldsIn(box) {
  const fields = { csrf: token, call: box.dataset.call };
  for (const one of box.querySelectorAll("input, textarea")) {
    if (!one.matches("[type=radio], [type=checkbox]") || one.checked) fields[one.name] = one.value;
  }
  return fields;
}

function tell(box, text) {
  const line = box.querySelector("[data-kept]");
  if (line) line.textContent = text;
}

function typed(box) {
  const call = box.dataset.call;
  box.dataset.typed = "";
  box.querySelector("[data-discard]").hidden = false;
  sessionStorage.setItem(keyOf(call), JSON.stringify(fieldsIn(box)));
  clearTimeout(timers.get(call));
  timers.set(call, setTimeout(() => keep(call), TYPED_MS));
}

function keep(call) {
  clearTimeout(timers.get(call));
  timers.delete(call);
  sending = sending.then(() => keepNow(call));
  return sending;
}

async function keepNow(call) {
  const kept = sessionStorage.getItem(keyOf(call));
  const box = document.querySelector(`#call-${call}`);
  if (!kept) return;
  const answer = await send("/console/desk/draft/", { ...JSON.parse(kept), csrf: token }, []);
  const isKept = answer?.ok || answer?.status === 404; // A call that is gone is kept nowhere.
  if (box) tell(box, isKept ? words.kept : words.unkept);
  if (!isKept) {
    if (!isEnded && !timers.has(call)) timers.set(call, setTimeout(() => keep(call), 2000));
  } else if (sessionStorage.getItem(keyOf(call)) === kept) {
    sessionStorage.removeItem(keyOf(call));
    if (box) delete box.dataset.typed;
  }
}

part.addEventListener("input", (event) => {
  const box = event.target.closest(".disposition");
  if (box) typed(box);
});
part.addEventListener("change", (event) => {
  const box = event.target.closest(".disposition");
  if (box) typed(box);
});
const flush = () => [...timers.keys()].forEach(keep);
window.addEventListener("pagehide", flush);
document.addEventListener("visibilitychange", () => document.hidden && flush());
for (const key of Object.keys(sessionStorage)) {
  const call = key.startsWith("dialer-draft-") ? key.slice("dialer-draft-".length) : "";
  if (!/^\d+$/.test(call)) continue;
  const kept = JSON.parse(sessionStorage.getItem(key));
  const box = document.querySelector(`#call-${call}`);
  for (const one of box?.querySelectorAll("input, textarea") ?? []) {
    if (one.matches("[type=radio], [type=checkbox]")) one.checked = kept[one.name] === one.value;
    else one.value = kept[one.name] ?? "";
  }
  if (box) box.dataset.typed = "";
  keep(call).then(() => part.dispatchEvent(new CustomEvent("live-refresh")));
}

// Forget what was typed about a call: it is saved, or nobody wants it any more.
function forget(call) {
  clearTimeout(timers.get(call));
  timers.delete(call);
  sessionStorage.removeItem(keyOf(call));
}

async function order(form, button) {
  const box = button.closest(".disposition");
  const call = form.id === "outcome" || form.id === "discard" ? button.value : "";
  const fields = call ? { ...fieldsIn(box) } : Object.fromEntries(new FormData(form, button));
  if (call) {
    forget(call);
    await sending; // A draft that is on its way arrives before, not after.
  }
  // A number is dialled anew by each order, so that one is not sent again by itself.
  const isOnce = form.dataset.order === "once";
  const answer = await send(form.getAttribute("action"), fields, isOnce ? [] : RETRY_MS);
  if (answer?.ok) {
    if (isOnce) form.reset();
    (button.closest("[data-keep]")?.querySelector("[data-refusals]") ?? refusals).replaceChildren();
    button.closest("details.sure")?.removeAttribute("open");
    if (form.id === "discard") box.remove(); // An empty form comes, if the call still has one.
    else if (call) {
      delete box.dataset.typed;
      delete box.dataset.keep;
    }
  } else {
    if (call) typed(box);
    const isJson = answer?.headers.get("Content-Type")?.startsWith("application/json");
    const told = isJson ? (await answer.json()).messages : null;
    if (told?.length === 0) return form.submit(); // The next page asks a question.
    if (!isEnded) refuse(button, told ?? [words.unsent]);
  }
  part.dispatchEvent(new CustomEvent("live-refresh"));
}

document.addEventListener(
  "submit",
  async (event) => {
    const [form, button] = [event.target, event.submitter];
    if (!form.matches("[data-order]") || !button) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (button.getAttribute("aria-busy")) return;
    button.setAttribute("aria-busy", "true");
    try {
      await order(form, button);
    } finally {
      button.removeAttribute("aria-busy");
    }
  },
  true,
);
