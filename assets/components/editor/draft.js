// What was typed in the last moment before a reload, and is not in the address yet. The tab remembers it until the
// page is here again, and no longer.

const KEY = "grove:draft";

export function leaveDraft(draft) {
  try { sessionStorage.setItem(KEY, JSON.stringify({ address: location.href, draft })); } catch { /* not allowed, or full */ }
}

export function dropDraft() {
  try { sessionStorage.removeItem(KEY); } catch { /* not allowed */ }
}

// The draft that was left at this very address; null if there is none. Whoever opens a link anew wants what it holds.
export function takeDraft() {
  try {
    if (performance.getEntriesByType("navigation")[0]?.type === "navigate") return null;
    const { address, draft } = JSON.parse(sessionStorage.getItem(KEY)) ?? {};
    return address === location.href ? draft : null;
  }
  catch { return null; }
  finally { dropDraft(); }
}
