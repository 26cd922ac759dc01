// The editor of a survey: forms open beside the graph, branches are drawn, and keys move in it. The page works without it.

const ZOOM_LEAST = 0.4;
const ZOOM_MOST = 2;
const FITS_FROM = 0.8; // A graph that would be smaller is scrolled instead.
let zoom = null; // Null until somebody chooses one.
let isDirty = false;
let shown = location.search;
let isBusy = false;
let next = null; // What somebody wanted while the editor was busy: the last of it.

const editor = () => document.querySelector("[data-survey]");
const frame = () => document.getElementById("frame");
const graph = () => frame()?.querySelector("svg");
const isTyping = (target) => target.closest("input, textarea, select");

// The graph fills its frame, as far as it stays legible.
function show(scale) {
  const svg = graph();
  if (!svg) return;
  const { width, height } = svg.viewBox.baseVal;
  const fitting = Math.min(1, (frame().clientWidth - 20) / width);
  const used = scale ?? Math.max(FITS_FROM, fitting);
  svg.setAttribute("width", width * used);
  svg.setAttribute("height", height * used);
}

function prepare() {
  for (const part of editor().querySelectorAll(".zoom, .keys-hint")) part.hidden = false;
  graph()?.setAttribute("data-scripted", "");
  show(zoom);
  isDirty = false;
  const list = editor().querySelector("[data-order]");
  if (!list) return;
  list.dataset.sortable = "";
  for (const item of list.children) item.draggable = true;
}

// Put a fresh copy of the editor in place of the old one, and keep where the graph is scrolled to.
function put(html, url, { isBack = false, focus = true } = {}) {
  const fresh = new DOMParser().parseFromString(html, "text/html").querySelector("[data-survey]");
  if (!fresh) return location.assign(url);
  const { scrollLeft, scrollTop } = frame() ?? {};
  const isListOpen = document.getElementById("all-sections")?.open;
  editor().replaceWith(document.adoptNode(fresh));
  if (isListOpen) document.getElementById("all-sections").open = true;
  if (!isBack) history.pushState(null, "", url);
  shown = location.search;
  prepare();
  frame()?.scrollTo(scrollLeft, scrollTop);
  const open = fresh.querySelector(".box[aria-current]");
  open?.scrollIntoView({ block: "nearest", inline: "nearest" });
  if (!focus) return;
  const first = fresh.querySelector("[role=alert]") ? null : fresh.querySelector("#panel [autofocus]");
  (first ?? document.getElementById("panel")).focus({ preventScroll: innerWidth > 1088 });
}

async function load(url, body, options) {
  if (isBusy) {
    // A form sent twice would be done twice.
    if (!body) next = () => load(url, null, options);
    return;
  }
  isBusy = true;
  editor().setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(url, body ? { method: "POST", body } : { headers: { Accept: "text/html" } });
    const reached = answer.ok && answer.redirected ? answer.url : body ? location.href : url;
    put(await answer.text(), reached, options);
  } catch {
    location.reload();
  } finally {
    isBusy = false;
    editor()?.removeAttribute("aria-busy");
  }
  const wanted = next;
  next = null;
  wanted?.();
}

const mayLeave = () => !isDirty || confirm(editor().dataset.unsaved);
function open(link, options) {
  const url = new URL(link.getAttribute("href"), location.href);
  url.hash = "";
  if (mayLeave()) load(url.href, null, options);
}

document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[data-open]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  open(link);
});
window.addEventListener("popstate", () => {
  if (location.search === shown) return; // Only the place on the page has changed.
  if (mayLeave()) load(location.href, null, { isBack: true });
  else history.pushState(null, "", shown || "?");
});
window.addEventListener("beforeunload", (event) => isDirty && event.preventDefault());
document.addEventListener("input", (event) => {
  if (event.target.closest(".section-form")) isDirty = true;
});
document.addEventListener(
  "submit",
  (event) => {
    const form = event.target;
    if (!form.matches("[data-swap-survey], [data-turn], #draw, #order")) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    const { turn } = form.dataset;
    if (isBusy && turn) {
      next = () => document.querySelector(`[data-turn="${turn}"] button:enabled`)?.click();
      return;
    }
    if (!form.matches("[data-swap-survey]") && !mayLeave()) return;
    load(form.getAttribute("action"), new URLSearchParams(new FormData(form, event.submitter)), { focus: form.matches("[data-swap-survey]") });
  },
  true,
);

