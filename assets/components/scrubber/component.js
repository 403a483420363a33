// A text at every vocabulary size. Python sends, for each byte of the text and each encoding, the vocabulary
// size from which there is no cut (curve.py); from that this script cuts the text at any size, by itself.

const TICKS = [256, 1024, 4096, 16384, 65536, 262144];
const THUMB = 22; // pixels, as in the style
const CHUNK = 320; // bytes, at least, that are painted at once
const POINTS = 140; // of a curve
const GROW_SECONDS = 12;

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const fromBase64 = (said) => Uint8Array.from(atob(said), (char) => char.charCodeAt(0));
const clamp = (value, low, high) => Math.max(low, Math.min(high, value));
// How many values of a rising array are not above x.
function upTo(values, x) {
  let low = 0, high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] <= x) low = middle + 1; else high = middle;
  }
  return low;
}
const short = (size) => (size < 1000 ? String(size) : `${size < 9950 ? (size / 1000).toFixed(1) : Math.round(size / 1000)}k`);

// One encoding: where its cuts are at each size, and the text drawn with them.
class Stand {
  constructor(page, data) {
    this.page = page;
    this.name = data.name;
    this.full = data.full ?? 0;
    this.root = make("section", "stand");
    this.root.dataset.encoding = data.name;
    this.root.style.setProperty("--e", `var(--e${data.hue})`);
    const head = make("header");
    head.append(make("h3", "", data.name));
    this.root.append(head);
    if (data.problem) {
      this.root.append(make("div", "problem", data.problem));
      return;
    }
    const figures = make("div", "figures");
    this.count = make("strong", "count");
    this.ratio = make("strong", "ratio");
    this.countWord = make("span");
    this.size = make("span", "size");
    const counted = make("span"), rated = make("span");
    counted.append(this.count, " ", this.countWord);
    rated.append(this.ratio, " bytes per token");
    figures.append(counted, rated);
    this.newest = make("div", "newest");
    head.append(figures, this.size, this.newest);
    this.text = make("div", "text mono");
    this.text.tabIndex = 0;
    this.text.setAttribute("role", "region");
    this.text.setAttribute("aria-label", `The text in ${data.name}`);
    this.root.append(this.text);
    this.gone = new Uint32Array(fromBase64(data.gone).buffer);
    this.sizes = this.gone.subarray(1, page.bytes.length).filter((size) => size <= this.full).sort();
    this.watcher = new IntersectionObserver((entries) => {
      for (const entry of entries) {
        entry.target.chunk.seen = entry.isIntersecting;
        if (entry.isIntersecting) this.paint(entry.target.chunk);
      }
    }, { root: this.text, rootMargin: "120px" });
    this.makeChunks();
  }

  // Stretches between cuts that are there at every size, so that no token ever reaches over their ends.
  makeChunks() {
    const { bytes, edges } = this.page;
    let start = 0;
    for (let at = 1; at <= bytes.length; at++) {
      const may = at === bytes.length || (this.gone[at] > this.full && edges[at] && at - start >= CHUNK);
      if (!may) continue;
      const element = make("span", "chunk");
      const chunk = { start, end: at, element, key: "", seen: false };
      chunk.sizes = this.gone.subarray(start + 1, at).filter((size) => size <= this.full).sort();
      element.chunk = chunk;
      element.append(decoder.decode(bytes.subarray(start, at)));
      this.text.append(element);
      this.watcher.observe(element);
      start = at;
    }
  }

  countAt(size) { return this.page.bytes.length - upTo(this.sizes, size); }

  show() {
    if (!this.gone) return;
    const size = Math.min(this.page.size, this.full);
    const count = this.countAt(size), n = this.page.bytes.length;
    this.count.textContent = number(count);
    this.countWord.textContent = count === 1 ? "token" : "tokens";
    this.ratio.textContent = count ? (n / count).toFixed(2) : "–";
    this.size.textContent = this.page.size > this.full ? `It has no more than ${number(this.full)}` :
      `${number(size)} of ${number(this.full)} tokens`;
    const before = upTo(this.sizes, size);
    this.latest = before ? this.sizes[before - 1] : 0;
    this.showNewest(size);
  }

  paintSeen() {
    if (this.gone) for (const element of this.text.children) if (element.chunk.seen) this.paint(element.chunk);
  }

