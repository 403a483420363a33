// Stores values for the page at this URL in the tab, over a reload.

// A reload asks for the URL that the page had when it began. The editor may change the query before the page is left.
const isReload = performance.getEntriesByType("navigation")[0]?.type === "reload";
const placeOf = (url) => (isReload ? new URL(url).pathname : url);

export function remember(key, value) {
  try { sessionStorage.setItem(key, JSON.stringify({ address: location.href, value })); } catch { /* not allowed, or full */ }
}

// Null if there is nothing, or if it was remembered at another place.
export function recall(key) {
  try {
    const { address, value } = JSON.parse(sessionStorage.getItem(key)) ?? {};
    return placeOf(address) === placeOf(location.href) ? value : null;
  } catch { return null; }
}

export function forget(key) {
  try { sessionStorage.removeItem(key); } catch { /* not allowed */ }
}
