// Says that a browser is too old for the app, or for a class. It is written for browsers of 2017, and stands
// alone: nothing else may be there. These are the versions of tools/newer_features.py: the first has come
// with Safari 16.4, the second with Firefox 115, the third with Chrome 111.

if (
  !("adoptedStyleSheets" in document && Array.prototype.toSorted && CSS.supports("color", "oklch(.9 .1 25)"))
) {
  const note = document.createElement("p");
  note.id = "grove-too-old";
  note.setAttribute("role", "alert");
  note.textContent =
    "This browser is too old for Token Grove, which needs Safari 16.4 (iOS 16.4), Chrome or Edge 111, or " +
    "Firefox 115, or later. Update it, or use another browser or device.";
  note.style.cssText =
    "position: fixed; top: 0; left: 0; right: 0; z-index: 999999; margin: 0; padding: 12px 20px; " +
    "font: 16px/1.5 system-ui, sans-serif; color: #1c211e; background: #f4f6f1; " +
    "border-bottom: 2px solid #a3262a";
  document.body.append(note);
}