  // What the last merge that this text has needed made of it.
  showNewest(size) {
    this.newest.replaceChildren();
    if (!this.latest) {
      this.newest.append("Every byte is a token.");
      return;
    }
    const at = this.gone.indexOf(this.latest, 1);
    let times = 0;
    for (let i = at; i < this.page.bytes.length; i++) if (this.gone[i] === this.latest) times++;
    let start = at, end = at;
    while (this.gone[start] <= size) start--;
    while (this.gone[end] <= size) end++;
    const bytes = this.page.bytes.subarray(start, end);
    const chip = make("s", `t mono c${colourTokens([hashOf(bytes)])[0]}`);
    const [word, whole] = wordOf(bytes);
    if (whole) writeText(chip, word.length > 24 ? word.slice(0, 23) + "…" : word); else chip.textContent = word;
    this.newest.append("Newest here: ", chip, ` from ${number(this.latest)}${times > 1 ? `, ${number(times)} times` : ""}`);
  }

  paint(chunk) {
    const size = Math.min(this.page.size, this.full);
    const has = chunk.sizes.includes(this.latest);
    const key = `${upTo(chunk.sizes, size)}:${has ? this.latest : 0}`;
    if (key === chunk.key) return;
    chunk.key = key;
    const { bytes, edges } = this.page;
    const drawn = document.createDocumentFragment();
    let last = -1;
    const colour = (start, end) => {
      let found = Math.imul(hashOf(bytes.subarray(start, end)) + 1, 0x9e3779b1) >>> 29;
      if (found === last) found = (found + 3) % COLOURS;
      return (last = found);
    };
    const isFresh = (start, end) => {
      if (has) for (let i = start + 1; i < end; i++) if (this.gone[i] === this.latest) return true;
      return false;
    };
    for (let at = chunk.start; at < chunk.end;) {
      // Tokens up to the first cut that is also a grapheme's edge: one, or those that split a grapheme.
      const tokens = [];
      let start = at;
      for (at++; ; at++) {
        if (this.gone[at] <= size) continue;
        tokens.push([start, at]);
        start = at;
        if (edges[at]) break;
      }
      if (tokens.length === 1) {
        const [from, to] = tokens[0];
        const chip = make("s", `t c${colour(from, to)}${isFresh(from, to) ? " fresh" : ""}`);
        this.write(chip, from, to);
        drawn.append(chip);
      } else drawn.append(...this.lanes(tokens, colour, isFresh));
    }
    chunk.element.replaceChildren(drawn);
  }

  // Text between two graphemes' edges; joiners inside a grapheme get no glyph.
  write(element, start, end) {
    const { bytes, edges } = this.page;
    let plain = true;
    for (let i = start; i < end && plain; i++) plain = bytes[i] < 0x80;
    if (plain) return writeText(element, decoder.decode(bytes.subarray(start, end)));
    for (let at = start; at < end;) {
      let until = at + 1;
      while (!edges[until]) until++;
      const text = decoder.decode(bytes.subarray(at, until));
      writeText(element, text, () => [...text].length > 1);
      at = until;
    }
  }

  lanes(tokens, colour, isFresh) {
    const { edges } = this.page;
    const colours = tokens.map(([start, end]) => colour(start, end));
    const end = tokens.at(-1)[1];
    const cells = [];
    let token = 0;
    for (let at = tokens[0][0]; at < end;) {
      let until = at + 1;
      while (!edges[until]) until++;
      const cell = make("span", "cell"), glyph = make("span"), lanes = make("span", "lanes");
      this.write(glyph, at, until);
      while (token > 0 && tokens[token][0] > at) token--;
      let count = 0;
      for (; token < tokens.length && tokens[token][0] < until; token++) {
        const [from, to] = tokens[token];
        const lane = make("s", `lane c${colours[token]}${isFresh(from, to) ? " fresh" : ""}`);
        lane.style.setProperty("--w", Math.min(to, until) - Math.max(from, at));
        lanes.append(lane);
        count++;
      }
      token = Math.max(0, token - 1);
      cell.style.setProperty("--lanes", count);
      cell.append(glyph, lanes);
      cells.push(cell);
      at = until;
    }
    return cells;
  }

  destroy() { this.watcher?.disconnect(); }
}

function hashOf(bytes) {
  let hash = 0x811c9dc5;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash;
}

