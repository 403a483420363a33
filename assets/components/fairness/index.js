// Plays which language gave each merge of fair BPE: of all with a pair left, the one with the most tokens.
// Python sends, for each language, the sizes at which its number of tokens changes, also those of plain BPE.

import { above, fromBase64 } from "../common/bytes.js";
import { make, number, svgElement } from "../common/dom.js";
import { isolate } from "../common/letters.js";
import { Playback } from "../common/playback.js";

const BYTES = 256; // tokens before the first merge
const BINS = 200; // of a strip

const numbersIn = (text) => new Uint32Array(fromBase64(text).buffer);

// The number of tokens after so many merges.
export function countAt({ sizes, counts }, merges) {
  return counts[above(sizes, BYTES + merges) - 1];
}

// For each language and each of BINS stretches of merges, which share of them it gave.
export function sharesOf(givers, languages) {
  const bins = Math.min(BINS, givers.length);
  const shares = Array.from({ length: languages }, () => new Float64Array(bins));
  givers.forEach((language, merge) => {
    const bin = Math.floor((merge * bins) / givers.length);
    const merges = Math.ceil(((bin + 1) * givers.length) / bins) - Math.ceil((bin * givers.length) / bins);
    shares[language][bin] += 1 / merges;
  });
  return shares;
}

function drawStrip(shares) {
  const strip = svgElement("svg", { viewBox: `0 0 ${shares.length} 1`, preserveAspectRatio: "none" });
  shares.forEach((share, x) => {
    if (!share) return;
    strip.append(svgElement("rect", { x, y: 0, width: 1, height: 1, "fill-opacity": 0.3 + 0.7 * share }));
  });
  return strip;
}

export default class Fairness {
  constructor(root) {
    this.root = root;
    this.playback = new Playback(root, {
      show: (step) => this.show(step),
      pace: [4, 400],
      total: 16,
      speeds: [0.25, 0.5, 1, 2, 4],
      keys: true,
    });
  }

  receive(data) {
    if (this.revision === data.revision) return;
    this.revision = data.revision;
    this.learned = data.learned;
    this.givers = fromBase64(data.givers);
    this.root.style.setProperty("--e", data.hue);
    const shares = sharesOf(this.givers, data.languages.length);
    this.rows = data.languages.map((language, i) => this.row(language, shares[i]));
    this.root.querySelector(".languages").replaceChildren(...this.rows.map((row) => row.item));
    this.playback.load(this.learned.length, this.learned.length);
  }

  row({ name, fair, plain }, shares) {
    const bar = make("span", "fair");
    const mark = make("span", "plain");
    const count = make("span", "count");
    const plainCount = make("span", "plain-count");
    const item = make("li", "language", [
      make("span", "name", name, { title: name }),
      make("span", "bars", [bar, mark]),
      count,
      make("span", "strip", [drawStrip(shares)], { "aria-hidden": "true" }),
      plainCount,
    ]);
    const curves = [fair, plain].map(({ sizes, counts }) => ({
      sizes: numbersIn(sizes),
      counts: numbersIn(counts),
    }));
    return { item, name, bar, mark, count, plainCount, curves };
  }

  show(step) {
    const counts = this.rows.map(({ curves }) => curves.map((curve) => countAt(curve, step)));
    const most = Math.max(...counts.flat());
    this.root.style.setProperty("--at", `${(100 * step) / this.learned.length}%`);
    this.rows.forEach(({ item, bar, mark, count, plainCount }, i) => {
      const [fair, plain] = counts[i];
      bar.style.width = `${(100 * fair) / most}%`;
      mark.style.insetInlineStart = `${(100 * plain) / most}%`;
      plainCount.textContent = `plain ${number(plain)}`;
      count.textContent = number(fair);
      item.classList.toggle("next", i === this.givers[step]);
    });
    this.say(step, counts);
  }

  say(step, counts) {
    const words = [];
    if (step) words.push(`Merge ${number(step)} made `, make("b", "", isolate(this.learned[step - 1])), ". ");
    const giver = this.rows[this.givers[step]];
    if (giver)
      words.push(
        `Of all languages with a pair left, ${isolate(giver.name)} has the most tokens now, ` +
          `${number(counts[this.givers[step]][0])}: the next merge joins its most frequent pair.`,
      );
    else words.push("All merges are done.");
    this.root.querySelector(".say").replaceChildren(...words);
  }

  destroy() {
    this.playback.destroy();
  }
}
