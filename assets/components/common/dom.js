// Elements, numbers and keys, as every component has them.

// An element. content: its text, or an array of elements and texts. Of its properties, "role" and those with
// a hyphen are attributes.
export function make(tag, className, content, properties) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (Array.isArray(content)) element.append(...content);
  else if (content !== undefined) element.textContent = content;
  for (const name in properties)
    if (name === "role" || name.includes("-")) element.setAttribute(name, properties[name]);
    else element[name] = properties[name];
  return element;
}

export function svgElement(tag, attributes, text = "") {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const name in attributes) element.setAttribute(name, attributes[name]);
  element.textContent = text;
  return element;
}

export const number = (value) => value.toLocaleString("en-US");
export const pluralWord = (count, word) => (count === 1 ? word : `${word}s`);
export const plural = (count, word) => `${number(count)} ${pluralWord(count, word)}`;
export const percent = (share) => `${Math.round(100 * share)}%`;

// A size as tokenizers/amounts.py writes it; tests/sizes.json holds both to it.
/** @type {[number, string][]} */
const UNITS = [
  [1024, "KB"],
  [1024 ** 2, "MB"],
  [1024 ** 3, "GB"],
];
const tenths = (bytes, unit) => Math.floor((10 * bytes + unit / 2) / unit);

export function bytesInWords(bytes) {
  if (bytes < 1024) return plural(bytes, "byte");
  const [unit, name] = UNITS.find(([each]) => tenths(bytes, each) < 10 * 1024) ?? UNITS.at(-1);
  const decimals = bytes % unit ? 1 : 0;
  return `${(tenths(bytes, unit) / 10).toLocaleString("en-US", { minimumFractionDigits: decimals })} ${name}`;
}

export const clamp = (value, low, high) => Math.max(low, Math.min(high, value));

// How many pixels are a rem (common.css).
export const remInPixels = () => parseFloat(getComputedStyle(document.documentElement).fontSize);

// Show a tip below a point of the window, or above it where there is no room.
export function placeTip(tip, { clientX, clientY }) {
  tip.hidden = false;
  const { width, height } = tip.getBoundingClientRect();
  const x = clamp(clientX + 12, 4, innerWidth - width - 8);
  const y = clientY + 22 + height > innerHeight ? clientY - height - 14 : clientY + 22;
  const put = (left, top) => {
    tip.style.left = `${left}px`;
    tip.style.top = `${top}px`;
  };
  put(x, y);
  // A transformed ancestor would make "fixed" relative to itself: correct what came out.
  const got = tip.getBoundingClientRect();
  if (Math.abs(got.left - x) > 1 || Math.abs(got.top - y) > 1) put(2 * x - got.left, 2 * y - got.top);
}

// Whether a key is pressed together with another one: then the browser hears it.
export const hasModifier = ({ ctrlKey, metaKey, altKey }) => ctrlKey || metaKey || altKey;

// Change the words of a button, if they are others: Safari drops a press during which they are written anew.
export function relabel(button, words) {
  if (button.textContent !== words) button.textContent = words;
}

// A button that is disabled loses the focus, and the keyboard would have to start from the top of the page.
export function disable(button, off, heir) {
  if (off && button.matches(":focus")) heir.focus();
  button.disabled = off;
}

export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // No clipboard without https or a permission: the old way.
    const area = make("textarea", "", text, { readOnly: true }); // no keyboard comes up
    // An iPhone zooms into smaller letters.
    area.style.cssText = "position: fixed; top: 0; opacity: 0; font-size: 16px";
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}
