// Tells theme.css which theme Streamlit draws: mostly the system's, but a URL may ask for another. page.css
// has an animation and a transition for this, of no length that is seen: one ends when Streamlit first draws,
// one after each change.

function tell({ target }) {
  if (target.matches?.(".stApp"))
    document.documentElement.dataset.theme = getComputedStyle(target).colorScheme;
}

for (const kind of ["animationend", "transitionend"]) document.addEventListener(kind, tell);
