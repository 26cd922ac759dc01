// The script of the console. Every page works without it.

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
// A part with `data-keep` stays as it is, because somebody may be filling it in.
function morph(from, to) {
  const wanted = [...to.childNodes];
  wanted.forEach((fresh, place) => {
    const old = from.childNodes[place];
    if (!old) from.append(fresh);
    else if (old.nodeType !== fresh.nodeType || old.nodeName !== fresh.nodeName || old.id !== fresh.id) old.replaceWith(fresh);
    else if (fresh.nodeType !== Node.ELEMENT_NODE) {
      if (old.data !== fresh.data) old.data = fresh.data;
    } else if (!old.isEqualNode(fresh) && !("keep" in old.dataset)) {
      for (const { name } of [...old.attributes]) {
        if (!fresh.hasAttribute(name) && name !== "open" && name !== "aria-busy") old.removeAttribute(name);
      }
      for (const { name, value } of [...fresh.attributes]) {
        if (old.getAttribute(name) !== value) old.setAttribute(name, value);
      }
      morph(old, fresh);
    }
  });
  while (from.childNodes.length > wanted.length) from.lastChild.remove();
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

// Live parts: Server-Sent Events while the tab is visible, and polling where a stream cannot be had.
class Live {
  static POLL_MS = 5000;

  constructor(part) {
    this.part = part;
    this.url = part.dataset.live;
    document.addEventListener("visibilitychange", () => (document.hidden ? this.rest() : this.begin()));
    window.addEventListener("pagehide", () => this.rest());
    window.addEventListener("pageshow", (event) => event.persisted && this.begin());
    this.begin();
  }

  begin() {
    if (this.source || this.timer || document.hidden) return;
    this.source = new EventSource(this.url);
    this.source.onmessage = (event) => this.show(event.data);
    this.source.onerror = () => {
      document.body.classList.add("stale");
      if (this.source?.readyState !== EventSource.CLOSED) return;
      this.rest();
      this.poll();
    };
  }

  rest() {
    this.source?.close();
    clearTimeout(this.timer);
    this.source = this.timer = null;
  }

  async poll() {
    this.timer = setTimeout(() => this.poll(), Live.POLL_MS);
    try {
      const answer = await fetch(this.url, { headers: { Accept: "text/html" } });
      if (answer.status === 401) location.reload();
      else if (answer.ok) this.show(await answer.text());
    } catch {
      document.body.classList.add("stale");
    }
  }

  show(html) {
    const fresh = document.createElement("template");
    fresh.innerHTML = html;
    const container = document.createElement("div");
    container.append(fresh.content);
    container.normalize();
    this.part.normalize();
    morph(this.part, container);
    document.body.classList.remove("stale");
    const next = this.part.querySelector("a[data-next]");
    if (!next) return;
    this.rest();
    location.replace(next.href);
  }
}

for (const part of document.querySelectorAll("[data-live]")) new Live(part);

// Keyboard: "g" and then the first letter of a page leads to it.
let isGoing = false;
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select")) return;
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
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select")) return;
  const field = document.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
  if (!field) return;
  event.preventDefault();
  if (field.matches("button, summary")) {
    if (!event.repeat) field.click();
    return;
  }
  field.focus();
  field.select();
});
