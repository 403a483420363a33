// What tests in Firefox and WebKit need in a page: elements wherever they are, and what went wrong. Each page loads it
// before all other scripts (served.py).

window.test = {
  faults: [],

  // All elements that a selector finds, in components, too.
  all(css, root = document) {
    const hosts = [...root.querySelectorAll("*")].filter((element) => element.shadowRoot);
    return [...root.querySelectorAll(css), ...hosts.flatMap((host) => test.all(css, host.shadowRoot))];
  },

  isSeen(element) {
    const { width, height } = element.getBoundingClientRect();
    return width > 0 && height > 0 && getComputedStyle(element).visibility === "visible";
  },

  // The first element that a selector finds, is seen, and has this text in it.
  find(css, text = "") {
    const holds = ({ textContent, value }) => textContent.includes(text) || value?.includes?.(text);
    return test.all(css).find((element) => holds(element) && test.isSeen(element)) ?? null;
  },

  // The element at a point of the window.
  at(x, y) {
    let found = null;
    for (let root = document; root; root = found?.shadowRoot) {
      const inner = root.elementFromPoint(x, y);
      if (!inner || inner === found) break;
      found = inner;
    }
    return found;
  },

  // Whether no run of Streamlit's page goes on; our own pages have none.
  isDrawn() {
    return !document.getElementById("root") || document.querySelector("[data-test-script-state=notRunning]") !== null;
  },

  // The middle of an element, once it is in the window, stands still, and nothing lies over it; null: not yet.
  async point(css, text) {
    const element = test.find(css, text);
    if (!element || element.matches(":disabled") || !test.isDrawn()) return null;
    const { top, bottom } = element.getBoundingClientRect(); // a header or a footer may lie over it
    if (top < 70 || bottom > innerHeight - 80) element.scrollIntoView({ block: "center" });
    const before = element.getBoundingClientRect();
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    const box = element.getBoundingClientRect();
    if (before.left !== box.left || before.top !== box.top) return null;
    const place = [box.left + box.width / 2, box.top + box.height / 2];
    return element.contains(test.at(...place)) ? place : null;
  },
};

// A test may name the window after what its pages have to do without.
if (window.name === "no storage")
  for (const name of ["sessionStorage", "localStorage", "indexedDB"])
    Object.defineProperty(window, name, { get() { throw new DOMException("The operation is insecure.", "SecurityError"); } });

// On a busy machine a frame can end before all observers of sizes were told. The next frame tells them: no fault.
const LATER = "ResizeObserver loop completed with undelivered notifications.";

const report = (problem) => {
  if (problem !== LATER) test.faults.push(String(problem?.stack ?? problem));
};
addEventListener("error", ({ error, message }) => report(error ?? message));
addEventListener("unhandledrejection", ({ reason }) => report(reason));
const logged = console.error;
console.error = (...words) => { report(words.join(" ")); logged(...words); };
