// The menu of narrow windows is Streamlit's sidebar, which stands before the page's header. Its button is
// named for what it opens; the focus goes into the menu and comes back to the button; a choice, or a press
// beside it, closes it. (page.css writes the name, and covers the page. It has an animation of no length for
// this: it ends whenever Streamlit has drawn the button anew.)

const OPEN = "[data-testid=stExpandSidebarButton]";
const CLOSE = "[data-testid=stSidebarCollapseButton] button";
const CHOICE = "[data-testid=stSidebarNavLink], .stSidebar [data-testid=stLogoLink]";

/** @param {string} selector of what Streamlit is about to draw */
const focusNext = (selector) =>
  requestAnimationFrame(() => /** @type {HTMLElement | null} */ (document.querySelector(selector))?.focus());

document.addEventListener("animationend", ({ target }) => {
  if (target instanceof Element && target.matches(OPEN)) target.setAttribute("aria-label", "Menu");
});

document.addEventListener("click", ({ target }) => {
  if (!(target instanceof Element)) return;
  /** @type {HTMLElement | null} */
  const close = document.querySelector(CLOSE);
  if (target.matches(".stSidebar") || target.closest(CHOICE)) close?.click();
  else if (target.closest(OPEN)) focusNext(CLOSE);
  else if (target.closest(CLOSE)) focusNext(OPEN);
});