class Scrub {
  constructor(root) {
    this.root = root;
    this.$ = (selector) => root.querySelector(selector);
    this.stands = [];
    this.revision = null;
    this.size = null;
    const slider = this.$(".slider");
    slider.oninput = () => { this.pause(); this.set(this.sizeAt(slider.value / 1000)); };
    const exact = this.$(".exact");
    exact.onchange = () => { this.pause(); if (exact.value) this.set(Number(exact.value)); };
    this.$("[data-go=play]").onclick = () => (this.frame ? this.pause() : this.play());
    this.$("[data-go=back]").onclick = () => { this.pause(); this.step(-1); };
    this.$("[data-go=next]").onclick = () => { this.pause(); this.step(1); };
    const plot = this.$(".plot");
    const drag = (event) => {
      if (!(event.buttons & 1)) return;
      this.pause();
      const box = plot.getBoundingClientRect();
      this.set(this.sizeAt(clamp((event.clientX - box.left - this.left) / this.width, 0, 1)));
    };
    plot.onpointerdown = (event) => { plot.setPointerCapture(event.pointerId); drag(event); };
    plot.onpointermove = drag;
    this.resizing = new ResizeObserver(() => this.draw());
    this.resizing.observe(plot);
  }

  receive(data) {
    if (this.size === null) this.size = data.size;
    if (this.revision === data.revision) return;
    this.pause();
    this.revision = data.revision;
    this.bytes = fromBase64(data.bytes);
    this.edges = fromBase64(data.edges);
    for (const stand of this.stands) stand.destroy();
    this.stands = data.stands.map((each) => new Stand(this, each));
    this.$(".stands").replaceChildren(...this.stands.map((stand) => stand.root));
    this.drawable = this.stands.filter((stand) => stand.gone);
    this.smallest = data.smallest;
    this.most = Math.max(this.smallest + 1, ...this.drawable.map((stand) => stand.full));
    const changes = new Set();
    for (const stand of this.drawable) for (const size of stand.sizes) changes.add(size);
    this.changes = Uint32Array.from(changes).sort();
    this.$(".note").textContent = data.note;
    this.$(".drive").hidden = !this.drawable.length;
    const exact = this.$(".exact");
    exact.min = this.smallest;
    exact.max = this.most;
    this.set(this.size, false);
    this.draw();
  }

  sizeAt(share) { return Math.round(this.smallest * (this.most / this.smallest) ** share); }
  shareOf(size) { return Math.log(size / this.smallest) / Math.log(this.most / this.smallest); }

  step(way) {
    const here = upTo(this.changes, this.size);
    if (way > 0) this.set(this.changes[here] ?? this.size);
    else this.set(here && this.changes[here - 1] === this.size ? this.changes[here - 2] ?? this.smallest : this.changes[here - 1] ?? this.smallest);
  }

  set(size, tell = true) {
    this.size = clamp(Math.round(size) || this.smallest, this.smallest, this.most);
    const slider = this.$(".slider");
    slider.value = Math.round(1000 * this.shareOf(this.size));
    slider.setAttribute("aria-valuetext", `${number(this.size)} tokens`);
    if (this.root.getRootNode().activeElement !== this.$(".exact")) this.$(".exact").value = this.size;
    else if (Number(this.$(".exact").value) !== this.size) this.$(".exact").value = this.size;
    this.root.dataset.size = this.size;
    disable(this.$("[data-go=back]"), this.size <= this.smallest, slider);
    disable(this.$("[data-go=next]"), upTo(this.changes, this.size) >= this.changes.length, slider);
    for (const stand of this.stands) stand.show();
    this.mark();
    // The figures follow at once, the text once a frame, however often the slider speaks.
    this.painting ??= requestAnimationFrame(() => {
      this.painting = null;
      for (const stand of this.stands) stand.paintSeen();
    });
    if (tell) {
      clearTimeout(this.telling);
      this.telling = setTimeout(() => {
        this.$(".said").textContent = this.drawable.map((stand) => `${stand.name}: ${plural(stand.countAt(Math.min(this.size, stand.full)), "token")}`).join(", ");
        this.sendMessage({ size: this.size });
      }, 500);
    }
  }

  play() {
    if (this.size >= this.most) this.set(this.smallest);
    let before = null, share = this.shareOf(this.size);
    const tick = (now) => {
      if (before !== null) share = Math.min(1, share + (now - before) / 1000 / GROW_SECONDS);
      before = now;
      this.set(this.sizeAt(share));
      if (share < 1) this.frame = requestAnimationFrame(tick); else this.pause();
    };
    this.frame = requestAnimationFrame(tick);
    this.$("[data-go=play]").textContent = "⏸ Pause";
  }

  pause() {
    cancelAnimationFrame(this.frame);
    this.frame = null;
    this.$("[data-go=play]").textContent = "▶ Grow";
  }

