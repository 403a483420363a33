// It is in the page beside Streamlit's own scripts. A chart is drawn when it comes near the window, and after the
// page that it is on: drawing one takes a tenth of a second or more, in which the page answers no click.
// Until then its place is kept. Where a person does nothing for a moment, the others follow one by one, for
// whoever searches the page, prints it or hears it. Words, buttons and tables around them are there at once.
//
// Streamlit draws a chart as soon as it has a width, so one that waits has none. The height of its place comes
// from the name of its box: draw_chart in pages/shared/charts.py. Without this script, all are drawn at once.

const BOX = "[class*=_high_]";
const NEAR = 100; // pixels above and below the window
const SETTLES = 50; // ms until what is above a new chart stands, too; none if the page is drawn already
const QUIET = 2000; // ms in which neither the person nor the page does anything, until what is far is drawn
const PROJECTOR = "(min-width: 1800px)"; // there, charts are a quarter higher: PROJECTOR_WIDTH in charts.py
const EVENTS = ["pointermove", "pointerdown", "keydown", "wheel", "touchmove", "scroll"];

const charts = document.getElementsByClassName("stVegaLiteChart"); // always those that are there now
const met = new WeakSet();
const queue = []; // near the window: they are drawn in this order
let isDrawing = false;
let lastActivity = 0;
let timer = 0;
let watcher = null;

const isThere = (chart) => chart.querySelector("svg.marks, canvas.marks") !== null;
const isRunning = () => document.querySelector("[data-test-script-state=running]") !== null;
const waiting = () => [...charts].filter((chart) => met.has(chart) && !("drawn" in chart.dataset));

function meet() {
  for (const chart of charts) {
    if (met.has(chart)) continue;
    met.add(chart);
    const height = Number(/_high_(\d+)/.exec(chart.closest(BOX)?.className)?.[1]);
    if (height) chart.style.setProperty("--high", `${height}px`);
    if (!height || isThere(chart)) {
      chart.dataset.drawn = "";
      continue;
    }
    watch(chart);
    noteActivity();
    lookAgain();
  }
}

// The margin reaches around what scrolls, which is not the window itself.
function watch(chart) {
  const root = chart.closest("[data-testid=stMain]");
  if (watcher?.root !== root) {
    watcher?.disconnect();
    watcher = new IntersectionObserver((entries) => {
      const settles = isRunning() ? SETTLES : 0;
      for (const { target, isIntersecting } of entries) if (isIntersecting) setTimeout(drawNear, settles, target);
    }, { root, rootMargin: `${NEAR}px 0px` });
    for (const other of waiting()) watcher.observe(other);
  }
  watcher.observe(chart);
}

// Not what was near only until more was above it.
function drawNear(chart) {
  const { top, bottom } = chart.getBoundingClientRect();
  const isWaiting = chart.isConnected && !("drawn" in chart.dataset) && !queue.includes(chart);
  if (isWaiting && bottom >= -NEAR && top <= innerHeight + NEAR) draw(chart);
}

function draw(chart) {
  watcher?.unobserve(chart);
  queue.push(chart);
  if (!isDrawing) drawNext();
}

// One for each picture of the page: what is there can be seen, and a click is heard, before the next one is drawn.
function drawNext() {
  const chart = queue.shift();
  isDrawing = chart !== undefined;
  if (!isDrawing) return;
  chart.dataset.drawn = "";
  requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(drawNext)));
}

// What is far from the window: one in each quiet moment.
function look() {
  timer = 0;
  const far = waiting();
  if (far.length === 0) return;
  const isBusy = isDrawing || isRunning()
    || [...charts].some((chart) => "drawn" in chart.dataset && !isThere(chart));
  if (isBusy) noteActivity();
  if (performance.now() - lastActivity >= QUIET) requestIdleCallback(() => { if (far[0].isConnected) draw(far[0]); });
  lookAgain();
}

function lookAgain() {
  timer ||= setTimeout(look, QUIET / 4);
}

function noteActivity() {
  lastActivity = performance.now();
}

const style = new CSSStyleSheet();
style.replaceSync(`
  ${BOX} .stVegaLiteChart:not([data-drawn]) { width: 0 !important; }
  ${BOX} .stVegaLiteChart:not(:has(.marks)) { height: var(--high); } /* while it is drawn anew, too */
  @media ${PROJECTOR} { ${BOX} .stVegaLiteChart:not(:has(.marks)) { height: calc(var(--high) * 1.25); } }
`);
meet(); // those that were drawn before this script came stay
document.adoptedStyleSheets = [...document.adoptedStyleSheets, style];
new MutationObserver(meet).observe(document.body, { childList: true, subtree: true });
for (const kind of EVENTS) addEventListener(kind, noteActivity, { capture: true, passive: true });
addEventListener("beforeprint", () => waiting().forEach(draw));
