// The window that opens the page of each call in the CRM by itself. Browsers let no script open a tab, but one that a
// click has opened here may be sent on: to the page of the call of which the desk tells.

const main = document.querySelector("[data-crm-window]");
const words = main.dataset;
const [state, button] = [main.querySelector("[role=status]"), main.querySelector("button")];
const channel = new BroadcastChannel(`dialer-crm-${words.viewer}`);
let tab = null;
let call = { id: "", url: "" };
let shown = "";

const isOpen = () => tab !== null && !tab.closed;

function tell() {
  state.textContent = isOpen() ? words.ready : shown ? words.lost : words.waits;
  button.hidden = isOpen();
}

// A page that has cut itself off from whoever opened it counts as closed: the next one needs a click again.
function show() {
  if (isOpen() && call.url && call.id !== shown) {
    shown = call.id;
    tab.location.replace(call.url);
  }
  tell();
}

button.addEventListener("click", () => {
  tab = window.open("about:blank"); // It keeps its opener: Chromium lets nobody else lead it to another site.
  shown = "";
  show();
});
channel.addEventListener("message", ({ data }) => {
  if (typeof data?.call !== "string" || !/^https?:/.test(data.url)) return;
  call = { id: data.call, url: data.url };
  show();
});
window.addEventListener("focus", tell);
channel.postMessage("ask");