  // The curves, once for each text and width; then only the marker moves.
  draw() {
    const plot = this.$(".plot");
    const [wide, high] = [plot.clientWidth, plot.clientHeight];
    if (!wide || !this.drawable?.length) return;
    this.left = 34;
    this.width = wide - this.left - 14;
    const [top, bottom] = [18, high - 22];
    const n = this.bytes.length;
    const ratio = (stand, size) => n / Math.max(1, stand.countAt(size));
    const best = Math.max(1.5, ...this.drawable.map((stand) => ratio(stand, stand.full)));
    this.x = (size) => this.left + this.width * this.shareOf(size);
    this.y = (value) => bottom - ((value - Math.min(1, value)) / (best - 1)) * (bottom - top);
    plot.replaceChildren();
    const say = (text, x, y, className, anchor) => {
      const element = svgElement("text", { x, y, class: className, "text-anchor": anchor });
      element.textContent = text;
      plot.append(element);
      return element;
    };
    for (let value = 1; value <= best; value += best > 6 ? 2 : 1) {
      plot.append(svgElement("line", { class: "axis", x1: this.left, x2: this.left + this.width, y1: this.y(value), y2: this.y(value) }));
      say(String(value), this.left - 8, this.y(value) + 4, "", "end");
    }
    for (const tick of TICKS) if (tick >= this.smallest && tick <= this.most) say(short(tick), this.x(tick), high - 5, "", "middle");
    say("bytes per token", this.left, 10, "", "start");
    const names = [];
    for (const stand of this.drawable) {
      const points = [];
      for (let i = 0; i <= POINTS; i++) {
        const size = Math.round(this.smallest * (stand.full / this.smallest) ** (i / POINTS));
        points.push(`${this.x(size).toFixed(1)},${this.y(ratio(stand, size)).toFixed(1)}`);
      }
      const hue = stand.root.style.getPropertyValue("--e");
      const paint = (element) => { element.style.setProperty("--e", hue); plot.append(element); return element; };
      paint(svgElement("polyline", { class: "curve", points: points.join(" ") }));
      paint(svgElement("circle", { class: "end", cx: this.x(stand.full), cy: this.y(ratio(stand, stand.full)), r: 3.5 }));
      names.push({ stand, hue, x: this.x(stand.full), y: this.y(ratio(stand, stand.full)) });
    }
    // Names stand left of the ends: above the upper line, below the lower one.
    names.sort((a, b) => a.y - b.y);
    names.forEach(({ stand, hue, x, y }, i) => {
      const name = stand.name.length > 22 ? stand.name.slice(0, 21) + "…" : stand.name;
      const element = say(name, Math.max(x, this.left + 90), i ? Math.min(bottom - 6, y + 20) : Math.max(12, y - 8), "name", "end");
      element.style.setProperty("--e", hue);
    });
    this.at = svgElement("line", { class: "at", y1: top - 4, y2: bottom });
    plot.append(this.at);
    this.dots = this.drawable.map((stand) => {
      const dot = svgElement("circle", { class: "dot", r: 6 });
      dot.style.setProperty("--e", stand.root.style.getPropertyValue("--e"));
      plot.append(dot);
      return dot;
    });
    const slider = this.$(".slider");
    slider.style.marginLeft = `${this.left - THUMB / 2}px`;
    slider.style.width = `${this.width + THUMB}px`;
    this.ratio = ratio;
    this.mark();
  }

  mark() {
    if (!this.at) return;
    const x = this.x(this.size);
    this.at.setAttribute("x1", x);
    this.at.setAttribute("x2", x);
    this.drawable.forEach((stand, i) => {
      const size = Math.min(this.size, stand.full);
      this.dots[i]?.setAttribute("cx", this.x(size));
      this.dots[i]?.setAttribute("cy", this.y(this.ratio(stand, size)));
    });
    const said = this.drawable.map((stand) => `${stand.name} ${this.ratio(stand, Math.min(this.size, stand.full)).toFixed(2)}`).join(", ");
    this.$(".plot").setAttribute("aria-label", `Bytes per token at ${number(this.size)} tokens: ${said}`);
  }

  destroy() {
    this.pause();
    clearTimeout(this.telling);
    cancelAnimationFrame(this.painting);
    this.resizing.disconnect();
    for (const stand of this.stands) stand.destroy();
  }
}

const scrubs = new WeakMap();

export default function (component) {
  const { parentElement, data, setStateValue } = component;
  let scrub = scrubs.get(parentElement);
  if (!scrub) scrubs.set(parentElement, (scrub = new Scrub(parentElement.querySelector(".scrub"))));
  scrub.sendMessage = (message) => setStateValue("message", message);
  scrub.receive(data);
  return () => { scrub.destroy(); scrubs.delete(parentElement); };
}
