// The script of the console. Every page works without it.

// A page that an order loads anew stays where it was, and so does one with the orders to an agent.
if (document.querySelector("[data-stays]")) {
  const kept = `place of ${location.pathname}`;
  const isSame = document.referrer.startsWith(location.origin + location.pathname);
  if (isSame) scrollTo(0, Number(sessionStorage.getItem(kept)));
  addEventListener("pagehide", () => sessionStorage.setItem(kept, scrollY));
}

// The viewer's time zone, for the times that the server writes.
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
const known = document.cookie.split("; ").find((part) => part.startsWith("dialer_zone="));
if (zone && known !== `dialer_zone=${encodeURIComponent(zone)}`) {
  const secure = location.protocol === "https:" ? "; secure" : "";
  document.cookie = `dialer_zone=${encodeURIComponent(zone)}; path=/console; max-age=31536000; samesite=strict${secure}`;
  const shown = document.body.dataset.zone;
  if (shown && shown !== zone && document.cookie.includes("dialer_zone=")) location.reload();
}

// Make the children of one element equal to those of another, and keep what is equal: focus, selection and scrolling.
// Elements with an id are paired by it, so that one before them moves nothing. A part with `data-keep` stays as it is,
// because somebody may be filling it in, unless it is a closed panel. One with `data-typed` is not removed either. What
// is chosen stays chosen as long as it can be, and a list with `data-fresh` is made anew even in a part that stays.
const idOf = (node) => (node.nodeType === Node.ELEMENT_NODE ? node.getAttribute("id") : null);
let typedIn = [];
const isKept = (node) => "keep" in node.dataset && !node.matches("details:not([open])");
const isTypedIn = (node) => typedIn.some((one) => node.contains(one));

function morph(from, to) {
  const named = new Map([...from.children].filter(idOf).map((one) => [idOf(one), one]));
  const wanted = new Set([...to.children].map(idOf).filter((id) => named.has(id)));
  const stays = (node) => wanted.has(idOf(node)) || isTypedIn(node);
  let old = from.firstChild;
  for (const fresh of [...to.childNodes]) {
    while (old && !wanted.has(idOf(old)) && isTypedIn(old)) old = old.nextSibling;
    let same = named.get(idOf(fresh));
    if (same) while (old && old !== same && !stays(old)) old = removed(old);
    else if (old && !stays(old) && !idOf(old) && !idOf(fresh) && old.nodeName === fresh.nodeName) same = old;
    if (!same) {
      from.insertBefore(fresh, old);
      if (old && !stays(old)) old = removed(old);
      continue;
    }
    if (old === same) old = same.nextSibling;
    else from.insertBefore(same, old);
    update(same, fresh);
  }
  while (old) old = isTypedIn(old) ? old.nextSibling : removed(old);
}

function removed(node) {
  const next = node.nextSibling;
  node.remove();
  return next;
}

function update(old, fresh) {
  if (old.nodeType !== Node.ELEMENT_NODE) {
    if (old.data !== fresh.data) old.data = fresh.data;
  } else if (old.nodeName !== fresh.nodeName) {
    old.replaceWith(fresh);
  } else if (old.isEqualNode(fresh)) {
    return;
  } else if (isKept(old) && !isUntouched(old)) {
    if (isForm(old)) follow(old, fresh);
    for (const list of old.querySelectorAll("select[data-fresh]")) {
      const same = fresh.querySelector(`#${CSS.escape(list.id)}`);
      if (same) update(list, same);
    }
    for (const one of old.querySelectorAll("[data-saved]")) settle(one, fresh);
  } else {
    if (isForm(old)) follow(old, fresh);
    const chosen = chosenIn(old);
    for (const { name } of [...old.attributes]) {
      if (!fresh.hasAttribute(name) && name !== "open" && name !== "aria-busy") old.removeAttribute(name);
    }
    for (const { name, value } of [...fresh.attributes]) {
      if (old.getAttribute(name) !== value) old.setAttribute(name, value);
    }
    morph(old, fresh);
    if (chosen !== null) choose(old, chosen);
  }
}

