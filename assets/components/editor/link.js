// The address restores the page; it follows, quietly, what the person does.

const LINK_AFTER = 600; // milliseconds without a further answer

export class Link {
  constructor() { this.value = null; this.holdsText = true; }

  // Puts an answer's link into the address, unless the page is still as it was when it opened.
  keep(header, touched) {
    this.value = header.link;
    this.holdsText = header.link_has_text;
    clearTimeout(this.later);
    const pristine = header.seq === 0 || (!touched && header.is_welcome && header.seq < 2);
    if (pristine) return;
    this.later = setTimeout(() => {
      const { href } = this.address();
      // What no link holds, the browser keeps (assets/components/keeper), which looks when it is told to.
      if (this.kept !== header.kept) window.dispatchEvent(new CustomEvent("grove:made"));
      this.kept = header.kept;
      if (href !== window.location.href) window.history.replaceState(window.history.state, "", href);
    }, LINK_AFTER);
  }

  address() {
    const url = new URL(window.location.href);
    if (this.value) url.searchParams.set("s", this.value); else url.searchParams.delete("s");
    return url;
  }

  destroy() { clearTimeout(this.later); }
}
