// A tour of the first turn: where things are and what they are for, once for each game in this browser.
//
// The steps are the game's texts: where (PLACES) and what. The tour stands beside what it points at, and takes no focus.

import { find, make, makeButton } from "./elements.js";
import { inWords, text, tour } from "./texts.js";

const PLACES = {
  hand: (root, you) => root.querySelectorAll(`.seat[data-seat="${you}"]:not([data-card])`),
  seats: (root, you) => root.querySelectorAll(`.seat:not([data-card], [data-seat="${you}"])`),
  piles: (root) => root.querySelectorAll(".pile"),
  actions: () => [find("actions")],
  hints: () => [find("hints")],
};

export class Tour {
  constructor(element, root) {
    Object.assign(this, { element, root, step: 0, game: null });
  }

  // Begins at the person's first turn of a game.
  show(state) {
    this.state = state;
    const isNew = this.game !== state.game;
    if (isNew) Object.assign(this, { game: state.game, step: 0 });
    const begins = state.actions.length > 0 && !localStorage.getItem(this.seen) && tour().length > 0;
    if (!begins && (isNew || this.element.hidden)) return this.hide();
    this.draw();
  }

  get seen() {
    return `tour ${this.game}`;
  }

  draw() {
    const steps = tour();
    const [place, phrase] = steps[this.step];
    const isLast = this.step === steps.length - 1;
    const count = make("small", { textContent: text("tour_step", { step: this.step + 1, steps: steps.length }) });
    const next = makeButton("tour-next", text(isLast ? "tour_end" : "tour_next"), () => (isLast ? this.end() : this.advance()));
    const skip = makeButton("tour-skip", text("tour_skip"), () => this.end());
    const buttons = make("div", { className: "buttons" });
    buttons.append(next, ...(isLast ? [] : [skip]));
    const hadFocus = this.element.contains(document.activeElement);
    this.element.replaceChildren(count, make("p", { textContent: inWords(phrase, this.state.names) }), buttons);
    this.element.hidden = false;
    this.point(PLACES[place](this.root, this.state.you));
    if (hadFocus) next.focus();
  }

  point(elements) {
    for (const each of [...this.root.querySelectorAll(".toured"), ...document.querySelectorAll(".toured")]) each.classList.remove("toured");
    for (const each of elements) each.classList.add("toured");
  }

  advance() {
    this.step += 1;
    this.draw();
  }

  end() {
    localStorage.setItem(this.seen, "seen");
    this.hide();
  }

  hide() {
    this.element.hidden = true;
    this.element.replaceChildren();
    this.point([]);
  }

  // True if the key means something.
  pressed(key) {
    if (this.element.hidden || key !== "Escape") return false;
    this.end();
    return true;
  }
}
