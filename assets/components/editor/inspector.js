// Draws the facts about the pinned token (tokenizers/text/facts.py), its tree, and the reasons for its cuts.

import { fromHex } from "../common/bytes.js";
import { hueOf } from "../common/colours.js";
import { make, number, plural, svgElement } from "../common/dom.js";
import { nameCharacter, quoteText, writeText } from "../common/spelling.js";
import { TREE, drawTree, placeTree, tellLookUp } from "../common/tree.js";
import { makeQuestion } from "./explain.js";

// colour: the token's, as in its panel; hue(name): an encoding's number; steps: whether there is a token before and
// after it; step(-1 or 1), unpin and openBiography: what its buttons do.
export function drawInspector(box, facts, { colour, hue, steps, step, unpin, openBiography }) {
  const pressed = box.getRootNode().activeElement?.dataset?.step;
  box.style.setProperty("--e", hueOf(hue(facts.encoding)));
  const close = make("button", "icon close", "×");
  close.type = "button";
  close.setAttribute("aria-label", "Unpin");
  close.onclick = unpin;
  box.replaceChildren(close, drawToken(facts, colour, steps, step), drawGrowth(facts, colour, openBiography), drawCuts(facts, hue));
  if (pressed) box.querySelector(`[data-step="${pressed}"]`)?.focus(); // the button that was pressed was drawn anew
}

function makeStep(direction, glyph, label, step, isThere) {
  const button = make("button", "icon", glyph);
  button.type = "button";
  button.title = label;
  button.dataset.step = direction;
  button.setAttribute("aria-label", label);
  button.setAttribute("aria-disabled", !isThere); // it keeps the focus at the text's end
  button.onclick = () => { if (isThere) step(direction); };
  return button;
}

// What it is.
function drawToken(facts, colour, steps, step) {
  const section = make("div");
  const big = make("div", "big mono");
  const chip = make("s", `t alone c${colour}${facts.special ? " special" : ""}${facts.unknown ? " unknown" : ""}`);
  const whole = facts.utf8 === "whole characters";
  if (whole) writeText(chip, facts.characters.map(([char]) => char).join("") + (facts.unlisted ? "…" : ""));
  else chip.textContent = facts.token_bytes;
  big.append(chip);
  const title = make("h3", "", "Pinned token ");
  title.append(
    makeQuestion("pin", "What do rank, piece and the rest mean?"),
    makeStep(-1, "‹", "The token before", step, steps[0]),
    makeStep(1, "›", "The token after", step, steps[1]),
  );
  section.append(title, big, table([
    [`id in ${facts.encoding}`, String(facts.token_id), "mono"],
    ...(facts.stands_for ? [["stands for", facts.stands_for, "mono"]] : []),
    ["rank", describeRank(facts), facts.rank === null ? "" : "mono"],
    ["at bytes", `${number(facts.start)}–${number(facts.end)} of ${number(facts.n_bytes)}`],
    ...(facts.shared_bytes ? [["of them", `${number(facts.shared_bytes)} shared with the token before`]] : []),
    ["UTF-8", facts.utf8],
    ["piece", describePiece(facts), facts.piece === null ? "" : "mono"],
  ]));

  const bytes = table(facts.characters.map(([char, hex]) => [nameCharacter(char), hex, "mono", "mono"]));
  const byCharacter = make("details");
  byCharacter.append(make("summary", "", `${plural(facts.end - facts.start, "byte")}, by character${facts.unlisted ? ` (all but the last ${number(facts.unlisted)})` : ""}`), bytes);
  byCharacter.open = !whole || facts.characters.length === 1;
  section.append(byCharacter);
  return section;
}

function describeRank(facts) {
  if (facts.special) return "none: a special token";
  if (!facts.merges) return facts.not_drawn ? "not drawn here" : "none: nothing merges here";
  return facts.rank === null ? (facts.splits ? "none: a single byte" : "none: a single character or byte") : String(facts.rank);
}

function describePiece(facts) {
  if (facts.special) return "none: a special token";
  if (!facts.splits) return "none: no split pattern";
  return facts.piece === null ? "not known for this text" : quoteText(facts.piece);
}

function whyNoTree(facts) {
  if (facts.special) return "A special token: no merge makes it.";
  if (facts.unknown) return `It stands for whatever is not in the vocabulary of ${facts.encoding}.`;
  if (!facts.merges) return facts.no_tree;
  return "A long token: its tree is under Merge trees.";
}

// How it grew.
function drawGrowth(facts, colour, openBiography) {
  const section = make("div");
  const grew = make("h3", "", "How it grew");
  section.append(grew);
  const view = make("div", "scroll grown");
  if (facts.tree) {
    const svg = svgElement("svg", { class: "tree", role: "img" });
    svg.setAttribute("aria-label", "Merge tree of the pinned token");
    placeTree(facts.tree, fromHex(facts.tree_bytes));
    const height = facts.tree.height * TREE.rise + 34;
    drawTree(svg, facts.tree, 2, height - 16, `var(--t${colour})`);
    svg.setAttribute("viewBox", `0 0 ${facts.tree.span + 4} ${height}`);
    svg.setAttribute("width", facts.tree.span + 4);
    svg.setAttribute("height", height);
    view.append(svg, ...tellLookUp(facts.tree));
  } else view.append(make("p", "hint", whyNoTree(facts)));
  const life = make("button", "button life", "Its biography");
  life.type = "button";
  life.title = "The token’s parents and children, its variants, its ids in every vocabulary";
  life.onclick = openBiography;
  grew.append(life);
  section.append(view);
  return section;
}

// Why it is cut where it is, and what other encodings make of the same bytes.
function drawCuts(facts, hue) {
  const section = make("div", "why");
  section.append(make("h3", "", "Why is it cut here?"));
  for (const [place, sentence] of [["Before it", facts.why[0]], ["After it", facts.why[1]]]) {
    const line = make("p");
    line.append(make("b", "", `${place}. `), sentence ?? "Not worked out for a text this long.");
    section.append(line);
  }
  const others = make("p", "elsewhere");
  for (const other of facts.elsewhere) {
    const ids = other.covering.slice(0, 12).join(" ") + (other.covering.length > 12 ? " …" : "");
    const entry = make("span");
    const name = make("b", "", other.encoding);
    name.style.color = hueOf(hue(other.encoding));
    entry.append(name, other.aligned ? " " : " inside ", make("span", "mono", ids));
    others.append(entry);
  }
  section.append(make("h3", "later", "The same bytes elsewhere, as ids"), facts.elsewhere.length ? others : make("p", "hint", "Add another encoding to compare."));
  const single = facts.elsewhere.filter((other) => other.token_id !== null && other.covering[0] !== other.token_id);
  for (const other of single) section.append(make("p", "hint", `${other.encoding} has a token for these bytes, ${other.token_id}, but does not use it here.`));
  return section;
}

function table(rows) {
  const element = make("table");
  for (const [name, value, valueClass = "", nameClass = ""] of rows) {
    const row = make("tr");
    const head = make("th", nameClass, name);
    row.append(head, make("td", valueClass, value));
    element.append(row);
  }
  return element;
}
