// The picture of the table, in its own shadow root; elements that match a legal action can be clicked.
//
// Elements may have the attributes data-action (a number), data-kind, data-card, data-pile, data-number and data-seat. An
// action matches an element if it agrees with all of them. The data-seat of a card is its owner and not compared;
// otherwise it is compared with the action's target, if that is a single seat.
// The page's content security policy forbids inline styles, so they are set by script.

const CHOICE = `
  :host { display: block }
  pre { margin: 0; font: min(15px, 100cqi / 50)/1.3 var(--mono); white-space: pre; overflow-x: auto }
  svg { display: block; width: 100%; height: auto; max-height: 58vh }
  .choice { cursor: pointer; outline-offset: 2px }
  .choice:hover, .choice:focus-visible { outline: 3px solid var(--accent) }
`;

const FIELDS = ["action", "kind", "card", "pile", "number"];
const MARKED = [...FIELDS, "seat"].map((name) => `[data-${name}]`).join();

export class Picture {
  constructor(element, choose) {
    this.root = element.attachShadow({ mode: "open" });
    this.choose = choose;
    this.shown = null;
    this.actions = [];
    this.root.addEventListener("click", (event) => this.touched(event));
    this.root.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") this.touched(event);
    });
  }

  show(markup, actions) {
    this.actions = actions;
    if (markup !== this.shown) this.draw(markup);
    this.shown = markup;
    for (const element of this.root.querySelectorAll(MARKED)) {
      const possible = this.belonging(element).length > 0;
      element.classList.toggle("choice", possible);
      if (possible) element.setAttribute("tabindex", "0");
      else element.removeAttribute("tabindex");
    }
  }

  draw(markup) {
    const styles = [];
    const bare = markup
      .replace(/<style[^>]*>([^<]*)<\/style>/g, (_, css) => (styles.push(css), ""))
      .replace(/(<[^<>]*?\s)style=/g, "$1data-style=");
    this.root.adoptedStyleSheets = [CHOICE, ...styles].map((css) => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(css);
      return sheet;
    });
    this.root.replaceChildren(...new DOMParser().parseFromString(bare, "text/html").body.childNodes);
    for (const element of this.root.querySelectorAll("[data-style]")) element.style.cssText = element.dataset.style;
  }

  belonging(element) {
    const said = element.dataset;
    const fits = (name, meant) => !(name in said) || (meant !== null && said[name] === String(meant));
    return this.actions.filter((each) => {
      const target = each.seats.length === 1 ? each.seats[0] : null;
      return FIELDS.every((name) => fits(name, each[name])) && ("card" in said || fits("seat", target));
    });
  }

  touched(event) {
    const element = event.target.closest(".choice");
    if (!element) return;
    event.preventDefault();
    this.choose(this.belonging(element));
  }
}
