// Watches a training on the server: GET /training/TICKET (pages/grow/train/progress.py).

const ROUTE = new URL("../../../training/", import.meta.url).href; // under a sub-path too
const [EVERY, HIDDEN_EVERY, RETRY_AFTER] = [250, 2000, 1000]; // milliseconds

// Calls onProgress(progress) a few times a second, and onOver(progress) once, at the end. Returns a function
// to stop.
export function watchTraining(ticket, onProgress, onOver) {
  let timer = null;
  let stopped = false;
  const ask = async () => {
    let progress = null;
    try {
      const response = await fetch(ROUTE + ticket);
      if (response.ok) progress = await response.json();
      else if (response.status === 404) progress = { over: true }; // the server was restarted
    } catch {
      /* no connection: ask again */
    }
    if (stopped) return;
    if (progress) onProgress(progress);
    if (stopped) return;
    if (progress?.over) onOver(progress);
    else if (progress) timer = setTimeout(ask, document.hidden ? HIDDEN_EVERY : EVERY);
    else timer = setTimeout(ask, RETRY_AFTER);
  };
  ask();
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}