// The form about a call on the desk. As long as nobody types in it here, it shows what is typed in another tab.
const isForm = (node) => node.matches("[data-call]");
const isUntouched = (node) => isForm(node) && !("touched" in node.dataset) && !("typed" in node.dataset);

// Fields in which nobody has typed here show what the page has, though others in the form stay.
function follow(form, fresh) {
  for (const one of form.querySelectorAll("input, textarea, select")) {
    const named = `[name="${CSS.escape(one.name)}"]`;
    // What stood in a column goes with what is typed there, so that a newer value is noticed.
    if (form.querySelector(`[name="${CSS.escape(one.name.replace(/^was-/, "field-"))}"][data-touched]`)) continue;
    const same = fresh.querySelector(one.type === "radio" ? `${named}[value="${CSS.escape(one.value)}"]` : named);
    if (!same || "saved" in one.dataset) continue;
    if (one.matches("[type=radio], [type=checkbox]")) one.checked = same.checked;
    else if (one.value !== same.value) one.value = same.value;
    if ("was" in same.dataset) one.dataset.was = same.dataset.was;
  }
}

// Take a field that was saved, and that the page has with the saved value, as one that nobody has changed since: else the
// next saving would take the viewer's own value for that of somebody else.
function settle(field, fresh) {
  const named = (name) => `[name="${CSS.escape(name)}"]`;
  const now = fresh.querySelector(named(field.name))?.dataset.was;
  if (now !== field.dataset.saved.trim()) return;
  field.dataset.was = now;
  field.parentElement.querySelector(named(field.name.replace(/^field-/, "was-"))).value = now;
  delete field.dataset.saved;
}

// Choose an option again, after the options of a list have changed. If it is gone, the list stands as the page gives it:
// the browser would go on with whichever option has come to its place.
function choose(list, chosen) {
  const options = [...list.options];
  if (options.some((one) => one.value === chosen)) list.value = chosen;
  else list.selectedIndex = Math.max(0, options.findLastIndex((one) => one.defaultSelected));
}

// The option that somebody has chosen in a list; null if it is the one that the page came with.
function chosenIn(list) {
  if (list.nodeName !== "SELECT" || list.multiple) return null;
  const options = [...list.options];
  const given = options.findLast((one) => one.defaultSelected) ?? options[0];
  return list.value === given?.value ? null : list.value;
}

// On a narrow screen the navigation is a menu. It closes by Escape, and when somebody goes on elsewhere.
const menu = document.querySelector(".menu");
const isOfMenu = (target) => target instanceof Node && menu.parentElement.contains(target);
const closeMenu = (event) => {
  if (menu?.open && !isOfMenu(event.target)) menu.open = false;
};
document.addEventListener("pointerdown", closeMenu);
document.addEventListener("focusin", closeMenu);
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || !menu?.open) return;
  menu.open = false;
  menu.firstElementChild.focus();
});
window.addEventListener("pagehide", () => menu && (menu.open = false));

// Live parts: Server-Sent Events while the tab is visible, and polling where a stream cannot be had. A part with
// `data-always` stays connected in a hidden tab, too. The part hears of its connection: `live-lost`, `live-found`,
// `live-ended` with the session; and `live-refresh` makes it anew at once.
class Live {
  static RETRY_MS = 250;
  static POLL_MS = 5000;
  static SILENT_MS = 5000;

  // How long to wait after so many failures: short at first. Each page waits another time, so that a hundred desks whose
  // service is back do not come at once.
  static wait(failures) {
    return Math.min(Live.POLL_MS, Live.RETRY_MS * 1.5 ** failures) * (0.5 + Math.random());
  }

