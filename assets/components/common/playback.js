// Plays through states: a clock, and the controls of a replay with numbered steps.

import { clamp, disable, hasModifier, make, number, plural, relabel } from "./dom.js";

// Milliseconds: states that come later are not those that a press came too early for.
const PRESS_WAITS = 2000;
const FRACTIONS = { 0.25: "¼", 0.5: "½" };

export const playLabel = (isRunning) => (isRunning ? "⏸ Pause" : "▶ Play");

// While it runs, calls advance(milliseconds since the last frame) at each frame, until that returns false.
// changed() is called at every start and stop.
export class Clock {
  constructor(advance, changed) {
    this.advance = advance;
    this.changed = changed;
    this.frame = null;
  }

  get running() {
    return this.frame !== null;
  }

  start() {
    if (this.running) return;
    let before = null;
    const tick = (now) => {
      this.frame = requestAnimationFrame(tick);
      const elapsed = before === null ? 0 : now - before;
      before = now;
      if (!this.advance(elapsed)) this.stop();
    };
    this.frame = requestAnimationFrame(tick);
    this.changed();
  }

  stop() {
    if (!this.running) return;
    cancelAnimationFrame(this.frame);
    this.frame = null;
    this.changed();
  }
}

// Milliseconds for each of so many steps if the whole is to take `total` seconds, and a step not less or more
// than [least, most]; at a speed of 2, half of that.
export function paceOf(steps, { total, pace: [least, most] }, speed = 1) {
  return clamp((1000 * total) / Math.max(1, steps), least, most) / speed;
}

// The buttons [data-go] (first, back, play, next, last), the slider and the output .at of an element; behind
// them, a chooser of speeds.
//   show(step, before)   draws a step
//   total, pace          how long it takes: see paceOf
//   speeds               to choose from; 1 is among them
export class Playback {
  constructor(root, { show, pace, total, speeds, keys = false }) {
    this.root = root;
    this.draw = show;
    this.timing = { total, pace };
    this.step = 0;
    this.last = 0;
    this.slider = root.querySelector(".slider");
    this.speed = make("select");
    for (const speed of speeds) this.speed.append(new Option(`${FRACTIONS[speed] ?? speed} ×`, speed));
    this.speed.value = 1;
    root.querySelector(".at").after(make("label", "speed", ["Speed ", this.speed]));
    this.clock = new Clock(
      (elapsed) => this.advance(elapsed),
      () => this.nameButton(),
    );
    const places = {
      first: () => 0,
      back: () => this.step - 1,
      next: () => this.step + 1,
      last: () => this.last,
    };
    this.button = (key) => root.querySelector(`[data-go=${key}]`);
    const goTo = (key) => {
      this.pause();
      this.show(places[key]());
    };
    const press = (key) => {
      if (key !== "play") goTo(key);
      else if (this.clock.running) this.pause();
      else this.play();
    };
    // What was typed in a field of the page is sent when a press takes the focus from it. The press is meant
    // for the states of that text, which come after it: it is done again with them.
    const noteField = () => {
      this.leavesField = document.activeElement?.matches("textarea, input") ?? false;
    };
    root.addEventListener("pointerdown", noteField, true);
    for (const key of [...Object.keys(places), "play"])
      this.button(key).onclick = () => {
        this.early = this.leavesField ? { press: () => press(key), at: performance.now() } : null;
        this.leavesField = false;
        press(key);
      };
    this.slider.oninput = () => {
      this.pause();
      this.show(Number(this.slider.value));
    };
    if (!keys) return;
    root.addEventListener("keydown", (event) => {
      if (event.target.type === "range" || hasModifier(event)) return;
      const key = { ArrowLeft: "back", ArrowRight: "next", Home: "first", End: "last" }[event.key];
      if (key) {
        event.preventDefault();
        goTo(key);
      }
    });
  }

  // Milliseconds for each step.
  get pace() {
    return paceOf(this.last, this.timing, Number(this.speed.value));
  }

  play() {
    if (this.step >= this.last) this.show(0);
    this.waited = 0;
    this.clock.start();
  }

  pause() {
    this.clock.stop();
  }

  advance(elapsed) {
    this.waited += elapsed;
    const steps = Math.floor(this.waited / this.pace);
    this.waited -= steps * this.pace;
    if (steps) this.show(this.step + steps);
    return this.step < this.last;
  }

  nameButton() {
    relabel(this.button("play"), playLabel(this.clock.running));
  }

  // Other states: how many there are, and which of them to show.
  load(last, step) {
    this.pause();
    this.last = last;
    this.show(step, true);
    const early = this.early;
    this.early = null;
    this.leavesField = false;
    if (early && performance.now() - early.at < PRESS_WAITS) early.press();
  }

  // isLoaded: the data moved it, not the person.
  show(step, isLoaded = false) {
    const before = this.step;
    this.step = clamp(step, 0, this.last);
    this.slider.max = this.last;
    this.slider.value = this.step;
    this.root.querySelector(".at").textContent = `${number(this.step)} of ${plural(this.last, "merge")}`;
    for (const [key, off] of [
      ["first", !this.step],
      ["back", !this.step],
      ["next", this.step === this.last],
      ["last", this.step === this.last],
    ])
      disable(this.button(key), off, this.slider);
    this.button("play").disabled = !this.last;
    this.draw(this.step, before, isLoaded);
  }

  destroy() {
    this.pause();
  }
}
