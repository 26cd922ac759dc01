// Tools beside texts that callees hear or read: placeholders are inserted at the cursor, texts are spoken, and the parts
// of a text message are counted. Without this script, placeholders are a list to copy, a spoken text opens in a tab of
// its own, the check of a campaign tells the parts, and a new recording can be chosen after a reload.

let field = null; // The text field in which the cursor was last.
document.addEventListener("focusin", (event) => {
  if (event.target.matches("textarea")) field = event.target;
});

// The link to the list of placeholders becomes the list itself, as buttons. Parts of the page may come later.
async function show(link) {
  link.removeAttribute("data-placeholders");
  const answer = await fetch(link.href);
  if (!answer.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const list = page.querySelector("[data-names]");
  for (const code of list?.querySelectorAll("code") ?? []) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "small";
    button.dataset.insert = button.textContent = code.textContent;
    code.replaceWith(button);
  }
  if (list) link.replaceWith(document.adoptNode(list));
}
const showAll = () => document.querySelectorAll("a[data-placeholders]").forEach(show);
showAll();
new MutationObserver(showAll).observe(document.body, { childList: true, subtree: true });

document.addEventListener("click", (event) => {
  const button = event.target.closest("button[data-insert]");
  if (!button) return;
  const form = button.form ?? button.closest("form");
  const into = field && form?.contains(field) ? field : form?.querySelector("textarea");
  if (!into) return;
  into.focus();
  into.setRangeText(button.dataset.insert, into.selectionStart, into.selectionEnd, "end");
  into.dispatchEvent(new Event("input", { bubbles: true }));
});

// A text is spoken by the service, and played beside its button.
document.addEventListener("click", async (event) => {
  const button = event.target.closest("button[data-speak]");
  if (!button) return;
  event.preventDefault();
  if (button.getAttribute("aria-busy")) return;
  button.setAttribute("aria-busy", "true");
  const filled = new FormData(button.form);
  filled.set("speak", button.value);
  const strings = [...filled].filter(([, value]) => typeof value === "string");
  const place = button.closest(".actions") ?? button.form;
  place.parentElement.querySelector(":scope > [data-spoken]")?.remove();
  try {
    const answer = await fetch(button.getAttribute("formaction") ?? button.form.getAttribute("action"), {
      method: "POST",
      body: new URLSearchParams(strings),
    });
    const shown = answer.ok ? new Audio(answer.url) : document.createElement("p");
    shown.dataset.spoken = "";
    if (answer.ok) {
      shown.controls = true;
      await answer.body?.cancel();
    } else {
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      shown.className = "error";
      shown.setAttribute("role", "alert");
      shown.textContent = page.querySelector("h1 ~ p")?.textContent ?? "";
    }
    place.after(shown);
    if (answer.ok) shown.play().catch(() => {}); // A browser may want another click.
  } finally {
    button.removeAttribute("aria-busy");
  }
});

// The length of a text message is told below it, a moment after the last letter.
const PAUSE_MS = 300;
const TEXTS = "textarea[name=text_message], textarea[name=sms_text]";
const timers = new WeakMap();
async function measure(area, form) {
  const fields = new URLSearchParams(form.dataset.texts);
  fields.set("csrf", form.elements.csrf.value);
  fields.set("text", area.value);
  const books = [...form.querySelectorAll('input[name^="phonebook."]')];
  const ticked = books.filter(({ checked }) => checked).map(({ name }) => name.split(".")[1]);
  if (books.length) fields.set("phonebook", ticked.join(","));
  const answer = await fetch("/console/text-length/", { method: "POST", body: fields });
  if (!answer.ok || area.value !== fields.get("text")) return;
  const told = new DOMParser().parseFromString(await answer.text(), "text/html");
  const text = (name) => told.querySelector(name)?.textContent.trim() ?? "";
  below(area, "length", "hint").textContent = area.value ? text("[data-told]") : "";
  below(area, "received", "received").textContent = area.value ? text("[data-received]") : "";
}
function below(area, name, look) {
  const known = area.parentElement.querySelector(`[data-${name}]`);
  if (known) return known;
  const place = document.createElement("p");
  place.className = look;
  place.dataset[name] = "";
  if (name === "length") place.setAttribute("role", "status");
  const length = area.parentElement.querySelector("[data-length]");
  (length ?? area).after(place);
  return place;
}
for (const kind of ["focusin", "input"]) {
  document.addEventListener(kind, (event) => {
    const area = event.target.closest?.(TEXTS);
    const form = area?.closest("form[data-texts]");
    if (!form) return;
    clearTimeout(timers.get(area));
    timers.set(area, setTimeout(() => measure(area, form), PAUSE_MS));
  });
}

// What was made in a tab of its own, as a recording, is chosen when somebody comes back. What was typed stays.
let made = "";
document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-makes]");
  if (link) made = link.dataset.makes;
});
async function choose(name) {
  const select = document.querySelector(`select[name="${name}"]`);
  const answer = select && (await fetch(location.href));
  if (!answer?.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  const known = new Set([...select.options].map((option) => option.value));
  const added = [...(fresh.querySelector(`select[name="${name}"]`)?.options ?? [])].filter(({ value }) => !known.has(value));
  if (!added.length) return;
  made = "";
  select.append(...added.map((option) => document.adoptNode(option)));
  select.value = added.at(-1).value;
  const choice = select.closest(".chosen")?.previousElementSibling?.querySelector("input[type=radio]");
  if (choice) choice.checked = true;
  select.dispatchEvent(new Event("input", { bubbles: true }));
}
document.addEventListener("visibilitychange", () => {
  if (made && document.visibilityState === "visible") choose(made);
});
addEventListener("focus", () => made && choose(made));