  constructor(part) {
    this.part = part;
    this.url = part.dataset.live;
    this.isAlways = "always" in part.dataset;
    this.failures = 0;
    document.addEventListener("visibilitychange", () => (document.hidden && !this.isAlways ? this.rest() : this.begin()));
    window.addEventListener("pagehide", () => this.rest());
    window.addEventListener("pageshow", (event) => event.persisted && this.begin());
    window.addEventListener("online", () => this.timer && (this.rest(), this.begin()));
    part.addEventListener("live-refresh", () => this.refresh());
    this.begin();
  }

  begin() {
    if (this.source || this.timer || (document.hidden && !this.isAlways)) return;
    this.source = new EventSource(this.url);
    this.source.onmessage = (event) => {
      this.failures = 0;
      this.watch();
      this.show(event.data);
    };
    this.source.onerror = () => {
      this.lose();
      if (this.source?.readyState === EventSource.CLOSED) this.restart();
      else this.tryAgain(); // The browser itself would wait for some seconds.
    };
    this.watch();
  }

  // Events come every second. A connection that is silent for long is lost, though no error says so.
  watch() {
    clearTimeout(this.silence);
    this.silence = setTimeout(() => {
      this.lose();
      this.restart();
    }, Live.SILENT_MS);
  }

  // Ask for the part, and in a moment for a stream again.
  restart() {
    this.tryAgain();
    return this.refresh();
  }

  tryAgain() {
    this.rest();
    this.timer = setTimeout(() => {
      this.timer = null;
      this.begin();
    }, Live.wait(this.failures++));
  }

  rest() {
    this.source?.close();
    clearTimeout(this.timer);
    clearTimeout(this.silence);
    this.source = this.timer = null;
  }

  lose() {
    document.body.classList.add("stale");
    this.part.dispatchEvent(new CustomEvent("live-lost"));
  }

  async refresh() {
    try {
      const signal = AbortSignal.timeout(Live.SILENT_MS);
      const answer = await fetch(this.url, { headers: { Accept: "text/html" }, signal });
      if (answer.ok) this.show(await answer.text());
      else if (answer.status !== 401) this.lose();
      else if (this.isAlways) this.part.dispatchEvent(new CustomEvent("live-ended"));
      else location.reload();
      return answer.ok;
    } catch {
      this.lose();
      return false;
    }
  }

  show(html) {
    const fresh = document.createElement("template");
    fresh.innerHTML = html;
    const container = document.createElement("div");
    container.append(fresh.content);
    container.normalize();
    this.part.normalize();
    typedIn = [...this.part.querySelectorAll("[data-typed]")];
    morph(this.part, container);
    document.body.classList.remove("stale");
    this.part.dispatchEvent(new CustomEvent("live-found"));
    const next = this.part.querySelector("a[data-next]");
    if (!next) return;
    this.rest();
    location.replace(next.href);
  }
}

for (const part of document.querySelectorAll("[data-live]")) new Live(part);

// An agent who reads another page in the tab of the desk is still there, and the page says so as the desk does.
const DESK = "/console/desk/live/";
const { viewer, token } = document.body.dataset;
if (viewer && sessionStorage.getItem("dialer-desk") === viewer && !document.querySelector(`[data-live="${DESK}"]`)) {
  const say = () => {
    const signal = AbortSignal.timeout(Live.SILENT_MS);
    const body = new URLSearchParams({ csrf: token });
    fetch(DESK, { method: "POST", body, headers: { Accept: "application/json" }, signal }).catch(() => {});
  };
  say();
  setInterval(say, 10000);
}

// A panel that opens below its button closes by Escape, and when somebody goes on elsewhere.
const panels = () => document.querySelectorAll("details.sure[open]");
document.addEventListener("pointerdown", (event) => {
  for (const panel of panels()) if (!panel.contains(event.target)) panel.open = false;
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  for (const panel of panels()) {
    panel.open = false;
    panel.firstElementChild.focus();
  }
});

