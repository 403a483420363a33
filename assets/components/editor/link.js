// Keeps the URL up to date, so that it restores the editor's state.

const LINK_AFTER = 600; // milliseconds without a further answer
const VERSION = "1";
// As pages/session/links.py, which calls a link too long a little sooner: the browser then stores the text,
// too.
const LONGEST_STATE = 50000;
const LONGEST_LINK = 6100;

/**
 * The editor's state as a link holds it.
 * @typedef {object} LinkState
 * @property {string | null} text null: only the server has it
 * @property {object} settings the other fields
 * @property {import("./shared_state.js").Pin | null} pin
 * @property {number} page
 * @property {Record<string, string>} own what it holds of encodings that do not come with the app, by name
 */

// JSON, compressed, as pages/session/links.py reads it; null if it is too long for a link.
export async function packState(state) {
  const json = new Blob([JSON.stringify(state)]);
  if (json.size > LONGEST_STATE) return null;
  const packed = new Uint8Array(
    await new Response(json.stream().pipeThrough(new CompressionStream("deflate"))).arrayBuffer(),
  );
  const characters = Array.from(packed, (byte) => String.fromCharCode(byte)).join("");
  const link = VERSION + btoa(characters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  return link.length <= LONGEST_LINK ? link : null;
}

/**
 * A link to the text and the settings; if the text is too long, to the settings alone.
 * @param {LinkState} shown
 */
async function makeLink({ text, settings, pin, page, own }) {
  const state = { ...settings, pin, own };
  const whole = text === null ? null : await packState({ text, ...state });
  const url = new URL(window.location.href);
  url.searchParams.set("s", whole ?? (await packState({ ...state, page })));
  return { href: url.href, hasText: whole !== null };
}

export class Link {
  /**
   * The link to a state: its promise, and as link itself once it is made. Safari lets a click copy only what
   * is there at once, and packing takes its time: so the link is made when a press of the button is near
   * (index.js), if not before.
   * @param {LinkState} shown
   */
  prepare(shown) {
    const key = JSON.stringify(shown);
    if (this.made?.key === key) return this.made;
    const made = (this.made = { key, link: null, promise: makeLink(shown) });
    made.promise.then((link) => {
      made.link = link;
    });
    return made;
  }

  /**
   * Put a link to the present state into the URL after a pause.
   * @param {() => LinkState} getShown
   */
  follow(getShown) {
    clearTimeout(this.later);
    const later = (this.later = setTimeout(async () => {
      const shown = getShown();
      const { href, hasText } = await this.prepare(shown).promise;
      if (this.later !== later) return; // something newer came meanwhile
      // The browser stores a text that no link holds (assets/components/saved); this tells it to look.
      if (!hasText && shown.text !== this.told) window.dispatchEvent(new CustomEvent("grove:made"));
      this.told = shown.text;
      if (href !== window.location.href) window.history.replaceState(window.history.state, "", href);
    }, LINK_AFTER));
  }

  destroy() {
    clearTimeout(this.later);
    this.later = null;
  }
}
