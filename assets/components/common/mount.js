// Puts a component into its place: its HTML, its style, and the class that draws it. Nothing is drawn before
// all of them are loaded, so that nothing appears without its style.

const folder = new URL("..", import.meta.url).href;
const sheets = new Map(); // by path: all components on a page share them

async function read(path) {
  const response = await fetch(folder + path);
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return response.text();
}

// Two components that begin at the same time ask for a sheet once. One that did not come is asked for again.
function readSheet(path) {
  if (!sheets.has(path)) {
    const sheet = read(path).then((style) => new CSSStyleSheet().replace(style));
    sheets.set(path, sheet);
    sheet.catch(() => sheets.delete(path));
  }
  return sheets.get(path);
}

/**
 * Each component's index.js exports, as its default, a class whose constructor gets the first element of its
 * component.html.
 * @typedef {object} Component
 * @property {(data: any) => void} receive draws an answer of Python
 * @property {() => void} [destroy] stops its timers and watchers, if it has any
 * @property {Tell} [sendMessage] given to it here: how things stand; every run of the page finds it
 * @property {Tell} [sendEvent] given to it here: what the person did; only the next run finds it
 */
/** @typedef {(message: object) => void} Tell tells Python */

export async function mount(name, root) {
  const [{ default: View }, html, ...styles] = await Promise.all([
    import(`${folder}${name}/index.js`),
    read(`${name}/component.html`),
    readSheet("common/common.css"),
    readSheet(`${name}/component.css`),
  ]);
  const template = document.createElement("template");
  template.innerHTML = html; // a file of ours: a person's text never comes here
  const element = template.content.firstElementChild;
  root.adoptedStyleSheets = styles;
  root.querySelector(":scope > [role=alert]")?.remove();
  root.append(element);
  /** @type {Component} */
  const view = new View(element);
  return {
    answer({ data, setStateValue, setTriggerValue }) {
      view.sendMessage = (message) => setStateValue("message", message);
      view.sendEvent = (event) => setTriggerValue("event", event);
      view.receive(data);
    },
    remove() {
      view.destroy?.();
      element.remove();
    },
  };
}
