// How the game goes on: the speed of the agents, the last trick again, the end at once, a new game.

import { make, makeButton } from "./elements.js";
import { Picture } from "./picture.js";
import { inWords, text } from "./texts.js";

const SPEEDS = ["slow", "normal", "fast"];

export class Pace {
  // `settings` gets what is seldom needed, `turn` what belongs to the course of the game.
  constructor(settings, turn, send) {
    this.send = send;
    this.label = make("span");
    this.speed = make("select", { id: "speed", onchange: () => send({ type: "speed", speed: this.speed.value }) });
    this.again = makeButton("look-back", "", () => send({ type: "pause" }));
    this.skip = makeButton("skip", "", () => send({ type: "skip" }));
    this.restart = makeButton("restart", "", () => this.ask());
    this.asking = make("dialog", { id: "asking" });
    this.looking = make("dialog", { id: "looking" });
    this.looking.onclick = () => this.looking.close();
    this.pace = make("label");
    this.pace.append(this.label, " ", this.speed);
    settings.append(this.pace, this.restart);
    turn.append(this.again, this.skip);
    document.body.append(this.asking, this.looking);
  }

  show(state) {
    this.state = state;
    this.label.textContent = text("speed");
    this.speed.replaceChildren(...SPEEDS.map((name) => make("option", { value: name, textContent: text(`speed_${name}`) })));
    this.speed.value = state.speed;
    this.pace.hidden = state.you === null || state.agents.every((agent) => agent === null);
    this.again.hidden = state.last_pause === null || state.moment !== null;
    if (state.last_pause) this.again.textContent = inWords(state.last_pause, state.names);
    this.skip.hidden = !state.can_skip;
    this.skip.textContent = text("skip");
    this.restart.hidden = state.turn === null || state.you === null;
    this.restart.textContent = text("restart");
    if (state.turn === null) this.asking.close();
  }

  // What others ask for, "" if nothing.
  get words() {
    const { wishes, names, you } = this.state;
    const others = wishes.filter((seat) => seat !== you).map((seat) => names[seat]);
    if (others.length) return text("wish", { names: others.join(", ") });
    return wishes.length ? text("wish_waits") : "";
  }

  // The last pause again, as `you` see it, with the table in words for who cannot see the picture.
  lookBack({ name, told, picture, table }, you) {
    const names = this.state.names;
    const close = makeButton("look-back-close", text("close"), () => this.looking.close());
    const shown = make("div", { ariaLabel: text("picture") });
    const lines = make("ul", { className: "unseen" });
    lines.append(...table.map((phrase) => make("li", { textContent: inWords(phrase, names) })));
    const words = told.map((phrase) => inWords(phrase, names)).join(". ");
    const title = make("h2", { textContent: inWords(name, names), id: "looking-title" });
    this.looking.setAttribute("aria-labelledby", title.id);
    this.looking.replaceChildren(title, make("p", { textContent: words }), shown, lines, close);
    new Picture(shown, () => {}).show(picture, { legal: [], left: [] }, you);
    this.looking.showModal();
  }

  ask() {
    this.restart.closest("dialog")?.close();
    const people = this.state.agents.filter((agent) => agent === null).length;
    const title = make("h2", { textContent: text("restart_title"), id: "asking-title" });
    const words = make("p", { textContent: text(people > 1 ? "restart_with_others" : "restart_alone") });
    const yes = makeButton("restart-yes", text("restart"), () => {
      this.send({ type: "restart" });
      this.asking.close();
    });
    const no = makeButton("restart-no", text("play_on"), () => this.asking.close());
    this.asking.setAttribute("aria-labelledby", title.id);
    this.asking.replaceChildren(title, words, no, yes);
    this.asking.showModal();
  }
}
