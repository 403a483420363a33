// The registered script of every component. It imports the component's modules by URL, so that Streamlit does
// not send them with every answer. pages/shared/components.py fills in $NAME and $VERSION.

// Streamlit's own script shows where the app is: under a sub-path, and behind a proxy that adds one.
const streamlit = [...document.scripts].find(({ src }) => src.includes("/static/js/"));
const folder = new URL("../../components/$VERSION/", streamlit?.src ?? location.origin + "/static/js/").href;
const places = new WeakMap();
const sentence =
  "This part of the page could not be loaded. Check that the server is running, then reload the page.";

// Streamlit calls this at each answer. Until the modules are there, the answers wait, in order.
export default (component) => {
  const root = component.parentElement;
  let place = places.get(root);
  if (!place) places.set(root, (place = {}));
  place.latest = component;
  place.ready ??= import(folder + "common/mount.js").then(({ mount }) => mount("$NAME", root));
  const { ready } = place;
  ready.then(
    (view) => {
      if (place.latest) view.answer(component);
    },
    (error) => {
      console.error(error);
      if (!place.latest) return;
      // A browser does not ask again for a module that it could not load, until the page is loaded anew.
      const problem = root.querySelector("[role=alert]") ?? root.appendChild(document.createElement("p"));
      problem.setAttribute("role", "alert");
      problem.textContent = sentence;
    },
  );
  // Streamlit also cleans up after a call that a newer one has overtaken: only the latest one counts.
  return () => {
    if (place.latest !== component) return;
    place.latest = null;
    places.delete(root);
    ready.then(
      (view) => view.remove(),
      () => {},
    );
  };
};
