// How far a person has come in each lesson. It stays in this browser, unless saved items are switched off
// (../saved).

const KEY = "token-grove-lessons";
const OFF = '"off"';

// By lesson: what saveProgress was given.
export function readProgress() {
  try {
    const all = JSON.parse(localStorage.getItem(KEY));
    return all instanceof Object ? all : {};
  } catch {
    return {};
  }
}

// The lesson to go on with, as next_lesson in pages/learn/lessons/state.py finds it; undefined: all are done.
export function nextLesson(slugs) {
  const progress = readProgress();
  const begun = slugs.find((slug) => progress[slug] && !progress[slug].done);
  return begun ?? slugs.find((slug) => !progress[slug]);
}

export function saveProgress(slug, progress) {
  try {
    if (localStorage.getItem(KEY) !== OFF)
      localStorage.setItem(KEY, JSON.stringify({ ...readProgress(), [slug]: progress }));
  } catch {
    /* not allowed, or full */
  }
}

export function allowProgress(on) {
  try {
    if (!on) localStorage.setItem(KEY, OFF);
    else if (localStorage.getItem(KEY) === OFF) localStorage.removeItem(KEY);
  } catch {
    /* not allowed */
  }
}
