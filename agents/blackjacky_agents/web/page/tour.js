// A tour of the first turn: where things are and what they are for, once for each game in this browser.
//
// The steps are the game's texts: where (PLACES) and what. The tour stands beside what it points at, which is scrolled into
// sight, and takes no focus. Places that this page does not have are left out.

import { find, make, makeButton } from "./elements.js";
import { inWords, text, tour } from "./texts.js";

const PLACES = {
  hand: (root, you) => root.querySelectorAll(`.seat[data-seat="${you}"]:not([data-card])`),
  seats: (root, you) => root.querySelectorAll(`.seat:not([data-card], [data-seat="${you}"])`),
  piles: (root) => root.querySelectorAll(".pile"),
  actions: () => [find("actions")],
  hints: () => [find("hints")],
};

const IGNORED = 12; // moves of all players, after which who plays on needs no tour

export class Tour {
  constructor(element, root) {
    Object.assign(this, { element, root, step: 0, places: [], game: null, begun: 0 });
  }

  // Begins at the person's first turn of a game.
  show(state) {
    this.state = state;
    const isNew = this.game !== state.game;
    if (isNew) Object.assign(this, { game: state.game, step: 0 });
    const begins = state.actions.length > 0 && !localStorage.getItem(this.seen) && tour().length > 0;
    if (!begins && (isNew || this.element.hidden)) return this.hide();
    if (!this.element.hidden) return state.move > this.begun + IGNORED ? this.end() : this.draw();
    this.begun = state.move;
    this.places = tour().map(([place]) => place).filter((place) => this.found(place).some((each) => !each.hidden));
    this.advance(0);
  }

  found(place) {
    return [...PLACES[place](this.root, this.state.you)];
  }

  get seen() {
    return `tour ${this.game}`;
  }

  draw() {
    const { places, step } = this;
    const isLast = step === places.length - 1;
    const words = inWords(new Map(tour()).get(places[step]), this.state.names);
    const count = make("small", { textContent: text("tour_step", { step: step + 1, steps: places.length }) });
    const next = makeButton("tour-next", text(isLast ? "tour_end" : "tour_next"), () => (isLast ? this.end() : this.advance(1)));
    const skip = makeButton("tour-skip", text("tour_skip"), () => this.end());
    const buttons = make("div", { className: "buttons" });
    buttons.append(next, ...(isLast ? [] : [skip]));
    const hadFocus = this.element.contains(document.activeElement);
    this.element.replaceChildren(count, make("p", { textContent: words }), buttons);
    this.element.hidden = false;
    this.point(this.found(places[step]));
    if (hadFocus) next.focus();
  }

  point(elements) {
    for (const each of [...this.root.querySelectorAll(".toured"), ...document.querySelectorAll(".toured")]) each.classList.remove("toured");
    for (const each of elements) each.classList.add("toured");
  }

  advance(steps) {
    this.step += steps;
    this.begun = this.state.move;
    this.draw();
    this.found(this.places[this.step]).at(-1)?.scrollIntoView({ block: "end" });
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