// Zoom: by buttons, or by the wheel with Ctrl.
document.addEventListener("click", (event) => {
  const way = event.target.closest?.("[data-zoom]")?.dataset.zoom;
  if (!way) return;
  const now = graph().getAttribute("width") / graph().viewBox.baseVal.width;
  zoom = way === "fit" ? null : Math.min(ZOOM_MOST, Math.max(ZOOM_LEAST, now * (way === "in" ? 1.25 : 0.8)));
  show(zoom);
});
document.addEventListener(
  "wheel",
  (event) => {
    if (!event.ctrlKey || !event.target.closest?.("#frame")) return;
    event.preventDefault();
    const now = graph().getAttribute("width") / graph().viewBox.baseVal.width;
    zoom = Math.min(ZOOM_MOST, Math.max(ZOOM_LEAST, now * Math.exp(-event.deltaY / 500)));
    show(zoom);
  },
  { passive: false },
);
window.addEventListener("resize", () => show(zoom));

// Branches: drawn from a key to a box. From a box, they are those of its first key that leads nowhere, or of its only one.
let drawn = null;
const at = (event) => {
  const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(graph().getScreenCTM().inverse());
  return `${point.x} ${point.y}`;
};
const boxAt = (event) => document.elementFromPoint(event.clientX, event.clientY)?.closest("a[data-section]");

function keysFrom(target) {
  const port = target.closest(".port");
  if (port) return port.dataset;
  const box = target.closest("a[data-section]");
  if (!box) return null;
  const ports = [...graph().querySelectorAll(`.port[data-from="${box.dataset.section}"]`)];
  return (ports.find((one) => one.previousElementSibling?.matches(".open")) ?? (ports.length === 1 ? ports[0] : null))?.dataset ?? null;
}

document.addEventListener("pointerdown", (event) => {
  if (event.button || !event.target.closest?.("#frame svg.editable") || event.target.closest(".plus")) return;
  const from = keysFrom(event.target);
  drawn = from && { ...from, begin: at(event), x: event.clientX, y: event.clientY };
  if (!drawn && event.pointerType === "mouse" && !event.target.closest("a")) drawn = { x: event.clientX, y: event.clientY, isPan: true };
});
document.addEventListener("pointermove", (event) => {
  if (!drawn) return;
  if (drawn.isPan) {
    frame().classList.add("grabbed");
    frame().scrollBy(drawn.x - event.clientX, drawn.y - event.clientY);
    [drawn.x, drawn.y] = [event.clientX, event.clientY];
    return;
  }
  if (!drawn.line && Math.hypot(event.clientX - drawn.x, event.clientY - drawn.y) < 6) return;
  drawn.line ??= graph().appendChild(document.createElementNS("http://www.w3.org/2000/svg", "path"));
  drawn.line.setAttribute("class", "drawn");
  drawn.line.setAttribute("d", `M${drawn.begin}L${at(event)}`);
  graph().querySelector(".aimed")?.classList.remove("aimed");
  boxAt(event)?.classList.add("aimed");
});
function drop(event) {
  const { line, keys, from } = drawn ?? {};
  drawn = null;
  frame()?.classList.remove("grabbed");
  if (!line) return;
  line.remove();
  graph().querySelector(".aimed")?.classList.remove("aimed");
  const box = event.type === "pointerup" && boxAt(event);
  const form = document.getElementById("draw");
  if (!box || !form) return;
  // The click that follows would open the box.
  addEventListener("click", (click) => click.target.closest?.("#frame") && (click.preventDefault(), click.stopPropagation()), { capture: true, once: true });
  setTimeout(() => {
    form.elements.section.value = from;
    form.elements.keys.value = keys;
    form.elements.goto.value = box.dataset.section;
    form.requestSubmit();
  });
}
document.addEventListener("pointerup", drop);
document.addEventListener("pointercancel", drop);

