// The desk: orders are sent without leaving the page, and what an agent types is kept on the server at once.

const RETRY_MS = [300, 700, 1500, 3000, 5000, 5000, 5000, 5000];
const TYPED_MS = 250;
const ANSWER_MS = 5000;
const SEEN_MS = 10000;
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
  const shape = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" };
  const time = new Date().toLocaleTimeString(document.documentElement.lang || [], shape);
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
// What waits to be sent again is sent once the stream is back.
let tellBack;
let back;
const awaitBack = () => (back = new Promise((done) => (tellBack = done)));
awaitBack();
part.addEventListener("live-lost", () => lost("stream"));
part.addEventListener("live-found", () => {
  if (troubles.has("stream")) {
    tellBack();
    awaitBack();
  }
  found("stream");
});
part.addEventListener("live-ended", ended);

// Of orders of one kind the newest one counts. It ends the repetition of the one before, and waits for its answer, so
// that they arrive in their order.
const KINDS = { work: "status", hold: "hold", resume: "hold" };
const turns = new Map();
class Turn {
  constructor(kind) {
    this.isOver = false;
    this.over = new Promise((end) => (this.end = end));
    turns.get(kind)?.stop();
    this.before = turns.get(kind)?.sent;
    if (kind) turns.set(kind, this);
  }

  stop() {
    this.isOver = true;
    this.end();
  }

  send(...order) {
    this.sent = Promise.resolve(this.before).then(() => send(...order, this));
    return this.sent;
  }
}

// Send a form until the server has answered, and return the answer; null if it never did. An order that arrives twice
// does nothing more. An answer that does not come for some seconds counts as none.
async function send(url, fields, waits = RETRY_MS, turn = new Turn()) {
  const body = new URLSearchParams(fields);
  for (const wait of [...waits, 0]) {
    if (turn.isOver) break;
    const signal = AbortSignal.timeout(ANSWER_MS);
    try {
      const headers = { Accept: "application/json" };
      const answer = await fetch(url, { method: "POST", body, headers, signal, keepalive: true });
      if (answer.status === 401 || answer.status === 403) ended();
      if (!TOO_BUSY.has(answer.status)) {
        found(url);
        return answer;
      }
    } catch {
      lost(url);
    }
    if (wait) await Promise.race([pause(wait), turn.over, back]);
  }
  if (waits.length) found(url); // Nothing is sent again by itself.
  return null;
}

sessionStorage.setItem("dialer-desk", words.viewer); // So the other pages in this tab say that the agent is there, too.

// The desk says every few seconds that it is open and hears of changes. Events wake it: timers of hidden tabs may rest.
let seenNext = 0;
part.addEventListener("live-found", async () => {
  if (isEnded || performance.now() < seenNext) return;
  seenNext = performance.now() + SEEN_MS;
  const answer = await send(part.dataset.live, { csrf: token }, []);
  if (!answer?.ok) seenNext = 0;
});

// The window that opens the page of each call in the CRM hears of the call on the desk, and asks for it at its start.
const crm = new BroadcastChannel(`dialer-crm-${words.viewer}`);
let toldCall = "";
function tellCrm() {
  const link = part.querySelector("[data-crm]");
  if (!link || link.dataset.crm === toldCall) return;
  toldCall = link.dataset.crm;
  crm.postMessage({ call: toldCall, url: link.href });
}
crm.addEventListener("message", ({ data }) => {
  if (data !== "ask") return;
  toldCall = "";
  tellCrm();
});
part.addEventListener("live-found", tellCrm);
part.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-crm-window]");
  if (!link) return;
  event.preventDefault();
  window.open(link.href, "", "noopener,popup,width=480,height=320");
});
tellCrm();

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

// What is typed: kept in this tab for its agent until the server has it. Each box is sent by itself, in the order of
// typing. What is typed while an outcome is being saved is sent after it.
const OWN = `dialer-draft-${words.viewer}-`;
const FIELDS = "input, textarea, select";
const keyOf = (call) => `${OWN}${call}`;
const timers = new Map();
const saving = new Set();
let sending = Promise.resolve();

function fieldsIn(box) {
  const fields = { csrf: token, call: box.dataset.call };
  for (const one of box.querySelectorAll(FIELDS)) {
    if (one.dataset.was === one.value) continue; // Nobody has typed it, and another agent may write it.
    if (!one.matches("[type=radio], [type=checkbox]") || one.checked) fields[one.name] = one.value;
  }
  return fields;
}

// What was typed in this tab. The rest of a draft is as another tab of the desk has typed it.
function typedIn(box) {
  const fields = { csrf: token, call: box.dataset.call, partial: "1" };
  for (const one of box.querySelectorAll("[data-touched]")) {
    if (one.dataset.was === one.value) fields[one.name.replace(/^field-/, "not-")] = "1";
    else if (one.matches("[type=checkbox]") && !one.checked) fields[one.name] = "";
    else if (!one.matches("[type=radio]") || one.checked) fields[one.name] = one.value;
  }
  return fields;
}

