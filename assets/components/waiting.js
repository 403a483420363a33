// Stands in the page beside Streamlit's own scripts. Without it, a page whose connection does not come about stays
// empty, with no word: Streamlit goes on trying. Whatever the server draws first takes the message away.
const PATIENCE = 8000; // ms: a cold server on a slow line answers sooner
const DRAWN = "[class*=st-key-], [data-testid=stAlert]"; // what pages/main.py draws on each page, or an error
const WORDS = [
  "Token Grove’s server has not answered yet. Nothing that you made is lost: what is kept in this browser comes back.",
  "If this stays: the server may have ended, or your network does not let WebSockets through. Try another network or browser, without a VPN or proxy; or ask whoever runs the server.",
];

const has = () => document.querySelector(DRAWN) !== null;

function tell() {
  if (has()) return;
  const note = document.createElement("div");
  note.id = "grove-waiting";
  note.setAttribute("role", "status");
  Object.assign(note.style, {
    position: "fixed", inset: "0 0 auto 0", zIndex: "999999", padding: "16px 20px", font: "16px/1.5 system-ui, sans-serif",
    color: "#1c211e", background: "#f4f6f1", borderBottom: "2px solid #22704a",
  });
  for (const words of WORDS) {
    const line = document.createElement("p");
    line.textContent = words;
    line.style.margin = "4px auto";
    line.style.maxWidth = "70ch";
    note.append(line);
  }
  document.body.append(note);
  const watcher = new MutationObserver(() => {
    if (!has()) return;
    watcher.disconnect();
    note.remove();
  });
  watcher.observe(document.body, { childList: true, subtree: true });
}

setTimeout(tell, PATIENCE);
