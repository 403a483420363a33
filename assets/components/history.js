// A page of the app is one step of the browser's history, and a lesson is one, too.
//
// Streamlit makes a step of every change of a URL, so each choice on a page would take a press of Back.
const push = history.pushState.bind(history);
let isPressed = false; // since this page was opened
let earlier = null; // this page's URL before its query changed last

const lessonOf = (url) => (url.pathname.endsWith("/lessons") ? url.searchParams.get("lesson") : null) ?? "";

history.pushState = (state, title, address) => {
  const here = new URL(location.href);
  const url = new URL(address ?? "", here);
  const isPage = url.pathname !== here.pathname;
  // Before it changes the page, Streamlit may write the next page's query into this one's URL.
  if (isPage && earlier !== null && url.search && url.search === here.search)
    history.replaceState(history.state, "", earlier);
  earlier = isPage ? null : here.href;
  if (isPage || (isPressed && lessonOf(url) !== lessonOf(here))) push(state, title, address);
  else history.replaceState(state, title, address);
  if (isPage) isPressed = false;
};
addEventListener(
  "click",
  () => {
    isPressed = true;
  },
  true,
);
