// The address restores the page; it follows, quietly, what the person does.

const LINK_AFTER = 600; // milliseconds without a further answer
const VERSION = "1";

// JSON, compressed, in one parameter of the address, as pages/session/links.py reads it. The browser makes it, as
// it is as long as an answer of Python, and nearly none is ever looked at.
export async function packState(state) {
  const stream = new Blob([JSON.stringify(state)]).stream().pipeThrough(new CompressionStream("deflate"));
  const packed = new Uint8Array(await new Response(stream).arrayBuffer());
  const characters = Array.from(packed, (byte) => String.fromCharCode(byte)).join("");
  return VERSION + btoa(characters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

export class Link {
  // Whether this browser can make links. If not, Python does it.
  static canBeMade = "CompressionStream" in window;

  // Puts the link to an answer into the address, unless the page is still as it was when it opened.
  keep(header, text, touched) {
    clearTimeout(this.later);
    const pristine = header.seq === 0 || (!touched && header.is_welcome && header.seq < 2);
    if (pristine) return;
    this.isBehind = true;
    const later = this.later = setTimeout(async () => {
      const { href } = await this.address(header, text);
      if (this.later !== later) return; // something newer came meanwhile
      // What no link holds, the browser keeps (assets/components/keeper), which looks when it is told to.
      if (this.kept !== header.kept) window.dispatchEvent(new CustomEvent("grove:made"));
      this.kept = header.kept;
      this.isBehind = false;
      if (href !== window.location.href) window.history.replaceState(window.history.state, "", href);
    }, LINK_AFTER);
  }

  // The page's address, with a link to an answer: to its text, or, if that is too long, to how it is looked at.
  async address(header, text) {
    const { settings, pin, page } = header;
    const state = header.link_has_text ? { text, ...settings, pin } : { ...settings, pin, page: page?.number ?? 0 };
    const link = Link.canBeMade ? await packState(state) : header.link;
    const url = new URL(window.location.href);
    if (link) url.searchParams.set("s", link); else url.searchParams.delete("s");
    return url;
  }

  destroy() {
    clearTimeout(this.later);
    this.later = null;
  }
}
