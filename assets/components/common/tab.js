// Stores values in the tab, over a reload, or in the browser. Where it lets pages store nothing, there is
// nothing.

export const BROWSER = "localStorage";
const TAB = "sessionStorage";

// How the page came here: "navigate", "reload", "back_forward"; undefined: the browser does not say.
export function navigationType() {
  const [navigation] = performance.getEntriesByType("navigation");
  return /** @type {PerformanceNavigationTiming | undefined} */ (navigation)?.type;
}

// A reload asks for the URL that the page had when it began. The editor may change the query before the page
// is left.
const isReload = navigationType() === "reload";
const placeOf = (url) => (isReload ? new URL(url).pathname : url);

export function write(key, value, store = TAB) {
  try {
    window[store].setItem(key, JSON.stringify(value));
  } catch {
    /* not allowed, or full */
  }
}

export function read(key, store = TAB) {
  try {
    return JSON.parse(window[store].getItem(key));
  } catch {
    return null;
  }
}

export function forget(key, store = TAB) {
  try {
    window[store].removeItem(key);
  } catch {
    /* not allowed */
  }
}

// The same for the page at this URL.
export const remember = (key, value) => write(key, { address: location.href, value });

// Null if there is nothing, or if it was remembered at another place.
export function recall(key) {
  const { address, value } = read(key) ?? {};
  return address && placeOf(address) === placeOf(location.href) ? value : null;
}
