// Reports a missing or lost connection on Streamlit's page.
//
// No connection at all: Streamlit's page stays empty. After a while, this shows a message until the server
// draws.
//
// A lost connection: Streamlit opens a dialog, which catches the keys of a person who types. This closes the
// dialog at once, and shows a message at the foot of the page instead.
const PATIENCE = 8000; // ms: a cold server on a slow line answers sooner
const GAP = 2500; // ms: a shorter one mends itself
const JUST_NOW = 500; // ms: a field that lost the focus so lately lost it to the dialog
const DRAWN = "[class*=st-key-], [data-testid=stAlert]"; // what pages/main.py draws on each page, or an error
const STATE = "data-test-connection-state"; // of Streamlit's own element
const NEVER_CAME = [
  "Token Grove’s server has not answered yet. Nothing is lost: your saved items are in this browser.",
  "If this message stays, the server may have stopped, or your network may block WebSockets. Try another " +
    "network or browser, without a VPN or proxy, or ask the person who runs the server.",
];
const LOST = [
  "The connection to Token Grove’s server is lost. The page tries again every few seconds. What you typed " +
    "is still here, and is counted once the server answers.",
  "If this message stays, the server may have stopped, or your network is down. Copy what you typed before " +
    "you close this page, or ask the person who runs the server.",
];

const has = () => document.querySelector(DRAWN) !== null;

function draw(id, sentences, place) {
  const note = document.createElement("div");
  note.id = id;
  note.setAttribute("role", "status");
  Object.assign(note.style, {
    position: "fixed",
    left: "0",
    right: "0",
    [place]: "0",
    zIndex: "999999",
    padding: "12px 20px",
    font: "16px/1.5 system-ui, sans-serif",
    color: "#1c211e",
    background: "#f4f6f1",
    [place === "top" ? "borderBottom" : "borderTop"]: "2px solid #22704a",
  });
  for (const words of sentences) {
    const line = document.createElement("p");
    line.textContent = words;
    line.style.margin = "4px auto";
    line.style.maxWidth = "90ch";
    note.append(line);
  }
  document.body.append(note);
  return note;
}

function tell() {
  if (has() || document.getElementById("grove-too-old")) return;
  const note = draw("grove-waiting", NEVER_CAME, "top");
  const watcher = new MutationObserver(() => {
    if (!has()) return;
    watcher.disconnect();
    note.remove();
  });
  watcher.observe(document.body, { childList: true, subtree: true });
}

setTimeout(tell, PATIENCE);

// The field that has the focus, also one in a component, and when it lost it.
let field = null;
let leftAt = Infinity;
const inDialog = (event) => event.composedPath().some((node) => node.getAttribute?.("role") === "dialog");
addEventListener(
  "focusin",
  (event) => {
    if (!inDialog(event)) {
      field = event.composedPath()[0];
      leftAt = Infinity;
    }
  },
  true,
);
addEventListener(
  "focusout",
  (event) => {
    if (!inDialog(event)) leftAt = performance.now();
  },
  true,
);

function closeDialog() {
  /** @type {NodeListOf<HTMLElement>} */
  const found = document.querySelectorAll("[role=dialog]");
  for (const dialog of found) {
    if (!dialog.textContent.trim().startsWith("Connection error")) continue;
    const writing = leftAt === Infinity || performance.now() - leftAt < JUST_NOW ? field : null;
    dialog.inert = true; // until it has gone, it must not take the focus again
    /** @type {NodeListOf<HTMLElement>} */
    const inert = document.querySelectorAll("[inert]");
    for (const behind of inert) if (!behind.contains(dialog)) behind.inert = false;
    /** @type {HTMLElement | null} */
    const close = dialog.querySelector("button[aria-label=Close]");
    close?.click();
    const giveBack = () => {
      if (writing?.isConnected && !writing.matches(":focus")) writing.focus({ preventScroll: true });
    };
    giveBack();
    requestAnimationFrame(giveBack);
    // Once the dialog has gone, and given the focus to where it thinks that it belongs.
    setTimeout(giveBack, 100);
  }
}

let came = false;
let timer = null;
let note = null;
const dialogs = new MutationObserver(closeDialog);

function look() {
  const state = document.querySelector(`[${STATE}]`)?.getAttribute(STATE);
  if (state === "CONNECTED") {
    if (came && timer !== null) dispatchEvent(new CustomEvent("grove:reconnected"));
    came = true;
    clearTimeout(timer);
    timer = null;
    note?.remove();
    note = null;
    dialogs.disconnect();
  } else if (came && timer === null) {
    timer = setTimeout(() => {
      note = draw("grove-lost", LOST, "bottom");
    }, GAP);
    dialogs.observe(document.body, { childList: true, subtree: true });
    closeDialog();
  }
}

new MutationObserver(look).observe(document.body, {
  attributes: true,
  subtree: true,
  attributeFilter: [STATE],
});
look(); // it may have been connected before this was read
