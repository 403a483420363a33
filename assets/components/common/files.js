// Dropped files.

const hasFiles = (event) => event.dataTransfer?.types.includes("Files");

// Take what is dropped on a place: take(files), and showOver(whether files are over it). Returns what ends
// this.
export function takeDrops(place, { take, showOver }) {
  const listening = new AbortController();
  const { signal } = listening;
  const on = (target, type, act) =>
    target.addEventListener(
      type,
      (event) => {
        if (hasFiles(event)) act(event);
      },
      { signal },
    );
  let depth = 0; // a place is left for each of its elements, too
  const leave = () => {
    depth = 0;
    showOver(false);
  };
  on(place, "dragenter", (event) => {
    event.preventDefault();
    depth++;
    showOver(true);
  });
  place.addEventListener(
    "dragleave",
    () => {
      if (--depth <= 0) leave();
    },
    { signal },
  );
  on(place, "drop", (event) => {
    leave();
    take([...event.dataTransfer.files]);
  });
  // A file dropped beside the place must not make the browser leave the page.
  for (const type of ["dragover", "drop"]) on(window, type, (event) => event.preventDefault());
  return () => listening.abort();
}
