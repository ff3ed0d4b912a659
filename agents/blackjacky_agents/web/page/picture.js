// The picture of the table, in its own shadow root; elements that match a legal action can be clicked.
//
// Elements may have the attributes data-action (a number), data-kind, data-card, data-pile, data-number and data-seat. An
// action matches an element if it agrees with all of them. The data-seat of a card is its owner and not compared;
// otherwise it is compared with the action's players, once nothing but players is left to choose.
// Keys and screen readers have the buttons and the table in words, so the picture itself is for the eye and the pointer.
// The page's content security policy forbids inline styles, so they are set by script.

import { signs } from "./texts.js";

const CHOICE = `
  :host { display: block }
  pre { margin: 0; font: min(15px, 100cqi / 50)/1.3 var(--mono); white-space: pre; overflow-x: auto }
  svg { display: block; width: 100%; height: auto; max-height: var(--picture-height, none) }
  .choice { cursor: pointer }
  .choice > :is(rect, circle):first-of-type { stroke: var(--accent); stroke-width: 3px; stroke-opacity: 1 }
  .pile.choice > :not(text) { filter: drop-shadow(0 0 2px var(--accent)) drop-shadow(0 0 2px var(--accent)) }
  .choice:hover, .meant { filter: drop-shadow(0 0 4px var(--accent)) drop-shadow(0 0 2px var(--accent)) }
  .toured > rect:first-of-type { stroke: var(--hint-line); stroke-width: 4px; stroke-dasharray: 8 5; stroke-opacity: 1 }
  .dimmed { opacity: 0.45 }
`;

const FINGER = 40; // pixels
const FIELDS = ["action", "kind", "card", "pile", "number"];
const MARKED = [...FIELDS, "seat"].map((name) => `[data-${name}]`).join();

export class Picture {
  constructor(element, pick, explain) {
    this.element = element;
    this.root = element.attachShadow({ mode: "open" });
    Object.assign(this, { pick, explain });
    this.shown = null;
    this.root.addEventListener("click", (event) => this.clicked(event));
  }

  // `legal`: all actions; `left`: those left after the first steps of a choice; `you`: the seat of the person.
  show(markup, { legal, left }, you) {
    Object.assign(this, { legal, left });
    if (markup !== this.shown) this.draw(markup);
    this.shown = markup;
    const marked = [...this.root.querySelectorAll(MARKED)];
    for (const element of marked) {
      const chosen = "card" in element.dataset && left.length < legal.length && left.every((each) => matches(element, each));
      element.classList.toggle("choice", this.belonging(element).length > 0);
      element.classList.toggle("meant", chosen);
    }
    const cards = marked.filter(({ dataset: said }) => "card" in said && !("kind" in said) && said.seat === String(you));
    const choosing = cards.some((card) => card.matches(".choice"));
    for (const card of cards) card.classList.toggle("dimmed", choosing && !card.matches(".choice"));
  }

  draw(markup) {
    const styles = [];
    const bare = markup
      .replace(/<style[^>]*>([^<]*)<\/style>/g, (_, css) => (styles.push(css), ""))
      .replace(/(<[^<>]*?\s)style=/g, "$1data-style=");
    this.root.adoptedStyleSheets = [...styles, CHOICE].map((css) => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(css);
      return sheet;
    });
    this.root.replaceChildren(...new DOMParser().parseFromString(bare, "text/html").body.childNodes);
    const meanings = signs();
    for (const words of this.root.querySelectorAll("text")) {
      const meaning = meanings.find(([label]) => `${words.textContent} `.startsWith(`${label} `))?.[1];
      if (meaning) words.append(Object.assign(document.createElementNS(words.namespaceURI, "title"), { textContent: meaning }));
    }
    for (const element of this.root.querySelectorAll("[data-style]")) element.style.cssText = element.dataset.style;
    this.element.role = this.root.querySelector("svg") ? "img" : "group"; // words can be read where there is no drawing
  }

  // What a click on the element leaves to choose from; another card can be chosen at any time.
  belonging(element) {
    const fitting = (actions) => actions.filter((each) => matches(element, each));
    if ("card" in element.dataset) return fitting(this.legal);
    if ("seat" in element.dataset && !this.left.every((each) => each.seats.length)) return [];
    const found = fitting(this.left);
    return found.length < this.left.length || found.length === 1 ? found : [];
  }

  // Whether one touch of something in the picture that a finger can hit leaves just these actions.
  reaches(actions) {
    const same = (found) => found.length === actions.length && found.every((each) => actions.includes(each));
    return [...this.root.querySelectorAll(".choice")].some((element) => same(this.belonging(element)) && isLarge(element));
  }

  clicked(event) {
    const element = event.target.closest(".choice");
    const meaning = event.target.closest("text")?.querySelector("title");
    if (element) this.pick(this.belonging(element));
    else if (meaning) this.explain(meaning.textContent);
  }
}

// Whether a finger can hit what of an element no later one beside or below it covers.
function isLarge(element) {
  let { left, right, top, bottom } = element.getBoundingClientRect();
  for (let next = element.nextElementSibling; next; next = next.nextElementSibling) {
    const other = next.getBoundingClientRect();
    if (!next.matches("[data-card]") || other.left >= right || other.right <= left || other.top >= bottom || other.bottom <= top) continue;
    if (other.left > left) right = other.left;
    else bottom = other.top;
  }
  return Math.min(right - left, bottom - top) >= FINGER;
}

function matches({ dataset }, action) {
  const agrees = (name) => !(name in dataset) || (action[name] !== null && dataset[name] === String(action[name]));
  const seated = "card" in dataset || !("seat" in dataset) || action.seats.includes(Number(dataset.seat));
  return seated && FIELDS.every(agrees);
}