// Sections: dragged to another place in their list. The buttons beside them do the same.
let dragged = null;
let before = "";
const order = () => [...document.querySelectorAll("[data-order] > li")].map((item) => item.dataset.id).join();
document.addEventListener("dragstart", (event) => {
  dragged = event.target.closest?.("[data-order] > li");
  if (!dragged) return;
  before = order();
  dragged.classList.add("dragged");
  event.dataTransfer.effectAllowed = "move";
});
document.addEventListener("dragover", (event) => {
  const over = dragged && event.target.closest?.("[data-order] > li");
  if (!over) return;
  event.preventDefault();
  const { top, height } = over.getBoundingClientRect();
  if (over !== dragged) over[event.clientY < top + height / 2 ? "before" : "after"](dragged);
});
document.addEventListener("dragend", () => {
  dragged?.classList.remove("dragged");
  if (!dragged || order() === before) return;
  dragged = null;
  const form = document.getElementById("order");
  form.append(Object.assign(document.createElement("input"), { type: "hidden", name: "order", value: order() }));
  form.requestSubmit();
});

// Keys: arrows move from box to box; + or Insert adds, Delete deletes; Ctrl+Z undoes, Ctrl+Y and Ctrl+Shift+Z redo.
const ARROWS = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };

function neighbour(from, [dx, dy]) {
  const middle = (one) => {
    const { x, y, width, height } = one.querySelector(".section").getBoundingClientRect();
    return [x + width / 2, y + height / 2];
  };
  const [x, y] = middle(from);
  const reach = (one) => {
    const [toX, toY] = middle(one);
    const along = (toX - x) * dx + (toY - y) * dy;
    const aside = Math.abs((toX - x) * dy) + Math.abs((toY - y) * dx);
    return along > 1 ? along + 2 * aside : Infinity;
  };
  const others = [...graph().querySelectorAll("a[data-section]")].filter((one) => one !== from);
  const nearest = others.sort((one, other) => reach(one) - reach(other))[0];
  return nearest && reach(nearest) < Infinity ? nearest : null;
}

document.addEventListener("keydown", (event) => {
  if (!editor() || isTyping(event.target)) return;
  if ((event.ctrlKey || event.metaKey) && ["z", "y"].includes(event.key.toLowerCase())) {
    const turn = event.key.toLowerCase() === "y" || event.shiftKey ? "redo" : "undo";
    const button = document.querySelector(`[data-turn="${turn}"] button:enabled`);
    if (button) event.preventDefault();
    button?.form.requestSubmit(button);
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const box = event.target.closest("a[data-section]");
  if (event.key in ARROWS && (box || event.target.id === "frame")) {
    const next = box ? neighbour(box, ARROWS[event.key]) : event.key === "ArrowDown" && graph()?.querySelector("a[data-section]");
    if (next) {
      event.preventDefault();
      next.focus();
      next.scrollIntoView({ block: "nearest", inline: "nearest" });
    }
    return;
  }
  if (!box) return;
  const link = {
    "+": () => after(box),
    Insert: () => after(box),
    Delete: () => Object.assign(document.createElement("a"), { href: `?remove=${box.dataset.section}` }),
  }[event.key]?.();
  if (!link) return;
  event.preventDefault();
  open(link);
});

// The plus after a box: that of a key that leads nowhere, or else of the first key.
const place = (plus) => new URL(plus.getAttribute("href"), location.href).searchParams;
function after(box) {
  const found = [...graph().querySelectorAll(".plus")].filter((one) => place(one).get("after") === box.dataset.section);
  const isOpen = (one) => {
    const keys = place(one).get("keys");
    return graph().querySelector(`.port[data-from="${box.dataset.section}"][data-keys="${keys}"]`)?.previousElementSibling?.matches(".open");
  };
  return found.find(isOpen) ?? found[0];
}

if (editor()) {
  prepare();
  (graph()?.querySelector("[aria-current]") ?? graph()?.querySelector(".begin"))?.scrollIntoView({ block: "nearest", inline: "center" });
}