// Keys are letters where somebody writes, and not on a choice.
const isTyping = (target) => target.closest("input:not([type=radio], [type=checkbox]), textarea, select") !== null;

// While a panel is open, a letter does nothing outside it.
const isAway = (node) => [...panels()].some((panel) => !panel.contains(node));

// Keyboard: "g" and then the first letter of a page leads to it.
let isGoing = false;
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || panels().length) return;
  if (isGoing) {
    const links = [...document.querySelectorAll("nav a")];
    const link = links.find((one) => one.textContent.trim().toLowerCase().startsWith(event.key.toLowerCase()));
    if (link) link.click();
  }
  isGoing = event.key === "g";
});

// Forms that change one part of their page: the rest stays, with a file that was chosen.
document.addEventListener("submit", async (event) => {
  const form = event.target;
  const name = form.dataset.swapTo;
  if (!name) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  if (form.getAttribute("aria-busy")) return;
  form.setAttribute("aria-busy", "true");
  try {
    const filled = new FormData(form, event.submitter);
    const body = form.enctype === "multipart/form-data" ? filled : new URLSearchParams(filled);
    const answer = await fetch(event.submitter?.getAttribute("formaction") ?? form.getAttribute("action"), { method: "POST", body });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.querySelector(`[data-swap="${name}"]`);
    if (fresh) document.querySelector(`[data-swap="${name}"]`).replaceWith(document.adoptNode(fresh));
    else location.reload();
  } finally {
    form.removeAttribute("aria-busy");
  }
});

// A form is sent once, however often its button is pressed.
document.addEventListener("submit", (event) => {
  if (event.target.dataset.sent) event.preventDefault();
  event.target.dataset.sent = "yes";
  for (const button of event.target.elements) if (button.type === "submit") button.setAttribute("aria-busy", "true");
});
window.addEventListener("pageshow", () => {
  for (const form of document.forms) delete form.dataset.sent;
  for (const button of document.querySelectorAll("button[aria-busy]")) button.removeAttribute("aria-busy");
});

// Calling again: the number of people with the outcomes that are ticked.
for (const form of document.querySelectorAll(".call-again")) {
  form.addEventListener("change", () => {
    const chosen = [...form.querySelectorAll("[data-people]:checked")];
    const people = chosen.reduce((sum, one) => sum + Number(one.dataset.people), 0);
    form.querySelector("[data-total]").textContent = people.toLocaleString(document.documentElement.lang || "en");
  });
}

// A list before its import: a choice that is changed shows at once what an import does now.
let lookedAt = 0;
document.addEventListener("change", async (event) => {
  const form = event.target.closest("form.list");
  if (!form || !event.target.matches("select, [type=checkbox]")) return;
  const place = (lookedAt += 1);
  for (const button of form.querySelectorAll("[name=import]")) button.disabled = true;
  const answer = await fetch(form.getAttribute("action"), { method: "POST", body: new URLSearchParams(new FormData(form)) });
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  if (place !== lookedAt) return; // Something else was changed meanwhile.
  if (page.querySelector("[data-live]")) return location.assign(answer.url); // A large list is being read.
  const fresh = page.querySelector("main");
  if (!fresh) return location.reload();
  morph(document.querySelector("main"), document.adoptNode(fresh));
  for (const select of document.querySelectorAll("form.list select")) {
    select.value = select.querySelector("option[selected]")?.value ?? select.value;
  }
  history.replaceState(null, "", answer.url);
});

// A key that leads to a field, "/" to the search of the console, or presses a button.
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
  const field = document.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
  if (!field || isAway(field)) return;
  event.preventDefault();
  if (field.matches("button, summary, a")) {
    if (!event.repeat) field.click();
    if (field.parentElement.matches("details.sure[open]")) field.parentElement.querySelector("input, select").focus();
    return;
  }
  field.focus();
  field.select();
});
