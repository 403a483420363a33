// Stores values for the page at this URL in the tab, over a reload.

export function remember(key, value) {
  try { sessionStorage.setItem(key, JSON.stringify({ address: location.href, value })); } catch { /* not allowed, or full */ }
}

// Null if there is nothing, or if it was remembered at another address.
export function recall(key) {
  try {
    const { address, value } = JSON.parse(sessionStorage.getItem(key)) ?? {};
    return address === location.href ? value : null;
  } catch { return null; }
}

export function forget(key) {
  try { sessionStorage.removeItem(key); } catch { /* not allowed */ }
}