// A field that somebody has left follows other tabs and browsers again, once the server has all that was typed here.
function leave(box) {
  if ("typed" in box.dataset) return;
  const here = document.hasFocus() ? document.activeElement : null;
  const left = [...box.querySelectorAll("[data-touched]")].filter((one) => one !== here);
  for (const one of left) delete one.dataset.touched;
  if (!box.querySelector("[data-touched]")) delete box.dataset.touched;
}

function tell(box, text) {
  const line = box.querySelector("[data-kept]");
  if (line) line.textContent = text;
}

function typed(box, field) {
  const call = box.dataset.call;
  box.dataset.typed = box.dataset.touched = "";
  if (field?.matches(FIELDS)) field.dataset.touched = "";
  box.querySelector("[data-discard]").hidden = false;
  sessionStorage.setItem(keyOf(call), JSON.stringify(typedIn(box)));
  keepLater(call, TYPED_MS);
}

function keepLater(call, wait) {
  clearTimeout(timers.get(call));
  timers.set(call, setTimeout(() => keep(call), wait));
}

function keep(call) {
  if (saving.has(call)) return keepLater(call, TYPED_MS);
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
  if (answer?.status === 404) {
    forget(call); // The person was erased, or the call is gone.
    box?.remove();
    part.dispatchEvent(new CustomEvent("live-refresh"));
    return;
  }
  if (box) tell(box, answer?.ok ? words.kept : words.unkept);
  if (!answer?.ok) {
    if (!isEnded && !timers.has(call)) keepLater(call, 2000);
  } else if (sessionStorage.getItem(keyOf(call)) === kept) {
    sessionStorage.removeItem(keyOf(call));
    if (box) delete box.dataset.typed;
    if (box) leave(box);
  }
}

part.addEventListener("input", (event) => {
  const box = event.target.closest(".disposition");
  if (box) typed(box, event.target);
});
part.addEventListener("change", (event) => {
  const box = event.target.closest(".disposition");
  if (box) typed(box, event.target);
});
part.addEventListener("focusout", (event) => {
  const box = event.target.closest(".disposition[data-touched]");
  if (box) setTimeout(() => leave(box)); // The next field has the focus by then.
});
window.addEventListener("blur", () => part.querySelectorAll(".disposition[data-touched]").forEach(leave));
const flush = () => [...timers.keys()].forEach(keep);
window.addEventListener("pagehide", flush);
document.addEventListener("visibilitychange", () => document.hidden && flush());
for (const key of Object.keys(sessionStorage)) {
  const call = key.startsWith(OWN) ? key.slice(OWN.length) : "";
  if (!/^\d+$/.test(call)) continue;
  const kept = JSON.parse(sessionStorage.getItem(key));
  const box = document.querySelector(`#call-${call}`);
  for (const one of box?.querySelectorAll(FIELDS) ?? []) {
    const isGivenUp = one.name.replace(/^field-/, "not-") in kept;
    if (!(one.name in kept) && !isGivenUp) continue;
    if (one.matches("[type=radio], [type=checkbox]")) one.checked = kept[one.name] === one.value;
    else one.value = isGivenUp && !(one.name in kept) ? one.dataset.was : kept[one.name];
    one.dataset.touched = "";
  }
  if (box) box.dataset.typed = box.dataset.touched = "";
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
  const action = button.getAttribute("formaction") ?? form.getAttribute("action");
  const [url, turn] = [action, new Turn(KINDS[form.id])];
  if (call) {
    saving.add(call);
    forget(call);
    await sending; // A draft that is on its way arrives before, not after.
  }
  // A number is dialled anew by each order, so that one is not sent again by itself.
  const isOnce = form.dataset.order === "once";
  const answer = await turn.send(url, fields, isOnce ? [] : RETRY_MS);
  saving.delete(call);
  if (isOnce) found(url);
  if (turn.isOver && !answer) return; // Another order came after it.
  if (answer?.ok) {
    if (isOnce) form.reset();
    (button.closest("[data-keep]")?.querySelector("[data-refusals]") ?? refusals).replaceChildren();
    button.closest("details.sure")?.removeAttribute("open");
    if (form.id === "discard") box.remove(); // An empty form comes, if the call still has one.
    else if (call && !sessionStorage.getItem(keyOf(call))) {
      for (const name of ["typed", "touched", "keep"]) delete box.dataset[name];
    } else if (call) {
      // The box stays, because somebody types in it. The next page says which columns were written.
      for (const one of box.querySelectorAll("[data-was]")) if (one.name in fields) one.dataset.saved = fields[one.name];
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
