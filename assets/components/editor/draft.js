// What was typed in the last moment before a reload, and is not in the address yet. The tab remembers it until the
// page has taken it up, and no longer.

import { forget, recall, remember } from "../common/tab.js";

const KEY = "grove:draft";

export const leaveDraft = (draft) => remember(KEY, draft);
export const dropDraft = () => forget(KEY);

// The draft that was left at this very address; null if there is none. Whoever opens a link anew wants what it holds.
export function findDraft() {
  if (performance.getEntriesByType("navigation")[0]?.type !== "navigate") return recall(KEY);
  dropDraft();
  return null;
}
